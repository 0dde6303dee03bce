"""What pages are made of: text, headings, lists, tables and figures, as values.

Text is shown as it is, whatever is in it; marks are meant in ``Markdown`` alone.  A figure is what
draws it, so no page shows a picture that was there before.
"""

from __future__ import annotations

import tomllib
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from arith.verify.reporting.markdown import Markdown, markdown_table, plain

MOST_ROWS = 40
"""Lines of a table or a list in Markdown: those of longer ones are folded."""


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


def text(name: str, /, **values: object) -> Markdown:
    """A text of ``texts.toml`` in one line; the texts that are filled in are shown as they are."""
    filled = {key: plain(x) if isinstance(x, str) else x for key, x in values.items()}
    return Markdown(" ".join(_texts()[name].format(**filled).split()))


@cache
def _texts() -> dict[str, str]:
    return tomllib.loads(files(__package__).joinpath("texts.toml").read_text("utf-8"))


def markdown_page(blocks: Iterable[Block], folder: Path = Path(), fold: bool = False) -> Markdown:
    """Blocks as Markdown, their figures drawn into a folder.

    Args:
        fold: put long tables and lists behind a line that opens them.

    Raises:
        InvalidInput: as of ``arith.theory.text.style.figure``.
    """
    parts = []
    for block in blocks:
        if isinstance(block, Figure):
            block.draw(folder / block.file)
        shown = _markdown(block)
        hidden = _hidden(block, shown) if fold else ""
        details = f'<details markdown="1">\n<summary>{hidden}</summary>\n\n{shown}\n\n</details>'
        parts.append(details if hidden else shown)
    return Markdown("\n\n".join(parts))


def _markdown(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {plain(block.text)}"
        case Items():
            return "\n".join(f"- {plain(item)}" for item in block.items)
        case Table():
            return markdown_table(block.rows, block.columns)
        case Figure():
            return f"![{plain(block.caption)}]({block.file})"
    return plain(block)


def _hidden(block: Block, markdown: str) -> str:
    """What is said in place of a long table or list; empty where it is short."""
    shown = {Table: "rows", Items: "lines"}.get(type(block))
    rows = markdown.count("\n") + 1
    if shown is None or rows <= MOST_ROWS:
        return ""
    return f"{rows - 2 if isinstance(block, Table) else rows} {shown}"


def html_blocks(blocks: Iterable[Block], links: Mapping[str, str]) -> Markup:
    """Blocks as HTML that stands alone: figures inside, long tables and lists folded.

    It is the Markdown rendered, so no HTML of a text is live.

    Args:
        links: where the links of the Markdown lead on this page; the others become plain text.

    Raises:
        InvalidInput: as of ``arith.theory.text.style.figure``.
    """
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    parts = []
    for block in blocks:
        if isinstance(block, Figure):
            parts.append(_html_figure(block))
            continue
        shown = _markdown(block)
        tokens = renderer.parse(shown)
        _name_fields(tokens)
        _follow_links(tokens, links)
        html = Markup(renderer.renderer.render(tokens, renderer.options, {}))
        if isinstance(block, Table):
            html = Markup('<div class="wide" tabindex="0">{}</div>').format(html)
        if hidden := _hidden(block, shown):
            html = Markup("<details><summary>{}</summary>{}</details>").format(hidden, html)
        parts.append(html)
    return Markup("\n").join(parts)


def _name_fields(tokens: Sequence[Token]) -> None:
    """Give each field of a table the name of its column, which narrow windows show beside it."""
    names, column = list[str](), 0
    for token, content in pairwise(tokens):
        match token.type:
            case "table_open":
                names = []
            case "th_open":
                names.append(content.content)
            case "tr_open":
                column = 0
            case "td_open":
                token.attrSet("data-label", names[column])
                column += 1


def _follow_links(tokens: Iterable[Token], links: Mapping[str, str]) -> None:
    """Lead links to where they are on this page, and take out those that are not."""
    for token in tokens:
        kept, is_open = [], True
        for child in token.children or ():
            if child.type == "link_open":
                target = str(child.attrs["href"])
                is_open = target in links or target.startswith("#")
                child.attrSet("href", links.get(target, target))
            if is_open or child.type not in ("link_open", "link_close"):
                kept.append(child)
        token.children = kept or token.children


def _html_figure(block: Figure) -> Markup:
    """A figure inside the page; as an image, so that its names meet no other figure's."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / block.file
        block.draw(path)
        data = b64encode(path.read_bytes()).decode()
    return Markup(
        '<figure><img alt="{0}" src="data:image/svg+xml;base64,{1}">'
        "<figcaption>{0}</figcaption></figure>"
    ).format(block.caption, data)
