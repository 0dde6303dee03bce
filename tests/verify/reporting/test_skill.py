"""Skill: the errors of claims, forecasts, the theorem and a constant."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from builders.evidence import committed_runs, judged

from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.verify.judging.judge import judge_evidence
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.exports import report_json
from arith.verify.reporting.report import Report
from arith.verify.reporting.skill import (
    Answer,
    answers,
    estimate,
    point,
    skill,
    skill_blocks,
)


@pytest.fixture(scope="module")
def relative() -> Report:
    """The committed evidence of the relative grid, judged."""
    return judged("relative")


def test_a_bound_counts_as_the_expected_function_or_as_itself() -> None:
    def at(digits: int, **options: object) -> LengthPrediction:
        lengths = predict(Request(**options).setting()).lengths  # type: ignore[arg-type]
        return next(x for x in lengths if x.digits == digits)

    assert point(at(3, task="mod_add", modulus=150, train_digits="2")) == pytest.approx(1 / 3)
    bound = at(8, task="add", base=2, train_digits="6", test_digits="8")
    assert (float(bound.at_most), point(bound)) == (0.25, 0.0)  # f^ is right on none
    assert point(replace(bound, learned_accuracy=None)) == 0.25


def test_where_no_accuracy_is_claimed_the_forecast_is_said_within_the_claim() -> None:
    prediction = predict(
        Request(task="add", pe="rope", padding="none", train_digits="1-2").setting()
    )
    [x] = (x for x in prediction.lengths if x.digits == 3)
    assert 0 < x.at_most < 1
    told = replace(prediction.forecasts[3], median=0.5)
    assert estimate(x, told) == float(x.at_most) == point(x)
    assert estimate(x, replace(told, median=0.0)) == 0
    assert estimate(replace(x, accuracy=Fraction(1, 8)), told) == 0.125


def test_errors_are_means_over_models_and_lengths() -> None:
    one = Answer("longer", "ape", True, 0.5, 0.4, False, 0.4, 0.0)
    two = replace(one, right=1.0, claim=None, within=True, said=0.9, theorem=None)
    x = skill([one, two]).rounded
    assert (x.answers, x.claimed) == (2, 1)
    assert (x.claims, x.forecasts, x.with_forecasts) == (0.1, 0.1, 0.1)
    assert (x.theorem, x.beside_theorem, x.constant) == (0.5, 0.1, 0.25)
    assert (x.claims_within, x.forecasts_within) == (0, 1)
    assert skill([one]).forecasts is None


def test_the_skill_of_models_that_met_the_premises_and_of_all_is_told(
    relative: Report, tmp_path: Path
) -> None:
    told = report_json(relative)
    each = told["summary"]["skill"]
    met, every = (each[name]["all"]["all"] for name in ("premises_met", "converged"))
    assert 0 < met["answers"] < every["answers"]
    assert set(each["converged"]) == {"all", "shorter", "longer"}
    assert met["beside_theorem"] < met["theorem"] and met["with_forecasts"] < met["constant"]
    parts = each["converged"]["shorter"]["all"], each["converged"]["longer"]["all"]
    assert sum(x["answers"] for x in parts) == every["answers"]
    page = markdown_page(skill_blocks(relative.verdicts), tmp_path)
    assert page.startswith("## Skill") and page.count("| longer ") >= 2
    silent = [x for cell in told["cells"] for x in cell["lengths"] if x["claim"] == "none"]
    assert any(x["forecast"] for x in silent)


def test_a_cell_is_left_out_of_its_own_forecast(relative: Report) -> None:
    for v in relative.trained[:20]:
        assert not any(v.cell.label() in x.cells for x in v.held_out().values())


def test_the_theorem_is_silent_of_natural_lengths() -> None:
    runs = committed_runs("natural")[:20]
    verdicts = judge_evidence(list(dict.fromkeys(run.cell for run in runs)), runs)
    found = [x for x in answers(verdicts) if x.kind == "natural"]
    assert len(found) > 10 and {x.theorem for x in found} == {None}
    assert skill(found).theorem is None and skill(found).beside_theorem is None
