"""The section on what decides whether ignored digits are ignored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.runs import RIGHT, run

from verify.judging.judge import judge
from verify.plan.recipe import FACTORS, RECIPE
from verify.records.runs import Run
from verify.reporting.report import Report
from verify.reporting.sections import what_decides

CELL = cell(digits=3)


def trained(version: str, learned: float, premise: float = 1.0, seed: int = 0) -> Run:
    made = run(CELL, RIGHT, learned=learned, premise=premise, seed=seed)
    return replace(made, recipe=version)


def test_recipes_are_compared_by_the_answers_that_follow_f(tmp_path: Path) -> None:
    dropout, *_ = FACTORS
    v = judge(CELL, [trained(RECIPE.version, 1.0), trained(RECIPE.version, 0.9, seed=1)])
    others = [trained(dropout.version, 0.5), trained(dropout.version, 0.1, premise=0.5, seed=1)]
    text = "\n\n".join(what_decides.section(Report("made up", [v], tmp_path, others=others)))
    assert (
        f"- `{dropout.name}`: 1 of 2 models meet the premise (default 2 of 2), and at the longest "
        "inputs f^ explains 0.500 of the answers (default 0.950), in 1 cell." in text
    )
    assert "0.950 (2/2)" in text and "0.500 (1/2)" in text


def test_with_one_recipe_there_is_nothing_to_compare(tmp_path: Path) -> None:
    v = judge(CELL, [trained(RECIPE.version, 1.0)])
    assert what_decides.section(Report("made up", [v], tmp_path)) == []
