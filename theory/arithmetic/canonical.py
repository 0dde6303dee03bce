"""The canonical form of a polynomial, so that one function is held in one way.

Mod n, a product of falling factorials ``x (x-1) ... (x-e+1)``, one of each operand, is a multiple
of ``e_1! e_2! ...``.  So ``n / gcd(n, e_1! e_2! ...)`` times that product is 0, and a coefficient
matters modulo that number only: mod 2, ``a**2`` is ``a``.  What is left is unique (Kempner 1921,
Singmaster 1974).  Coefficients are least absolute residues, in (-m/2, m/2], so that ``a - b`` stays
what it is.

Equal functions of one modulus have equal forms.  Two that differ in the modulus may still be equal
by their values only, as ``a**2 % 4`` and ``a % 2`` are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import factorial, gcd, prod

Term = tuple[int, tuple[int, ...]]
"""A monomial: its coefficient and the exponent of each operand."""


def canonical(
    terms: tuple[Term, ...], names: tuple[str, ...], modulus: int | None
) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """The terms of the canonical form, and the operands that enter.

    A constant function keeps all operands: its one term is its value.
    """
    nothing = (0,) * len(names)
    poly = Counter({nothing: 0})
    for c, e in terms:
        poly[e] += c
    if modulus is not None:
        _reduce(poly, modulus)
    used = [j for j in range(len(names)) if any(e[j] for e, c in poly.items() if c)]
    if not used:
        value = poly[nothing]
        return ((value if modulus is None else value % modulus, nothing),), names
    kept = [(c, tuple(e[j] for j in used)) for e, c in poly.items() if c]
    kept.sort(key=lambda term: (-sum(term[1]), tuple(-x for x in term[1])))
    return tuple(kept), tuple(names[j] for j in used)


def _reduce(poly: Counter[tuple[int, ...]], n: int) -> None:
    """Make the coefficients of a polynomial mod n least absolute residues, the highest first."""
    left = set(poly)
    while left:
        monomial = max(left)  # what it adds to is lower
        left.remove(monomial)
        m = n // gcd(n, prod(map(factorial, monomial)))
        laps = -((m // 2 - poly[monomial]) // m)
        if laps:
            for e, c in _falling(monomial):
                poly[e] -= laps * m * c
                left |= {e} - {monomial}


def _falling(exponents: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """A product of falling factorials, as monomials with their coefficients."""
    for powers in product(*(_falling_factorial(e).items() for e in exponents)):
        yield tuple(k for k, _ in powers), prod(c for _, c in powers)


def _falling_factorial(exponent: int) -> dict[int, int]:
    """``x (x-1) ... (x-e+1)``: the coefficient of each power of x."""
    found = {0: 1}
    for root in range(exponent):
        found = {k: found.get(k - 1, 0) - root * found.get(k, 0) for k in range(root + 2)}
    return {k: c for k, c in found.items() if c}
