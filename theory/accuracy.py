"""Exact accuracy: the probability that the learned function is right on a test domain.

Counted, never sampled.  A domain is cut into boxes of independent digits, and each
kind of task has its own way of counting the members of a box on which f and f^ agree:

* linear forms over N: a digit-by-digit automaton whose state is the pair of carries;
* linear forms mod p: the ignored digits must contribute 0 mod p (a convolution);
* products mod p: pairs of residues (``theory.residues``);
* polynomials with positive coefficients over N: every monomial must keep its value;
* anything else: enumeration, while the box is small.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import gcd, prod

from theory import residues
from theory.domains import Box, Domain, enumerate_box
from theory.learned import LearnedFunction
from theory.support import Support, split_unseen
from theory.tasks import InvalidInput, Task

LARGEST_ENUMERATION = 1_000_000


class NotCountable(InvalidInput):
    """No exact way of counting is known for this task at this size."""


def accuracy(learned: LearnedFunction, test: Domain) -> Fraction:
    """``P[f(x) = f^(x)]`` for x uniform on the part of a test domain where f is defined.

    Raises:
        NotCountable: the domain is too large for the one method that fits the task.
        InvalidInput: the task is defined nowhere on the domain.
    """
    boxes = test.boxes(learned.base, learned.task.operands)
    total = sum(defined(learned.task, box, learned.base) for box in boxes)
    if not total:
        raise InvalidInput(f"the task is defined nowhere on {test.text()}")
    return Fraction(sum(matches(learned, box) for box in boxes), total)


def unseen_share(learned: LearnedFunction, test: Domain) -> Fraction:
    """The share of a test domain on which training does not fix the answer (joint support)."""
    task, base = learned.task, learned.base
    boxes = test.boxes(base, task.operands)
    total = sum(defined(task, box, base) for box in boxes)
    unknown = sum(
        defined(task, piece, base)
        for box in boxes
        for piece in split_unseen(task, learned.support, box, base)[1]
    )
    return Fraction(unknown, total)


def defined(task: Task, box: Box, base: int) -> int:
    """How many members of a box the task is defined on."""
    if not task.needs_order:
        return box.size
    return _carry_automaton(task, box, base, None)


def matches(learned: LearnedFunction, box: Box) -> int:
    """How many members of a box have ``f(x) = f^(x)``."""
    task, support, base = learned.task, learned.support, learned.base
    if not _touched(support, box, task):
        return defined(task, box, base)
    if task.is_linear:
        if task.modulus is None:
            return _carry_automaton(task, box, base, support)
        return _linear_residues(task, support, box, base)
    if task.modulus is not None:
        return _polynomial_residues(learned, box)
    if all(support.offset(j, base) == 0 for j in range(task.operands)):
        return _monotone(task, support, box)
    return _enumerate(learned, box)


def _touched(support: Support, box: Box, task: Task) -> bool:
    """Whether some member of the box has a digit that the model replaces."""
    width = max(box.width, support.width)
    return any(
        (constant := support.constant((j, i))) is not None and box.values(j, i) != (constant,)
        for j in range(task.operands)
        for i in range(1, width + 1)
    )


def _enumerate(learned: LearnedFunction, box: Box) -> int:
    if box.size > LARGEST_ENUMERATION:
        raise NotCountable(
            f"'{learned.task.name}' cannot be counted exactly on {box.size} operand tuples"
        )
    task = learned.task
    members = enumerate_box(box, learned.base)
    return sum(task.evaluate(*x) == learned.evaluate(*x) >= 0 for x in members)


def _carry_automaton(task: Task, box: Box, base: int, support: Support | None) -> int:
    """Members on which the linear form is defined and equals its learned function.

    The state is (carry of f, carry of f^); the digits written at each position must be
    equal.  Without a support the second automaton is left out.  A final carry below 0
    means a negative value.
    """
    constant = sum(c for c, e in task.terms if not any(e))
    coefficients = [sum(c for c, e in task.terms if e[j]) for j in range(task.operands)]
    width = max(box.width, support.width if support else 0)
    states: Counter[tuple[int, int]] = Counter({(constant, constant): 1})
    for i in range(1, width + 1):
        steps: Counter[tuple[int, int]] = Counter({(0, 0): 1})
        for j, c in enumerate(coefficients):
            fixed = support.constant((j, i)) if support else None
            wider: Counter[tuple[int, int]] = Counter()
            for (s, t), n in steps.items():
                for d in box.values(j, i):
                    shown = d if fixed is None else fixed
                    wider[s + c * d, t + c * shown if support else 0] += n
            steps = wider
        after: Counter[tuple[int, int]] = Counter()
        for (x, y), n in states.items():
            for (s, t), m in steps.items():
                high, digit = divmod(x + s, base)
                high_seen, digit_seen = divmod(y + t, base) if support else (0, digit)
                if digit == digit_seen:
                    after[high, high_seen] += n * m
        states = after
    return sum(n for (x, y), n in states.items() if x >= 0 and (support is None or x == y))


def _changes(support: Support, box: Box, operand: int) -> list[tuple[int, tuple[int, ...]]]:
    """Per ignored position, the differences between the digit there and the one acted upon."""
    rows = []
    for i in range(1, max(box.width, support.width) + 1):
        constant = support.constant((operand, i))
        if constant is not None:
            rows.append((i, tuple(d - constant for d in box.values(operand, i))))
    return rows


def _linear_residues(task: Task, support: Support, box: Box, base: int) -> int:
    """Members whose ignored digits contribute 0 mod p to the linear form."""
    assert task.modulus is not None
    coefficients = [sum(c for c, e in task.terms if e[j]) for j in range(task.operands)]
    rows = [_changes(support, box, j) for j in range(task.operands)]
    lowest = [min((i for i, v in r if v != (0,)), default=1) for r in rows]
    common = gcd(
        task.modulus,
        *(c * base ** (i - 1) for c, i, r in zip(coefficients, lowest, rows, strict=True) if r),
    )
    p = task.modulus // common
    total = residues.interval(p, 0, 1)
    sums = []
    for j, c in enumerate(coefficients):
        shift = base ** (lowest[j] - 1)
        moved = [(i - lowest[j] + 1, v) for i, v in rows[j] if v != (0,)]
        sums.append(residues.digit_sum(p, base, moved, step=c * shift // common))
    *others, last = sums
    for s in others:
        total = residues.convolve(total, s)
    free = 1
    for j in range(task.operands):
        for i in range(1, max(box.width, support.width) + 1):
            if support.constant((j, i)) is None:
                free *= len(box.values(j, i))
    return free * residues.zero_pairs(total, last)


def _polynomial_residues(learned: LearnedFunction, box: Box) -> int:
    """Members of a box on which a polynomial mod p keeps its value."""
    task, support, base = learned.task, learned.support, learned.base
    assert task.modulus is not None
    if len(task.terms) == 1 and task.terms[0][1] == (1, 1):
        p = task.modulus // gcd(task.modulus, task.terms[0][0])
        parts = []
        for j in (0, 1):
            kept = [
                (i, box.values(j, i))
                for i in range(1, support.width + 1)
                if support.constant((j, i)) is None
            ]
            constant = support.offset(j, base)
            seen = residues.digit_sum(p, base, kept)
            if constant:
                seen = residues.convolve(seen, residues.interval(p, constant, constant + 1))
            parts += [seen, residues.digit_sum(p, base, _changes(support, box, j))]
        return residues.product_matches(p, *parts)
    return _residue_pairs(learned, box)


def _residue_pairs(learned: LearnedFunction, box: Box) -> int:
    """Any polynomial mod p: all combinations of (residue, residue of what the model sees)."""
    task, support, base = learned.task, learned.support, learned.base
    p = task.modulus
    assert p is not None
    per_operand: list[Counter[tuple[int, int]]] = []
    for j in range(task.operands):
        pairs: Counter[tuple[int, int]] = Counter({(0, 0): 1})
        for i in range(1, max(box.width, support.width) + 1):
            constant, weight = support.constant((j, i)), base ** (i - 1) % p
            after: Counter[tuple[int, int]] = Counter()
            for (x, y), n in pairs.items():
                for d in box.values(j, i):
                    shown = d if constant is None else constant
                    after[(x + d * weight) % p, (y + shown * weight) % p] += n
            pairs = after
        per_operand.append(pairs)
    size = prod(len(pairs) for pairs in per_operand)
    if size > 20 * LARGEST_ENUMERATION:
        raise NotCountable(
            f"'{task.name}' has {size} combinations of residues mod {p}: too many to count exactly"
        )
    return sum(
        prod(n for _, n in combination)
        for combination in product(*(list(pairs.items()) for pairs in per_operand))
        if task.evaluate(*(x for (x, _), _ in combination))
        == task.evaluate(*(y for (_, y), _ in combination))
    )


def _monotone(task: Task, support: Support, box: Box) -> int:
    """Positive coefficients, ignored digits read as 0: equal only if every monomial is.

    Each operand is zero, kept (the model sees it whole, and it is not zero), or cut
    (something was replaced by 0).  A monomial keeps its value when one of its operands
    is zero or all of them are kept; it can only shrink otherwise.
    """
    states = [_three_ways(support, box, j) for j in range(task.operands)]
    supports = [frozenset(j for j, x in enumerate(e) if x) for _, e in task.terms]
    count = 0
    for names in product(("zero", "kept", "cut"), repeat=task.operands):
        if all(
            any(names[j] == "zero" for j in s) or all(names[j] == "kept" for j in s)
            for s in supports
        ):
            count += prod(states[j][name] for j, name in enumerate(names))
    return count


def _three_ways(support: Support, box: Box, operand: int) -> dict[str, int]:
    every, zero, whole = 1, 1, 1
    for i in range(1, max(box.width, support.width) + 1):
        values = box.values(operand, i)
        every *= len(values)
        zero *= 0 in values
        whole *= (0 in values) if support.constant((operand, i)) is not None else len(values)
    return {"zero": zero, "kept": whole - zero, "cut": every - whole}
