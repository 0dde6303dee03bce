"""Exact counting of digit-built numbers modulo p.

Counts are Python integers of any size.  A distribution is held as a level that all
residues share plus what each residue has beyond it, because the numbers of an interval
fall on the residues evenly up to one: the level is huge, the rest is 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from theory.errors import InvalidInput, NotCountable
from theory.numbers.effort import spend
from theory.numbers.integer_arrays import (
    SAFE,
    Array,
    cyclic_product,
    exact_sum,
    peak,
    roomy,
    scaled,
    split_lowest,
)

Row = tuple[int, Sequence[int]]
"""A digit: its position (1 = weight 1) and the sorted values that it takes."""

_MOST_COMPARED = 1_000_000_000
"""Comparisons of residues that ``unchanged`` makes at most (about a second)."""

_FEW = 12
"""A convolution factor with at most this many nonzero entries is added copy by copy."""


@dataclass(frozen=True, eq=False)
class Residues:
    """How many numbers fall on each residue mod p: ``counts[r] = level + extra[r]``.

    Args:
        level: the part that all residues share, >= 0, of any size.
        extra: the rest, shape ``(p,)``, >= 0; int64 when every entry fits safely,
            otherwise dtype object.
    """

    level: int
    extra: np.ndarray

    @property
    def p(self) -> int:
        """The modulus."""
        return len(self.extra)

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return self.level * self.p + exact_sum(self.extra)

    def count(self, r: int) -> int:
        """How many of the numbers are congruent to r."""
        return self.level + int(self.extra[r % self.p])


def interval(p: int, low: int, high: int, step: int = 1) -> Residues:
    """The numbers ``step * t``, ``low <= t < high``, mod p.

    Raises:
        InvalidInput: p below 1.
    """
    if p < 1:
        raise InvalidInput(f"modulus must be at least 1, not {p}")
    spend(10 * p)
    cycle = p // math.gcd(step, p)
    laps, rest = divmod(max(0, high - low), cycle)
    # Where step is no unit, only multiples of p / cycle are hit, and no level is shared.
    level, laps = (laps, 0) if cycle == p else (0, laps)
    extra = np.zeros(p, dtype=np.int64 if laps < SAFE - 1 else object)
    extra[:: p // cycle] = laps
    extra[(step * low % p + step % p * np.arange(rest)) % p] += 1  # rest different residues
    return Residues(level, extra)


def digit_sum(p: int, base: int, rows: Iterable[Row], step: int = 1) -> Residues:
    """The numbers ``step * sum(base**(position - 1) * digit)`` mod p.

    Args:
        rows: one ``(position, values)`` per digit; the digits are independent and each
            is uniform over its values, which may be negative.  No row: the number 0.

    Raises:
        InvalidInput: p below 1, base below 2 or a position below 1.
    """
    result = interval(p, 0, 1)
    for place, (weight, ranges) in enumerate(_parts(base, rows)):
        if place == 0 and len(ranges) == 1:
            result = interval(p, *ranges[0], step * weight)
        else:
            result = _spread(result, step * weight, ranges)
    return result


def convolve(x: Residues, y: Residues) -> Residues:
    """The sums of a member of x and an independent member of y."""
    p = common_modulus(x, y)
    level = x.level * y.level * p + x.level * exact_sum(y.extra) + y.level * exact_sum(x.extra)
    fewer, more = sorted((x.extra, y.extra), key=np.count_nonzero)
    if np.count_nonzero(fewer) <= _FEW:
        return settled(level, _copies(fewer, more))
    limbs = 1 + (peak(more).bit_length() + peak(fewer).bit_length()) // 16
    spend(1_000 * p * limbs)
    return settled(level, cyclic_product(more, fewer, (p,)))


def scale(x: Residues, factor: int) -> Residues:
    """The members of x, each times a factor."""
    p = x.p
    if factor % p == 1:
        return x
    shared = math.gcd(factor, p)  # so many residues become one
    level = x.level * shared
    extra = roomy(x.extra, shared).reshape(shared, -1).sum(axis=0)
    if shared > 1:  # only its multiples are hit, and nothing is common to all residues
        level, extra = 0, extra.astype(object) + level
    result = np.zeros(p, dtype=extra.dtype)
    result[np.arange(p // shared) * (factor % p) % p] = extra
    return settled(level, result)


def zero_pairs(x: Residues, y: Residues) -> int:
    """How many pairs (a member of x, a member of y) sum to 0 mod p."""
    p = common_modulus(x, y)
    level = x.level * y.level * p + x.level * exact_sum(y.extra) + y.level * exact_sum(x.extra)
    facing = np.roll(y.extra[::-1], 1)
    return level + int(roomy(x.extra, p * peak(facing)) @ facing)


def unchanged(x: Residues, shift: Residues, keys: Array) -> list[int]:
    """How many pairs (v of x, u of shift) have ``key[v] = key[v + u]``, for each key.

    Args:
        keys: tables over the residues, shape ``(k, p)``.

    Returns:
        k counts.

    Raises:
        NotCountable: there are more than ``_MOST_COMPARED`` comparisons.
    """
    p = common_modulus(x, shift)
    shifts = np.flatnonzero(shift.extra) if not shift.level else np.arange(p)
    spend(2 * len(shifts) * keys.size)
    if len(shifts) * keys.size > _MOST_COMPARED:
        raise NotCountable(f"{len(shifts)} of {p} residues are too many to be compared")
    twice = np.concatenate([keys, keys], axis=1)
    extra = roomy(x.extra, p)
    counts = [0] * len(keys)
    for u in shifts.tolist():
        equal = twice[:, u : u + p] == keys
        for k, row in enumerate(equal):
            counts[k] += shift.count(u) * (
                x.level * int(np.count_nonzero(row)) + int(extra[row].sum())
            )
    return counts


def common_modulus(x: Residues, y: Residues) -> int:
    """The modulus of both.

    Raises:
        InvalidInput: they differ.
    """
    if x.p != y.p:
        raise InvalidInput(f"distributions mod {x.p} and mod {y.p} do not combine")
    return x.p


def _copies(few: Array, many: Array) -> Array:
    """Cyclic convolution, one shifted copy of ``many`` per nonzero entry of ``few``."""
    each = 10 if roomy(many, exact_sum(few)).dtype != object else 200
    spend(each * len(many) * (1 + int(np.count_nonzero(few))))
    many = roomy(many, exact_sum(few))
    result = np.zeros_like(many)
    for shift in np.flatnonzero(few):
        result = result + np.roll(many, int(shift)) * int(few[shift])
    return result


# --- digits -----------------------------------------------------------------------------


def _segments(values: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted values as ranges ``low <= v < high`` of consecutive integers."""
    if values and list(values) == list(range(values[0], values[0] + len(values))):
        return [(values[0], values[-1] + 1)]
    found: list[tuple[int, int]] = []
    for v in values:
        if found and found[-1][1] == v:
            found[-1] = (found[-1][0], v + 1)
        else:
            found.append((v, v + 1))
    return found


