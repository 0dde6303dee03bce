"""The command ``arith report``: of a store or of a grid, as a table, as data, as a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders.command_line import Done, run_cli
from builders.paths import REPORTS
from builders.runs import headline_runs

from arith.verify.records.store import Store

STORE = Path(".arith") / "measurements.sqlite"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory in whose store is what somebody trained: three cells."""
    store = Store(tmp_path / STORE)
    for run in headline_runs()[:3]:
        store.add(run)
    store.close()
    return tmp_path


def reported(folder: Path, *options: str) -> Done:
    return run_cli("report", *options, cwd=folder)


def files(folder: Path) -> set[str]:
    """All but the store."""
    found = (p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    return {str(p) for p in found if p.parent != STORE.parent}


def test_without_a_grid_every_cell_of_the_store_is_judged(folder: Path) -> None:
    done = reported(folder)
    assert done.code == 0
    assert "3 of 3 cells converged" in done.out
    assert files(folder) == set()


def test_the_store_as_data_and_as_a_page(folder: Path) -> None:
    done = reported(folder, "--json", "--html", "mine.html")
    data = json.loads(done.out)
    assert data["summary"]["cells"] == data["summary"]["conclusive"] == len(data["cells"]) == 3
    assert done.err == "wrote mine.html\n"
    page = (folder / "mine.html").read_text()
    assert all(cell["label"] in page for cell in data["cells"])
    assert "the cells in .arith/measurements.sqlite" in page
    assert files(folder) == {"mine.html"}


def test_a_page_of_a_grid_is_all_that_is_written(folder: Path) -> None:
    done = reported(folder, "--grid", "smoke", "--html", "smoke.html")
    assert done.code in (0, 3)
    assert done.out == "wrote smoke.html\n"
    assert files(folder) == {"smoke.html"}


def test_the_committed_evidence_as_data(tmp_path: Path) -> None:
    words = ("--grid", "headline", "--folder", str(REPORTS), "--json", "--check")
    done = reported(tmp_path, *words)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["summary"]["claims"]["diverge"] == 1  # its cause is named


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--check", "--check judges the evidence of a --grid"),
        ("--grid headline --check --html x.html", "writes nothing"),
        ("--html .arith", "cannot write .arith"),
        ("--grid headlin", "did you mean 'headline'?"),
        ("--store other.sqlite", "there is no store other.sqlite"),
        ("--folder x", "--folder is where the evidence of a --grid stands"),
        ("--grid headline --check --store x.sqlite", "no --store"),
        (
            "--grid windows --folder none",
            "of the windows grid in none/windows/evidence.jsonl or .ar",
        ),
    ],
)
def test_bad_input_is_one_clear_line(folder: Path, options: str, message: str) -> None:
    done = reported(folder, *options.split())
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert files(folder) == set()


def test_a_grid_of_ones_own_does_not_take_the_report_of_a_named_one(folder: Path) -> None:
    (folder / "headline.toml").write_text('[[cell]]\ntask = "add"\n')
    done = reported(folder, "--grid", "headline.toml")
    assert done.code == 2
    assert "would get the report of the grid headline: give the file another name" in done.err


def test_what_is_committed_is_judged_from_anywhere_and_written_nowhere_else(tmp_path: Path) -> None:
    words = ("report", "--grid", "headline")
    judged = run_cli(*words, "--check", cwd=tmp_path)
    assert judged == run_cli(*words, "--check", cwd=REPORTS.parent)
    assert "gate: " in judged.out
    refused = run_cli(*words, cwd=tmp_path)
    assert refused.code == 2 and f"what is committed is in {REPORTS}" in refused.err
    assert not list(tmp_path.iterdir())
