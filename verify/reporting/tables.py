"""Tables and numbers as reports show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from theory.display.tables import markdown_table
from verify.judging.intervals import Interval


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows as Markdown; their keys are the columns, empty where a row lacks one."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return markdown_table([[row.get(column, "") for column in columns] for row in rows], columns)


def interval_text(x: Interval | None) -> str:
    """``0.331 [0.311, 0.352]``, or a dash."""
    return "-" if x is None else f"{x.value:.3f} [{x.low:.3f}, {x.high:.3f}]"


def count(number: int, what: str) -> str:
    """``1 cell``, ``2 cells``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
