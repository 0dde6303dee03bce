"""The site of the pages: built without a warning, nothing fetched, every link followed."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from builders.paths import ROOT

import theory

pytestmark = pytest.mark.documents


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


class _Links(HTMLParser):
    """What a page loads as it is opened, and what its pictures and links point to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.without_text: list[str] = []
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.loaded += [x for x in (found.get("src"), tag == "link" and found.get("href")) if x]
        if tag == "img" and len(found.get("alt") or "") < 15:
            self.without_text.append(str(found.get("src")))
        if tag == "a" and found.get("href"):
            self.linked.append(str(found["href"]))


def test_a_page_fetches_nothing_and_points_to_what_is_there(site: Path) -> None:
    """Opened from disk too, so every link to a page names its file."""
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        links = _Links(page)
        assert links.without_text == [], page  # every figure says what it shows
        local = [x for x in links.linked if not re.match(r"https://|mailto:|#", x)]
        for target in [*links.loaded, *local]:
            assert not re.match(r"\w+:|//", target), f"{page}: {target}"
            if page.name != "404.html":  # which is served under any path
                assert (page.parent / target.partition("#")[0].partition("?")[0]).is_file(), target
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert not re.search(r"(?:url\(|@import )['\"]?(?:https?:)?//", styles)


def test_the_site_has_every_page_report_and_figure(site: Path) -> None:
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    reports = [path.relative_to(ROOT) for path in ROOT.glob("reports/**/*.md")]
    names = {"README": "index"}
    for path in (*pages, *reports):
        assert (site / path.with_name(f"{names.get(path.stem, path.stem)}.html")).exists(), path
    for figure in ROOT.glob("reports/*/*.svg"):
        assert (site / figure.relative_to(ROOT)).read_bytes() == figure.read_bytes()
    assert "(2*a + 3*b) % 12" in (site / "usage.html").read_text()
    assert "(a mod 1000)" in (site / "index.html").read_text()
    for picture in (ROOT / "docs").rglob("*.svg"):
        assert (site / picture.relative_to(ROOT / "docs")).exists()


def test_formulas_are_set_without_a_script(site: Path) -> None:
    for page in ("why", "counting", "theory", "proofs"):
        text = (site / f"{page}.html").read_text()
        assert '<math xmlns="http://www.w3.org/1998/Math/MathML"' in text
        assert "arithmatex" not in text and "$$" not in text


def test_the_search_has_an_index_that_needs_no_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text()
    assert index.startswith("var __index = {")
    assert "Residual modulus" in index
    assert "reports/full/cells.html" not in index


def test_the_reference_has_what_the_packages_offer(site: Path) -> None:
    text = "".join(path.read_text() for path in (site / "reference").glob("*.html"))
    ids = set(re.findall(r'id="([\w.]+)"', text))
    for name in theory.__all__:
        assert any(x.startswith("arith.theory.") and x.endswith(f".{name}") for x in ids), name
    expected = {"judging.judge.judge", "pipeline.verify", "plan.cells.Cell"}
    assert {f"arith.verify.{name}" for name in expected} <= ids
    assert [x for x in ids if re.search(r"\._(?!_)", x)] == []
