"""The best guess of a result digit without a digit that it needs, exactly.

A model whose answer does not depend on a digit X gives one answer for all values of X, where all
other digits are the same.  So of these values it is right on as many, at most, as have one answer.
The proofs are in ``docs/addresses.md``.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from arith.theory.inference.found import Missing
from arith.theory.inference.shapes import writes_carry
from arith.theory.numbers.effort import ENTRIES, remembered, spend
from arith.theory.numbers.integer_arrays import Array, combinations, exact_dtype
from arith.theory.setting.layouts import Layout
from arith.theory.setting.tasks import Task

_MOST_TUPLES = ENTRIES // 100
"""Tuples of units digits that are tried."""


def best_share(
    task: Task, base: int, layout: Layout, what: Missing, widths: tuple[int, ...], position: int
) -> Fraction:
    """The largest share of the inputs of some lengths that can be right without a digit.

    Args:
        what: the digit, at a position of operands of these lengths.
    """
    if not task.has_finite_carry:
        return _best_units(task, base, what.operand)
    number = base - 1 if what.top else base
    right = min(number, right_values(task, base, layout, what))
    if task.needs_order and widths[0] == widths[1]:
        return _of_differences(task, base, what.operand, widths[0], position, right)
    return Fraction(right, number)


def right_values(task: Task, base: int, layout: Layout, what: Missing) -> int:
    """On how many values of the digit one answer can be right, all other digits being the same."""
    factor = task.coefficients[what.operand]
    if writes_carry(layout):
        values = range(int(what.top), base)
        return max(Counter(factor * d % base for d in values).values())
    if factor and what.by_all:
        return 1  # one answer in full, and no two values have the same result
    return abs(factor) + 1 if factor else base  # what stands before it tells the carry out of it


def _best_units(task: Task, base: int, operand: int) -> Fraction:
    """The same of the units digit of a polynomial, which depends on units digits alone."""
    n, tuples = task.modulus, base**task.operands
    if task.divisor != 1 or (n is not None and n % base) or tuples > _MOST_TUPLES:
        return Fraction(1)
    by_digit = np.moveaxis(_units(task, base), operand, -1).reshape(-1, base)
    spend(10 * base * tuples)
    often = [np.count_nonzero(by_digit == value, axis=1) for value in range(base)]
    return Fraction(int(np.max(often, axis=0).sum()), tuples)


@remembered(64)
def _units(task: Task, base: int) -> Array:
    """The units digit of a polynomial, by the units digits of its operands."""
    axes, tuples = [range(base)] * task.operands, base**task.operands
    dtype = exact_dtype(sum(abs(c) * base ** sum(e) for c, e in task.terms))
    spend(tuples * sum(1 + sum(e) for _, e in task.terms) * (200 if dtype.hasobject else 4))
    units = task.polynomial(*combinations(axes).astype(dtype)) % base
    return units.astype(np.int64).reshape((base,) * task.operands)


def _of_differences(
    task: Task, base: int, operand: int, width: int, position: int, right: int
) -> Fraction:
    """The same of a difference of equal lengths, whose digits are not independent.

    Where the others leave room for some values of the digit they are its lowest, if it is taken
    off, and otherwise its highest.
    """
    first = int(position == width > 1)
    is_greater = task.coefficients[operand] > 0
    values = range(base - right, base) if is_greater else range(first, first + right)
    every = _ordered_pairs(base, width, 0, is_greater, values)
    return min(
        Fraction(1), Fraction(_ordered_pairs(base, width, position, is_greater, values), every)
    )


@remembered(100_000)
def _ordered_pairs(base: int, width: int, position: int, is_greater: bool, values: range) -> int:
    """How many pairs a >= b of one length have a digit in a range, a's or b's; 0 is no position."""
    equal, greater = 1, 0  # of the digits from the highest down to here
    for i in range(width, 0, -1):
        spend(1_000)
        a = b = range(int(i == width > 1), base)
        if i == position:
            a, b = (values, b) if is_greater else (a, values)
        above = sum(max(0, min(x, b.stop) - b.start) for x in a)
        greater = equal * above + greater * len(a) * len(b)
        equal *= len(set(a).intersection(b))
    return equal + greater
