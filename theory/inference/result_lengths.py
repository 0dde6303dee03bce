"""How long results are: of operands of given lengths, how many have a result of so many digits."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from math import prod

from arith.theory.errors import NotCountable
from arith.theory.numbers.effort import remembered, spend
from arith.theory.setting.properties import translation_invariant
from arith.theory.setting.tasks import Task, digit_count

_Widths = tuple[int, ...]
_Digits = tuple[range, ...]
"""The digits that each operand can have at a position."""


@lru_cache(maxsize=4096)
def interval(width: int, base: int) -> tuple[int, int]:
    """The least and the largest number of so many digits; numbers of one digit begin with 0."""
    return (base ** (width - 1) if width > 1 else 0), base**width - 1


def number_of_tuples(widths: _Widths, base: int) -> int:
    """How many operand tuples have these lengths."""
    return prod(high - low + 1 for low, high in (interval(w, base) for w in widths))


def longest_result(task: Task, base: int, widths: _Widths) -> int:
    """The digits of the largest result of operands of these lengths (0: it is never defined)."""
    ends = zip(task.coefficients, (interval(w, base) for w in widths), strict=True)
    top = task.constant + sum(c * (high if c > 0 else low) for c, (low, high) in ends)
    return digit_count(top, base) if top >= 0 else 0


def possible_lengths(task: Task, base: int, widths: _Widths) -> range:
    """How many digits results may have, operands having these lengths and no negative factor."""
    lows = (interval(w, base)[0] for w in widths)
    return range(digit_count(task.evaluate(*lows), base), longest_result(task, base, widths) + 1)


def result_lengths(task: Task, base: int, widths: _Widths) -> dict[int, int]:
    """By the digits of the result, how many operand tuples of these lengths have it.

    Raises:
        NotCountable: a task that is not linear, has a modulus, or an order other than that of a
            difference.
    """
    is_difference = translation_invariant(task) and sorted(task.coefficients) == [-1, 1]
    if task.needs_order and not is_difference:
        raise NotCountable(f"no way of counting where '{task.name}' is defined is known")
    if not task.has_finite_carry:
        raise NotCountable(f"no way of counting the digits of '{task.name}' is known")
    if not task.needs_order:  # operands that can change places share a count
        ordered = list(widths)
        for group in task.alike:
            for j, w in zip(group, sorted(widths[j] for j in group), strict=True):
                ordered[j] = w
        widths = tuple(ordered)
    return dict(_counted(task, base, widths))


@remembered(200_000)
def _counted(task: Task, base: int, widths: _Widths) -> tuple[tuple[int, int], ...]:
    longest = longest_result(task, base, widths)
    below, first = _differences_below, 1
    if not task.needs_order:
        below, first = _results_below, possible_lengths(task, base, widths).start
    found, before = [], 0
    for m in range(first, longest + 1):
        spend(20_000)
        if m == longest and not task.needs_order:
            up_to = number_of_tuples(widths, base)
        else:
            up_to = below(task, base, widths, m)
        found += [(m, up_to - before)] if up_to > before else []
        before = up_to
    return tuple(found)


def _differences_below(task: Task, base: int, widths: _Widths, digits: int) -> int:
    """How many pairs have a difference of at least 0 and at most so many digits."""
    greater, less = widths if task.coefficients[0] > 0 else widths[::-1]
    a, b = interval(greater, base), interval(less, base)
    return _pairs_up_to(a, b, base**digits - 1) - _pairs_up_to(a, b, -1)


def _pairs_up_to(a: tuple[int, int], b: tuple[int, int], most: int) -> int:
    """How many pairs of numbers of two intervals have a difference of at most ``most``."""

    def unbounded(x: int, y: int) -> int:
        """The pairs of a first number from x upwards and a second from y downwards: a triangle."""
        side = max(0, y + most - x + 1)
        return side * (side + 1) // 2

    above, below = a[1] + 1, b[0] - 1
    whole = unbounded(a[0], b[1]) - unbounded(above, b[1])
    return whole - unbounded(a[0], below) + unbounded(above, below)


def _results_below(task: Task, base: int, widths: _Widths, digits: int) -> int:
    """How many operand tuples have a result of at most so many digits; no term is negative."""
    factors = task.coefficients
    if any(c and w > digits for c, w in zip(factors, widths, strict=True)):
        return 0
    carries = {task.constant: 1}
    starts = sorted({1, digits + 1, *(x for w in widths for x in (w, w + 1) if x <= digits)})
    for start, end in pairwise(starts):
        digits_there = tuple(_digits_at(start, w, base) for w in widths)
        further: Counter[int] = Counter()
        for carry, number in carries.items():
            for onward, ways in _onward(factors, base, digits_there, end - start, carry):
                further[onward] += number * ways
        carries = dict(further)
    return carries.get(0, 0)


def _digits_at(position: int, width: int, base: int) -> range:
    """The digits that an operand can have at a position; 0 above its highest."""
    return range(int(position == width > 1), base if position <= width else 1)


@remembered(100_000)
def _onward(
    factors: tuple[int, ...], base: int, digits: _Digits, times: int, carry: int
) -> tuple[tuple[int, int], ...]:
    """By the carry after so many positions alike, in how many ways it comes about."""
    found: Counter[int] = Counter()
    if times == 1:
        for total, ways in _sums(factors, base, digits):
            found[(carry + total) // base] += ways
        return tuple(found.items())
    half = times // 2
    for between, ways in _onward(factors, base, digits, half, carry):
        for onward, more in _onward(factors, base, digits, times - half, between):
            found[onward] += ways * more
    return tuple(found.items())


@remembered(4096)
def _sums(factors: tuple[int, ...], base: int, digits: _Digits) -> tuple[tuple[int, int], ...]:
    """How often each sum of the digits at a position comes about, each times its coefficient."""
    sums = Counter({0: 1})
    for factor, values in zip(factors, digits, strict=True):
        spend(100 * len(sums) * base)
        further: Counter[int] = Counter()
        for total, ways in sums.items():
            for d in values:
                further[total + factor * d] += ways
        sums = further
    return tuple(sums.items())
