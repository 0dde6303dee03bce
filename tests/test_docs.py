"""The pages: their commands run, their outputs, links and figures are as they say."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from builders.command_line import run_cli
from builders.paths import ROOT

from theory.display.literature_tables import summary
from verify.plan.grids import GRIDS

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), ROOT / "benchmarks" / "README.md"]
EACH_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))


def shell_lines(page: Path) -> list[str]:
    """The lines of a page's shell blocks, without prompts and comments."""
    blocks = re.findall(r"```(?:console|sh|bash)\n(.*?)```", page.read_text(), re.S)
    lines = [line.removeprefix("$ ").strip() for block in blocks for line in block.splitlines()]
    return [re.split(r" +# ", line)[0] for line in lines]


COMMANDS = sorted({x for page in PAGES for x in shell_lines(page) if x.startswith("arith ")})


def test_the_pages_have_their_commands() -> None:
    assert len([x for x in shell_lines(ROOT / "README.md") if x.startswith("arith ")]) >= 5
    assert len(COMMANDS) >= 20


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_pages_runs(command: str, tmp_path: Path) -> None:
    """Predictions run whole; training commands are read to the end, and given no time to train."""
    words = shlex.split(command)[1:]
    if words[0] in ("ask", "export") or "--from" in words:
        done = run_cli(*words, cwd=tmp_path)
        assert "is no kept model" in done.err
    elif words[0] == "inspect":
        done = run_cli(*words, "--seed", "-1")
        assert "seeds go from 0" in done.err
    elif words[0] == "verify":
        done = run_cli(*words, "--store", str(ROOT / "README.md"), cwd=tmp_path)
        assert "cannot use the store" in done.err
    elif words[0] == "report":
        done = run_cli(*words, "--check")
        assert done.code in (0, 1, 3), done.err
    else:
        assert run_cli(*words, cwd=tmp_path).code == 0


@EACH_PAGE
def test_commands_that_the_text_names_exist_with_their_options(page: Path) -> None:
    for command in re.findall(r"`(arith \w[^`]*)`", page.read_text()):
        name, *words = shlex.split(command)[1:]
        known = run_cli(name, "--help").out
        assert [x for x in words if x.startswith("--") and x not in known] == [], command


def test_the_readmes_output_is_what_the_command_prints() -> None:
    text = (ROOT / "README.md").read_text()
    block = re.search(r"```console\n\$ (arith predict .*?)\n(.*?)```", text, re.S)
    assert block is not None
    done = run_cli(*shlex.split(block[1])[1:], width=80)
    shown = [line.rstrip() for line in block[2].strip().splitlines()]
    assert [line.rstrip() for line in done.out.strip().splitlines()] == shown


@EACH_PAGE
def test_make_targets_of_a_page_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for line in shell_lines(page):
        if line.startswith("make "):
            assert f"\n{line.split()[1]}:" in makefile


@EACH_PAGE
def test_what_a_page_points_to_exists(page: Path) -> None:
    """Files that are linked or named, and the headings of links."""
    text = page.read_text()
    for target, heading in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), target
        titles = re.findall(r"^#+ (.*)", linked.read_text(), re.M) if heading else []
        assert not heading or heading in [t.lower().replace(" ", "-") for t in titles], heading
    named = r"(?<![\w/.])(?:theory|verify|commands|tests|docs|benchmarks)/[\w./-]*"
    for path in re.findall(named, text):
        assert (ROOT / path.rstrip(".")).exists(), path


def test_the_python_examples_of_the_page_on_usage_run() -> None:
    found = doctest.testfile(str(DOCS / "usage.md"), module_relative=False)
    assert found.attempted >= 4
    assert found.failed == 0


def test_the_page_on_usage_has_every_grid() -> None:
    text = (DOCS / "usage.md").read_text()
    assert [grid for grid in GRIDS if f"`{grid}`" not in text] == []


def test_the_grid_of_the_page_on_usage_can_be_read(tmp_path: Path) -> None:
    [grid] = re.findall(r"```toml\n(.*?)```", (DOCS / "usage.md").read_text(), re.S)
    (tmp_path / "my.toml").write_text(grid)
    assert "1 cells" in run_cli("grid", "--grid", "my.toml", cwd=tmp_path).out


@pytest.mark.parametrize("page", ["README.md", "docs/findings.md"])
def test_figures_of_a_page_are_those_of_the_reports(page: str) -> None:
    """Counts such as "93 of 108", and shares with three decimals."""
    text = " ".join((ROOT / page).read_text().split())
    if page == "README.md":
        text = text.split("## What it found")[1].split("## Ask")[0]
    counts = [set(x) for x in re.findall(r"(\d+) of (\d+)", text)]
    shares = [{x} for x in re.findall(r"\b0\.\d{3}\b", text)]
    pages = (*ROOT.glob("reports/*/README.md"), *ROOT.glob("reports/*/cells.md"))
    lines = [set(re.findall(r"\d+(?:\.\d+)?", x)) for p in pages for x in p.read_text().split("\n")]
    assert counts
    assert [x for x in counts + shares if not any(x <= line for line in lines)] == []


def test_published_findings_are_counted_as_the_command_counts_them() -> None:
    text = " ".join((DOCS / "findings.md").read_text().split())
    total, papers, in_scope, agree, disagree = re.findall(r"\d+", summary())[:5]
    assert f"{total} findings from {papers} papers" in text
    assert f"{in_scope} of them meet every premise: {agree} agree and {disagree} disagree" in text


def test_the_rules_cite_sections_of_the_findings_that_exist() -> None:
    cited = set(re.findall(r"docs/findings.md \(([^)]*)\)", run_cli("theorems", "--json").out))
    titles = re.findall(r"^## (.*)", (DOCS / "findings.md").read_text(), re.M)
    assert len(cited) >= 4
    assert cited <= set(titles)
