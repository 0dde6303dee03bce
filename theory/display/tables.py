"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def markdown_table(
    rows: Sequence[Sequence[str]] | Sequence[Mapping[str, str]], headers: Sequence[str] = "keys"
) -> str:
    """A table in GitHub's Markdown; the cells are written as they are, numbers too.

    Args:
        headers: of the columns; by default the keys of the rows, empty where a row lacks one.
    """
    from tabulate import tabulate

    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)
