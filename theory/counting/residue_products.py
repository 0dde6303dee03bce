"""Exact counting of products modulo p that keep their value when parts are left out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from theory.counting.residues import Residues, common_modulus
from theory.errors import InvalidInput
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


def product_matches(
    p: int, la: Residues, ua: Residues, lb: Residues, ub: Residues, step: int = 1
) -> int:
    """How many ``(la, ua, lb, ub)`` have ``(la + step*ua) * (lb + step*ub) = la * lb`` mod ``p*step``.

    The members of the four distributions, each mod p, are independent.  The condition is
    ``la*ub + ua*lb + step*ua*ub = 0`` mod p.  Let ``g = gcd(ua, p)``, ``h = gcd(ub, p)``,
    ``k = gcd(g, h)``, ``g = k*g'``, ``h = k*h'``, ``ua = g*v``, ``ub = h*w``.  The
    condition forces ``la = g'*x`` and ``lb = h'*y``, and then says
    ``x/v + y/w + step*k = 0`` mod ``p / lcm(g, h)``, where v and w are units.  So each side
    is needed only through the distribution of one ratio per ``(g, g')``.

    Memory is of the order of p times its number of divisors; meant for p up to 10**5.
    """
    if {p} != {common_modulus(la, ua), common_modulus(lb, ub)}:
        raise InvalidInput(f"the four distributions must be mod {p}")
    spend(1_000 * p)
    high_a = _unit_parts(ua)
    high_b = high_a if ub is ua else _unit_parts(ub)
    if not high_a or not high_b:  # no number at all
        return 0
    sides_a = _ratios(la, high_a, high_b)
    ratios_b = sides_a if lb is la and ub is ua else _ratios(lb, high_b, high_a)
    sides_b = {key: _facing(r, step * (key[0] // key[1])) for key, r in ratios_b.items()}
    total = 0
    for g in high_a:
        for h in high_b:
            k = math.gcd(g, h)
            total += _ratio_matches(sides_a[g, g // k], sides_b[h, h // k], g // k, h // k)
    return total


@dataclass(frozen=True, eq=False)
class _Ring:
    """Tables of Z/n; the units are listed as the group ``Z/shape[0] x Z/shape[1] x ...``.

    Args:
        shape: orders of the generators of the units.
        units: the units in the group's order, shape ``(phi,)``.
        inverses: the units in the order of the negated group elements, ``(phi,)``.
        multiples: ``d * units`` mod n for each divisor d of n, ``(divisors, phi)``.
        place: for each residue r a flat index with ``multiples.flat[place[r]] == r``.
    """

    shape: tuple[int, ...]
    units: Array
    inverses: Array
    multiples: Array
    place: Array


@lru_cache(maxsize=128)
def _ring(n: int) -> _Ring:
    units = inverses = np.full(1, 1 % n, dtype=np.int64)
    shape = []
    for generator, order in sorted(_generators(n), key=lambda pair: pair[1]):
        units = _with_powers(units, generator, order, n)
        inverses = _with_powers(inverses, pow(generator, -1, n), order, n)
        shape.append(order)
    multiples = np.array(_divisors(n))[:, None] * units % n
    place = np.empty(n, dtype=np.int64)
    place[multiples.ravel()] = np.arange(multiples.size)
    return _Ring(tuple(shape) or (1,), units, inverses, multiples, place)


def _with_powers(elements: Array, generator: int, order: int, n: int) -> Array:
    powers = [1]
    while len(powers) < order:
        powers.append(powers[-1] * generator % n)
    products: Array = elements[:, None] * np.array(powers) % n
    return products.ravel()


@lru_cache(maxsize=1024)
def _divisors(n: int) -> tuple[int, ...]:
    found = [1]
    for prime, exponent in prime_powers(n):
        found = [d * prime**e for d in found for e in range(exponent + 1)]
    return tuple(sorted(found))


def _generators(n: int) -> list[tuple[int, int]]:
    """Independent generators of the units mod n, with their orders (all above 1)."""
    found = []
    for prime, exponent in prime_powers(n):
        power = prime**exponent
        rest = n // power
        for root, order in _prime_power_generators(prime, exponent):
            lift = 1 + rest * ((root - 1) * pow(rest, -1, power) % power)  # 1 mod rest
            found.append((lift % n, order))
    return found


def _prime_power_generators(prime: int, exponent: int) -> list[tuple[int, int]]:
    power = prime**exponent
    if prime == 2:
        return [(g, o) for g, o in ((power - 1, min(2, power // 2)), (5, power // 4)) if o > 1]
    order = power - power // prime
    root = 2
    while root % prime == 0 or any(
        pow(root, order // q, power) == 1 for q, _ in prime_powers(order)
    ):
        root += 1
    return [(root, order)]


def _unit_parts(high: Residues) -> dict[int, tuple[int, Array]]:
    """The members ``g * v`` of each gcd g with p, as counts ``level + extra[v]``.

    The level is taken per g, because the multiples of one g are often evenly hit while
    the others are not hit at all.  A g that does not occur is left out.  The v are in the
    order of ``_Ring.inverses`` mod p/g.
    """
    parts = {}
    for g in _divisors(high.p):
        lowest, extra = split_lowest(high.extra[g * _ring(high.p // g).inverses % high.p])
        if high.level + lowest or extra.any():
            parts[g] = (high.level + lowest, extra)
    return parts


@dataclass(frozen=True, eq=False)
class _Ratios:
    """How many pairs have each ratio mod n: ``sum(weights[i] * rows[i])``.

    Args:
        weights: three integers of any size.
        rows: shape ``(3, n)``: constantly 1, depending on gcd(ratio, n), and the rest.
    """

    weights: tuple[int, int, int]
    rows: Array


def _ratios(
    low: Residues, high: dict[int, tuple[int, Array]], other: Iterable[int]
) -> dict[tuple[int, int], _Ratios]:
    """Per ``(g, g')``: the ratios ``(low/g') / v`` mod p/g over ``high = g*v``, g' | low.

    Args:
        high: the result of ``_unit_parts``.
        other: the gcds of the other side; g' runs over ``g / gcd(g, h)``.
    """
    p, extra = low.p, roomy(low.extra, low.p)
    found = {}
    for g, (level, units) in high.items():
        ring, n = _ring(p // g), p // g
        parts = sorted({g // math.gcd(g, h) for h in other})
        folded = [split_lowest(extra[::part].reshape(-1, n).sum(axis=0)) for part in parts]
        values = np.stack([rest for _, rest in folded])[:, ring.multiples]
        sums = roomy(values, len(ring.units)).sum(axis=2, keepdims=True)
        by_gcd = np.broadcast_to(sums, values.shape)
        by_unit = cyclic_product(values, units, ring.shape)
        members = level * len(ring.units) + exact_sum(units)
        for i, part in enumerate(parts):
            rows = np.stack([m.ravel()[ring.place] for m in (by_gcd[i], by_unit[i])])
            even = low.level * (g // part) + folded[i][0]
            rows = np.concatenate([np.ones((1, n), dtype=np.int64), rows])
            found[g, part] = _Ratios((even * members, level, 1), rows)
    return found


def _facing(ratios: _Ratios, shift: int) -> _Ratios:
    """The same with entry r about the ratio ``-r - shift``."""
    n = ratios.rows.shape[1]
    return _Ratios(ratios.weights, ratios.rows[:, (-shift % n - np.arange(n)) % n])


def _ratio_matches(x: _Ratios, y: _Ratios, gx: int, gy: int) -> int:
    """Pairs with equal index modulo ``n_x / gy = n_y / gx``."""
    a, b = x.rows, y.rows
    # After folding: n_x / gy products, of entries at most gy and gx times larger.
    if a.shape[1] * gx * peak(a) * peak(b) >= SAFE:
        a, b = a.astype(object), b.astype(object)
    if gy > 1:
        a = a.reshape(3, gy, -1).sum(axis=1)
    if gx > 1:
        b = b.reshape(3, gx, -1).sum(axis=1)
    table = (a @ b.T).tolist()
    return sum(
        u * sum(v * t for v, t in zip(y.weights, line, strict=True))
        for u, line in zip(x.weights, table, strict=True)
    )
