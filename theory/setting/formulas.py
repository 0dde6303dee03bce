"""Formulas of polynomials, for people and for SymPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from theory.setting.canonical import Term

if TYPE_CHECKING:
    import sympy


def polynomial_text(
    terms: Sequence[Term], operands: Sequence[str], times: str = "*", power: str = "**"
) -> str:
    """A polynomial, term by term: ``2*a**2 - a*b + 1``.

    Args:
        operands: how each operand is written.
        times: the sign between factors.
        power: the sign before exponents.
    """
    text = ""
    for coefficient, exponents in terms:
        powers = zip(operands, exponents, strict=True)
        factors = [x if e == 1 else f"{x}{power}{e}" for x, e in powers if e]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {times.join(factors)}"
    return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


def sympy_text(
    terms: Sequence[Term], operands: Sequence[str], modulus: int | None, divisor: int
) -> str:
    """``floor(polynomial / divisor) mod modulus`` as SymPy reads and writes it.

    Its terms are in the lexicographic order of their exponents, but for ``1 - a``.
    """
    ordered = sorted(terms, key=lambda term: term[1], reverse=True)
    first, last = ordered[0], ordered[-1]
    is_difference = len(ordered) == 2 and first[0] < 0 < last[0] and not any(last[1])
    if is_difference and sum(map(bool, first[1])) == 1:
        ordered.reverse()
    body = polynomial_text(ordered, operands)
    if divisor != 1:
        is_power = first[0] == 1 and sum(map(bool, first[1])) == 1
        is_quotient = len(ordered) == 1 and (is_power or first[0] < 0)
        body = f"floor({body}/{divisor})" if is_quotient else f"floor(({body})/{divisor})"
    elif body in operands:
        body = body[1:-1] if body.startswith("(") else body
    return body if modulus is None else f"Mod({body}, {modulus})"


def expression(formula: str, names: Sequence[str]) -> sympy.Expr:
    """A formula as a SymPy expression of natural numbers, kept as written."""
    import sympy

    symbols = {name: sympy.Symbol(name, integer=True, nonnegative=True) for name in names}
    return sympy.parse_expr(formula, symbols, evaluate=False)
