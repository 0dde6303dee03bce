"""The section on models that did not learn their task: who stands where."""

from __future__ import annotations

from pathlib import Path

from builders.cells import cell
from builders.runs import run

from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.convergence import unconverged

MOD_150 = cell("mod_add", 150, digits=3)
"""Plateaus at 1/150, 1/15 and 1/3, the same at every longer length."""


def section(verdict: CellVerdict, folder: Path) -> str:
    return markdown_page(unconverged(Report("made up", [verdict], folder)), folder)


def test_without_a_modulus_no_plateau_is_told_of(tmp_path: Path) -> None:
    addition = cell(digits=3)
    text = section(judge(addition, [run(addition, {4: 0.0}, premise=0.3)]), tmp_path)
    assert "## Inconclusive" in text and "missed the premise" not in text


def test_the_section_says_how_many_stand_where(tmp_path: Path) -> None:
    runs = [
        run(MOD_150, {4: measured}, premise=premise, seed=seed)
        for seed, (premise, measured) in enumerate(
            [(0.33, 0.33), (0.33, 0.9), (0.2, 0.2), (0.9, 0), (0.05, 0.06)]
        )
    ]
    text = section(judge(MOD_150, runs), tmp_path)
    assert "5 models of modular tasks missed the premise. 2 of them are right in domain" in text
    assert "counted for 2 of these, and 1 are at the plateau" in text
    assert "from another: 1; past the last plateau: 1; at none: 1." in text
    text = " ".join(text.split())
    assert "1/3 = 0.333 | the lowest 2 digits of each operand | 4 digits 0.333: 0.900 (not)" in text
    assert [path.name for path in tmp_path.iterdir()] == ["inconclusive.svg"]


def test_models_that_learned_the_task_are_drawn_beside_the_plateaus(tmp_path: Path) -> None:
    runs = [run(MOD_150, {4: 0.33}, premise=0.33), run(MOD_150, {4: 0.34}, seed=1)]
    assert "plateaus.svg" in section(judge(MOD_150, runs), tmp_path)
    assert "mod 150" in (tmp_path / "plateaus.svg").read_text()
