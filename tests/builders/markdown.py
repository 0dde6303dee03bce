"""Tables of Markdown, read back."""

from __future__ import annotations


def table_rows(text: str, columns: int) -> list[list[str]]:
    """The first columns of each row of the tables in a text, without the heads."""
    rows = [line.split("|")[1 : columns + 1] for line in text.splitlines() if "|" in line]
    return [[x.strip() for x in row] for row in rows[2:]]
