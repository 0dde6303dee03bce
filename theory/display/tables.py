"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(rows: Sequence[Sequence[str]], headers: Sequence[str]) -> str:
    """A table in GitHub's Markdown; the cells are written as they are, numbers too."""
    from tabulate import tabulate

    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)
