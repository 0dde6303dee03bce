"""Canonical forms: one way to hold each function that can be written in several.

A task is ``f(x) = floor(P(x) / q) mod p`` with an integer polynomial P.  What is used holds for
all integers:

1. With a modulus only P mod ``n = p * q`` matters: ``floor((P + n R) / q) = floor(P / q) + p R``.
2. A product of falling factorials, ``x (x-1) ... (x-e+1)`` for each operand, is a multiple of
   ``e_1! e_2! ...``.  So its coefficient matters modulo ``n / gcd(n, e_1! e_2! ...)`` only: mod 2,
   ``a**2`` is ``a``.  What is left is unique (Kempner 1921, Singmaster 1974).  A power is a sum of
   falling factorials whose coefficients are Stirling numbers of the second kind.
3. A common factor of the varying part and q cancels: ``floor((g R + c) / (g q)) =
   floor((R + floor(c / g)) / q)``.  By 2 the factor may show only in another way of writing P.
4. If all values of the varying part are multiples of h and h divides q, the constant can be
   lowered to a multiple of h.

Coefficients are least absolute residues, in (-m/2, m/2], so that ``a - b`` stays what it is.
Equal functions of one modulus without a divisor have equal forms.  Two that differ in the modulus,
or with a divisor, may still be equal by their values only, as ``a**2 % 4`` and ``a % 2`` are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from math import factorial, gcd, prod

Term = tuple[int, tuple[int, ...]]
"""A monomial: its coefficient and the exponent of each operand."""
_Exponents = tuple[int, ...]
_Coefficients = Counter[_Exponents]
"""The coefficients of monomials, or of products of falling factorials, by their exponents."""


def canonical(
    terms: tuple[Term, ...], names: tuple[str, ...], modulus: int | None, divisor: int
) -> tuple[tuple[Term, ...], tuple[str, ...], int]:
    """The terms, operands that enter, and divisor of the canonical form.

    A constant function keeps all operands: its one term is its value, and its divisor 1.
    """
    nothing = (0,) * len(names)
    poly: _Coefficients = Counter({nothing: 0})
    for c, e in terms:
        poly[e] += c
    if modulus is not None or divisor != 1:  # else each coefficient matters as it is
        poly, divisor = _reduced(poly, (modulus or 0) * divisor, divisor)
    used = [j for j in range(len(names)) if any(e[j] for e, c in poly.items() if c)]
    if not used or modulus == 1:
        value = poly.total() // divisor
        return ((value if modulus is None else value % modulus, nothing),), names, 1
    kept = [(c, tuple(e[j] for j in used)) for e, c in poly.items() if c]
    kept.sort(key=lambda term: (-sum(term[1]), tuple(-x for x in term[1])))
    return tuple(kept), tuple(names[j] for j in used), divisor


def _reduced(poly: _Coefficients, n: int, divisor: int) -> tuple[_Coefficients, int]:
    """Polynomial and divisor without common factor, the coefficients least absolute residues.

    Args:
        n: what the polynomial matters modulo; 0 where all of it matters.
    """
    varying: _Coefficients = Counter()  # of products of falling factorials
    for monomial, c in poly.items():
        for e, factor in _in_falling(monomial):
            varying[e] += c * factor
    nothing = (0,) * len(next(iter(poly)))
    constant, g = varying.pop(nothing), divisor
    for e, c in varying.items():
        g = _common(g, c, _matters(n, e))
    h = gcd(divisor, *(c * prod(map(factorial, e)) for e, c in varying.items()))
    left = Counter({e: _quotient(c, g, _matters(n, e)) for e, c in varying.items()})
    left[nothing] = constant // h * h // g
    reduced: _Coefficients = Counter()
    for monomial in sorted(left, reverse=True):  # a power brings lower ones along
        m = _matters(n // g, monomial)
        c = left[monomial] % m if m else left[monomial]
        reduced[monomial] = c - (m if 2 * c > m > 0 else 0)
        for e, factor in _in_falling(monomial):
            left[e] -= reduced[monomial] * factor
    return reduced, divisor // g


def _matters(n: int, exponents: _Exponents) -> int:
    """What the coefficient of a product of falling factorials matters modulo; 0: all of it."""
    return n // gcd(n, prod(map(factorial, exponents)))


def _common(g: int, c: int, m: int) -> int:
    """The largest divisor of g that divides c, or a number that equals c modulo m."""
    while (excess := gcd(g, m) // gcd(g, m, c)) > 1:
        g //= excess
    return g


def _quotient(c: int, g: int, m: int) -> int:
    """A number k with ``g * k`` equal to c modulo m."""
    d = gcd(g, m)
    return c // d * (pow(g // d, -1, m // d) if m else 1)


def _in_falling(monomial: _Exponents) -> Iterator[tuple[_Exponents, int]]:
    """The products of falling factorials that add up to a monomial, with their coefficients."""
    for powers in product(*map(_power_in_falling, monomial)):
        yield tuple(k for k, _ in powers), prod(c for _, c in powers)


@cache
def _power_in_falling(exponent: int) -> tuple[tuple[int, int], ...]:
    if exponent < 2:  # is one itself, so that sums and products of operands need no SymPy
        return ((exponent, 1),)
    from sympy.functions.combinatorial.numbers import stirling

    return tuple((k, int(stirling(exponent, k))) for k in range(1, exponent + 1))
