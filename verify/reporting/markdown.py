"""Text that meets Markdown: what a reader is shown as it is, and what is markup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_LIVE = re.compile(
    r"[\\`*<&|~$@{}]"  # code, emphasis, HTML, entities, columns, formulas, addresses, attributes
    r"|\](?=[(\[:])"  # the end of a link's text
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis; within a word it is none
    r"|:(?=//)|(?<=www)\."  # addresses that become links by themselves
    r"|^[#>=]|^[-+](?=\s)|^-(?=--+$)|^\d{1,9}[.)](?=\s|$)"  # headings, quotations, lists, rules
)
"""Where Markdown, of any dialect, would take the last character for more than a character."""


class Markdown(str):
    """Text in which marks are meant: whatever is put into it has been made ``plain`` before."""

    __slots__ = ()


def one_line(text: str) -> str:
    """A text of which nothing can be hidden: in one line, without control characters."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def plain(text: str) -> Markdown:
    """A text in one line that Markdown shows as it is; of ``Markdown`` itself the marks stay."""
    if isinstance(text, Markdown):
        return text
    return Markdown(_LIVE.sub(lambda x: f"{x[0][:-1]}&#{ord(x[0][-1])};", one_line(text)))


def code(text: str) -> Markdown:
    """A text in one line as code."""
    line = one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    room = " " if "`" in line else ""
    return Markdown(f"{fence}{room}{line}{room}{fence}")


def markdown_table(
    rows: Sequence[Sequence[str]] | Sequence[Mapping[str, str]], headers: Sequence[str] = "keys"
) -> Markdown:
    """A table in GitHub's Markdown; its cells are shown as they are, numbers too.

    Args:
        headers: of the columns; by default the keys of the rows, empty where a row lacks one.
    """
    if headers == "keys":
        headers = [*dict.fromkeys(name for row in rows for name in row)]
    filled = (
        [row.get(name, "") for name in headers] if isinstance(row, Mapping) else row for row in rows
    )
    if not headers:
        return Markdown("")
    shown = [[*map(plain, line)] for line in (headers, *filled)]
    roomy = [f"{name}  " for name in shown[0]]
    widths = [max(map(len, column)) for column in zip(roomy, *shown[1:], strict=True)]
    lines = [" | ".join(map(str.ljust, line, widths)) for line in shown]
    rule = "-|-".join("-" * width for width in widths)
    first, *rest = (f"| {line} |" for line in lines)
    return Markdown("\n".join((first, f"|-{rule}-|", *rest)))
