"""The score of what was stored before training, and the files in which it stands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.cells import cell, natural_cell
from builders.paths import ROOT
from builders.runs import run

from arith.theory.errors import InvalidInput
from arith.verify.judging.judge import judge_evidence
from arith.verify.plan.grids import grid
from arith.verify.records.predicted import predicted
from arith.verify.reporting.before import FORECASTS, read_before, texts
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.score import score_blocks

SUM, ROPE = cell(digits=3), natural_cell("rope", "reversed")


def written(folder: Path) -> Path:
    """A folder with what is said of two cells."""
    (folder / FORECASTS).write_text(texts([SUM, ROPE])[FORECASTS])
    return folder


def test_what_was_said_is_read_back(tmp_path: Path) -> None:
    before = read_before(written(tmp_path))
    assert set(before) == {SUM, ROPE} and set(before[ROPE]) == {4, 5}
    assert [before[ROPE][4].candidates, before[SUM][4].candidates] == [(1, 0), ()]
    told = ROPE.prediction.forecasts[4]
    assert (before[ROPE][4].forecast.median, before[ROPE][4].forecast.low) == (
        told.median,
        told.low,
    )
    assert read_before(tmp_path / "nothing") == {}


def test_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (written(tmp_path) / FORECASTS).open("a").write('{"cell": 3}\n')
    with pytest.raises(InvalidInput, match=r"forecasts\.jsonl, line 3: "):
        read_before(tmp_path)


def test_the_score_is_of_what_was_stored_and_of_what_is_trained(tmp_path: Path) -> None:
    right = {4: 0.0, 1: 1.0, 2: 1.0}
    models = [replace(run(SUM, right), predicted=predicted(SUM.prediction))]
    whole = judge_evidence([SUM, ROPE], models)
    page = markdown_page(score_blocks(Report("a grid", whole, written(tmp_path))))
    assert "Of 2 cells 1 are trained" in page and "1 of them" in page
    assert "3 of 3 claims agree (asked: 97%; met)" in page
    assert "What was missed" not in page
    told = ROPE.prediction.forecasts
    far = {n: 0.0 if told[n].low > 0 else 1.0 for n in (4, 5)}
    models.append(replace(run(ROPE, far), predicted=predicted(ROPE.prediction)))
    whole = judge_evidence([SUM, ROPE], models)
    page = markdown_page(score_blocks(Report("a grid", whole, tmp_path)))
    missed = [n for n in (4, 5) if not told[n].low <= far[n] <= told[n].high]
    assert f"What was missed, {len(missed)} in all" in page or not missed
    assert score_blocks(Report("a grid", whole, tmp_path / "nothing")) == []


def test_the_files_of_the_candidates_are_of_its_cells() -> None:
    before = read_before(ROOT / "reports" / "candidates")
    assert set(before) == set(grid("candidates"))
