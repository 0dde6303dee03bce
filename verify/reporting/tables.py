"""Tables and numbers as reports show them."""

from __future__ import annotations

from verify.judging.intervals import Interval


def interval_text(x: Interval | None) -> str:
    """``0.331 [0.311, 0.352]``; no interval where every input was tested; or a dash."""
    if x is None:
        return "-"
    return f"{x.value:.3f}" + (f" [{x.low:.3f}, {x.high:.3f}]" if x.low < x.high else "")


def count(number: int, what: str) -> str:
    """``1 cell``, ``2 cells``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
