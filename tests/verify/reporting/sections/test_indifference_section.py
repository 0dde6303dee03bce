"""The section on whether indifference in domain tells which models ignore digits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.markdown import table_rows
from builders.runs import RIGHT, run

from arith.verify.judging.judge import judge
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.robustness import indifference

CELL = cell(digits=3)


def trained(kept: float | None, learned: float, seed: int, premise: float = 1.0) -> Run:
    made = run(CELL, RIGHT, learned=learned, seed=seed, premise=premise)
    return replace(made, indifference=kept)


def text(runs: list[Run], tmp_path: Path) -> str:
    return markdown_page(indifference(Report("made up", [judge(CELL, runs)], tmp_path)), tmp_path)


def test_models_are_counted_by_the_answers_that_they_kept(tmp_path: Path) -> None:
    runs = [
        trained(1.0, 1.0, seed=0),
        trained(1.0, 0.5, seed=1),
        trained(0.995, 0.99, seed=2),
        trained(0.5, 0.2, seed=3),
        trained(0.5, 1.0, seed=4, premise=0.5),  # not converged: not counted
    ]
    said = text(runs, tmp_path)
    assert "Of 2 models that kept all answers" in said
    assert "in domain, 1 follow f^ at every longer length tested; of 2 that did not, 1." in said
    assert table_rows(said, 3) == [
        ["all", "2", "1 of 2"],
        ["0.99 or more, not all", "1", "1 of 1"],
        ["less than 0.99: not judged", "1", "0 of 1"],
    ]


def test_what_training_leaves_open_need_not_follow(tmp_path: Path) -> None:
    open_cell = cell("mod_add", modulus=150, digits=2)
    for learned, follow in ((0.975, 1), (0.94, 0)):
        v = judge(open_cell, [run(open_cell, {1: 1.0, 2: 1.0, 3: 1 / 3}, learned=learned)])
        assert 0.005 < v.longer[0].prediction.unseen < 0.03
        said = markdown_page(indifference(Report("made up", [v], tmp_path)), tmp_path)
        assert f"in domain, {follow} follow f^" in said


def test_where_it_was_not_measured_nothing_is_said(tmp_path: Path) -> None:
    assert text([trained(None, 1.0, seed=0)], tmp_path) == ""
