"""Trajectories: what is recorded along a training, and when it got where."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from builders.cells import cell
from builders.tiny_models import SHORT, TINY, float32

from arith.theory.arithmetic.domains import Domain
from arith.theory.prediction.predict import predict
from arith.verify.model.measure import learned_answers, measure
from arith.verify.plan.inputs import inputs
from arith.verify.plan.plan import Job
from arith.verify.plan.recipe import CHUNK, Recipe
from arith.verify.records.runs import Run
from arith.verify.records.trajectory import Timing, Trajectory, timing
from arith.verify.running.execute import execute
from arith.verify.training.recorder import SAMPLES, Recorder
from arith.verify.training.train import train

SUM = cell(base=2, train=Domain((4,)), test_lengths=(2, 4, 5))


@pytest.fixture(scope="module")
def run() -> Run:
    """A real run, as a worker makes it; it has no time to learn."""
    with float32(TINY, SHORT):
        return execute([Job(SUM, 0, SUM.recipe)], 2 * SHORT, "cpu")[0]


@pytest.mark.training
def test_a_run_has_its_trajectory(run: Run) -> None:
    curve = run.trajectory
    assert curve is not None and curve.learned is not None
    assert curve.steps == (SHORT, 2 * SHORT) and run.steps == 2 * SHORT
    assert set(curve.correct) == set(curve.learned) == {2, 4, 5}
    for values in (*curve.correct.values(), *curve.learned.values()):
        assert len(values) == len(curve.steps)
        assert all(0 <= x <= 1 for x in values)


@pytest.mark.training
def test_it_survives_the_store(run: Run) -> None:
    again = Run.from_json(json.dumps(run.to_json()))
    assert again.trajectory == run.trajectory


class Learner:
    """Stands for an ensemble and its model: nothing is right until it has learned ``f^``."""

    def __init__(self) -> None:
        self.learned = False

    def model(self, i: int) -> Learner:
        return self

    def answer(self, _: object, c: Any, operands: np.ndarray, guess: np.ndarray) -> np.ndarray:
        """What ``verify.model.measure.answers`` gives."""
        wanted = learned_answers(predict(c.setting), c, operands)
        assert wanted is not None
        return wanted if self.learned else wanted + 1


def test_it_tells_training_from_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learned inputs go up, and so does the learned function where the truth is not met."""
    learner: Any = Learner()
    monkeypatch.setattr("arith.verify.training.recorder.answers", learner.answer)
    recorder = Recorder([SUM])
    for step in (100, 200):
        learner.learned = step > 100
        recorder(step, learner)
    curve = recorder.trajectory(0, 201, [])
    longer = inputs(SUM, SUM.setting.test(5), None)[0][:SAMPLES]
    learned = learned_answers(predict(SUM.setting), SUM, longer)
    both = float((learned == SUM.format.results(longer)).all(1).mean())
    assert both < 0.1
    assert curve.learned == dict.fromkeys((2, 4, 5), (0.0, 1.0))
    assert curve.correct == {2: (0.0, 1.0), 4: (0.0, 1.0), 5: (0.0, pytest.approx(both))}


def test_looks_get_rarer(monkeypatch: pytest.MonkeyPatch) -> None:
    learner: Any = Learner()
    monkeypatch.setattr("arith.verify.training.recorder.answers", learner.answer)
    recorder = Recorder([SUM])
    for step in range(CHUNK, 6001, CHUNK):
        recorder(step, learner)
    steps = recorder.trajectory(0, 6001, []).steps[:-1]
    assert steps[0] == CHUNK
    gaps = [b - a for a, b in pairwise(steps)]
    assert gaps == sorted(gaps)
    assert gaps[-1] > 10 * gaps[0]


@pytest.mark.training
def test_looking_does_not_change_the_model() -> None:
    c, small = cell(base=2, train=Domain((4,)), test_lengths=(4,)), Recipe(batch_size=16)
    recorder = Recorder([c])
    with float32(TINY, SHORT):
        watched = train(c, 0, 2 * SHORT, recipe=small, watch=recorder)
        alone = train(c, 0, 2 * SHORT, recipe=small)
    pairs = zip(watched.model.parameters(), alone.model.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    final = measure(watched.model, c, predict(c.setting), 4)
    curve = recorder.trajectory(0, watched.steps, [final])
    assert curve.steps == (SHORT, 2 * SHORT)
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
    assert timing(c, Trajectory((50,), {2: (1.0,), 3: (0.0,)}, None), 3, 0.9) is None
