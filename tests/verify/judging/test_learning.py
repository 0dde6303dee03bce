"""Models that did not learn their task, beside the plateaus."""

from __future__ import annotations

import pytest
from builders.cells import cell
from builders.runs import run

from arith.theory.prediction.predict import predict
from arith.verify.judging.judge import Verdict
from arith.verify.judging.learning import unconverged

MOD_150 = cell("mod_add", 150, digits=3)
"""Plateaus at 1/150, 1/15 and 1/3, the same at every longer length."""


@pytest.mark.parametrize(
    ("premise", "longer", "read", "verdict"),
    [
        (0.34, 0.33, 2, Verdict.AGREE),
        (0.34, 0.6, 2, Verdict.DIVERGE),  # not so at the longer length
        (0.05, 0.06, 1, Verdict.UNDETERMINED),  # 1/150 is as near, give or take
        (0.2, 0.2, None, Verdict.DIVERGE),  # between two plateaus
        (0.9, 0.3, None, Verdict.UNDETERMINED),  # past the last one
    ],
)
def test_a_model_stands_at_a_plateau_or_does_not(
    premise: float, longer: float, read: int | None, verdict: Verdict
) -> None:
    prediction = predict(MOD_150.setting)
    found = unconverged(prediction, run(MOD_150, {3: premise, 4: longer}, premise=premise))
    assert found is not None
    assert (found.plateau.read if found.plateau else None, found.verdict) == (read, verdict)
    assert set(found.longer) == (set() if read is None else {4})


def test_the_rule_is_silent_on_learned_tasks_and_on_those_without_a_modulus() -> None:
    assert unconverged(predict(MOD_150.setting), run(MOD_150, {4: 0.3})) is None
    addition = cell(digits=3)
    assert unconverged(predict(addition.setting), run(addition, {4: 0.0}, premise=0.3)) is None
