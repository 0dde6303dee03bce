"""Lengths in words."""

from __future__ import annotations

from collections.abc import Sequence


def runs(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending numbers as runs, each by its first and last: (1, 2, 3, 5) as (1, 3), (5, 5)."""
    known = set(lengths)
    firsts = [n for n in lengths if n - 1 not in known]
    lasts = [n for n in lengths if n + 1 not in known]
    return list(zip(firsts, lasts, strict=True))


def lengths_text(digits: Sequence[int]) -> str:
    """``1 digit``, ``1..2 digits``, ``1, 3..5 digits``: ascending lengths."""
    text = ", ".join(str(a) if a == b else f"{a}..{b}" for a, b in runs(digits))
    return f"{text} {'digit' if text == '1' else 'digits'}"
