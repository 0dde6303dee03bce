"""What pages are made of: text, headings, lists, tables and figures, as values.

Text is shown as it is, whatever is in it; marks are meant in ``Markdown`` alone.  A figure is what
draws it, so no page shows a picture that was there before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arith.theory.display.markdown import Markdown, markdown_table, plain

MOST_ROWS = 40
"""Lines of a table or a list in Markdown: longer ones are folded."""


@dataclass(frozen=True)
class Heading:
    """A heading; of level 2 it begins a section."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Items:
    """A list, a line for each item."""

    items: Sequence[str]


@dataclass(frozen=True)
class Table:
    """A table; by default its columns are the keys of its rows, empty where a row lacks one."""

    rows: Sequence[Sequence[str]] | Sequence[Mapping[str, str]]
    columns: Sequence[str] = "keys"

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        if isinstance(self.columns, str):
            return list(dict.fromkeys(name for row in self.rows for name in row))
        return list(self.columns)

    @property
    def lines(self) -> list[list[str]]:
        """The rows, with a text for every column."""
        return [
            [row.get(name, "") for name in self.names] if isinstance(row, Mapping) else list(row)
            for row in self.rows
        ]


@dataclass(frozen=True)
class Figure:
    """A figure, drawn where the page wants it.

    Args:
        file: its name, as an SVG.
        draw: writes it to a path.
    """

    caption: str
    file: str
    draw: Callable[[Path], None]


Block = str | Heading | Items | Table | Figure
"""A part of a page; a text is a paragraph."""


def markdown_page(blocks: Iterable[Block], folder: Path = Path(), fold: bool = False) -> Markdown:
    """Blocks as Markdown, their figures drawn into a folder.

    Args:
        fold: put long tables and lists behind a line that opens them.

    Raises:
        InvalidInput: as of ``arith.theory.display.style.figure``.
    """
    parts = [_folded(_markdown(x, folder), x) if fold else _markdown(x, folder) for x in blocks]
    return Markdown("\n\n".join(parts))


def _markdown(block: Block, folder: Path) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {plain(block.text)}"
        case Items():
            return "\n".join(f"- {plain(item)}" for item in block.items)
        case Table():
            return markdown_table(block.rows, block.columns)
        case Figure():
            block.draw(folder / block.file)
            return f"![{plain(block.caption)}]({block.file})"
    return plain(block)


def _folded(text: str, block: Block) -> str:
    rows = text.count("\n") + 1
    if rows <= MOST_ROWS or not isinstance(block, Table | Items):
        return text
    shown = f"{rows - 2} rows" if isinstance(block, Table) else f"{rows} lines"
    return f'<details markdown="1">\n<summary>{shown}</summary>\n\n{text}\n\n</details>'
