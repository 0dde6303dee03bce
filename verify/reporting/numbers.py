"""Numbers as reports and terminals show them."""

from __future__ import annotations

from verify.judging.intervals import Interval


def interval_text(x: Interval | None) -> str:
    """``0.331 [0.311, 0.352]``, or a dash."""
    return "-" if x is None else f"{x.value:.3f} [{x.low:.3f}, {x.high:.3f}]"


def count(number: int, what: str) -> str:
    """``1 cell``, ``2 cells``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
