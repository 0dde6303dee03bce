"""Exact counting of polynomials modulo p that keep their value when parts are left out.

Operand j is ``x_j = s_j + step * v_j``: the model sees ``s_j`` and misses the rest.  The
count is of ``P(x) = P(s)`` mod p, where step divides p and all s and v are independent.

* ``P(x) - P(s)`` is a multiple of step, and the quotient is an integer polynomial in s
  and v.  So the quotients are counted, modulo ``q = p / step``, and s and v are needed
  mod q only.
* Terms that share no operand make independent quotients, which are added up.
* An operand b that appears to the first power only is not enumerated: in
  ``A + B*b``, A and B polynomials in the other operands, the quotient is
  ``alpha + beta * s_b + gamma * v_b`` with ``alpha = (A(x) - A(s)) / step``,
  ``beta = (B(x) - B(s)) / step`` and ``gamma = B(x)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from theory.integer_arrays import Array, NotCountable, cyclic_product
from theory.residues import Residues, convolve, interval, scale, settled, zero_pairs
from theory.tasks import Term

LARGEST_WORK = 1_000_000_000
"""The most steps that a count may take (a few seconds).

One operand then has up to 30,000 residues, ``a*b`` in a sum 900, ``a*b*c`` 100.
"""

_SLOW = 8
"""Steps that a combination of residues of several operands takes."""

_LARGEST_TABLE = 1_000_000
_MOST_BLOCKS = 20_000
_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Operand:
    """The operand ``seen + step * moved``, both independent and given mod ``q = p / step``."""

    seen: Residues
    moved: Residues

    @property
    def total(self) -> int:
        """How many numbers it stands for."""
        return self.seen.total * self.moved.total


def polynomial_matches(
    terms: Sequence[Term], p: int, step: int, operands: Sequence[Operand]
) -> int:
    """How many choices of all ``s_j`` and ``v_j`` have ``P(s + step * v) = P(s)`` mod p.

    Args:
        terms: the polynomial P.
        step: a divisor of p.
        operands: distributions mod ``p / step``.

    Raises:
        NotCountable: a set of operands that are multiplied together has more than
            ``LARGEST_WORK`` combinations of residues.
    """
    if not all(operand.total for operand in operands):
        return 0
    count, sums = 1, [interval(p // step, 0, 1)]
    groups = _groups([(c % p, e) for c, e in terms if c % p and any(e)])
    for j, operand in enumerate(operands):
        if not any(e[j] for group in groups for _, e in group):
            count *= operand.total
    for group in groups:
        factor, quotients = _quotients(group, p, step, operands)
        count *= factor
        sums.append(quotients)
    *others, last = sums
    return count * (zero_pairs(reduce(convolve, others), last) if others else last.count(0))


def polynomial_unchanged(
    terms: Sequence[Term], p: int, operands: Sequence[Operand], keys: Array
) -> list[int]:
    """How many choices of all s and v have ``key[P(s + v)] = key[P(s)]``, for each key.

    Every combination of residues is looked at, so this is for p up to about 100.

    Args:
        operands: distributions mod p.
        keys: tables over the residues mod p, shape ``(k, p)``.

    Returns:
        k counts.

    Raises:
        NotCountable: there are too many combinations.
    """
    used = {j: x for j, x in enumerate(operands) if any(e[j] for _, e in terms)}
    unused = prod(x.total for j, x in enumerate(operands) if j not in used)
    choices = _choices(used)
    _check(p * p, _SLOW * sum(c.size for c in choices), len(choices))
    counts = [0] * len(keys)
    for c in choices:
        found = np.zeros(p * p, dtype=np.int64)
        for seen, whole in c.chunks(p, 1):
            pairs = _value(terms, whole, p) * p + _value(terms, seen, p)
            found += np.bincount(pairs.ravel(), minlength=p * p)
        for k, key in enumerate(keys):
            equal = key[:, None] == key
            counts[k] += unused * c.weight * int(found.reshape(p, p)[equal].sum())
    return counts


def _groups(terms: list[Term]) -> list[list[Term]]:
    """The terms in groups that share no operand."""
    groups: list[list[Term]] = []
    for term in terms:
        joined, apart = [term], []
        for group in groups:
            shares = any(x and y for _, e in group for x, y in zip(e, term[1], strict=True))
            if shares:
                joined += group
            else:
                apart.append(group)
        groups = [*apart, joined]
    return groups


def _quotients(
    terms: list[Term], p: int, step: int, operands: Sequence[Operand]
) -> tuple[int, Residues]:
    """The quotients of one group, as a number and a distribution to be multiplied by it."""
    names = [j for j in range(len(operands)) if any(e[j] for _, e in terms)]
    linear = next((j for j in names if all(e[j] <= 1 for _, e in terms)), None)
    if len(names) == 1:
        operand = operands[names[0]]
        if linear is not None:
            return operand.seen.total, scale(operand.moved, sum(c for c, _ in terms))
        return 1, _one_operand(terms, p, step, names[0], operand)
    chosen = {j: operands[j] for j in names}
    if linear is None:
        return 1, _enumerated(terms, p, step, chosen)
    return 1, _with_linear(terms, p, step, chosen, linear)


def _blocks(x: Residues) -> list[tuple[int, Array]]:
    """The residues that occur, grouped by how often they do: ``(count, residues)``.

    Few groups as a rule, because the numbers of an interval fall on the residues evenly
    up to one; and within a group, counting needs no large integers.
    """
    extras, which = np.unique(x.extra, return_inverse=True)
    counts = [x.level + int(extra) for extra in extras]
    return [(n, np.flatnonzero(which == i)) for i, n in enumerate(counts) if n]


def _check(p: int, work: int, blocks: int) -> None:
    if p > _LARGEST_TABLE or work > LARGEST_WORK or blocks > _MOST_BLOCKS:
        raise NotCountable(f"this polynomial has too many residues mod {p} to be counted exactly")


def _value(terms: Sequence[Term], x: dict[int, Array], p: int) -> Array:
    """The polynomial mod p of arrays of residues mod p, given per operand; p below 2**31."""
    total = np.zeros(1, dtype=np.int64)
    for c, exponents in terms:
        power = np.full(1, c % p, dtype=np.int64)
        for j, values in x.items():
            for _ in range(exponents[j]):
                power = power * values % p
        total = (total + power) % p
    return total


# --- one operand ------------------------------------------------------------------------


def _one_operand(terms: list[Term], p: int, step: int, j: int, operand: Operand) -> Residues:
    """The quotients of a polynomial in operand j, from a table of its values."""
    seen, moved = _blocks(operand.seen), _blocks(operand.moved)
    size = sum(len(s) for _, s in seen) * sum(len(v) for _, v in moved)
    _check(p, size, len(seen) * len(moved))
    table = _value(terms, {j: np.arange(p)}, p)
    twice = np.concatenate([table, table])  # s + step * v stays below 2p
    counts = np.zeros(p // step, dtype=object)
    for (n, s), (m, v) in product(seen, moved):
        found = np.zeros(2 * p, dtype=np.int64)
        for part in np.array_split(v, -(-len(s) * len(v) // _CHUNK)):
            differences = twice[s + step * part[:, None]] - table[s] + p
            found += np.bincount(differences.ravel(), minlength=2 * p)
        counts += n * m * (found[:p] + found[p:])[::step].astype(object)
    return settled(0, counts)


# --- several operands -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Choices:
    """Residues of some operands, each combination of them occurring equally often.

    Args:
        weight: how often.
        residues: per operand, the residues mod q of what is seen and of what is moved.
    """

    weight: int
    residues: dict[int, tuple[Array, Array]]

    @property
    def size(self) -> int:
        """The number of combinations."""
        return prod(len(s) * len(v) for s, v in self.residues.values())

    def chunks(self, p: int, step: int) -> Iterator[tuple[dict[int, Array], dict[int, Array]]]:
        """The combinations: what is seen of each operand and what it is, mod p.

        The arrays of a chunk are open grids, one axis each, to be broadcast together.
        """
        axes = [axis for pair in self.residues.values() for axis in pair]
        first, second, *rest = axes
        tail = prod(map(len, rest))
        for s in _pieces(first, tail * len(second)):
            for v in _pieces(second, tail * len(s)):
                grid = np.ix_(s, v, *rest)
                seen = dict(zip(self.residues, grid[::2], strict=True))
                moved = dict(zip(self.residues, grid[1::2], strict=True))
                yield seen, {j: (x + step * moved[j]) % p for j, x in seen.items()}


def _pieces(values: Array, each: int) -> list[Array]:
    """The values in parts that make about ``_CHUNK`` combinations, each value so many."""
    return np.array_split(values, max(1, min(len(values), len(values) * each // _CHUNK)))


def _choices(operands: dict[int, Operand]) -> list[_Choices]:
    """All combinations of residues of the operands."""
    parts = [x for operand in operands.values() for x in (operand.seen, operand.moved)]
    found = []
    for blocks in product(*map(_blocks, parts)):
        axes = [residues for _, residues in blocks]
        pairs = dict(zip(operands, zip(axes[::2], axes[1::2], strict=True), strict=True))
        found.append(_Choices(prod(n for n, _ in blocks), pairs))
    return found


def _enumerated(terms: list[Term], p: int, step: int, operands: dict[int, Operand]) -> Residues:
    """The quotients of any polynomial."""
    choices = _choices(operands)
    _check(p, _SLOW * sum(c.size for c in choices), len(choices))
    counts = np.zeros(p // step, dtype=object)
    for c in choices:
        found = np.zeros(p // step, dtype=np.int64)
        for seen, whole in c.chunks(p, step):
            quotients = (_value(terms, whole, p) - _value(terms, seen, p)) % p // step
            found += np.bincount(quotients.ravel(), minlength=len(found))
        counts += c.weight * found.astype(object)
    return settled(0, counts)


def _with_linear(
    terms: list[Term], p: int, step: int, operands: dict[int, Operand], linear: int
) -> Residues:
    """The quotients of a polynomial that has degree one in an operand."""
    q = p // step
    choices = _choices({j: x for j, x in operands.items() if j != linear})
    lows, highs = _blocks(operands[linear].seen), _blocks(operands[linear].moved)
    rows = len(choices) * len(lows) * len(highs)
    size = sum(c.size for c in choices)
    _check(p, (size > q * q) * _SLOW * size + q * min(size, q**3) + 8 * rows * q * q, rows)
    windows = [_windows(s, q) for _, s in lows]
    tallies = [_tally(terms, p, step, c, linear) for c in choices]
    sums = np.zeros((len(highs), len(choices) * len(lows), q), dtype=np.int64)
    for gamma in range(q):
        parts = [_part(codes, times, gamma, q) for codes, times in tallies]
        low = np.stack([t @ w[beta, q - alpha] for alpha, beta, t in parts for w in windows])
        if low.any():
            for k, (_, v) in enumerate(highs):
                high = np.bincount(gamma * v % q, minlength=q)
                sums[k] += cyclic_product(low, high, (q,)).astype(np.int64)
    counts = np.zeros(q, dtype=object)
    weights = [m * c.weight * n for m, _ in highs for c in choices for n, _ in lows]
    for weight, row in zip(weights, sums.reshape(-1, q), strict=True):
        counts += weight * row.astype(object)
    return settled(0, counts)


def _windows(residues: Array, q: int) -> Array:
    """``[beta, q - alpha, r]``: how many of the residues s have ``alpha + beta * s = r``."""
    products = np.arange(q)[:, None] * residues % q + q * np.arange(q)[:, None]
    table = np.bincount(products.ravel(), minlength=q * q).reshape(q, q)
    return sliding_window_view(np.concatenate([table, table], axis=1), q, axis=1)


def _tally(
    terms: list[Term], p: int, step: int, choices: _Choices, linear: int
) -> tuple[Array, Array]:
    """The codes ``(gamma * q + beta) * q + alpha`` that occur, sorted, and how often."""
    q = p // step
    constant, factor = ([t for t in terms if t[1][linear] == degree] for degree in (0, 1))
    codes, times = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for seen, whole in choices.chunks(p, step):
        gamma = _value(factor, whole, p)
        alpha = (_value(constant, whole, p) - _value(constant, seen, p)) % p // step
        beta = (gamma - _value(factor, seen, p)) % p // step
        new, number = np.unique((gamma % q * q + beta) * q + alpha, return_counts=True)
        codes, place = np.unique(np.concatenate([codes, new]), return_inverse=True)
        times = np.bincount(place, weights=np.concatenate([times, number])).astype(np.int64)
    return codes, times


def _part(codes: Array, times: Array, gamma: int, q: int) -> tuple[Array, Array, Array]:
    """The ``(alpha, beta, times)`` of one gamma."""
    start, stop = np.searchsorted(codes, [gamma * q * q, (gamma + 1) * q * q])
    return codes[start:stop] % q, codes[start:stop] // q % q, times[start:stop]
