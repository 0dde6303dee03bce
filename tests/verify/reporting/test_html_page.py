"""The page: it stands alone, escapes what it shows, and works in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from builders.browser import chromium, widest
from builders.evidence import judged
from matplotlib.backends.backend_svg import FigureCanvasSVG

from arith.verify.judging.known_divergences import KnownDivergences
from arith.verify.reporting.page import html_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.summary import summarize


@pytest.fixture(scope="module")
def report() -> Report:
    return judged("headline")


@pytest.fixture(scope="module")
def html(report: Report) -> str:
    """The page of the headline, its figures left empty."""
    with pytest.MonkeyPatch.context() as patched:
        empty = '<svg xmlns="http://www.w3.org/2000/svg"/>'
        patched.setattr(
            FigureCanvasSVG, "print_svg", lambda self, path, **_: Path(path).write_text(empty)
        )
        return html_page(report)


class Targets(HTMLParser):
    """What a page points to, and the names in it that can be pointed to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action"):
                self.targets.append(value or "")
            if name == "id":
                self.names.append(value or "")


def test_the_page_needs_nothing_but_itself(html: str) -> None:
    found = Targets(html)
    assert len(found.names) == len(set(found.names))
    inside = {f"#{name}" for name in found.names}
    assert [x for x in found.targets if x not in inside and not x.startswith("data:")] == []
    assert not re.search(r"@import|url\(|<script src|\bfetch\(", html)


def test_the_page_says_the_counts_of_the_data(html: str, report: Report) -> None:
    counted = summarize(report.verdicts)
    text = " ".join(re.sub(r"<[^>]*>", " ", html).split())
    assert f"{counted.predicted_before.agree} of {counted.predicted_before.tested} claims" in text
    assert f"{counted.claims.agree} of {counted.claims.tested} claims agree" in text
    for what, x in counted.ledger:
        assert f"{what} {x.agree} {x.diverge} {x.tested} " in text
    assert f"false at {counted.published.diverge}" in text
    assert html.count('<details class="cell">') == len(report.trained)


def test_a_page_of_one_cell_is_escaped_and_has_no_empty_section(report: Report) -> None:
    page = html_page(replace(report, name='<img src="x">', verdicts=report.verdicts[:1]))
    assert "&lt;img src=" in page and '<img src="x">' not in page
    assert "<h2>Theorems and rules</h2>" in page
    for absent in ("Divergences", "No claim", "Encodings", "Inside", "Training data"):
        assert f"<h2>{absent}</h2>" not in page


@pytest.fixture(scope="module")
def browser(html: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser that shows the page, 1280 pixels wide."""
    folder = tmp_path_factory.mktemp("browser")
    (folder / "page.html").write_text(html)
    with chromium(folder) as driver:
        driver.get((folder / "page.html").as_uri())
        yield driver


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """The page as it is when it has been loaded; at the end nothing was wrong with it."""
    browser.get(browser.current_url.partition("#")[0])
    browser.get_log("browser")
    yield browser
    assert browser.get_log("browser") == []


def all_of(page: Any, selector: str) -> list[Any]:
    return page.find_elements("css selector", selector)


def test_a_cell_of_the_table_opens_with_all_there_is_of_it(page: Any, report: Report) -> None:
    names = [v.cell.setting.task.modulus for v in report.trained]
    i = names.index(101)
    details = all_of(page, "details.cell")[i]
    assert details.get_attribute("open") is None
    all_of(page, f"a[href='#cell-{i}']")[0].click()
    assert details.get_attribute("open") is not None
    for text in ("((a mod 100) + (b mod 100)) mod 101", "49/4950", "Seed 0:"):
        assert text in details.text
    assert "arith verify --task mod_add --modulus 101" in details.text


@pytest.mark.parametrize("width", [400, 1280])
def test_it_fits_a_narrow_window(page: Any, width: int) -> None:
    assert widest(page, width) <= width


def test_hostile_evidence_makes_no_request_and_nothing_live(
    browser: Any, report: Report, tmp_path: Path
) -> None:
    asked: list[str] = []

    class Away(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Away)
    Thread(target=server.serve_forever, daemon=True).start()
    away, before = f"http://127.0.0.1:{server.server_port}", browser.current_url
    text = (
        f"x\n\n![a]({away}/a.png) [b]({away}/b)\n\n<img src='{away}/c'>"
        f"<img src=q onerror='location=\"{away}\"'><script>fetch('{away}/d')</script>"
        f"<{away}/e> [f](javascript:1)\n\n![g](/etc/hostname)"
    )
    cells = [v for v in report.verdicts if v.diverging]
    cells += [v for v in report.verdicts if not v.diverging][:2]  # more take long to draw
    verdicts = [replace(v, runs=tuple(replace(x, machine=text) for x in v.runs)) for v in cells]
    causes = {(v.name, x.digits): text for v in verdicts for x in v.diverging}
    made = replace(report, name=text, verdicts=verdicts, known=KnownDivergences(causes))
    try:
        (tmp_path / "page.html").write_text(html_page(made))
        browser.get((tmp_path / "page.html").as_uri())
        found = browser.execute_script(
            "return [...document.querySelectorAll('img, a, script, link, iframe, object, form')]"
            ".map(x => x.href?.baseVal ?? x.src ?? x.href ?? x.outerHTML)"
        )
        here = browser.current_url
        browser.get(before)
    finally:
        server.shutdown()
    assert here.endswith("page.html") and asked == []
    allowed = re.compile(r"data:|#|$|" + re.escape(here.partition("#")[0]))
    assert [x for x in found if not allowed.match(x)] == []
    assert browser.get_log("browser") == []
