"""Exact counting of products modulo p that keep their value when parts are left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from theory.counting.residues import Residues, fold, settled, translate, zero_pairs
from theory.numbers.effort import spend
from theory.numbers.integer_arrays import (
    Array,
    cyclic_product,
    exact_dtype,
    peak,
    prime_powers,
    roomy,
)


def product_matches(la: Residues, ua: Residues, lb: Residues, ub: Residues, step: int = 1) -> int:
    """How often the product of two operands is the same without their upper parts.

    Counted are the ``(la, ua, lb, ub)`` with ``(la + step*ua) * (lb + step*ub) = la * lb`` mod
    ``p*step``.  The members of the four distributions, all mod p, are independent.  The
    condition is ``la*ub + ua*lb + step*ua*ub = 0`` mod p.  Let ``g = gcd(ua, p)``,
    ``h = gcd(ub, p)``, ``k = gcd(g, h)``, ``g = k*g'``, ``h = k*h'``, ``ua = g*v``,
    ``ub = h*w``.  The condition forces ``la = g'*x`` and ``lb = h'*y``, and then says
    ``x/v + y/w + step*k = 0`` mod ``p / lcm(g, h)``, where v and w are units.  So each side
    is needed only through the distribution of one ratio per ``(g, g')``.

    Memory is of the order of p times its number of divisors; meant for p up to 10**5.
    """
    p = la.p
    spend(1_000 * p)
    high_a, high_b = _unit_parts(ua), _unit_parts(ub)
    ratios_a, ratios_b = _ratios(la, high_a, high_b), _ratios(lb, high_b, high_a)
    total = 0
    for g, h in product(high_a, high_b):
        k, modulus = math.gcd(g, h), p // math.lcm(g, h)
        x, y = fold(ratios_a[g, g // k], modulus), fold(ratios_b[h, h // k], modulus)
        total += zero_pairs(x, translate(y, step * k))
    return total


# --- the units --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Units:
    """Tables of the units mod n, listed as the group ``Z/shape[0] x Z/shape[1] x ...``.

    Args:
        shape: orders of the generators of the units.
        inverses: the inverse of each unit, in the group's order, shape ``(phi,)``.
        divisors: of n, ascending.
        multiples: of the units by each divisor, mod n, ``(divisors, phi)``.
        index: for each residue r one with ``multiples.ravel()[index[r]] == r``, ``(n,)``.
    """

    shape: tuple[int, ...]
    inverses: Array
    divisors: tuple[int, ...]
    multiples: Array
    index: Array


@lru_cache(maxsize=128)
def units(n: int) -> Units:
    """The tables of the units mod n."""
    cycles = sorted((_powers(generator, n) for generator in _generators(n)), key=len)
    elements = np.full(1, 1 % n)
    for powers in cycles:
        elements = (elements[:, None] * powers % n).ravel()
    inverses = np.array([pow(unit, -1, n) for unit in elements.tolist()])
    divisors = tuple(d for d in range(1, n + 1) if n % d == 0)
    multiples = np.array(divisors)[:, None] * elements % n
    index = np.empty(n, dtype=np.int64)
    index[multiples.ravel()] = np.arange(multiples.size)
    return Units(tuple(map(len, cycles)) or (1,), inverses, divisors, multiples, index)


def _generators(n: int) -> Iterator[int]:
    """Independent generators of the units mod n: primitive roots, or -1 and 5 for the prime 2."""
    for prime, exponent in prime_powers(n):
        power = prime**exponent
        order, rest = power - power // prime, n // power
        candidates = (r for r in range(2, power) if r % prime)
        roots = [-1, 5]
        if prime > 2:
            roots = [next(r for r in candidates if len(_powers(r, power)) == order)]
        for root in roots:
            yield (1 + rest * (root - 1) * pow(rest, -1, power)) % n  # 1 mod rest


def _powers(unit: int, n: int) -> list[int]:
    """The powers of a unit mod n, 1 once."""
    powers = [1 % n]
    while (power := powers[-1] * unit % n) != powers[0]:
        powers.append(power)
    return powers


# --- the ratios -------------------------------------------------------------------------


def _unit_parts(high: Residues) -> dict[int, Residues]:
    """How many members are ``g * v``, v a unit mod p/g, for each gcd g with p that occurs.

    They are in the order of ``Units.inverses`` mod p/g.  Each g has its own level, for the
    multiples of one are often evenly hit while the others are not hit at all.
    """
    p = high.p
    parts = {
        g: settled(high.level, high.extra[g * units(p // g).inverses % p])
        for g in units(p).divisors
    }
    return {g: part for g, part in parts.items() if part.total}


def _ratios(
    low: Residues, high: dict[int, Residues], other: Iterable[int]
) -> dict[tuple[int, int], Residues]:
    """Per ``(g, g')``: the ratios ``(low/g') / v`` mod p/g over ``high = g*v``, g' | low.

    Args:
        high: the result of ``_unit_parts``.
        other: the gcds of the other side; g' runs over ``g / gcd(g, h)``.
    """
    ratios = {}
    for g, v in high.items():
        n, ring = low.p // g, units(low.p // g)
        for part in {g // math.gcd(g, h) for h in other}:
            x = fold(Residues(low.level, low.extra[::part]), n)
            values = x.extra[ring.multiples]
            by_unit = cyclic_product(values, v.extra, ring.shape).ravel()[ring.index]
            sums = roomy(values, v.p).sum(axis=1)  # over the units
            dtype = exact_dtype((1 + peak(sums)) * (v.level + peak(v.extra)))
            by_gcd = sums.astype(dtype)[ring.index // v.p]
            ratios[g, part] = settled(x.level * v.total, by_gcd * v.level + by_unit)
    return ratios
