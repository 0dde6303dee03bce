"""Text that meets Markdown: whatever it holds, it is shown as it is."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arith.verify.reporting.markdown import Markdown, code, markdown_table, one_line, plain

MARKS = [
    "![x](/etc/passwd)",
    "[l](http://x.y)",
    "<img/src=x>",
    "<https://x.y>",
    "https://x.y",
    "www.x.y",
    "**b**",
    "_e_",
    "`c`",
    "``",
    "&lt;",
    "&#60;",
    "\\",
    "#",
    "-",
    "1.",
    ">",
    "|",
    "~~s~~",
    "$x$",
    "{:.a}",
    "[a]:",
    "/b",
    "[^1]",
    "a_b_c",
    "D_2",
    "(",
    ")",
    "[",
    "]",
    "!",
    "0.3",
    "[0.1,0.5]",
] + ["\n", "\n\n", " ", "\x1b[2J", "\u202e", "\ud800", "\x85", "# ", "- ", "1. ", "> "]
# A lone "-" is what tables show where there is nothing: it would begin a list only by itself.
TEXTS = (
    st.lists(st.sampled_from(MARKS) | st.text(max_size=3), max_size=8)
    .map("".join)
    .filter(lambda text: one_line(text) not in ("-", "+"))
)
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def shown(page: str) -> str:
    """The text of a page of HTML that has no tag but those of one paragraph."""
    assert not re.search(r"<(?!/?(p|ul|li)>)", page), page
    return html.unescape(re.sub(r"</?(p|ul|li)>", "", page)).strip()


@given(TEXTS)
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    line = one_line(text)
    assert line.isprintable() and "\n" not in line
    for start in ("", "- ", "word "):
        page = PARSER.render(f"{start}{plain(text)}")
        assert shown(page) == f"{start.removeprefix('- ')}{line}".strip()
    assert plain(plain(text)) == plain(text)


@given(TEXTS)
def test_the_site_shows_it_as_it_is_too(text: str) -> None:
    site = pytest.importorskip("markdown")
    if line := one_line(text):
        read = site.markdown(plain(text), extensions=["tables", "attr_list"])
        assert shown(read) == line


@given(TEXTS)
def test_a_cell_of_a_table_holds_its_text(text: str) -> None:
    page = PARSER.render(markdown_table([[text, "end"]], ("one", "two")))
    cells = re.findall(r"<td>(.*?)</td>", page)
    assert [html.unescape(x) for x in cells] == [one_line(text), "end"]


@given(TEXTS.filter(lambda text: one_line(text) != ""))
def test_code_holds_its_text(text: str) -> None:
    [read] = re.findall(r"(?s)^<p><code>(.*)</code></p>\n$", PARSER.render(code(text)))
    assert html.unescape(read) == one_line(text)


@pytest.mark.parametrize(
    "name", ["(a + b) mod 54 · APE · aligned · D_2 base 12 · pico", "0.3 [0.1, 0.5]"]
)
def test_usual_text_is_left_alone(name: str) -> None:
    assert plain(name) == name


def test_marks_that_are_meant_stay() -> None:
    assert "| *b* " in markdown_table([{"*a*": Markdown("*b*")}])
