"""Models beside the two candidates, where nothing is claimed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.runs import run

from arith.theory.arithmetic.expressions import parse_task
from arith.verify.judging.candidates import STABLE, Candidates, candidate_counts
from arith.verify.judging.judge import judge
from arith.verify.records.runs import Run
from arith.verify.reporting.overview import overview_json
from arith.verify.reporting.report import Report

OPEN = cell(pe="rpe", form="aligned")
"""Sums: one digit above the trained ones f^ is never right."""
FRACTION = cell(parse_task("a - b"), pe="rpe", digits=2)
FIRM, NEARLY, LOOSE = STABLE


def stable(found: Run, share: float | None) -> Run:
    measured = tuple(replace(m, steady=share) for m in found.measurements)
    return replace(found, measurements=measured)


def test_models_are_counted_by_how_stable_they_are() -> None:
    told = [
        (1.0, 1.0), (0.981, 0.998), (0.01, 1.0), (0.5, 0.999),  # the last is neither
        (1.0, 0.99), (0.5, 0.5), (1.0, None),
    ]  # fmt: skip
    runs = [
        stable(run(OPEN, {2: 1.0, 3: accuracy}, seed=i), steady)
        for i, (accuracy, steady) in enumerate(told)
    ]
    runs.append(stable(run(OPEN, {2: 1.0, 3: 0.5}, seed=9, premise=0.5), 1.0))  # not converged
    found = candidate_counts([judge(OPEN, runs)])
    longer = found["longer"]
    assert longer[FIRM] == Candidates(lengths=4, either=3, task=2, expected=1)
    assert longer[NEARLY] == Candidates(lengths=1, either=1, task=1)
    assert longer[LOOSE] == Candidates(lengths=1)
    assert set(map(repr, found["other"].values())) == {repr(Candidates())}


def test_a_fraction_tells_more_than_being_wrong_on_all() -> None:
    [last] = [x for x in judge(FRACTION, []).prediction.lengths if x.digits == 3]
    one, share = last.candidates
    assert one == 1 and 0.02 < share < 0.98
    runs = [
        stable(run(FRACTION, {2: 1.0, 3: accuracy}, seed=i, samples=10_000), 1.0)
        for i, accuracy in enumerate((float(share), 0.0, 1.0))
    ]
    found = candidate_counts([judge(FRACTION, runs)])["longer"][FIRM]
    assert found == Candidates(3, 2, 1, 1, fractions=3, fractions_expected=1)


def test_the_counts_stand_in_the_data_of_all_reports() -> None:
    runs = [stable(run(OPEN, {2: 1.0, 3: 0.0}), 1.0)]
    data = overview_json([Report("the made grid", [judge(OPEN, runs)], Path("reports/made"))])
    assert data["candidates"]["longer"][FIRM]["either"] == 1
