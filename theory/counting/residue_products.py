"""Exact counting of products modulo p that keep their value when parts are left out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

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
    roomy,
    split_lowest,
)
from theory.numbers.units import units


def product_matches(
    p: int, la: Residues, ua: Residues, lb: Residues, ub: Residues, step: int = 1
) -> int:
    """How often the product of two operands is the same without their upper parts.

    Counted are the ``(la, ua, lb, ub)`` with ``(la + step*ua) * (lb + step*ub) = la * lb`` mod
    ``p*step``.  The members of the four distributions, each mod p, are independent.  The
    condition is ``la*ub + ua*lb + step*ua*ub = 0`` mod p.  Let ``g = gcd(ua, p)``,
    ``h = gcd(ub, p)``, ``k = gcd(g, h)``, ``g = k*g'``, ``h = k*h'``, ``ua = g*v``,
    ``ub = h*w``.  The condition forces ``la = g'*x`` and ``lb = h'*y``, and then says
    ``x/v + y/w + step*k = 0`` mod ``p / lcm(g, h)``, where v and w are units.  So each side
    is needed only through the distribution of one ratio per ``(g, g')``.

    Memory is of the order of p times its number of divisors; meant for p up to 10**5.

    Raises:
        InvalidInput: a distribution is not mod p.
    """
    if {p} != {common_modulus(la, ua), common_modulus(lb, ub)}:
        raise InvalidInput(f"the four distributions must be mod {p}")
    spend(1_000 * p)
    high_a, high_b = _unit_parts(ua), _unit_parts(ub)
    if not high_a or not high_b:  # no number at all
        return 0
    sides_a = _ratios(la, high_a, high_b)
    is_square = la.equals(lb) and ua.equals(ub)  # both operands then have the same ratios
    ratios_b = sides_a if is_square else _ratios(lb, high_b, high_a)
    sides_b = {key: _facing(r, step * (key[0] // key[1])) for key, r in ratios_b.items()}
    total = 0
    for g in high_a:
        for h in high_b:
            k = math.gcd(g, h)
            total += _ratio_matches(sides_a[g, g // k], sides_b[h, h // k], g // k, h // k)
    return total


def _unit_parts(high: Residues) -> dict[int, tuple[int, Array]]:
    """The members ``g * v`` of each gcd g with p, as counts ``level + extra[v]``.

    The level is taken per g, because the multiples of one g are often evenly hit while
    the others are not hit at all.  A g that does not occur is left out.  The extra of each g
    has shape ``(phi(p/g),)``, in the order of ``Units.inverses`` mod p/g.
    """
    parts = {}
    for g in units(high.p).divisors:
        lowest, extra = split_lowest(high.extra[g * units(high.p // g).inverses % high.p])
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
            rows = np.stack([m.ravel()[ring.index] for m in (by_gcd[i], by_unit[i])])
            even = low.level * (g // part) + folded[i][0]
            rows = np.concatenate([np.ones((1, n), dtype=np.int64), rows])
            ratios[g, part] = _Ratios((even * members, level, 1), rows)
    return ratios


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
