"""Polynomials modulo n: how often do they keep their value where digits are missed?

Operand j is ``x_j = s_j + v_j``: a model reads s_j and misses v_j.  Both are sums of independent
digits, so each is known by how often it falls on each residue.  Counted is where ``P(x) = P(s)``:

* a linear form is decided by ``sum c_j v_j``, to which each digit that is missed adds its share;
* two operands multiplied, ``c (a + alpha) (b + beta)``, by ratios of residues;
* any other polynomial by a table over all residues that occur, while they are few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import product
from math import gcd, lcm, prod

import numpy as np

from arith.theory.arithmetic.canonical import Term
from arith.theory.arithmetic.effort import ENTRIES, spend
from arith.theory.arithmetic.integer_arrays import (
    Array,
    combinations,
    cyclic_product,
    exact_dtype,
    peak,
    roomy,
)
from arith.theory.arithmetic.lengths_text import runs
from arith.theory.errors import NotCountable

Row = tuple[int, Sequence[int]]
"""A digit: its weight, and the values that it takes, ascending."""

LARGEST_MODULUS = ENTRIES // 2
_LARGEST_OF_PAIRS = ENTRIES // 100
"""The largest modulus where residues are looked at in pairs."""


# --- distributions over residues --------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Residues:
    """How many numbers fall on each residue mod n: ``level + extra[r]``.

    The numbers of an interval fall on the residues evenly up to one: the level is huge then, and
    the rest is 0 or 1.

    Args:
        level: the part that all residues share, >= 0, of any size.
        extra: the rest, shape ``(n,)``, >= 0.
    """

    level: int
    extra: Array

    @classmethod
    def of(cls, counts: Array, level: int = 0) -> Residues:
        """The distribution ``level + counts``, counts >= 0 and of any size."""
        lowest = int(counts.min())
        rest = counts - lowest
        return cls(level + lowest, rest.astype(exact_dtype(peak(rest)), copy=False))

    @property
    def n(self) -> int:
        """The modulus."""
        return len(self.extra)

    @cached_property
    def beyond(self) -> int:
        """How many numbers there are beyond the level."""
        return int(roomy(self.extra, self.n).sum())

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return self.level * self.n + self.beyond

    def count(self, r: int) -> int:
        """How many of the numbers are congruent to r."""
        return self.level + int(self.extra[r % self.n])

    @property
    def counts(self) -> Array:
        """How many numbers there are of each residue, Python integers."""
        return self.extra.astype(object) + self.level

    @property
    def hit(self) -> Array:
        """The residues that occur."""
        return np.arange(self.n) if self.level else np.flatnonzero(self.extra)

    @cached_property
    def common(self) -> int:
        """What all counts have in common; 1 where there is no number."""
        return gcd(self.level, int(np.gcd.reduce(self.extra))) or 1

    def without_common(self) -> Residues:
        """The distribution in lowest terms."""
        return Residues.of(self.extra // self.common, self.level // self.common)

    def plus(self, number: int) -> Residues:
        """The numbers, each plus another."""
        return Residues(self.level, np.roll(self.extra, number % self.n))

    def plus_digits(self, rows: Sequence[Row]) -> Residues:
        """The sums of a number and independent digits times their weights."""
        found = self
        for weight, spans in _spans(rows):
            parts = [found.plus_span(weight, *span) for span in spans]
            sums = sum((roomy(x.extra, len(parts)) for x in parts), np.zeros(self.n, np.int64))
            found = Residues.of(sums, sum(x.level for x in parts))
        return found

    def plus_span(self, weight: int, first: int, length: int) -> Residues:
        """The sums of a number and ``weight * t``, ``first <= t < first + length``."""
        step, extra = weight % self.n, roomy(self.extra, 2 * self.n)
        spend((300 if extra.dtype == object else 30) * self.n)
        period = self.n // gcd(step, self.n)
        laps, rest = divmod(length, period)
        # Each row goes once around the residues that a number reaches in steps of the weight.
        order = (np.arange(self.n // period)[:, None] + step * np.arange(period)) % self.n
        up_to = np.zeros((len(order), 2 * period + 1), dtype=extra.dtype)
        np.cumsum(np.tile(extra[order], 2), axis=1, out=up_to[:, 1:])
        start = (np.arange(period) + (1 - first - rest) % period) % period
        around = up_to[:, [period]]
        lowest = int(around.min())
        sums = np.empty(self.n, dtype=object if len(order) > 1 else extra.dtype)
        sums[order] = up_to[:, start + rest] - up_to[:, start]
        if len(order) > 1:
            sums[order] += laps * (around - lowest).astype(object)
        return Residues.of(sums, self.level * length + laps * lowest)

    def fold(self, m: int) -> Residues:
        """The numbers modulo a divisor m of their modulus."""
        laps = self.n // m
        return Residues(self.level * laps, roomy(self.extra, laps).reshape(laps, m).sum(axis=0))

    def convolve(self, other: Residues) -> Residues:
        """The sums of a number and an independent one of the other distribution."""
        spend(2_000 * self.n * (1 + (peak(self.extra) * peak(other.extra)).bit_length() // 16))
        sums = cyclic_product(self.extra, other.extra)
        return Residues.of(sums, self.level * other.total + other.level * self.beyond)


def digit_sum(n: int, rows: Sequence[Row]) -> Residues:
    """The sums of independent digits times their weights, mod n; without a digit the number 0."""
    return Residues(0, (np.arange(n) == 0).astype(np.int64)).plus_digits(rows)


def _spans(rows: Sequence[Row]) -> list[tuple[int, list[tuple[int, int]]]]:
    """The digits as weights times numbers in spans, each by its first number and its length.

    Digits side by side that take all values make one span, and so does a digit above them.
    """
    found: list[tuple[int, list[tuple[int, int]]]] = []
    for weight, values in rows:
        spans = [(first, last - first + 1) for first, last in runs(values)]
        if found and len(spans) == len(found[-1][1]) == 1:
            [(first, length)], (below, [(start, size)]) = spans, found[-1]
            if below * size == weight:
                found.pop()
                weight, spans = below, [(start + first * size, length * size)]
        found.append((weight, spans))
    return found


def joint(parts: Sequence[Residues]) -> tuple[Array, Array]:
    """All combinations of residues that occur, ``(parts, n)``, and how often each, ``(n,)``."""
    dtype = exact_dtype(prod(part.total for part in parts))
    ways = combinations([part.counts[part.hit].astype(dtype) for part in parts]).prod(axis=0)
    return combinations([part.hit for part in parts]), ways


def zero_pairs(x: Residues, y: Residues) -> int:
    """How many pairs (a member of x, a member of y) sum to 0."""
    facing = np.roll(y.extra[::-1], 1)
    both = int(roomy(x.extra, x.n * peak(facing)) @ facing)
    return both + x.level * y.total + y.level * x.beyond


# --- polynomials ------------------------------------------------------------------------


@dataclass(frozen=True)
class Operand:
    """An operand as a model sees it: the digits that it reads, and constants for the others.

    Args:
        missed: the other digits, each less the constant that is read in its place.
        offset: what the constants add up to.
    """

    read: Sequence[Row]
    missed: Sequence[Row]
    offset: int = 0

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return prod(len(values) for _, values in (*self.read, *self.missed))

    def parts(self, n: int) -> tuple[Residues, Residues]:
        """What is read and what is missed, mod n."""
        return digit_sum(n, self.read).plus(self.offset), digit_sum(n, self.missed)


def unchanged(terms: Sequence[Term], n: int, operands: Sequence[Operand]) -> int:
    """How many operand tuples have ``P(x) = P(s)`` mod n.

    ``P(x) - P(s)`` is a sum over groups of terms that share no operand.  A group of one operand,
    once, is a sum over the digits that are missed of it.

    Raises:
        NotCountable: the modulus is too large for the polynomial.
    """
    total = prod(x.total for x in operands)
    common = gcd(n, *(c for c, e in terms if any(e)))
    n //= common
    groups = _groups([(c // common % n, e) for c, e in terms if any(e) and c // common % n])
    moving = [g for g in groups if any(w % n for j in _used(g) for w, _ in operands[j].missed)]
    others = [g for g in moving if any(sum(e) > 1 for _, e in g)]
    rows = [
        (c * weight, values)
        for group in moving
        if group not in others
        for c, e in group
        for weight, values in operands[e.index(1)].missed
    ]
    if not others:  # what n shares with all weights does not matter
        common = gcd(n, *(weight for weight, _ in rows))
        n, rows = n // common, [(weight // common, values) for weight, values in rows]
    _check(n, LARGEST_MODULUS)
    if not total:
        return 0
    if len(others) == 1 and not rows and (factors := _factors(others[0], n, operands)):
        return product_unchanged(*factors) * total // prod(x.total for x in factors)
    tables = [_differences(group, n, operands) for group in others] or [digit_sum(n, [])]
    difference = reduce(Residues.convolve, tables).plus_digits(rows)
    return difference.count(0) * total // difference.total


def keys_unchanged(
    terms: Sequence[Term],
    n: int,
    operands: Sequence[Operand],
    keys_of: Callable[[Array], Sequence[Array]],
) -> list[int]:
    """How many operand tuples have ``key[P(x) mod n] = key[P(s) mod n]``, for each key.

    Args:
        keys_of: gives what is compared, k arrays of shape ``(n,)``, for the residues, ``(n,)``.

    Raises:
        NotCountable: the modulus is too large for the polynomial.
    """
    _check(n, _LARGEST_OF_PAIRS)
    keys = np.stack(keys_of(np.arange(n)))
    total = prod(x.total for x in operands)
    if not total:
        return [0] * len(keys)
    if any(sum(e) > 1 for _, e in terms):
        read, whole, ways, _ = _table(terms, n, operands)
        counts = [int(ways[key[read] == key[whole]].sum()) for key in keys]
        return [count * total // int(ways.sum()) for count in counts]
    seen, missed = digit_sum(n, []), digit_sum(n, [])
    for c, e in terms:
        x = operands[e.index(1)] if any(e) else Operand([], [], 1)
        seen = seen.plus(c * x.offset)
        seen = seen.plus_digits([(c * weight, values) for weight, values in x.read])
        missed = missed.plus_digits([(c * weight, values) for weight, values in x.missed])
    spend(2 * len(missed.hit) * keys.size)
    found: Array = np.zeros(len(keys), object)
    extra = roomy(seen.extra, n)
    for shift in missed.hit.tolist():
        equal = keys == np.roll(keys, -shift, axis=1)
        level = seen.level * np.count_nonzero(equal, axis=1).astype(object)
        found += missed.count(shift) * (level + equal @ extra)
    return [count * total // (seen.total * missed.total) for count in found.tolist()]


def _check(n: int, largest: int) -> None:
    if n > largest:
        raise NotCountable(f"more than {largest} residues are too many to be counted")


def _used(terms: Sequence[Term]) -> list[int]:
    """The operands that enter."""
    return sorted({j for _, e in terms for j, power in enumerate(e) if power})


def _groups(terms: Sequence[Term]) -> list[list[Term]]:
    """The terms in groups that share no operand."""
    groups: list[list[Term]] = []
    for term in terms:
        joined = [g for g in groups if set(_used(g)).intersection(_used([term]))]
        groups = [g for g in groups if g not in joined] + [sum(joined, [term])]
    return groups


def _differences(terms: Sequence[Term], n: int, operands: Sequence[Operand]) -> Residues:
    """``P(x) - P(s)`` mod n, over all combinations of residues."""
    read, whole, ways, common = _table(terms, n, operands)
    counts = np.zeros(n, ways.dtype)
    np.add.at(counts, (whole - read) % n, ways)
    return Residues.of(common * counts.astype(object))


def _table(
    terms: Sequence[Term], n: int, operands: Sequence[Operand]
) -> tuple[Array, Array, Array, int]:
    """All combinations of residues that occur: P of what is read, P of all, and how often.

    The last is what to multiply how often by.
    """
    _check(n, _LARGEST_OF_PAIRS)
    used = _used(terms)
    parts = [part for j in used for part in operands[j].parts(n)]
    size = prod(len(part.hit) for part in parts)
    if 2 * len(parts) * size > ENTRIES:
        raise NotCountable(f"{size} combinations of residues are too many to be counted")
    spend(500 * size)
    residues, ways = joint([part.without_common() for part in parts])

    def value(x: Array) -> Array:
        total = np.zeros(x.shape[1], dtype=np.int64)
        for c, e in terms:
            factor = np.full(x.shape[1], c % n)
            for j, row in zip(used, x, strict=True):
                for _ in range(e[j]):
                    factor = factor * row % n
            total += factor
        return total % n

    read, whole = value(residues[::2]), value((residues[::2] + residues[1::2]) % n)
    return read, whole, ways, prod(part.common for part in parts)


# --- products ---------------------------------------------------------------------------


def _factors(
    terms: Sequence[Term], n: int, operands: Sequence[Operand]
) -> tuple[Residues, Residues, Residues, Residues] | None:
    """What is read and missed of a, then of b, if the terms are ``c a b`` with both shifted.

    ``c a b + d a + e b`` is, but for a constant, ``c (a + e/c) (b + d/c)``.
    """
    used = _used(terms)
    of = {tuple(e[j] for j in used): c for c, e in terms}
    factor = of.pop((1, 1), 0)
    is_product = len(used) == 2 and of.keys() <= {(1, 0), (0, 1)} and gcd(factor, n) == 1
    if not is_product or n > _LARGEST_OF_PAIRS:
        return None
    inverse = pow(factor, -1, n)
    (read_a, missed_a), (read_b, missed_b) = (operands[j].parts(n) for j in used)
    shift_a, shift_b = of.get((0, 1), 0) * inverse, of.get((1, 0), 0) * inverse
    return read_a.plus(shift_a), missed_a, read_b.plus(shift_b), missed_b


def product_unchanged(
    read_a: Residues, missed_a: Residues, read_b: Residues, missed_b: Residues
) -> int:
    """How many independent members have ``(s_a + v_a) (s_b + v_b) = s_a s_b`` mod n.

    The condition is ``s_a v_b + s_b v_a + v_a v_b = 0``.  Let ``g = gcd(v_a, n)``,
    ``h = gcd(v_b, n)``, ``k = gcd(g, h)``, ``g = k g'``, ``h = k h'``, ``v_a = g v``,
    ``v_b = h w``.  The condition forces ``s_a = g' x`` and ``s_b = h' y``, and then says
    ``x/v + y/w + k = 0`` mod ``n / lcm(g, h)``, where v and w are units.  So each side is needed
    only through how often its ratio is what.
    """
    n, total = read_a.n, 0
    spend(1_000 * n)
    parts_a, parts_b = _unit_parts(missed_a), _unit_parts(missed_b)
    ratios_a = cache(lambda g, part: _ratios(read_a, part, *parts_a[g]))
    ratios_b = cache(lambda h, part: _ratios(read_b, part, *parts_b[h]))
    for g, h in product(parts_a, parts_b):
        k, m = gcd(g, h), n // lcm(g, h)
        spend(100 * m)
        total += zero_pairs(ratios_a(g, g // k).fold(m), ratios_b(h, h // k).fold(m).plus(k))
    return total


def _unit_parts(missed: Residues) -> dict[int, tuple[int, Array, Residues]]:
    """By gcd g with n: ``n/g``, the units v modulo that, and how many numbers are ``g v``.

    Each g has a level of its own: often the multiples of one are hit evenly and others not at all.
    """
    parts = {}
    for g in np.unique(np.gcd(missed.hit, missed.n)).tolist():
        m = missed.n // g
        units = np.flatnonzero(np.gcd(np.arange(m), m) == 1)
        parts[g] = m, units, Residues.of(missed.extra[g * units], missed.level)
    return parts


def _ratios(read: Residues, part: int, m: int, units: Array, missed: Residues) -> Residues:
    """The ratios ``x / v`` mod m of what is read, ``part * x``, to what is missed, units v.

    Args:
        missed: how many numbers there are of each unit.
    """
    x = Residues(read.level, read.extra[::part]).fold(m)
    dtype = exact_dtype(m * (1 + peak(x.extra)) * (1 + missed.level + peak(missed.extra)))
    # What the units have in common takes a residue evenly to those of the same gcd with m.
    kinds = np.gcd(np.arange(m), m)
    by_kind = np.zeros(m + 1, dtype)
    np.add.at(by_kind, kinds, x.extra.astype(dtype))
    each = len(units) // np.maximum(np.bincount(kinds, minlength=m + 1), 1)
    sums = (missed.level * by_kind * each)[kinds]
    hit, out = np.flatnonzero(x.extra), np.flatnonzero(missed.extra)
    inverses = np.array([pow(unit, -1, m) for unit in units[out].tolist()], dtype=np.int64)
    sides = (hit, x.extra[hit].astype(dtype)), (inverses, missed.extra[out].astype(dtype))
    (few, times), (many, numbers) = sorted(sides, key=lambda side: len(side[0]))
    spend(50 * m + 20 * len(few) * (500 + len(many)))
    for residue, number in zip(few, times, strict=True):
        np.add.at(sums, residue * many % m, number * numbers)
    return Residues.of(sums, x.level * missed.total)
