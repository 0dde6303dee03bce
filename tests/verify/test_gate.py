"""The gate: the committed evidence agrees with the theory, and a wrong theory is caught."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from theory import predict
from theory.properties import base_aligned
from verify.grids import GRIDS, grid
from verify.recipe import RECIPE
from verify.report import cells_markdown, judge_evidence, junit, markdown
from verify.sections import sections
from verify.store import read_evidence

ROOT = Path(__file__).parent.parent.parent
REPORT = ROOT / "reports" / "headline"


def check() -> int:
    """The exit code of the first step of the gate."""
    result = CliRunner().invoke(
        app, ["report", "--grid", "headline", "--folder", str(ROOT / "reports"), "--check"]
    )
    return result.exit_code


def test_the_committed_evidence_does_not_diverge() -> None:
    assert check() in (0, 3)


def test_one_wrong_rule_fails_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mod 101 declared base aligned: the evidence says otherwise, and the gate exits 1."""

    def wrong(p: int, base: int) -> int | None:
        return 2 if p == 101 else base_aligned(p, base)

    monkeypatch.setattr(import_module("theory.predict"), "base_aligned", wrong)
    assert check() == 1


def test_the_committed_report_is_made_from_the_committed_evidence(tmp_path: Path) -> None:
    runs = read_evidence(REPORT / "evidence.jsonl")
    verdicts = judge_evidence(grid("headline"), runs)
    pages = sections(verdicts, tmp_path)
    assert (REPORT / "README.md").read_text() == markdown("headline", verdicts, pages)
    assert (REPORT / "cells.md").read_text() == cells_markdown("headline", verdicts)
    for picture in tmp_path.iterdir():
        assert (REPORT / picture.name).exists()


def test_evidence_is_of_the_current_recipe_and_grid() -> None:
    runs = read_evidence(REPORT / "evidence.jsonl")
    cells = {cell.key for cell in grid("headline")}
    assert {r.recipe for r in runs} == {RECIPE.version}
    assert {r.cell.key for r in runs} == cells


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
