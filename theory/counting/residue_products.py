"""Exact counting of products modulo p that keep their value when parts are left out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from theory.counting.residues import Residues
from theory.numbers.effort import spend
from theory.numbers.integer_arrays import (
    SAFE,
    Array,
    cyclic_product,
    exact_sum,
    peak,
    prime_powers,
    roomy,
    split_lowest,
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
    spend(1_000 * la.p)
    high_a, high_b = _unit_parts(ua), _unit_parts(ub)
    if not high_a or not high_b:  # no number at all
        return 0
    sides_a, sides_b = _ratios(la, high_a, high_b), _ratios(lb, high_b, high_a)
    for (h, part), (weights, rows) in sides_b.items():  # entry r: the ratio -r - shift
        n, shift = rows.shape[1], step * (h // part)
        sides_b[h, part] = weights, rows[:, (-shift - np.arange(n)) % n]
    total = 0
    for g in high_a:
        for h in high_b:
            k = math.gcd(g, h)
            total += _ratio_matches(sides_a[g, g // k], sides_b[h, h // k], g // k, h // k)
    return total


# --- the units --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Units:
    """Tables of the units mod n, listed as the group ``Z/shape[0] x Z/shape[1] x ...``.

    Args:
        shape: orders of the generators of the units.
        elements: the units in the group's order, shape ``(phi,)``.
        inverses: the inverse of each, ``(phi,)``.
        divisors: of n, ascending.
        multiples: ``d * elements`` mod n for each divisor d of n, ``(divisors, phi)``.
        index: for each residue r one with ``multiples.ravel()[index[r]] == r``, ``(n,)``.
    """

    shape: tuple[int, ...]
    elements: Array
    inverses: Array
    divisors: tuple[int, ...]
    multiples: Array
    index: Array


@lru_cache(maxsize=128)
def units(n: int) -> Units:
    """The tables of the units mod n."""
    generators = sorted(_generators(n), key=lambda pair: pair[1])
    elements = np.full(1, 1 % n, dtype=np.int64)
    for generator, order in generators:
        powers = np.array([pow(generator, k, n) for k in range(order)])
        elements = (elements[:, None] * powers % n).ravel()
    inverses = np.array([pow(unit, -1, n) for unit in elements.tolist()])
    divisors = tuple(d for d in range(1, n + 1) if n % d == 0)
    multiples = np.array(divisors)[:, None] * elements % n
    index = np.empty(n, dtype=np.int64)
    index[multiples.ravel()] = np.arange(multiples.size)
    shape = tuple(order for _, order in generators) or (1,)
    return Units(shape, elements, inverses, divisors, multiples, index)


def _generators(n: int) -> list[tuple[int, int]]:
    """Independent generators of the units mod n, with their orders (all above 1).

    Modulo a power of a prime these are a primitive root, or -1 and 5 for the prime 2.
    """
    generators = []
    for prime, exponent in prime_powers(n):
        power = prime**exponent
        order, rest = power - power // prime, n // power
        if prime == 2:
            roots = [(power - 1, min(2, power // 2)), (5, power // 4)]
        else:
            parts = [order // q for q, _ in prime_powers(order)]
            root = 2
            while root % prime == 0 or any(pow(root, part, power) == 1 for part in parts):
                root += 1
            roots = [(root, order)]
        for root, order in roots:
            lift = 1 + rest * ((root - 1) * pow(rest, -1, power) % power)  # 1 mod rest
            generators.append((lift % n, order))
    return [(generator, order) for generator, order in generators if order > 1]


# --- the ratios -------------------------------------------------------------------------


def _unit_parts(high: Residues) -> dict[int, tuple[int, Array]]:
    """The members ``g * v`` of each gcd g with p that occurs, as counts ``level + extra[v]``.

    The level is taken per g, because the multiples of one g are often evenly hit while the others
    are not hit at all.  Extras are in the order of ``Units.inverses`` mod p/g.
    """
    parts = {}
    for g in units(high.p).divisors:
        lowest, extra = split_lowest(high.extra[g * units(high.p // g).inverses % high.p])
        if high.level + lowest or extra.any():
            parts[g] = (high.level + lowest, extra)
    return parts


_Ratios = tuple[tuple[int, int, int], Array]
"""How many pairs have each ratio mod n: ``sum(weights[i] * rows[i])``, weights of any size.

The rows, shape ``(3, n)``, are constantly 1, depending on gcd(ratio, n), and the rest.
"""


def _ratios(
    low: Residues, high: dict[int, tuple[int, Array]], other: Iterable[int]
) -> dict[tuple[int, int], _Ratios]:
    """Per ``(g, g')``: the ratios ``(low/g') / v`` mod p/g over ``high = g*v``, g' | low.

    Args:
        high: the result of ``_unit_parts``.
        other: the gcds of the other side; g' runs over ``g / gcd(g, h)``.
    """
    p, extra = low.p, roomy(low.extra, low.p)
    ratios = {}
    for g, (level, high_extra) in high.items():
        ring, n = units(p // g), p // g
        parts = sorted({g // math.gcd(g, h) for h in other})
        folded = [split_lowest(extra[::part].reshape(-1, n).sum(axis=0)) for part in parts]
        values = np.stack([rest for _, rest in folded])[:, ring.multiples]
        sums = roomy(values, len(ring.elements)).sum(axis=2, keepdims=True)
        by_gcd = np.broadcast_to(sums, values.shape)
        by_unit = cyclic_product(values, high_extra, ring.shape)
        members = level * len(ring.elements) + exact_sum(high_extra)
        for i, part in enumerate(parts):
            own = [m[i].ravel()[ring.index] for m in (by_gcd, by_unit)]
            rows = np.stack([np.ones(n, dtype=np.int64), *own])
            even = low.level * (g // part) + folded[i][0]
            ratios[g, part] = (even * members, level, 1), rows
    return ratios


def _ratio_matches(x: _Ratios, y: _Ratios, gx: int, gy: int) -> int:
    """Pairs with equal index modulo ``n_x / gy = n_y / gx``."""
    (weights_a, a), (weights_b, b) = x, y
    # After folding: n_x / gy products, of entries at most gy and gx times larger.
    if a.shape[1] * gx * peak(a) * peak(b) >= SAFE:
        a, b = a.astype(object), b.astype(object)
    if gy > 1:
        a = a.reshape(3, gy, -1).sum(axis=1)
    if gx > 1:
        b = b.reshape(3, gx, -1).sum(axis=1)
    table = (a @ b.T).tolist()
    return sum(
        u * sum(v * t for v, t in zip(weights_b, line, strict=True))
        for u, line in zip(weights_a, table, strict=True)
    )
