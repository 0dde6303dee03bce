"""Canonical forms: one way to hold each function that can be written in several.

A task is ``f(x) = floor(P(x) / q) mod p`` with an integer polynomial P.  What is used holds for
all integers:

1. With a modulus only P mod ``n = p * q`` matters: ``floor((P + n R) / q) = floor(P / q) + p R``.
2. A product of falling factorials, ``x (x-1) ... (x-e+1)`` for each operand, is a multiple of
   ``e_1! e_2! ...``.  So its coefficient matters modulo ``n / gcd(n, e_1! e_2! ...)`` only: mod 2,
   ``a**2`` is ``a``.  What is left is unique (Kempner 1921, Singmaster 1974).
3. A common factor of the varying part and q cancels: ``floor((g R + c) / (g q)) =
   floor((R + floor(c / g)) / q)``.  By 2 the factor may show only in another way of writing P.
4. If all values of the varying part are multiples of h and h divides q, the constant can be
   lowered to a multiple of h.

Coefficients are least absolute residues, in (-m/2, m/2], so that ``a - b`` stays what it is.
Equal functions of one modulus without a divisor have equal forms.  Two that differ in the modulus,
or with a divisor, may still be equal by their values only, as ``a**2 % 4`` and ``a % 2`` are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from math import factorial, gcd, prod

Term = tuple[int, tuple[int, ...]]
"""A monomial: its coefficient and the exponent of each operand."""
_Exponents = tuple[int, ...]
_Poly = dict[_Exponents, int]


def canonical(
    terms: tuple[Term, ...], names: tuple[str, ...], modulus: int | None, divisor: int
) -> tuple[tuple[Term, ...], tuple[str, ...], int]:
    """The terms, operands that enter, and divisor of the canonical form.

    A constant function keeps all operands: its one term is its value, and its divisor 1.
    """
    poly: _Poly = {}
    for c, e in terms:
        poly[e] = poly.get(e, 0) + c
    n = (modulus or 0) * divisor
    poly, divisor = _divided(_reduced(poly, n), n, divisor)
    poly = {e: c for e, c in poly.items() if c}
    used = [j for j in range(len(names)) if any(e[j] for e in poly)]
    if not used or modulus == 1:
        value = sum(poly.values()) // divisor
        nothing = (0,) * len(names)
        return ((value if modulus is None else value % modulus, nothing),), names, 1
    kept = [(c, tuple(e[j] for j in used)) for e, c in poly.items()]
    kept.sort(key=lambda term: (-sum(term[1]), tuple(-x for x in term[1])))
    return tuple(kept), tuple(names[j] for j in used), divisor


def _reduced(poly: _Poly, n: int) -> _Poly:
    """The polynomial of the same function mod n whose coefficients are least absolute residues."""
    if not n:
        return poly

    def residue(exponents: _Exponents, c: int) -> int:
        m = _matters(n, exponents)
        return c % m - (m if 2 * (c % m) > m else 0)

    return _from_the_top(poly, residue)[0]


def _from_the_top(poly: _Poly, keep: Callable[[_Exponents, int], int]) -> tuple[_Poly, _Poly]:
    """The coefficients of monomials, and of products of falling factorials, that add up to it.

    Args:
        keep: what stays with a monomial of its coefficient, the highest monomial first; the rest
            goes to the product of falling factorials, whose other monomials are taken off below.
    """
    left, monomials, products = dict(poly), {}, {}
    while left:
        top = max(left, key=lambda exponents: (sum(exponents), exponents))
        c = left.pop(top)
        monomials[top] = keep(top, c)
        products[top] = c - monomials[top]
        if products[top]:
            for lower, factor in _falling(top):
                if lower != top:
                    left[lower] = left.get(lower, 0) - products[top] * factor
    return monomials, products


def _matters(n: int, exponents: _Exponents) -> int:
    """What the coefficient of a product of falling factorials matters modulo; 0: all of it."""
    return n // gcd(n, prod(map(factorial, exponents)))


def _divided(poly: _Poly, n: int, divisor: int) -> tuple[_Poly, int]:
    """Polynomial and divisor without common factor, the constant lowered to what it counts."""
    _, varying = _from_the_top(poly, lambda exponents, c: 0)
    nothing = (0,) * len(next(iter(poly), ()))
    constant, g = varying.pop(nothing, 0), divisor
    for e, c in varying.items():
        g = _common(g, c, _matters(n, e))
    h = gcd(divisor, *(c * prod(map(factorial, e)) for e, c in varying.items()))
    divided: _Poly = {nothing: constant // h * h // g}
    for e, c in varying.items():
        quotient = _quotient(c, g, _matters(n, e))
        for lower, factor in _falling(e):
            divided[lower] = divided.get(lower, 0) + quotient * factor
    return _reduced(divided, n // g), divisor // g


def _common(g: int, c: int, m: int) -> int:
    """The largest divisor of g that divides c, or a number that equals c modulo m."""
    while (excess := gcd(g, m) // gcd(g, m, c)) > 1:
        g //= excess
    return g


def _quotient(c: int, g: int, m: int) -> int:
    """A number k with ``g * k`` equal to c modulo m."""
    d = gcd(g, m)
    return c // d * (pow(g // d, -1, m // d) if m else 1)


@lru_cache(maxsize=4096)
def _falling(exponents: _Exponents) -> tuple[tuple[_Exponents, int], ...]:
    """The product of falling factorials with these leading exponents, in monomials."""
    each = [[(e, c) for e, c in enumerate(_falling_of_one(top)) if c] for top in exponents]
    return tuple((tuple(e for e, _ in xs), prod(c for _, c in xs)) for xs in product(*each))


def _falling_of_one(degree: int) -> list[int]:
    """The coefficients of ``x (x-1) ... (x-degree+1)``, the lowest first."""
    row = [1]
    for k in range(degree):
        row = [b - k * a for a, b in zip([*row, 0], [0, *row], strict=True)]
    return row
