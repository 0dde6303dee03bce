"""The page of a grid: what its summary says of the models."""

from __future__ import annotations

from dataclasses import replace

from builders.cells import cell
from builders.runs import RIGHT, run

from theory.prediction.predict import predict
from verify.judging.judge import judge
from verify.records.predicted import predicted
from verify.reporting.summary import summary


def test_a_report_counts_what_was_predicted_before_apart() -> None:
    c = cell(digits=3)
    told = replace(run(c, RIGHT), predicted=predicted(predict(c.setting)))
    assert "before the models were trained 3 agree and 0 diverge" in summary([judge(c, [told])])
    assert "Predicted before" not in summary([judge(c, [run(c, RIGHT)])])


def test_a_report_counts_the_models_that_ignore_what_they_should() -> None:
    c = cell(digits=3)
    runs = [replace(run(c, RIGHT, seed=i), indifference=x) for i, x in enumerate((1.0, 0.9))]
    assert "1 of 2 models kept 99% of their answers" in summary([judge(c, runs)])
    assert "Indifference" not in summary([judge(c, [run(c, RIGHT)])])
