"""Tables as Markdown and as LaTeX."""

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


def latex_table(rows: Sequence[Sequence[str]], headers: Sequence[str]) -> str:
    """A table in LaTeX with the rules of the package booktabs; the cells are escaped."""
    from tabulate import tabulate

    return tabulate(rows, headers, tablefmt="latex_booktabs", disable_numparse=True)