def _parts(base: int, rows: Iterable[Row]) -> list[tuple[int, list[tuple[int, int]]]]:
    """The digits as independent parts ``(weight, ranges)``: ``weight * t``, t in a range.

    A digit joins the part of the position below it when that part takes every value of
    one range of ``base**digits`` integers, so that the sums again form ranges.
    """
    if base < 2:
        raise InvalidInput(f"base must be at least 2, not {base}")
    parts: list[tuple[int, list[tuple[int, int]]]] = []
    top, size = 0, 0  # position of the last digit; base**digits of its part, 0: not full
    for position, values in sorted(rows, key=lambda row: row[0]):
        if position < 1:
            raise InvalidInput(f"digit positions start at 1, not {position}")
        ranges = _segments(values)
        if size and position == top + 1:
            weight, [(start, _)] = parts.pop()
        else:
            weight, start, size = base ** (position - 1), 0, 1
        parts.append((weight, [(start + a * size, start + b * size) for a, b in ranges]))
        full = len(ranges) == 1 and ranges[0][1] - ranges[0][0] == base
        top, size = position, size * base if full else 0
    return parts


def _spread(x: Residues, step: int, ranges: list[tuple[int, int]]) -> Residues:
    """The sums of a member of x and ``step * t``, t independent in one of the ranges.

    Along the cycles of adding ``step``, a range is some whole laps and a window.
    """
    p, ranges = x.p, [r for r in ranges if r[1] > r[0]]
    spend((50 if x.extra.dtype != object else 500) * p * (1 + len(ranges)))
    members = sum(high - low for low, high in ranges)
    cycles = math.gcd(step, p)
    length = p // cycles
    extra = x.extra
    if exact_sum(extra) * (len(ranges) + 1) >= SAFE:
        extra = extra.astype(object)
    order = (np.arange(cycles)[:, None] + step % p * np.arange(length)) % p
    sums = np.zeros((cycles, length + 1), dtype=extra.dtype)
    np.cumsum(extra[order], axis=1, out=sums[:, 1:])
    spread = np.zeros((cycles, length), dtype=extra.dtype)
    for low, high in ranges:
        rest = (high - low) % length
        if rest:
            spread += np.roll(_window(sums, rest), low % length, axis=1)
    # The laps give the same to a whole cycle; what all cycles share is level, which
    # keeps the array small when step is a unit however many laps there are.
    laps = sum((high - low) // length for low, high in ranges)
    least, beyond = split_lowest(sums[:, -1])
    spread = spread + scaled(beyond, laps)[:, None]
    extra = np.empty(p, dtype=spread.dtype)
    extra[order] = spread
    return settled(x.level * members + laps * least, extra)


def _window(sums: Array, size: int) -> Array:
    """Sums of the ``size`` entries up to each one, cyclically along rows.

    Args:
        sums: prefix sums with a leading 0, shape ``(rows, length + 1)``.
        size: from 1 to length.
    """
    length = sums.shape[1] - 1
    window = sums[:, 1:].copy()
    window[:, size - 1 :] -= sums[:, : length + 1 - size]
    window[:, : size - 1] += sums[:, -1:] - sums[:, length + 1 - size : length]
    return window


def settled(level: int, extra: Array) -> Residues:
    """The distribution ``level + extra``, extra >= 0 and of any size."""
    lowest, rest = split_lowest(extra)
    return Residues(level + lowest, rest)
