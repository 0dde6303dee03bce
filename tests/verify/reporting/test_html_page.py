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
from builders.paths import REPORTS
from matplotlib.figure import Figure

from arith.verify.judging.judge import Verdict
from arith.verify.judging.known_divergences import KnownDivergences
from arith.verify.pipeline import judge
from arith.verify.reporting.html_page import html_page
from arith.verify.reporting.json_data import summary_json
from arith.verify.reporting.report import Report
from arith.verify.reporting.totals import totals

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--force-prefers-reduced-motion"
)


@pytest.fixture(scope="module")
def report() -> Report:
    return judge("headline", REPORTS)


@pytest.fixture(scope="module")
def html(report: Report) -> str:
    """The page of the headline, its figures left empty."""
    with pytest.MonkeyPatch.context() as patched:
        empty = '<svg xmlns="http://www.w3.org/2000/svg"/>'
        patched.setattr(Figure, "savefig", lambda self, path, **_: Path(path).write_text(empty))
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
    counted = summary_json(totals(report.verdicts))
    text = " ".join(re.sub(r"<[^>]*>", " ", html).split())
    before, claims = counted["predicted_before"], counted["claims"]
    tested = claims["agree"] + claims["diverge"]
    assert f"{before['agree']} of {before['agree'] + before['diverge']} claims came true" in text
    assert f"{claims['agree']} of {tested} claims agree" in text
    for part in ("stored_and_kept", "stored_and_given_up", "explained_after"):
        row = f"{counted[part]['agree']} {counted[part]['diverge']} {sum(counted[part].values())}"
        assert f" {row} " in text
    assert f"{tested} of {tested + claims['silent']} measured lengths with a claim" in text
    assert f"false at {counted['published']['diverge']}" in text
    assert html.count('class="mark agree') - html.count('<svg class="mark agree') == claims["agree"]


def test_a_page_of_one_cell_is_escaped_and_has_no_empty_section(report: Report) -> None:
    page = html_page(replace(report, name='<img src="x">', verdicts=report.verdicts[:1]))
    assert "&lt;img src=&#34;x&#34;&gt;" in page and '<img src="x">' not in page
    assert '<section id="theorems-and-rules">' in page
    for absent in ("divergences", "no-claim", "encodings", "inside", "training-data"):
        assert f'id="{absent}"' not in page


@pytest.fixture(scope="module")
def browser(html: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser that shows the page, 1280 pixels wide."""
    if not (CHROMIUM.exists() and DRIVER.exists()):
        pytest.skip("needs Chromium and its driver in /usr/bin")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    folder = tmp_path_factory.mktemp("browser")
    (folder / "page.html").write_text(html)
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS.split(), f"--user-data-dir={folder / 'profile'}", "--window-size=1280,900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(str(DRIVER)))
    driver.get((folder / "page.html").as_uri())
    yield driver
    driver.quit()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """The page as it is when it has been loaded; at the end nothing was wrong with it."""
    browser.get(browser.current_url.partition("#")[0])
    browser.get_log("browser")
    yield browser
    assert browser.get_log("browser") == []


def all_of(page: Any, selector: str) -> list[Any]:
    return page.find_elements("css selector", selector)


def column(page: Any, number: int) -> list[str]:
    """What a column of the table of cells shows, hidden rows left out."""
    fields = all_of(page, f".cell:not([hidden]) .row > :nth-child({number})")
    return [field.text for field in fields]


def test_it_sorts_by_a_column(page: Any) -> None:
    button = all_of(page, "#table thead th[scope=col] button")[8]
    button.send_keys("\n")
    head = button.find_element("xpath", "..")
    assert head.get_attribute("aria-sort") == "ascending"
    measured = [float(x) for x in column(page, 9)]
    assert measured == sorted(measured) and measured[0] < measured[-1]
    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    assert [float(x) for x in column(page, 9)] == measured[::-1]
    all_of(page, "#table thead th[scope=col] button")[0].click()
    assert len(all_of(page, "[aria-sort]")) == 1
    tasks = column(page, 1)
    assert tasks != sorted(tasks, reverse=True) and tasks.index("a + b") < tasks.index("a·b mod 50")


def test_it_filters_by_words_encoding_and_verdict(page: Any, report: Report) -> None:
    every = column(page, 2)
    [search] = all_of(page, "#search")
    search.send_keys("Interleaved")
    assert 0 < len(column(page, 2)) < len(every)
    assert all("interleaved" in text for text in column(page, 3))
    assert all_of(page, "#shown")[0].text == f"{len(column(page, 2))} of {len(every)} cells"
    search.send_keys(" nowhere")
    assert column(page, 2) == [] and all_of(page, "#none")[0].is_displayed()
    search.clear()
    all_of(page, "#encoding")[0].send_keys("RPE")
    assert set(column(page, 2)) == {"RPE"}
    assert len(column(page, 2)) == every.count("RPE")
    all_of(page, "#verdict")[0].send_keys("agree")
    relative = [v.verdict for v in report.verdicts if v.cell.setting.encoding.name == "rpe"]
    assert 0 < len(column(page, 2)) == relative.count(Verdict.AGREE)


def test_a_row_opens_with_all_there_is_of_its_cell(page: Any, report: Report) -> None:
    i = next(i for i, v in enumerate(report.verdicts) if v.cell.setting.task.modulus == 101)
    [button], [detail] = all_of(page, f"#cell-{i} .row button"), all_of(page, f"#detail-{i}")
    assert not detail.is_displayed() and button.get_attribute("aria-expanded") == "false"
    button.send_keys(" ")
    assert detail.is_displayed() and button.get_attribute("aria-expanded") == "true"
    for text in ("((a mod 100) + (b mod 100)) mod 101", "49/4950", "seed 0:", "residual modulus"):
        assert text in detail.text
    assert "arith verify --task mod_add --modulus 101" in detail.text
    assert all_of(page, f"#detail-{i} polyline")
    button.click()
    assert not detail.is_displayed()


def test_a_dot_names_its_claim_and_opens_its_cell(page: Any) -> None:
    dots = all_of(page, ".picture a")
    dots[0].send_keys("\ue014")  # the arrow to the right
    name = dots[1].find_element("css selector", "title").get_attribute("textContent")
    assert all_of(page, ".readout")[0].text == name
    assert [dot.get_attribute("tabindex") for dot in dots].count("0") == 1
    all_of(page, "#search")[0].send_keys("nowhere")
    page.execute_script(
        "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", dots[1]
    )
    cell = page.execute_script("return arguments[0].href.baseVal", dots[1])
    assert all_of(page, f"{cell} .detail")[0].is_displayed()


@pytest.mark.parametrize("width", [400, 1040])
def test_it_fits_a_narrow_window(page: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    all_of(page, "#all")[0].send_keys("\n")
    widest = page.execute_script("return document.documentElement.scrollWidth")
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert widest <= width


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
    verdicts = [
        replace(v, runs=tuple(replace(x, machine=text) for x in v.runs)) for v in report.verdicts
    ]
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
    allowed = re.compile(r"data:|#|$|<form class=.filters|" + re.escape(here.partition("#")[0]))
    assert [x for x in found if not allowed.match(x)] == []
    assert browser.get_log("browser") == []
