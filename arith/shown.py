"""Answers as objects: text where text is printed, HTML in a notebook, a table for pandas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from arith.printing import Part, Table, plain_text
from arith.theory.errors import InvalidInput

if TYPE_CHECKING:
    from pandas import DataFrame


class Shown(ABC):
    """An answer: the parts that the command prints, and its numbers row by row."""

    @abstractmethod
    def parts(self) -> list[Part]:
        """What the command prints."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """An object per test length: its setting, its shares as text and as numbers."""

    def __repr__(self) -> str:
        return plain_text(self.parts())

    def _repr_html_(self) -> str:
        return f"<div>{''.join(map(_html, self.parts()))}</div>"

    def to_frame(self) -> DataFrame:
        """``records`` as a table of pandas (InvalidInput: pandas is not installed)."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise InvalidInput("to_frame needs pandas: pip install pandas") from None
        return DataFrame(self.records())


def _html(part: Part) -> str:
    """A part as HTML: what is bold in a terminal is bold here."""
    if isinstance(part, Table):
        head, rows = _cells(part.columns, "th"), "".join(_cells(row, "td") for row in part.rows)
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    text = escape(part.text).replace("\n", "<br>")
    return f"<div>{f'<b>{text}</b>' if part.bold else text}</div>"


def _cells(row: Iterable[str], tag: str) -> str:
    style = 'style="text-align: left"'  # a notebook aligns cells to the right
    return f"<tr>{''.join(f'<{tag} {style}>{escape(x)}</{tag}>' for x in row)}</tr>"
