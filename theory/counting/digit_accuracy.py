"""Exact accuracy digit by digit: which digits of the result does the learned function get right?

Counted box by box, like ``theory.counting.accuracy``: linear forms over N by the carry automaton,
results mod p by pairs of residues, small boxes by enumeration, and digits 1..j of other polynomials
as the polynomial mod ``B**j``.  What none of these reaches is None.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from arith.theory.counting.accuracy import (
    LARGEST_ENUMERATION,
    defined,
    defined_boxes,
    evaluated,
    matches,
    touched,
)
from arith.theory.counting.carry_automaton import agreement
from arith.theory.counting.congruences import LARGEST_KEYED_MODULUS, congruent, key_matches
from arith.theory.errors import NotCountable
from arith.theory.inference.learned import LearnedFunction
from arith.theory.numbers.effort import spend
from arith.theory.numbers.integer_arrays import Array
from arith.theory.setting.boxes import Box
from arith.theory.setting.domains import Domain

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
    operand_width = max(box.width for box in boxes)
    if any(learned.support.offset(j) for j in range(task.operands)):
        operand_width = max(operand_width, learned.support.width)  # f^ may be longer than f
    width = task.result_width(base, operand_width)
    counts = [_box_counts(learned, box, width) for box in boxes]
    shares = tuple(_share(column, total) for column in zip(*counts, strict=True))
    return DigitAccuracy(shares[:width], shares[width:])


def _share(counts: tuple[int | None, ...], total: int) -> Fraction | None:
    known = [n for n in counts if n is not None]
    return Fraction(sum(known), total) if len(known) == len(counts) else None


def _box_counts(learned: LearnedFunction, box: Box, width: int) -> _Counts:
    if not touched(learned.support, box, learned.task):
        return [defined(learned.task, box, learned.base)] * (2 * width)
    methods = (_all_digits, _enumerated) if learned.task.is_linear else (_enumerated, _all_digits)
    for method in methods:
        with suppress(NotCountable):
            return method(learned, box, width)
    return _digit_by_digit(learned, box, width)


def _enumerated(learned: LearnedFunction, box: Box, width: int) -> _Counts:
    if box.size > LARGEST_ENUMERATION:
        raise NotCountable("there are too many operand tuples to be enumerated")
    right, answer = evaluated(learned, box)
    spend(box.size * width * (50 if right.dtype == np.int64 else 500))
    good = prefix = (right >= 0) & (answer >= 0)
    digit: _Counts = []
    lowest: _Counts = []
    for i in range(width):
        weight = learned.base**i
        same = right // weight % learned.base == answer // weight % learned.base
        digit.append(int(np.count_nonzero(good & same)))
        prefix = prefix & same
        lowest.append(int(np.count_nonzero(prefix)))
    return digit + lowest


def _all_digits(learned: LearnedFunction, box: Box, width: int) -> _Counts:
    """Every digit at once: of linear forms over N, and of anything mod p."""
    task = learned.task
    if task.full_modulus is not None:
        return _counts_mod(learned, box, task.full_modulus, range(1, width + 1))
    if not task.is_linear:
        raise NotCountable(f"the digits of '{task.name}' are not counted at once")
    agree = agreement(task, box, learned.base, learned.support, width)
    return [*agree.digit, *agree.lowest]


def _counts_mod(learned: LearnedFunction, box: Box, p: int, positions: range) -> _Counts:
    """The counts at positions whose digits the polynomial mod p decides."""
    base = learned.base

    def keys(residues: Array) -> list[Array]:
        results = residues // learned.task.divisor
        digits = [results // base ** (i - 1) % base for i in positions]
        return digits + [results % base**i for i in positions]

    return [*key_matches(learned, box, p, keys)]


def _digit_by_digit(learned: LearnedFunction, box: Box, width: int) -> _Counts:
    """Digits 1..j from the polynomial mod ``B**j``, as far as p allows; all of them as f itself."""
    task = learned.task
    digit: _Counts = [None] * width
    lowest: _Counts = [None] * width
    too_many = False  # residues mod B**j, and so for every larger j
    for i in range(0 if task.needs_order else width):
        power = learned.base ** (i + 1)
        decided = task.modulus is None or task.modulus % power == 0
        try:
            if i + 1 == width:  # that is the whole result
                lowest[i] = matches(learned, box)
            elif decided and task.divisor == 1 and not too_many:
                lowest[i] = congruent(learned, box, power)
        except NotCountable:
            too_many = True
        if lowest[i] is not None and (i == 0 or lowest[i - 1] == box.size):
            digit[i] = lowest[i]  # the digits below are always right
        elif decided and task.divisor * power <= LARGEST_KEYED_MODULUS:
            with suppress(NotCountable):
                at = range(i + 1, i + 2)
                digit[i], lowest[i] = _counts_mod(learned, box, task.divisor * power, at)
    return digit + lowest
