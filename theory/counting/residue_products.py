"""Exact counting of products modulo p that keep their value when parts are left out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product

import numpy as np

from arith.theory.counting.residues import Residues, fold, settled, translate, zero_pairs
from arith.theory.numbers.effort import spend
from arith.theory.numbers.integer_arrays import Array, exact_dtype, peak

_Parts = dict[int, tuple[Array, Residues]]
"""By gcd g with p: the units v mod p/g, ascending, and how many members are ``g * v``.

Each g has its own level, for the multiples of one are often evenly hit while the others are not hit
at all.
"""


def product_matches(la: Residues, ua: Residues, lb: Residues, ub: Residues, step: int = 1) -> int:
    """How often the product of two operands is the same without their upper parts.

    Counted are the ``(la, ua, lb, ub)`` with ``(la + step*ua) * (lb + step*ub) = la * lb`` mod
    ``p*step``.  The members of the four distributions, all mod p, are independent.  The
    condition is ``la*ub + ua*lb + step*ua*ub = 0`` mod p.  Let ``g = gcd(ua, p)``,
    ``h = gcd(ub, p)``, ``k = gcd(g, h)``, ``g = k*g'``, ``h = k*h'``, ``ua = g*v``,
    ``ub = h*w``.  The condition forces ``la = g'*x`` and ``lb = h'*y``, and then says
    ``x/v + y/w + step*k = 0`` mod ``p / lcm(g, h)``, where v and w are units.  So each side
    is needed only through the distribution of one ratio per ``(g, g')``.

    Time is of the order of p times its number of divisors, and of the pairs of residues of ``low``
    and ``high`` that stand out from the others.
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


def _unit_parts(high: Residues) -> _Parts:
    """The members in parts, those that there are."""
    parts = {}
    for g in np.unique(np.gcd(np.arange(high.p), high.p)).tolist():
        n = high.p // g
        units = np.flatnonzero(np.gcd(np.arange(n), n) == 1)
        part = settled(high.level, high.extra[g * units])
        if part.total:
            parts[g] = units, part
    return parts


def _ratios(low: Residues, high: _Parts, other: Iterable[int]) -> dict[tuple[int, int], Residues]:
    """Per ``(g, g')``: the ratios ``(low/g') / v`` mod p/g over ``high = g*v``, g' | low.

    Args:
        other: the gcds of the other side; g' runs over ``g / gcd(g, h)``.
    """
    ratios = {}
    for g, (units, v) in high.items():
        n = low.p // g
        out = np.flatnonzero(v.extra)
        inverses = np.array([pow(unit, -1, n) for unit in units[out].tolist()], dtype=np.int64)
        _, kind, sizes = np.unique(np.gcd(np.arange(n), n), return_inverse=True, return_counts=True)
        for part in {g // math.gcd(g, h) for h in other}:
            x = fold(Residues(low.level, low.extra[::part]), n)
            # The units take a residue evenly to those of the same gcd with n.
            by_gcd = np.zeros(len(sizes), exact_dtype(n * (1 + peak(x.extra)) * (1 + v.level)))
            np.add.at(by_gcd, kind, x.extra.astype(by_gcd.dtype))
            at = np.flatnonzero(x.extra)
            sides = (at, x.extra[at]), (inverses, v.extra[out])
            (few, number), (many, numbers) = sorted(sides, key=lambda side: len(side[0]))
            spend(20 * len(few) * (500 + len(many)))
            sums = np.zeros(
                n, exact_dtype((1 + len(out)) * (1 + peak(number)) * (1 + peak(numbers)))
            )
            numbers = numbers.astype(sums.dtype)
            for residue, times in zip(few, number, strict=True):
                np.add.at(sums, residue * many % n, times * numbers)
            sums = sums + (by_gcd * (len(units) // sizes) * v.level)[kind]
            ratios[g, part] = settled(x.level * v.total, sums)
    return ratios
