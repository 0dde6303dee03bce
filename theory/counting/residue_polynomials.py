"""Exact counting of polynomials modulo p that keep their value when parts are left out.

Operand j is ``x_j = s_j + step * v_j``: the model sees ``s_j`` and misses the rest.  The
count is of ``P(x) = P(s)`` mod p, where step divides p and all s and v are independent.

* ``P(x) - P(s)`` is a multiple of step, and the quotient an integer polynomial in s and v.  So the
  quotients are counted, modulo ``q = p / step``, and s and v are needed mod q only.
* Terms that share no operand make independent quotients, which are added up.
* Residues are enumerated in blocks that occur equally often, without large integers.  The numbers
  of an interval make few: they fall on the residues evenly up to one.
* An operand b of degree one is not enumerated: in ``A + B*b`` the quotient is
  ``alpha + beta * s_b + gamma * v_b`` with ``alpha = (A(x) - A(s)) / step``,
  ``beta = (B(x) - B(s)) / step`` and ``gamma = B(x)``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, product
from math import prod

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from arith.theory.counting.residues import (
    Operand,
    Residues,
    blocks,
    convolve,
    scale,
    settled,
    zero_pairs,
)
from arith.theory.errors import NotCountable
from arith.theory.numbers.effort import ENTRIES, spend
from arith.theory.numbers.integer_arrays import Array, cyclic_product
from arith.theory.setting.canonical import Term

_Grid = dict[int, Array]
"""Residues per operand, as open grids to be broadcast together."""
_Polynomial = Callable[[_Grid], Array]
"""The residues mod p of a polynomial, of residues of its operands."""

_LARGEST_TABLE = ENTRIES // 10
_LARGEST_WINDOWS = ENTRIES  # entries of 16 bytes
_MOST_CHOICES = 20_000
_CHUNK = 1 << 20
"""About how many combinations are looked at at a time (bounds the memory)."""
_SLOW, _SORTED, _BIN, _CHOICE = 8, 20, 40, 200_000
"""Steps for a combination of residues of several operands, for one that is sorted by its residues,
for a code of a histogram of each choice, and for a choice, however few combinations it has."""


def polynomial_matches(
    terms: Sequence[Term], p: int, step: int, operands: Sequence[Operand]
) -> int:
    """How many choices of all s and v have ``P(s + step * v) = P(s)`` mod p.

    Args:
        terms: the polynomial P.
        step: a divisor of p.
        operands: distributions mod ``p / step``.

    Raises:
        NotCountable: there are too many residues.
    """
    if not all(operand.total for operand in operands):
        return 0
    groups = _groups([(c % p, e) for c, e in terms if c % p and any(e)])
    used = {j for group in groups for _, e in group for j, x in enumerate(e) if x}
    count = prod(x.total for j, x in enumerate(operands) if j not in used)
    sums = []
    for group in groups:
        factor, quotients = _quotients(group, p, step, operands)
        count *= factor
        sums.append(quotients)
    if not sums:
        return count
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

    Raises:
        NotCountable: there are too many combinations.
    """
    used = {j: x for j, x in enumerate(operands) if any(e[j] for _, e in terms)}
    unused = prod(x.total for j, x in enumerate(operands) if j not in used)
    chosen = _choices(used)
    _check(p * p, _SLOW * sum(c.size for c in chosen))
    polynomial = _polynomial(terms, p, used)
    counts = _histogram(chosen, p, 1, p * p, lambda s, x: polynomial(x) * p + polynomial(s))
    pairs = counts.reshape(p, p)
    return [unused * int(pairs[key[:, None] == key].sum()) for key in keys]


def _groups(terms: list[Term]) -> list[list[Term]]:
    """The terms in groups that share no operand."""
    groups: list[list[Term]] = []
    for term in terms:
        joined, apart = [term], []
        for group in groups:
            if any(x and y for _, e in group for x, y in zip(e, term[1], strict=True)):
                joined += group
            else:
                apart.append(group)
        groups = [*apart, joined]
    return groups


def _quotients(
    terms: list[Term], p: int, step: int, operands: Sequence[Operand]
) -> tuple[int, Residues]:
    """The quotients of one group, as a number and a distribution to be multiplied by it."""
    used = {j: x for j, x in enumerate(operands) if any(e[j] for _, e in terms)}
    linear = next((j for j in used if all(e[j] <= 1 for _, e in terms)), None)
    if linear is None:
        return 1, _enumerated(terms, p, step, used)
    b = used.pop(linear)
    if used:
        return 1, _with_linear(terms, p, step, used, linear, b)
    return b.seen.total, scale(b.moved, sum(c for c, _ in terms))


def _check(table: int, work: int, windows: int = 0) -> None:
    if table > _LARGEST_TABLE or windows > _LARGEST_WINDOWS:
        raise NotCountable("this polynomial has too many residues to be counted exactly")
    spend(3 * work)


def _polynomial(terms: Sequence[Term], p: int, operands: Collection[int]) -> _Polynomial:
    """A polynomial mod p, as a function of residues mod p of its operands; p below 2**31."""

    def value(x: _Grid) -> Array:
        total = np.zeros(1, dtype=np.int64)
        for coefficient, exponents in terms:
            monomial = np.full(1, coefficient % p)
            for j, residues in x.items():
                for _ in range(exponents[j]):
                    monomial = monomial * residues % p
            total = total + monomial
        return total % p

    if len(operands) > 1:
        return value
    [j] = operands  # a table is faster
    table = np.broadcast_to(value({j: np.arange(p)}), p)
    return lambda x: table[x[j]]


