"""Exact numbers as text, of any length.

Python writes and reads integers of at most 4,300 digits unless a limit of the whole process is
lifted; at hundreds of digits an accuracy's numerator is longer.  Decimals have no such limit.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

_WRITTEN = re.compile(r"-?[0-9]+(/[0-9]+)?")


def exact_text(value: Fraction | int) -> str:
    """The number in digits: ``49/4950``, or ``1``."""
    top, bottom = f"{Decimal(value.numerator):f}", value.denominator
    return top if bottom == 1 else f"{top}/{Decimal(bottom):f}"


def read_exact(text: str) -> Fraction:
    """The number that ``exact_text`` wrote.

    Raises:
        ValueError: other text.
        ZeroDivisionError: the denominator is 0.
    """
    if not _WRITTEN.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no number, such as 1 or 49/4950")
    top, _, bottom = text.partition("/")
    return Fraction(int(Decimal(top)), int(Decimal(bottom or 1)))


def text_and_float(name: str, value: Fraction | None) -> dict[str, str | float | None]:
    """A share for JSON and tables: exact as ``name``, and as ``name_float``; None stays None."""
    return {
        name: None if value is None else exact_text(value),
        f"{name}_float": None if value is None else float(value),
    }
