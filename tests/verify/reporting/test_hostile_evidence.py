"""Evidence that was handed over is data: no text of it is live, no file outside is read."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from base64 import b64encode
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from builders.cells import cell
from builders.command_line import run_cli
from builders.evidence import committed_runs
from markdown_it import MarkdownIt
from matplotlib.backends.backend_svg import FigureCanvasSVG

from arith.verify.pipeline import judge, judge_store, overview
from arith.verify.records.evidence import write_evidence
from arith.verify.reporting.exports import junit
from arith.verify.reporting.page import cells_page, html_page, page
from arith.verify.reporting.report import Report

SECRET = "what nobody may see 4711"
AWAY = "http://127.0.0.1:9/away"


def hostile(secret: Path) -> str:
    """What a text field may hold to become more than a text."""
    return (
        f"cpu\n\n![figure]({secret})\n\n![away]({AWAY})\n\n[link]({AWAY}) <{AWAY}> {AWAY} "
        f"<img src='{AWAY}'><script>fetch('{AWAY}')</script>\n\n[a]: {AWAY}\n| x | y |\x1b[2J"
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with hostile evidence of the headline, beside a secret that its texts point to."""
    folder = tmp_path_factory.mktemp("handed")
    secret = folder / "secret.txt"
    secret.write_text(SECRET)
    folder = folder / "headline"
    (folder / "mechanism" / "one").mkdir(parents=True)
    text = hostile(secret)
    line = text.replace("\n", " ").replace("\x1b", "")  # more is refused as it is read
    runs = [replace(x, machine=line) for x in committed_runs("headline")]
    lost = runs[0].cell
    runs = [replace(x, premise=0.5) if x.cell == lost else x for x in runs]
    write_evidence(folder / "evidence.jsonl", runs)
    verdicts = judge("headline", folder.parent).verdicts
    [missed] = [v.name for v in verdicts if v.cell == lost]
    [wrong] = [v.name for v in verdicts if v.diverging]
    told, told_once = json.dumps(text), json.dumps(line)
    (folder / "causes.toml").write_text(
        f'[[cause]]\ncell = "{wrong}"\ndigits = [4]\nlikely = {told}\n'
        f'[[tried]]\ncell = "{missed}"\nwhat = {told}\n[[tried]]\ncell = {told_once}\nwhat = "-"\n'
    )
    there = {"cell": cell(digits=2).to_json(), "digits": 3, "influence": {"model": [[[0.5]]]}}
    there["distance"] = {"truth": {"largest": 0.5}}
    (folder / "mechanism" / "one" / "mechanism.json").write_text(json.dumps(there))
    (folder / "mechanism" / "one" / "influence.svg").write_text(f"<svg>{SECRET}</svg>")
    return folder


@pytest.fixture(scope="module")
def judged(written: Path) -> Report:
    """The report of that evidence."""
    return judge("headline", written.parent)


@pytest.fixture
def handed(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of reports with a copy of that evidence, and a secret beside it."""
    monkeypatch.setattr(
        FigureCanvasSVG, "print_svg", lambda self, path, **_: Path(path).write_text("<svg/>")
    )
    (tmp_path / "secret.txt").write_text(SECRET)
    shutil.copytree(written, tmp_path / "reports" / "headline")
    return tmp_path / "reports"


@pytest.fixture
def report(judged: Report, handed: Path) -> Report:
    return replace(judged, folder=handed / "headline")


class Live(HTMLParser):
    """What of a page a browser would ask for, run or follow."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href", "action", "srcset") or name.startswith("on"):
                self.found.add(f"{tag} {name} {(value or '')[:20]}")


def test_the_html_page_holds_no_live_text_and_no_local_file(report: Report) -> None:
    text = html_page(report)
    assert SECRET not in text and b64encode(SECRET.encode()).decode()[:20] not in text
    live = {x for x in Live(text).found if not re.match(r"a href #|img src data:image/svg", x)}
    assert live == {"link href data:,"}
    assert "<script" not in text and "\x1b" not in text
    assert "default-src 'none'" in text and text.count("![figure](") == 3  # as it is


def test_the_markdown_pages_hold_no_live_text_and_no_local_file(
    report: Report, handed: Path
) -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    drawn = set[str]()
    for text in (page(report), cells_page(report)):
        assert SECRET not in text and "\x1b" not in text
        for token in (t for block in parser.parse(text) for t in [block, *(block.children or [])]):
            assert "html" not in token.type or re.match(r"</?(details|summary)", token.content)
            if token.type in ("image", "link_open"):
                to = token.attrs.get("src", token.attrs.get("href"))
                assert re.fullmatch(
                    r"[\w-]+\.svg|cells\.md|evidence\.jsonl|../../docs/glossary\.md", str(to)
                )
                drawn |= {str(to)} if token.type == "image" else set()
    assert "influence-1.svg" in drawn
    for name in drawn:
        assert SECRET not in (handed / "headline" / name).read_text()


def test_junit_and_data_hold_no_control_characters(report: Report) -> None:
    text = junit(report.verdicts)
    assert ET.fromstring(text).tag == "testsuite" and "\x1b" not in text
    done = run_cli("report", "--grid", "headline", "--folder", str(report.folder.parent), "--check")
    assert "\x1b" not in done.err and len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "name",
    [
        "evidence.jsonl",
        "causes.toml",
        "predictions.jsonl",
        "README.md",
        "how_soon.svg",
        "mechanism/one/influence.svg",
        "mechanism/one/mechanism.json",
        "mechanism/two",
        ".",
    ],
)
def test_a_link_out_of_the_folder_is_refused(handed: Path, tmp_path: Path, name: str) -> None:
    path = handed / "headline" / name
    if path.is_dir():
        path.rename(tmp_path / "elsewhere")
    path.unlink(missing_ok=True)
    path.symlink_to(tmp_path / ("elsewhere" if name == "." else "secret.txt"))
    done = run_cli("report", "--grid", "headline", "--folder", str(handed))
    assert done.code == 2 and "leads out of" in done.err and len(done.err.splitlines()) == 1
    assert (tmp_path / "secret.txt").read_text() == SECRET


def test_links_that_stay_in_the_folder_are_followed(handed: Path) -> None:
    evidence = handed / "headline" / "evidence.jsonl"
    evidence.rename(handed / "headline" / "kept.jsonl")
    evidence.symlink_to("kept.jsonl")
    assert judge("headline", handed).trained


def test_nothing_is_read_or_written_by_links_beside_a_store_or_the_page_of_all(
    handed: Path, tmp_path: Path, report: Report
) -> None:
    (handed / "mechanism").symlink_to(tmp_path)
    (handed / "README.md").symlink_to(tmp_path / "secret.txt")
    for use in (lambda: judge_store(handed / "no.sqlite"), lambda: overview([report], handed)):
        with pytest.raises(Exception, match="leads out of"):
            use()
    assert (tmp_path / "secret.txt").read_text() == SECRET
