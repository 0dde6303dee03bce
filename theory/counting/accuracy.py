"""Exact accuracy: the probability that the learned function is right on a test domain.

Counted, never sampled.  A domain is cut into boxes of independent digits, and each kind of task has
its own way of counting the members of a box on which f and f^ agree.  All raise ``InvalidInput``
where the task is defined nowhere on the domain, ``NotCountable`` where a box is too large for it.

* linear forms without a modulus: digit by digit (``theory.arithmetic.automaton``);
* polynomials mod p: residue by residue (``theory.arithmetic.residues``);
* functions of digits: by a state that each digit moves;
* polynomials with positive coefficients over N: every monomial must keep its value;
* anything else, and what is too large for these: enumeration, while the box is small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import numpy as np

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import ENTRIES, memoize_with_cost, spend
from arith.theory.arithmetic.integer_arrays import Array, operand_tuples
from arith.theory.arithmetic.residues import Operand, keys_unchanged, unchanged
from arith.theory.arithmetic.tasks import DigitFunction, Task
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import InvalidInput, NotCountable
from arith.theory.observation.joint_support import split_unseen
from arith.theory.observation.support import Support

LARGEST_ENUMERATION = ENTRIES // 10

_STEPS_PER_PLACE = 10_000
"""Steps to cut a test box to what a training box has at one place that is read."""


@memoize_with_cost(1024)
def accuracy(learned: LearnedFunction, test: Domain) -> Fraction:
    """``P[f(x) = f^(x)]`` for x uniform on the part of a test domain where f is defined."""
    boxes, total = defined_boxes(learned, test)
    try:
        layers = test.layers(learned.base, learned.task.operands)
        right = sum(weight * matches(learned, box) for weight, box in layers)
    except NotCountable:  # a layer is larger than the boxes
        right = sum(weight * matches(learned, box) for weight, box in boxes)
    return Fraction(right, total)


@memoize_with_cost(1024)
def unseen_share(learned: LearnedFunction, test: Domain) -> Fraction:
    """The share of a test domain on which training does not fix the answer (joint support)."""
    task, base, shown = learned.task, learned.base, learned.support
    boxes, total = defined_boxes(learned, test)

    def unknown(box: Box) -> int:
        found = sum(defined(task, piece, base) for piece in split_unseen(shown, box, known=False))
        if task.needs_order:
            found += sum(
                defined(task, piece, base) - _both_defined(learned, piece)
                for piece in split_unseen(shown, box, known=True)
            )
        return found

    return Fraction(sum(weight * unknown(box) for weight, box in boxes), total)


@memoize_with_cost(1024)
def known_accuracy(learned: LearnedFunction, test: Domain) -> Fraction:
    """The share of a test domain that training fixes, and where the learned function is right."""
    boxes, total = defined_boxes(learned, test)
    right = sum(
        weight * matches(learned, piece)
        for weight, box in boxes
        for piece in split_unseen(learned.support, box, known=True)
    )
    return Fraction(right, total)


@memoize_with_cost(1024)
def shown_share(learned: LearnedFunction, test: Domain) -> Fraction:
    """The share of a test domain whose digits training showed together, at the places it reads."""
    support = learned.support
    boxes, total = defined_boxes(learned, test)
    spend(_STEPS_PER_PLACE * len(support.read) * len(boxes) * len(support.boxes))
    # The training boxes are disjoint, and they do not differ at places that are not read.
    pieces = (
        (weight, box.restrict({p: frozenset(trained.values(*p)) for p in support.read}))
        for weight, box in boxes
        for trained in support.boxes
    )
    return Fraction(
        sum(weight * _both_defined(learned, x) for weight, x in pieces if x.size), total
    )


def defined_boxes(
    learned: LearnedFunction, test: Domain
) -> tuple[list[tuple[Fraction | int, Box]], Fraction | int]:
    """The boxes of a test domain with the weight of an input, and the weight of all inputs.

    The inputs are those on which the task is defined.
    """
    boxes = test.weighted_inputs(learned.base, learned.task.operands)
    total = sum(weight * defined(learned.task, box, learned.base) for weight, box in boxes)
    if not total:
        raise InvalidInput(f"the task is defined nowhere on {test.text()}")
    return boxes, total


def defined(task: Task, box: Box, base: int) -> int:
    """How many members of a box the task is defined on."""
    if not task.needs_order:
        return box.size
    return digit_automaton(task, base).agreeing(box, box.width, [range(0)])[0]


def _both_defined(learned: LearnedFunction, box: Box) -> int:
    """On how many members of a box f and f^ are defined.

    Training never shows what borrows from digits that are ignored.
    """
    if not learned.task.needs_order:
        return box.size
    return _equal_digits(learned, box, [range(0)])[0]


# --- boxes ------------------------------------------------------------------------------


@memoize_with_cost(1024)
def matches(learned: LearnedFunction, box: Box) -> int:
    """How many members of a box have ``f(x) = f^(x)``."""
    spend(4_000 * learned.task.operands * box.width)  # to look at every position
    if not touched(learned.support, box):
        return defined(learned.task, box, learned.base)
    try:
        return _counted(learned, box)
    except NotCountable:
        if box.size > LARGEST_ENUMERATION:
            raise
    right, answer = _evaluated(learned, box)
    return int(np.count_nonzero((right == answer) & learned.task.is_result(right)))


def touched(support: Support, box: Box) -> bool:
    """Whether some member of the box has a digit that the model replaces."""
    return any(
        (constant := support.constant((j, i))) is not None and box.values(j, i) != (constant,)
        for j in range(support.task.operands)
        for i in range(1, max(box.width, support.width) + 1)
    )


def _counted(learned: LearnedFunction, box: Box) -> int:
    """The members of a box on which f and f^ agree, without enumeration."""
    task, support = learned.task, learned.support
    if isinstance(task, DigitFunction):
        return _of_digits(task, support, box)
    if task.modulus is not None:
        return unchanged(task.terms, task.modulus, _operands(learned, box))
    if not task.subtracts and not any(support.offset(j) for j in range(task.operands)):
        return _monotone(learned, box)
    if task.is_linear:
        width = task.result_width(learned.base, max(box.width, support.width))
        return _equal_digits(learned, box, [range(1, width + 1)])[0]
    raise NotCountable(f"'{task.name}' cannot be counted exactly on {box.size} operand tuples")


def _operands(learned: LearnedFunction, box: Box) -> list[Operand]:
    """What is read and what is missed of each operand."""
    support, operands = learned.support, []
    for j in range(learned.task.operands):
        read, missed = [], []
        for i in range(1, max(box.width, support.width) + 1):
            weight = learned.base ** (i - 1)
            values, constant = box.values(j, i), support.constant((j, i))
            if constant is None:
                read.append((weight, values))
            elif values != (constant,):
                missed.append((weight, [d - constant for d in values]))
        operands.append(Operand(read, missed, support.offset(j)))
    return operands


def _equal_digits(learned: LearnedFunction, box: Box, compared: list[range]) -> list[int]:
    """On how many members of a box a linear form and its f^ are natural, with equal digits."""
    support = learned.support
    positions = max([support.width, *(digits.stop - 1 for digits in compared)])
    automaton = digit_automaton(learned.task, learned.base)
    return automaton.agreeing(box, positions, compared, support.constant)


def _evaluated(learned: LearnedFunction, box: Box) -> tuple[Array, Array]:
    """f and f^ of every member of a small box, each of shape ``(box.size,)``."""
    task, width = learned.task, learned.support.width
    operations = task.operands * width + task.steps
    dtype = task.dtype(learned.base ** max(box.width, width))
    spend(box.size * operations * (200 if dtype.hasobject else 4))
    tuples = operand_tuples(box.digits, learned.base, dtype)
    return task.evaluate(*tuples), learned.evaluate(*tuples)


def _monotone(learned: LearnedFunction, box: Box) -> int:
    """Positive coefficients, ignored digits read as 0: equal only if every monomial is.

    Each operand is zero, kept (the model sees it whole, and it is not zero), or cut
    (something was replaced by 0).  A monomial keeps its value when one of its operands
    is zero or none is cut; it can only shrink otherwise.
    """
    task = learned.task
    states = [_three_ways(learned.support, box, j) for j in range(task.operands)]
    count = 0
    for chosen in product(*(state.items() for state in states)):
        monomials = [
            {name for (name, _), x in zip(chosen, e, strict=True) if x} for _, e in task.terms
        ]
        if all("zero" in x or "cut" not in x for x in monomials):
            count += prod(ways for _, ways in chosen)
    return count


def _of_digits(task: DigitFunction, support: Support, box: Box) -> int:
    """A function of digits is a state that each digit moves; f and f^ are run side by side.

    The reversal of a number that is cut is another one: it is shorter, and ends alike.
    """
    if task.combine is None:
        if support.read_lengths[0] is None:
            raise NotCountable("reversals with constants among the digits are not counted")
        whole = _three_ways(support, box, 0)
        return whole["zero"] + whole["kept"]
    ways = Counter({(0, 0): 1})
    for i in range(1, max(box.width, support.width) + 1):
        values, constant = box.values(0, i), support.constant((0, i))
        moves = Counter(
            (task.evaluate(d), task.evaluate(d if constant is None else constant)) for d in values
        )
        spend(2_000 * (len(ways) * len(moves) + len(values)))
        after: Counter[tuple[int, int]] = Counter()
        for (state, seen), n in ways.items():
            for (d, other), times in moves.items():
                after[task.merged(state, d), task.merged(seen, other)] += n * times
        ways = after
    return sum(n for (state, seen), n in ways.items() if state == seen)


def _three_ways(support: Support, box: Box, operand: int) -> dict[str, int]:
    """In how many ways an operand is zero, kept and cut."""
    every, zero, whole = 1, 1, 1
    for i in range(1, max(box.width, support.width) + 1):
        values = box.values(operand, i)
        every *= len(values)
        zero *= 0 in values
        whole *= len(values) if support.constant((operand, i)) is None else 0 in values
    return {"zero": zero, "kept": whole - zero, "cut": every - whole}


# --- digits of the result ---------------------------------------------------------------

_Counts = list[int | None]
"""Members of a box with digit 1, 2, ... right, and then with digits 1..1, 1..2, ... right.

