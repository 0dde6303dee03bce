"""Sections written as Markdown, as HTML: their figures inside, long tables folded."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

_MOST_ROWS = 12
"""Of a table that is shown unfolded."""
_FIGURE = re.compile(r"!\[(.*)\]\((.*)\)")


@dataclass(frozen=True)
class Section:
    """A heading, and what stands below it."""

    title: str
    blocks: list[Markup] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The heading as a link names it."""
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")


def html_sections(
    paragraphs: Iterable[str], folder: Path, links: Mapping[str, str]
) -> list[Section]:
    """Paragraphs of Markdown as sections; each begins with its heading.

    Args:
        folder: of the figures.
        links: what is made a link wherever it is named, and where to.
    """
    sections: list[Section] = []
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    named = {str(escape(name)): target for name, target in links.items()}
    longest_first = sorted(map(re.escape, named), key=len, reverse=True)
    names = re.compile("|".join(longest_first) or r"(?!)")
    for text in "\n\n".join(paragraphs).split("\n\n"):
        if text.startswith("## "):
            sections.append(Section(text.removeprefix("## ")))
        elif figure := _FIGURE.fullmatch(text.strip()):
            sections[-1].blocks.append(_figure(figure[1], folder / figure[2]))
        elif text.strip():
            html = names.sub(
                lambda x: f'<a href="#{named[x[0]]}">{x[0]}</a>', markdown.render(text)
            )
            rows = text.count("\n") - 1 if text.startswith("|") else text.count("\n- ")
            sections[-1].blocks.append(_folded(Markup(html), rows, text.startswith("|")))
    return sections


def _folded(html: Markup, rows: int, is_table: bool) -> Markup:
    """A table or a list, folded where it is long; a wide table scrolls by itself."""
    if is_table:
        html = Markup('<div class="wide" tabindex="0">{}</div>').format(html)
    if rows <= _MOST_ROWS:
        return html
    what = "rows" if is_table else "entries"
    return Markup("<details><summary>{} {}</summary>{}</details>").format(
        rows if is_table else rows + 1, what, html
    )


def _figure(caption: str, path: Path) -> Markup:
    """A figure inside the page; as an image, so that its names meet no other figure's."""
    data = b64encode(path.read_bytes()).decode()
    return Markup(
        '<figure><img alt="{}" loading="lazy" src="data:image/svg+xml;base64,{}">'
        "<figcaption>{}</figcaption></figure>"
    ).format(caption, data, caption)
