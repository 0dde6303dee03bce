"""Blocks as HTML: figures inside, long tables and lists folded."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from arith.theory.display.markdown import Markdown, one_line
from arith.theory.display.text import count
from arith.verify.reporting.blocks import Block, Figure, Heading, Items, Table

_MOST_ROWS = 12
"""Of a table or a list that is shown unfolded."""
_MARKS = MarkdownIt("zero").enable(["backticks", "emphasis", "entity", "escape"])
"""What ``Markdown`` may hold on this page: no links, no images, no HTML."""


@dataclass(frozen=True)
class Section:
    """A heading, and what stands below it."""

    title: str
    blocks: list[Markup] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The heading as a link names it."""
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")


def html_sections(blocks: Iterable[Block], links: Mapping[str, str]) -> list[Section]:
    """Blocks as sections; each begins with its heading.

    Args:
        links: what is made a link where a list or a table names it first, and where to.

    Raises:
        InvalidInput: as of ``arith.theory.display.style.figure``.
    """
    sections: list[Section] = []
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            sections.append(Section(block.text))
        else:
            sections[-1].blocks.append(_html(block, links))
    return sections


def html_text(text: str) -> Markup:
    """A text in one line as it is; of ``Markdown`` with its marks."""
    return (
        Markup(_MARKS.renderInline(text)) if isinstance(text, Markdown) else escape(one_line(text))
    )


def _html(block: Block, links: Mapping[str, str]) -> Markup:
    match block:
        case Heading():
            return Markup("<h3>{}</h3>").format(html_text(block.text))
        case Items():
            items = Markup("").join(
                Markup("<li>{}</li>\n").format(_named(x, links)) for x in block.items
            )
            return _folded(Markup("<ul>\n{}</ul>").format(items), count(len(block.items), "line"))
        case Table():
            head = _row("th", map(html_text, block.names))
            body = Markup("").join(
                _row("td", (_named(x, links) for x in line)) for line in block.lines
            )
            table = Markup(
                '<div class="wide" tabindex="0"><table>\n<thead>{}</thead>\n<tbody>\n{}</tbody>'
                "</table></div>"
            ).format(head, body)
            return _folded(table, count(len(block.rows), "row"))
        case Figure():
            return _figure(block)
    return Markup("<p>{}</p>").format(html_text(block))


def _row(tag: str, texts: Iterable[Markup]) -> Markup:
    cells = Markup("").join(Markup("<{0}>{1}</{0}>").format(tag, text) for text in texts)
    return Markup("<tr>{}</tr>\n").format(cells)


def _named(text: str, links: Mapping[str, str]) -> Markup:
    """A text that begins with a name, and then ends or goes on with a colon or a comma."""
    html = html_text(text)
    ends = [i for i, c in enumerate(html) if c in ":,"]
    for end in (len(html), *reversed(ends)):
        name = Markup(html[:end])
        if target := links.get(name.unescape()):
            return Markup('<a href="#{}">{}</a>{}').format(target, name, Markup(html[end:]))
    return html


def _folded(html: Markup, number: str) -> Markup:
    """A table or a list, folded where it is long."""
    if int(number.split()[0]) <= _MOST_ROWS:
        return html
    return Markup("<details><summary>{}</summary>{}</details>").format(number, html)


def _figure(block: Figure) -> Markup:
    """A figure inside the page; as an image, so that its names meet no other figure's."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        block.draw(path)
        data = b64encode(path.read_bytes()).decode()
    return Markup(
        '<figure><img alt="{0}" loading="lazy" src="data:image/svg+xml;base64,{1}">'
        "<figcaption>{0}</figcaption></figure>"
    ).format(html_text(block.caption), data)
