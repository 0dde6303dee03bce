"""What a report found, in a few sentences."""

from __future__ import annotations

from dataclasses import replace

from builders.cells import cell
from builders.runs import RIGHT, run

from arith.theory.prediction.predict import predict
from arith.verify.judging.judge import judge
from arith.verify.records.predicted import predicted
from arith.verify.reporting.answer import answer


def test_the_claims_where_theory_is_silent_and_the_theorem() -> None:
    absolute, relative = (cell(digits=3), cell(pe="rpe", digits=3))
    agreeing = judge(absolute, [run(absolute, RIGHT)])
    silent = judge(relative, [run(relative, {**RIGHT, 4: 0.3})])
    assert answer([agreeing, silent]) == [
        "All 5 claims of today's theory came true.",
        "The theory is silent at 1 of 6 measured lengths.",
        "The published theorem, judged beside it, is true of the models at 5 lengths and false "
        "at 1.",
    ]
    diverging = judge(absolute, [run(absolute, {**RIGHT, 4: 0.5})])
    assert answer([diverging])[0] == "Of 3 claims of today's theory 2 came true and 1 did not."


def test_stored_claims_lead_and_todays_are_told_beside_them() -> None:
    c = cell(digits=3)
    told = replace(run(c, RIGHT), predicted=predicted(predict(c.setting)))
    assert answer([judge(c, [told])])[:2] == [
        "All 3 claims stored before training came true.",
        "Today's theory claims the same.",
    ]
    other = judge(cell(digits=2), [run(cell(digits=2), {1: 1.0, 2: 1.0, 3: 0.5})])
    assert answer([judge(c, [told]), other])[:2] == [
        "All 3 claims stored before training came true.",
        "Today's theory makes 3 of them still, and 2 others: of 5 claims in all 4 came true and "
        "1 did not.",
    ]


def test_fractions_are_counted() -> None:
    c = cell("mod_add", 150, digits=2)
    found = judge(c, [run(c, {1: 1.0, 2: 1.0, 3: 1 / 3}, samples=9000)])
    assert answer([found])[0] == (
        "The one claim of today's theory came true; 1 of those that came true is a fraction well "
        "between 0 and 1."
    )


def test_what_was_not_tested_is_said() -> None:
    c = cell(digits=3)
    missed, untrained = judge(c, [run(c, RIGHT, premise=0.5)]), judge(cell(digits=2), [])
    assert answer([missed, untrained])[:2] == [
        "No claim could be tested.",
        "No model met the premises; 5 claims could not be tested (1 cell not trained "
        "yet, 1 cell without a converged model).",
    ]
