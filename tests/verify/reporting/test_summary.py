"""The page of a grid: what its summary says of the models."""

from __future__ import annotations

from dataclasses import replace

from builders.cells import cell
from builders.runs import run

from verify.judging.judge import judge
from verify.records.runs import Run
from verify.records.trajectory import Trajectory
from verify.reporting.summary import summary


def test_a_report_tells_models_that_learned_soon_from_those_that_took_longer() -> None:
    c = cell(digits=3)

    def learning(step: int, seed: int, longer: float) -> Run:
        steps, values = (50, step, 4000), (0.0, 0.95, 1.0)
        curves = Trajectory(steps, {3: values, 4: (0.0, 0.0, longer)}, None)
        right = {1: 1, 2: 1, 3: 1, 4: longer}
        return replace(run(c, right, seed=seed), trajectory=curves)

    text = summary([judge(c, [learning(900, 0, 0.0), learning(2000, 1, 0.7)])])
    assert (
        "f^: 3 of 3 for those that were right in domain on 90% within 1,000 steps; 2 of 3 for "
        "those that took longer." in text
    )


def test_a_report_tells_settled_models_from_those_cut_by_their_budget() -> None:
    c = cell(digits=3)
    settled = run(c, {1: 1, 2: 1, 3: 1, 4: 0})
    cut = replace(run(c, {1: 1, 2: 0.5, 3: 1, 4: 0.3}, seed=1), steps=8000)
    assert (settled.settled, cut.settled) == (True, False)
    text = summary([judge(c, [settled, cut])])
    assert "f^: 3 of 3 for those whose training ended by itself" in text
    assert "1 of 3 for those that met the premise when their budget was spent." in text
    assert "Settled" not in summary([judge(c, [])])
