"""The page over all grids: no cell counted twice, and every claim that did not come true."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from builders.cells import cell
from builders.command_line import run_cli
from builders.paths import REPORTS
from builders.runs import RIGHT, run
from matplotlib.backends.backend_svg import FigureCanvasSVG

from arith.theory.prediction.predict import predict
from arith.verify.judging.judge import judge
from arith.verify.records.predicted import predicted
from arith.verify.records.runs import Run
from arith.verify.reporting.overview import overview_json, overview_page
from arith.verify.reporting.report import Report

CELL = cell(digits=3)
TOLD = predicted(predict(CELL.setting))


def told(seed: int, accuracy: float) -> Run:
    """A model whose prediction was stored; right on this share of four-digit inputs."""
    return replace(run(CELL, {**RIGHT, 4: accuracy}, seed=seed), predicted=TOLD)


def report(name: str, *runs: Run) -> Report:
    return Report(f"the {name} grid", [judge(CELL, runs)], Path("reports") / name)


def row(page: str, first: str) -> list[str]:
    """The other columns of the row of a page's tables that begins so."""
    [line] = [x for x in page.splitlines() if x.startswith(f"| {first} ")]
    return [x.strip() for x in line.strip("|").split("|")][1:]


def test_a_cell_in_two_grids_counts_once_where_it_has_more_models(tmp_path: Path) -> None:
    reports = [report("few", told(0, 1.0)), report("many", told(0, 0.0), told(1, 0.0))]
    page = overview_page(reports, tmp_path)
    assert row(page, "[few](few/README.md)")[:5] == ["1", "1", "1", "2", "1"]
    assert row(page, "[many](many/README.md)")[:5] == ["1", "1", "1", "3", "0"]
    assert row(page, "together") == row(page, "[many](many/README.md)")
    counts = overview_json(reports)
    assert counts["together"] == counts["grids"]["many"]
    assert counts["by_version"] == {TOLD.theory: counts["together"]["predicted_before"]}


def test_what_did_not_come_true_is_listed_with_its_models(tmp_path: Path) -> None:
    right, wrong = told(0, 0.0), told(1, 0.75)
    page = overview_page([report("made", right, wrong)], tmp_path)
    failed = page[page.index("## What did not come true") :]
    name = f"{CELL.label()} · pico"
    told_of = [
        name,
        "4",
        "0",
        TOLD.theory,
        "0.750",
        "1.000",
        "0",
        "constants and shown apart",
        "diverge",
    ]
    assert row(failed, "made") == told_of
    whole = overview_page([report("made", right)], tmp_path)
    assert "· pico" not in whole[whole.index("## What did not come true") :]


def test_rules_and_kinds_of_claims_are_counted(tmp_path: Path) -> None:
    page = overview_page([report("made", told(0, 0.0))], tmp_path)
    assert row(page, "right on all") == ["2", "2", "0", "0", "2", "0"]
    assert row(page, "on nearly none") == ["1", "1", "0", "0", "1", "0"]
    assert row(page, "support")[:3] == ["3", "3", "0"]
    assert not re.search(r"^\| (a fraction|address) ", page, re.M)  # nothing rests on them


def test_all_grids_are_written_from_their_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their figures are drawn, and left empty."""
    monkeypatch.setattr(FigureCanvasSVG, "print_svg", lambda self, path, **_: Path(path).touch())
    for name in ("constants", "fractions"):
        shutil.copytree(REPORTS / name, tmp_path / name)
        (tmp_path / name / "README.md").unlink()
    words = ("report", "--all", "--folder", str(tmp_path))
    done = run_cli(*words)
    assert done.code == 3  # some claims no model could test
    assert done.out.endswith(f"wrote {tmp_path}/README.md\n")
    page = (tmp_path / "README.md").read_text()
    assert row(page, "together")[1] == "42"
    for name in ("constants", "fractions"):
        assert (tmp_path / name / "README.md").exists()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.md")}
    checked = run_cli(*words, "--check")
    assert checked.code == 3 and "wrote" not in checked.out
    assert json.loads(run_cli(*words, "--json").out)["together"]["cells"] == 42
    (tmp_path / "constants" / "causes.toml").unlink()
    unnamed = run_cli(*words, "--check")
    assert unnamed.code == 1 and "constants: " in unnamed.err
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*.md")}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--all --grid full", "--all reports on the evidence of all grids: no --grid"),
        ("--all --html x.html", "no --grid, --html, --store"),
        ("--all --folder .", "there is no evidence of a grid in ."),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path: Path, options: str, message: str) -> None:
    done = run_cli("report", *options.split(), cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and len(done.err.splitlines()) == 1