def _enumerated(terms: list[Term], p: int, step: int, operands: dict[int, Operand]) -> Residues:
    """The quotients of any polynomial, every combination of residues looked at."""
    chosen = _choices(operands)
    _check(p, (_SLOW if len(operands) > 1 else 1) * sum(c.size for c in chosen))
    polynomial = _polynomial(terms, p, operands)
    counts = _histogram(chosen, p, step, 2 * p, lambda s, x: polynomial(x) - polynomial(s) + p)
    return settled(0, (counts[:p] + counts[p:])[::step])


# --- combinations of residues -----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Choices:
    """Residues mod q of some operands, each combination of them occurring ``weight`` times."""

    weight: int
    operands: list[int]
    axes: list[Array]  # what is seen and what is moved of the first operand, the second, ...

    @property
    def size(self) -> int:
        """The number of combinations."""
        return prod(map(len, self.axes))

    def chunks(self, p: int, step: int) -> Iterator[tuple[_Grid, _Grid]]:
        """The combinations in parts: what is seen of each operand, and what it is, mod p."""
        first, *rest = self.axes
        for part in np.array_split(first, max(1, min(len(first), self.size // _CHUNK))):
            grid = np.ix_(part, *rest)
            seen = dict(zip(self.operands, grid[::2], strict=True))
            moved = dict(zip(self.operands, grid[1::2], strict=True))
            yield seen, {j: (x + step * moved[j]) % p for j, x in seen.items()}


def _choices(operands: dict[int, Operand]) -> list[_Choices]:
    """All combinations of residues that occur.

    Raises:
        NotCountable: they occur too unevenly.
    """
    parts = [blocks(x) for o in operands.values() for x in (o.seen, o.moved)]
    number = prod(map(len, parts))
    if number > _MOST_CHOICES:
        raise NotCountable("the residues occur too unevenly to be counted exactly")
    spend(_CHOICE * number)
    return [
        _Choices(prod(n for n, _ in chosen), list(operands), [axis for _, axis in chosen])
        for chosen in product(*parts)
    ]


def _histogram(
    chosen: list[_Choices], p: int, step: int, size: int, code: Callable[[_Grid, _Grid], Array]
) -> Array:
    """How often each code, 0 to size - 1, occurs over all combinations; Python integers.

    Args:
        code: the codes of what is seen and what is, in a chunk of combinations.
    """
    spend(_BIN * size * len(chosen))
    counts = np.zeros(size, dtype=object)
    for c in chosen:
        occurrences = np.zeros(size, dtype=np.int64)
        for seen, whole in c.chunks(p, step):
            occurrences += np.bincount(code(seen, whole).ravel(), minlength=size)
        counts += c.weight * occurrences.astype(object)
    return counts


# --- one operand of degree one ----------------------------------------------------------


def _with_linear(
    terms: list[Term], p: int, step: int, others: dict[int, Operand], linear: int, b: Operand
) -> Residues:
    """The quotients of a polynomial of degree one in an operand b."""
    q = p // step
    chosen, lows, highs = _choices(others), blocks(b.seen), blocks(b.moved)
    size, rows = sum(c.size for c in chosen), len(chosen) * len(lows) * len(highs)
    enumeration = _SORTED * size if len(others) > 1 else 0
    work = enumeration + q * min(size, q**3) + 8 * rows * q * q
    _check(p, work, q * q * len(lows))
    constant, factor = (
        _polynomial([t for t in terms if t[1][linear] == degree], p, others) for degree in (0, 1)
    )
    counts = np.zeros(q, dtype=object)
    windows = [(n, _windows(s, q)) for n, s in lows]
    for c in chosen:
        tally = _tally(constant, factor, p, step, c)
        for n, window in windows:  # by gamma, (q, q): the sums alpha + beta * s
            sums = np.stack([times @ window[beta, q - alpha] for alpha, beta, times in tally])
            for m, v in highs:
                whole = cyclic_product(sums, _multiples(v, q)).sum(axis=0)
                counts += c.weight * n * m * whole.astype(object)
    return settled(0, counts)


def _multiples(residues: Array, q: int) -> Array:
    """``[k, r]``: how many of the residues s have ``k * s = r``."""
    k = np.arange(q)[:, None]
    return np.bincount((k * residues % q + q * k).ravel(), minlength=q * q).reshape(q, q)


def _windows(residues: Array, q: int) -> Array:
    """``[beta, q - alpha, r]``: how many of the residues s have ``alpha + beta * s = r``."""
    return sliding_window_view(np.tile(_multiples(residues, q), 2), q, axis=1)


def _tally(
    constant: _Polynomial, factor: _Polynomial, p: int, step: int, c: _Choices
) -> list[tuple[Array, Array, Array]]:
    """Per gamma, 0 to q - 1: the alpha and beta that occur together, and how often."""
    q = p // step
    codes, times = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for seen, whole in c.chunks(p, step):
        gamma = factor(whole)
        beta = (gamma - factor(seen)) % p // step
        alpha = (constant(whole) - constant(seen)) % p // step
        new, number = np.unique((gamma % q * q + beta) * q + alpha, return_counts=True)
        codes, index = np.unique(np.concatenate([codes, new]), return_inverse=True)
        times = np.bincount(index, weights=np.concatenate([times, number])).astype(np.int64)
    bounds = np.searchsorted(codes, np.arange(q + 1) * q * q).tolist()
    alpha, beta = codes % q, codes // q % q
    return [(alpha[a:b], beta[a:b], times[a:b]) for a, b in pairwise(bounds)]
