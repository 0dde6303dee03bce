"""Shares in words: a number between 0 and 1 is shown as 0 or 1 only if it is."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction


def share_text(x: Fraction, digits: int = 3) -> str:
    """A share to so many digits: ``0.0099``, ``1e-1556``, ``1 - 2e-05``."""
    text = f"{float(x):.{digits}g}"
    if x and float(text) == 0:  # too small for a floating-point number
        quotient = Context(digits).divide(Decimal(x.numerator), Decimal(x.denominator))
        text = str(quotient.normalize()).lower()
    return f"1 - {share_text(1 - x, 1)}" if text == "1" and x != 1 else text


def fixed_text(x: Fraction, places: int) -> str:
    """A share to so many places, ``0.33``; more exactly where it would look like 0 or 1."""
    text = f"{float(x):.{places}f}"
    return share_text(x, 1) if float(text) in (0, 1) and float(text) != x else text


def percent_text(x: Fraction, form: str = ".2g") -> str:
    """A share in percent: ``9.1%``, ``less than 1%``, ``more than 99.9%``."""
    shown = float(f"{float(100 * x):{form}}")
    if x and shown < 1e-4:
        return "less than 1%" if form == ".0f" else "less than 0.0001%"
    if shown == 100 and x < 1:
        return "more than 99.9%" if x > Fraction(999, 1000) else "more than 99%"
    return f"{shown:g}%"
