"""Models beside the two functions that training fits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.runs import run

from arith.theory.arithmetic.expressions import parse_task
from arith.verify.judging.candidates import NOISE, STABLE, Candidates, candidate_counts
from arith.verify.judging.judge import judge
from arith.verify.records.runs import Run
from arith.verify.reporting.overview import overview_json
from arith.verify.reporting.report import Report

SUMS = cell(pe="rpe", form="aligned")
"""One digit above the trained ones f^ is never right."""
DIFFERENCES = cell(parse_task("a - b"), pe="rpe", digits=2)
FIRM, NEARLY, LOOSE = STABLE
READS, IGNORES = NOISE


def stable(found: Run, share: float | None, indifference: float | None = 1.0) -> Run:
    measured = tuple(replace(m, steady=share) for m in found.measurements)
    return replace(found, measurements=measured, indifference=indifference)


def test_models_are_counted_by_what_noise_does_and_by_how_stable_they_are() -> None:
    told = [
        (1.0, 1.0, 0.5), (0.981, 0.998, 0.9), (0.01, 1.0, 1.0), (0.5, 0.999, 0.995),
        (1.0, 0.99, 0.5), (0.5, 0.5, 1.0), (1.0, None, 0.5), (1.0, 1.0, None),
    ]  # fmt: skip
    runs = [
        stable(run(SUMS, {2: 1.0, 3: accuracy}, seed=i), steady, noise)
        for i, (accuracy, steady, noise) in enumerate(told)
    ]
    runs.append(stable(run(SUMS, {2: 1.0, 3: 0.5}, seed=9, premise=0.5), 1.0))  # not converged
    found = candidate_counts([judge(SUMS, runs)])
    assert found[READS][FIRM] == Candidates(lengths=2, task=2)
    assert found[IGNORES][FIRM] == Candidates(lengths=2, expected=1)
    assert found[READS][NEARLY] == Candidates(lengths=1, task=1)
    assert found[IGNORES][LOOSE] == Candidates(lengths=1)


def test_what_training_leaves_open_of_differences_may_be_right_or_wrong() -> None:
    [last] = [x for x in judge(DIFFERENCES, []).prediction.lengths if x.digits == 3]
    least, most = float(last.at_least), float(last.at_most)
    assert 0.05 < least < most < 0.9
    runs = [
        stable(run(DIFFERENCES, {2: 1.0, 3: accuracy}, seed=i, samples=10_000), 1.0)
        for i, accuracy in enumerate((least, 2 * least, 0.0, 1.0))
    ]
    found = candidate_counts([judge(DIFFERENCES, runs)])[IGNORES][FIRM]
    assert found == Candidates(lengths=4, task=1, expected=2)


def test_the_counts_stand_in_the_data_of_all_reports() -> None:
    runs = [stable(run(SUMS, {2: 1.0, 3: 0.0}), 1.0)]
    data = overview_json([Report("the made grid", [judge(SUMS, runs)], Path("reports/made"))])
    assert data["candidates"][IGNORES][FIRM] == {"lengths": 1, "task": 0, "expected": 1}
