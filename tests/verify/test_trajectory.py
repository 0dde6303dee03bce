"""Trajectories: what is recorded along a real training, and when it got where."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
import torch
from test_measure import cell

from theory.domains import Domain
from theory.predict import predict
from verify.measure import measure
from verify.recipe import CHUNK, Recipe
from verify.records import Run
from verify.run import Job, execute
from verify.train import train
from verify.trajectory import Recorder, Timing, Trajectory, timing

BUDGET = 500


@pytest.fixture(scope="module")
def trained() -> Run:
    c = cell(base=2, train=Domain((4,)), test_lengths=(2, 4, 5))
    return execute([Job(c, 0)], BUDGET, "cpu")[0]


def test_a_run_has_its_trajectory(trained: Run) -> None:
    curve = trained.trajectory
    assert curve is not None and curve.learned is not None
    assert curve.steps[0] == CHUNK and curve.steps[-1] == trained.steps <= BUDGET
    assert set(curve.correct) == set(curve.learned) == {2, 4, 5}
    for values in (*curve.correct.values(), *curve.learned.values()):
        assert len(values) == len(curve.steps)
        assert all(0 <= x <= 1 for x in values)


def test_it_tells_training_from_before(trained: Run) -> None:
    """Learned inputs go up, and so does the learned function where the truth is not met."""
    curve = trained.trajectory
    assert curve is not None and curve.learned is not None
    assert curve.correct[4][0] < 0.9 and curve.correct[4][-1] > 0.95
    assert curve.learned[5][-1] > 0.5 > curve.correct[5][-1]


def test_looks_get_rarer(trained: Run) -> None:
    assert trained.trajectory is not None
    steps = trained.trajectory.steps
    gaps = [b - a for a, b in pairwise(steps[:-1])]
    assert gaps == sorted(gaps)


def test_it_survives_the_store(trained: Run) -> None:
    again = Run.from_json(json.loads(json.dumps(trained.to_json())))
    assert again.trajectory == trained.trajectory


def test_looking_does_not_change_the_model() -> None:
    c, small = cell(base=2, train=Domain((4,)), test_lengths=(4,)), Recipe(batch=16)
    recorder = Recorder([c])
    watched = train(c, 0, 2 * CHUNK, recipe=small, watch=recorder)
    alone = train(c, 0, 2 * CHUNK, recipe=small)
    pairs = zip(watched.model.parameters(), alone.model.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    final = measure(watched.model, c, predict(c.setting), 4)
    curve = recorder.trajectory(0, watched.steps, [final])
    assert curve.steps == (CHUNK, 2 * CHUNK)
    assert curve.correct[4][-1] == round(final.correct / final.samples, 4)


def test_the_timing_is_that_of_the_first_arrival() -> None:
    c = cell(base=2, train=Domain((2,)), test_lengths=(2, 3))
    curve = Trajectory(
        (100, 200, 300, 400),
        {2: (0.5, 0.99, 0.98, 1.0), 3: (0.0, 0.0, 0.0, 0.0)},
        {2: (0.5, 0.99, 0.98, 1.0), 3: (0.1, 0.4, 0.95, 1.0)},
    )
    assert timing(c, curve, 3, 0.9) == Timing(200, 300)
    assert timing(c, curve, 3, 1.1) == Timing(200, None)


def test_without_a_learned_function_there_is_no_timing() -> None:
    c = cell(base=2, train=Domain((2,)), test_lengths=(2, 3))
    with pytest.raises(ValueError, match="no timing"):
        timing(c, Trajectory((50,), {2: (1.0,), 3: (0.0,)}, None), 3, 0.9)
