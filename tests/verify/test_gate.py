"""The gate: the committed evidence agrees with the theory, and a wrong theory is caught."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from theory import predict
from theory.properties import base_aligned
from verify.causes import read_causes
from verify.evidence import read_evidence
from verify.grids import GRIDS, grid
from verify.junit import junit
from verify.recipe import RECIPE
from verify.report import cells_markdown, judge_evidence, markdown
from verify.sections import sections

REPORTS = Path(__file__).parent.parent.parent / "reports"
NAMES = sorted(folder.name for folder in REPORTS.iterdir() if folder.is_dir())


def check(name: str) -> int:
    """The exit code of the first step of the gate."""
    command = ["report", "--grid", name, "--folder", str(REPORTS), "--check"]
    return CliRunner().invoke(app, command).exit_code


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_evidence_does_not_diverge(name: str) -> None:
    """A divergence whose cause is named beside the evidence has been looked into."""
    assert check(name) in (0, 3)


def test_one_wrong_rule_fails_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mod 101 declared base aligned: the evidence says otherwise, and the gate exits 1."""

    def wrong(p: int, base: int) -> int | None:
        return 2 if p == 101 else base_aligned(p, base)

    monkeypatch.setattr(import_module("theory.predict"), "base_aligned", wrong)
    assert check("headline") == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_report_is_made_from_the_committed_evidence(
    name: str, tmp_path: Path
) -> None:
    folder = REPORTS / name
    shutil.copytree(folder, tmp_path / name)
    verdicts = judge_evidence(grid(name), read_evidence(folder / "evidence.jsonl"))
    causes = read_causes(folder / "causes.toml")
    pages = sections(verdicts, tmp_path / name, causes)
    assert (folder / "README.md").read_text() == markdown(name, verdicts, pages, causes)
    assert (folder / "cells.md").read_text() == cells_markdown(name, verdicts)
    for picture in (tmp_path / name).iterdir():
        assert (folder / picture.name).exists()


@pytest.mark.parametrize("name", NAMES)
def test_evidence_is_of_the_current_recipe_and_grid(name: str) -> None:
    runs = read_evidence(REPORTS / name / "evidence.jsonl")
    assert {r.recipe for r in runs} == {RECIPE.version}
    assert {r.cell.key for r in runs} <= {cell.key for cell in grid(name)}


def test_every_cell_of_the_headline_was_trained() -> None:
    runs = read_evidence(REPORTS / "headline" / "evidence.jsonl")
    assert {r.cell.key for r in runs} == {cell.key for cell in grid("headline")}


def test_the_smoke_grid_has_every_kind_of_answer() -> None:
    assert set(GRIDS["smoke"]) <= set(GRIDS["headline"])
    statuses = {
        x.status
        for cell in grid("smoke")
        for x in predict(cell.setting).lengths
        if x.direction == "upward"
    }
    assert statuses == {"fails", "generalizes", "partial"}


def test_junit_names_every_length() -> None:
    verdicts = judge_evidence(grid("smoke"), [])
    xml = junit(verdicts)
    assert xml.count("<testcase") == sum(len(v.lengths) for v in verdicts)
    assert 'failures="0"' in xml
