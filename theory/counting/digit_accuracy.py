"""Exact accuracy digit by digit: which digits of the result does the learned function get right?

Counted box by box, like ``theory.counting.accuracy``:

* linear forms over N: the carry automaton counts every digit;
* small boxes: enumeration;
* results mod p: every pair of residues of f and f^;
* polynomials over N: digits 1..j of the result are the polynomial mod ``B**j``.

What none of them reaches is None.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theory.counting.accuracy import (
    LARGEST_ENUMERATION,
    defined,
    defined_boxes,
    drops_digits,
    evaluated,
    matches,
    touched,
)
from theory.counting.carry_automaton import agreement
from theory.counting.congruences import congruent, key_matches
from theory.errors import NotCountable, TooMuchWork
from theory.inference.learned import LearnedFunction
from theory.numbers.effort import spend
from theory.numbers.integer_arrays import Array
from theory.setting.boxes import Box
from theory.setting.domains import Domain

MOST_WORK = 1_500_000_000
"""Steps that the digits of one prediction may take (some seconds)."""
_Counts = list[int | None]
"""Members of a box, one entry per digit of the result; None: not countable."""


@dataclass(frozen=True)
class DigitAccuracy:
    """Accuracies of the digits 1..M of a result (1 = units), each exact or None.

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
    digit, lowest = (
        tuple(_share(column, total) for column in zip(*rows, strict=True))
        for rows in zip(*counts, strict=True)
    )
    return DigitAccuracy(digit, lowest)


def _share(counts: tuple[int | None, ...], total: int) -> Fraction | None:
    known = [n for n in counts if n is not None]
    return Fraction(sum(known), total) if len(known) == len(counts) else None


def _box_counts(learned: LearnedFunction, box: Box, width: int) -> tuple[_Counts, _Counts]:
    """The members of a box with each digit right, and with the lowest digits right."""
    task, support, base = learned.task, learned.support, learned.base
    if not touched(support, box, task):
        every: _Counts = [defined(task, box, base)] * width
        return every, every
    try:
        if task.full_modulus is None and task.is_linear and drops_digits(task, base):
            agree = agreement(task, box, base, support, width)
            return list(agree.digit), list(agree.lowest)
        if task.full_modulus is not None and task.is_linear:
            return _counts_mod(learned, box, task.full_modulus, range(1, width + 1))
    except NotCountable:
        pass
    if box.size <= LARGEST_ENUMERATION:
        with suppress(TooMuchWork):
            return _enumerated(learned, box, width)
    return _polynomial_counts(learned, box, width)


def _enumerated(learned: LearnedFunction, box: Box, width: int) -> tuple[_Counts, _Counts]:
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
    return digit, lowest


def _counts_mod(
    learned: LearnedFunction, box: Box, p: int, positions: range
) -> tuple[_Counts, _Counts]:
    """Members with a digit right, and with the digits up to it, per position.

    Args:
        p: a modulus of the polynomial that decides those digits.
    """
    task, base = learned.task, learned.base

    def keys(residues: Array) -> list[Array]:
        results = residues // task.divisor
        digits = [results // base ** (i - 1) % base for i in positions]
        return digits + [results % base**i for i in positions]

    counts = key_matches(task, p, learned.support, box, base, keys)
    return list(counts[: len(positions)]), list(counts[len(positions) :])


def _polynomial_counts(learned: LearnedFunction, box: Box, width: int) -> tuple[_Counts, _Counts]:
    """What can be counted without enumeration."""
    task = learned.task
    digit: _Counts = [None] * width
    lowest: _Counts = [None] * width
    if task.needs_order:
        return digit, lowest
    if task.full_modulus is not None:
        with suppress(NotCountable):
            return _counts_mod(learned, box, task.full_modulus, range(1, width + 1))
    for i in range(width):
        lowest[i] = _lowest_count(learned, box, i + 1, width)
        if lowest[i] is not None and (i == 0 or lowest[i - 1] == box.size):
            digit[i] = lowest[i]  # the digits below are always right
        elif task.modulus is None or task.modulus % learned.base ** (i + 1) == 0:
            with suppress(NotCountable):
                power = task.divisor * learned.base ** (i + 1)
                [digit[i]], [lowest[i]] = _counts_mod(learned, box, power, range(i + 1, i + 2))
    return digit, lowest


def _lowest_count(learned: LearnedFunction, box: Box, j: int, width: int) -> int | None:
    """Members with digits 1..j right."""
    task, base = learned.task, learned.base
    with suppress(NotCountable):
        if j == width:  # that is the whole result
            return matches(learned, box)
        if task.divisor == 1 and (task.modulus is None or task.modulus % base**j == 0):
            return congruent(task, base**j, learned.support, box, base)
    return None
