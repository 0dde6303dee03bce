"""Models that did not learn their task, beside the plateaus."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.cells import cell
from builders.runs import run

from theory.prediction.predict import predict
from verify.judging.judge import AGREE, DIVERGE, UNDECIDED, judge
from verify.judging.unconverged import section, stand

MOD_150 = cell("mod_add", 150, digits=3)
"""Plateaus at 1/150, 1/15 and 1/3, the same at every longer length."""


@pytest.mark.parametrize(
    ("premise", "longer", "read", "verdict"),
    [
        (0.34, 0.33, 2, AGREE),
        (0.34, 0.6, 2, DIVERGE),  # not so at the longer length
        (0.05, 0.06, 1, UNDECIDED),  # 1/150 is as near, give or take
        (0.2, 0.2, None, DIVERGE),  # between two plateaus
        (0.9, 0.3, None, UNDECIDED),  # past the last one
    ],
)
def test_a_model_stands_at_a_plateau_or_does_not(
    premise: float, longer: float, read: int | None, verdict: str
) -> None:
    prediction = predict(MOD_150.setting)
    found = stand(prediction, run(MOD_150, {3: premise, 4: longer}, premise=premise))
    assert found is not None
    assert (found.plateau.read if found.plateau else None, found.verdict) == (read, verdict)
    assert set(found.longer) == (set() if read is None else {4})


def test_the_rule_is_silent_on_learned_tasks_and_on_those_without_a_modulus(
    tmp_path: Path,
) -> None:
    assert stand(predict(MOD_150.setting), run(MOD_150, {4: 0.3})) is None
    addition = cell(digits=3)
    assert stand(predict(addition.setting), run(addition, {4: 0.0}, premise=0.3)) is None
    assert section([judge(addition, [run(addition, {4: 0.0}, premise=0.3)])], tmp_path) == ""


def test_the_section_says_how_many_stand_where(tmp_path: Path) -> None:
    runs = [
        run(MOD_150, {4: measured}, premise=premise, seed=seed)
        for seed, (premise, measured) in enumerate(
            [(0.33, 0.33), (0.33, 0.9), (0.2, 0.2), (0.9, 0), (0.05, 0.06)]
        )
    ]
    text = section([judge(MOD_150, runs)], tmp_path)
    assert "Of 5 models of modular tasks that missed the premise, 2 are right in domain" in text
    assert ", 1 of them at the longer lengths too, where these were counted (for 2)" in text
    assert "from another: 1; past the last: 1; at none: 1." in text
    text = " ".join(text.split())
    assert "1/3 = 0.333 | the lowest 2 digits of each operand | 4 digits 0.333: 0.900 (not)" in text
    assert not list(tmp_path.iterdir())


def test_models_that_learned_the_task_are_drawn_beside_the_plateaus(tmp_path: Path) -> None:
    runs = [run(MOD_150, {4: 0.33}, premise=0.33), run(MOD_150, {4: 0.34}, seed=1)]
    assert "plateaus.svg" in section([judge(MOD_150, runs)], tmp_path)
    assert "mod 150" in (tmp_path / "plateaus.svg").read_text()