None: not countable.
"""


@dataclass(frozen=True)
class DigitAccuracy:
    """Accuracies of the digits 1..M of a result (1 = units), each exact or None (not countable).

    Where f^ is negative no digit is right.

    Args:
        digit: entry i - 1: ``P[digit i of f(x) = digit i of f^(x)]``.
        lowest: entry j - 1: ``P[digits 1..j of f(x) and f^(x) are equal]``.
    """

    digit: tuple[Fraction | None, ...]
    lowest: tuple[Fraction | None, ...]


def digit_accuracies(learned: LearnedFunction, test: Domain) -> DigitAccuracy:
    """The accuracy of each digit, x uniform on the part of a test domain where f is defined.

    M is the number of digits that hold every result on the domain, of f and of f^.

    Raises:
        InvalidInput: the task is defined nowhere on the domain.
        NotCountable: a difference of operands with too many carries to say where it is defined.
    """
    task, base = learned.task, learned.base
    boxes, total = defined_boxes(learned, test)
    operand_width = max(box.width for _, box in boxes)
    if any(learned.support.offset(j) for j in range(task.operands)):
        operand_width = max(operand_width, learned.support.width)  # f^ may be longer than f
    width = task.result_width(base, operand_width)
    counts = [_digit_counts(learned, box, width) for _, box in boxes]
    weights = [weight for weight, _ in boxes]
    shares = tuple(_share(column, weights, total) for column in zip(*counts, strict=True))
    return DigitAccuracy(shares[:width], shares[width:])


def _share(
    counts: Sequence[int | None], weights: Sequence[Fraction | int], total: Fraction | int
) -> Fraction | None:
    known = [weight * n for weight, n in zip(weights, counts, strict=True) if n is not None]
    return Fraction(sum(known), total) if len(known) == len(counts) else None


def _digit_counts(learned: LearnedFunction, box: Box, width: int) -> _Counts:
    if not touched(learned.support, box):
        return [defined(learned.task, box, learned.base)] * (2 * width)
    methods = (_all_digits, _enumerated) if learned.task.is_linear else (_enumerated, _all_digits)
    for method in methods:
        with suppress(NotCountable):
            return method(learned, box, width)
    return _digit_by_digit(learned, box, width)


def _enumerated(learned: LearnedFunction, box: Box, width: int) -> _Counts:
    if box.size > LARGEST_ENUMERATION:
        raise NotCountable("there are too many operand tuples to be enumerated")
    right, answer = _evaluated(learned, box)
    spend(box.size * width * (50 if right.dtype == np.int64 else 500))
    task, base = learned.task, learned.base
    good = prefix = task.is_result(right) & task.is_result(answer)
    digit: _Counts = []
    lowest: _Counts = []
    for x, y in zip(*(task.digits(v, base, width) for v in (right, answer)), strict=True):
        same = x == y
        digit.append(int(np.count_nonzero(good & same)))
        prefix = prefix & same
        lowest.append(int(np.count_nonzero(prefix)))
    return digit + lowest


def _all_digits(learned: LearnedFunction, box: Box, width: int) -> _Counts:
    """Every digit at once: of rules of finite carry, and of anything mod p."""
    task, positions = learned.task, range(1, width + 1)
    if task.modulus is not None:
        return _counts_mod(learned, _operands(learned, box), task.modulus, positions)
    if not task.has_finite_carry:
        raise NotCountable(f"the digits of '{task.name}' are not counted at once")
    each, lowest = [range(i, i + 1) for i in positions], [range(1, j + 1) for j in positions]
    return [*_equal_digits(learned, box, each + lowest)]


def _counts_mod(
    learned: LearnedFunction, operands: list[Operand], n: int, positions: range
) -> _Counts:
    """The counts at positions whose digits the polynomial mod n decides."""
    base = learned.base

    def keys(residues: Array) -> list[Array]:
        digits = [residues // base ** (i - 1) % base for i in positions]
        return digits + [residues % base**i for i in positions]

    return [*keys_unchanged(learned.task.terms, n, operands, keys)]


def _digit_by_digit(learned: LearnedFunction, box: Box, width: int) -> _Counts:
    """Digits 1..j from the polynomial mod ``B**j``, as far as p allows; all of them as f itself."""
    task, operands = learned.task, _operands(learned, box)
    digit: _Counts = [None] * width
    lowest: _Counts = [None] * width
    too_many = False  # residues mod B**j, and so for every larger j
    for i in range(width if task.follows_polynomial and not task.needs_order else 0):
        power = learned.base ** (i + 1)
        decided = task.modulus is None or task.modulus % power == 0
        try:
            if i + 1 == width:  # that is the whole result
                lowest[i] = matches(learned, box)
            elif decided and not too_many:
                lowest[i] = unchanged(task.terms, power, operands)
        except NotCountable:
            too_many = True
        if lowest[i] is not None and (i == 0 or lowest[i - 1] == box.size):
            digit[i] = lowest[i]  # the digits below are always right
        elif decided:
            with suppress(NotCountable):
                digit[i], lowest[i] = _counts_mod(learned, operands, power, range(i + 1, i + 2))
    return digit + lowest


# --- single inputs ----------------------------------------------------------------------

TRIED = 64
"""Inputs that are looked at, at most."""


def bound_by_example(learned: LearnedFunction, test: Domain) -> Fraction:
    """What an accuracy that is too large to be counted cannot exceed; 1 if no input shows less.

    Training showed the digits of these inputs together at the places that are read: it fixes their
    answers.  One on which f and f^ differ is enough.  They are the same inputs each time.
    """
    task, base, draw = learned.task, learned.base, Random(0)
    boxes, [length] = test.boxes(base, task.operands), test.lengths
    products = task.steps
    each = 100 + task.degree * length * length // 80  # numbers of n digits take about n**2 / 80
    cost = 2 * products * each + 1_000 * task.operands * learned.support.width
    with suppress(NotCountable):
        size = sum(defined(task, box, base) for box in boxes)
        for _ in range(TRIED):
            spend(1_000 * task.operands * length)
            x = _shown(learned, draw.choice(boxes), draw.choice(learned.support.boxes), draw)
            if x is None:
                continue
            spend(cost)
            truth, answer = task.evaluate(*x), learned.evaluate(*x)
            if truth != answer and task.is_result(min(truth, answer)):  # else it is not defined
                return 1 - Fraction(1, size)
    return Fraction(1)


def _shown(
    learned: LearnedFunction, box: Box, trained: Box, draw: Random
) -> tuple[int, ...] | None:
    """A member of a test box with the digits of a training box where the model reads, if any."""
    operands = []
    for j, row in enumerate(box.digits):
        x = 0
        for i, values in reversed(list(enumerate(row, 1))):
            if learned.support.constant((j, i)) is None:
                values = tuple(set(values).intersection(trained.values(j, i)))
            if not values:
                return None
            x = x * learned.base + draw.choice(values)
        operands.append(x)
    return tuple(operands)
