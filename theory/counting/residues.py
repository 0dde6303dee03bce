"""Exact counting of digit-built numbers modulo p.

A distribution is held as a level that all residues share plus what each residue has beyond it,
because the numbers of an interval fall on the residues evenly up to one: the level is huge, the
rest is 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from arith.theory.numbers.effort import spend
from arith.theory.numbers.integer_arrays import Array, cyclic_product, exact_dtype, peak, roomy

Row = tuple[int, Sequence[int]]
"""A digit: its position (1 = weight 1) and the sorted values that it takes."""

_FEW = 12
"""A convolution factor with at most this many nonzero entries is added copy by copy."""


@dataclass(frozen=True, eq=False)
class Residues:
    """How many numbers fall on each residue mod p: ``counts[r] = level + extra[r]``.

    Args:
        level: the part that all residues share, >= 0, of any size.
        extra: the rest, shape ``(p,)``, >= 0.
    """

    level: int
    extra: Array

    @property
    def p(self) -> int:
        """The modulus."""
        return len(self.extra)

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return self.level * self.p + _sum(self.extra)

    def count(self, r: int) -> int:
        """How many of the numbers are congruent to r."""
        return self.level + int(self.extra[r % self.p])


@dataclass(frozen=True, eq=False)
class Operand:
    """The operand ``seen + step * moved``, both independent and given mod ``q = p / step``."""

    seen: Residues
    moved: Residues

    @property
    def total(self) -> int:
        """How many numbers it stands for."""
        return self.seen.total * self.moved.total


def settled(level: int, extra: Array) -> Residues:
    """The distribution ``level + extra``, extra of shape ``(p,)``, >= 0 and of any size."""
    lowest = int(extra.min())
    rest = extra - lowest
    return Residues(level + lowest, rest.astype(exact_dtype(peak(rest)), copy=False))


def interval(p: int, low: int, high: int) -> Residues:
    """The numbers t, ``low <= t < high``, mod p."""
    spend(10 * p)
    laps, rest = divmod(max(0, high - low), p)
    extra = np.zeros(p, dtype=np.int64)
    extra[(low % p + np.arange(rest)) % p] = 1
    return Residues(laps, extra)


def convolve(x: Residues, y: Residues) -> Residues:
    """The sums of a member of x and an independent member of y."""
    p, level = x.p, _shared_level(x, y)
    fewer, more = sorted((x.extra, y.extra), key=np.count_nonzero)
    shifts = np.flatnonzero(fewer)
    if len(shifts) > _FEW:
        limbs = 1 + (peak(more).bit_length() + peak(fewer).bit_length()) // 16
        spend(1_000 * p * limbs)
        return settled(level, cyclic_product(more, fewer))
    more = roomy(more, _sum(fewer))
    spend((200 if more.dtype == object else 10) * p * (1 + len(shifts)))
    sums = np.zeros_like(more)
    for shift in shifts.tolist():
        sums += np.roll(more, shift) * int(fewer[shift])
    return settled(level, sums)


def scale(x: Residues, factor: int) -> Residues:
    """The members of x, each times a factor."""
    p = x.p
    if factor % p == 1:
        return x
    spend(15 * p)
    shared = math.gcd(factor, p)  # so many residues become one
    folded = fold(x, p // shared)
    level, extra = folded.level, folded.extra
    if shared > 1:  # only its multiples are hit, and nothing is common to all residues
        level, extra = 0, extra.astype(exact_dtype(level + peak(extra))) + level
    result = np.zeros(p, dtype=extra.dtype)
    result[np.arange(p // shared) * (factor % p) % p] = extra
    return settled(level, result)


def fold(x: Residues, p: int) -> Residues:
    """The members of x modulo a divisor p of its modulus."""
    laps = x.p // p
    return settled(x.level * laps, roomy(x.extra, laps).reshape(laps, p).sum(axis=0))


def translate(x: Residues, by: int) -> Residues:
    """The members of x, each plus a number."""
    return Residues(x.level, np.roll(x.extra, by % x.p))


def blocks(x: Residues) -> list[tuple[int, Array]]:
    """The residues that occur, grouped by how often they do: ``(count, residues)``."""
    spend(300 * x.p)
    extras, which, sizes = np.unique(x.extra, return_inverse=True, return_counts=True)
    members = np.split(np.argsort(which, kind="stable"), np.cumsum(sizes)[:-1])
    counts = [x.level + int(extra) for extra in extras]
    return [(n, residues) for n, residues in zip(counts, members, strict=True) if n]


def zero_pairs(x: Residues, y: Residues) -> int:
    """How many pairs (a member of x, a member of y) sum to 0 mod p."""
    facing = np.roll(y.extra[::-1], 1)
    return _shared_level(x, y) + int(roomy(x.extra, x.p * peak(facing)) @ facing)


def unchanged(x: Residues, shift: Residues, keys: Array) -> list[int]:
    """How many pairs (v of x, u of shift) have ``key[v] = key[v + u]``, for each key.

    Args:
        keys: tables over the residues, shape ``(k, p)``.

    Raises:
        TooMuchWork: there are too many comparisons.
    """
    p = x.p
    shifts = np.flatnonzero(shift.extra) if not shift.level else np.arange(p)
    spend(2 * len(shifts) * keys.size)
    twice = np.concatenate([keys, keys], axis=1)
    extra = roomy(x.extra, p)
    counts = [0] * len(keys)
    for u in shifts.tolist():
        equal = twice[:, u : u + p] == keys
        for k, row in enumerate(equal):
            members = x.level * int(np.count_nonzero(row)) + int(extra[row].sum())
            counts[k] += shift.count(u) * members
    return counts


def _sum(values: Array) -> int:
    """The sum of nonnegative entries, of any size."""
    return int(roomy(values, values.size).sum())


def _shared_level(x: Residues, y: Residues) -> int:
    """The part of the sums of x and y, per residue, in which a level takes part."""
    return x.level * y.total + y.level * _sum(x.extra)


# --- digits -----------------------------------------------------------------------------


def digit_sum(p: int, base: int, rows: Iterable[Row], step: int = 1) -> Residues:
    """The numbers ``step * sum(base**(position - 1) * digit)`` mod p.

    Args:
        rows: one ``(position, values)`` per digit; the digits are independent and each
            is uniform over its values, which may be negative.  No row: the number 0.
    """
    parts = _parts(base, rows)
    # One after the other: a hundred distributions at once can be a gigabyte.
    sums = (_union(p, ranges, step * weight) for weight, ranges in parts)
    return reduce(convolve, sums) if parts else interval(p, 0, 1)


def _union(p: int, ranges: list[range], step: int) -> Residues:
    """The numbers ``step * t``, t in one of the disjoint ranges, mod p."""
    parts = [interval(p, r.start, r.stop) for r in ranges]
    extra = sum((x.extra for x in parts), np.zeros(p, dtype=np.int64))
    return scale(settled(sum(x.level for x in parts), extra), step)


def _parts(base: int, rows: Iterable[Row]) -> list[tuple[int, list[range]]]:
    """The digits as independent parts ``(weight, ranges)``: ``weight * t``, t in a range.

    A digit joins the part of the position below it when that part takes every value of
    one range of ``base**digits`` integers, so that the sums again form ranges.
    """
    parts: list[tuple[int, list[range]]] = []
    top, size = 0, 0  # position of the last digit; base**digits of its part, 0: not full
    for position, values in sorted(rows, key=lambda row: row[0]):
        if size and position == top + 1:
            weight, [below] = parts.pop()
        else:
            weight, below, size = base ** (position - 1), range(1), 1
        is_run = bool(values) and values[-1] - values[0] == len(values) - 1
        ends = [(values[0], values[-1])] if is_run else [(v, v) for v in values]
        ranges = [range(below.start + a * size, below.start + (b + 1) * size) for a, b in ends]
        parts.append((weight, ranges))
        full = len(ranges) == 1 and len(values) == base
        top, size = position, size * base if full else 0
    return parts
