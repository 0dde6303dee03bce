"""Numbers in words, those that follow each other together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain


def runs(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending numbers as runs, each by its first and last: (1, 2, 3, 5) as (1, 3), (5, 5)."""
    known = set(lengths)
    firsts = [n for n in lengths if n - 1 not in known]
    lasts = [n for n in lengths if n + 1 not in known]
    return list(zip(firsts, lasts, strict=True))


def runs_text(
    numbers: Sequence[int],
    to: str = "..",
    apart: str = ", ",
    least: int = 2,
    name: Callable[[int], str] = str,
) -> str:
    """``1, 3..5``: ascending numbers, runs of them by their first and last.

    Args:
        least: numbers that a run has at least, else each is named.
    """
    each = (
        [f"{name(a)}{to}{name(b)}"] if b > a + least - 2 else map(name, range(a, b + 1))
        for a, b in runs(numbers)
    )
    return apart.join(chain.from_iterable(each))


def lengths_text(digits: Sequence[int]) -> str:
    """``1 digit``, ``1..2 digits``, ``1, 3..5 digits``: ascending lengths."""
    text = runs_text(digits)
    return f"{text} {'digit' if text == '1' else 'digits'}"
