"""Measuring: greedy answers, the premise's inputs, and tiny trainings."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from builders.cells import cell
from builders.layouts import PADDED
from builders.tiny_models import QUICK, SHORT, TINY, Taught, float32, untrained

from arith.theory.arithmetic.domains import Domain
from arith.theory.prediction.predict import predict
from arith.verify.data.sampling import Sampler, is_held_out
from arith.verify.model.measure import answers, held_out_accuracy, measure
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import inputs
from arith.verify.plan.premise import PREMISE
from arith.verify.plan.recipe import CHUNK, Recipe
from arith.verify.training.train import train


@pytest.mark.parametrize("form", PADDED)
def test_answers_are_what_greedy_decoding_gives(form: str) -> None:
    c = cell(form=form)
    fmt = c.format
    net = untrained(c, std=0.6)
    operands = Sampler(fmt, Domain((3,))).sample(50, np.random.default_rng(0))
    nothing = np.zeros((50, fmt.result_width), dtype=np.int64)
    got = answers(net, c, operands)
    written = fmt.write(operands, nothing)
    sequence = torch.from_numpy(written)
    with torch.no_grad():
        for slot in np.sort(fmt.result_slots):
            sequence[:, slot] = net(sequence[:, :slot])[:, -1].argmax(1)
    assert (got == sequence.numpy()[:, fmt.result_slots]).all()
    assert len(np.unique(got, axis=0)) > 1  # the untrained model does not always say the same
    for guess in (nothing, nothing - 1, got, got[::-1]):
        assert (answers(net, c, operands, guess) == got).all()


def test_the_premise_is_measured_on_held_out_inputs() -> None:
    c = cell()
    operands, _ = inputs(c, Domain((2,)), held_out=True)
    assert is_held_out(operands, c.setting.task.symmetric_operands).all()


def test_a_small_domain_is_tested_whole() -> None:
    operands, exhaustive = inputs(cell(), Domain((1,)), None)
    assert exhaustive
    assert len(operands) == 100


def test_training_brings_models_to_the_premise(tiny: Taught) -> None:
    """All of 10 seeds were right on everything, on three kinds of processor."""
    for trained, before in zip(tiny.trained, tiny.before, strict=True):
        assert trained.premise > held_out_accuracy(before, tiny.cell) + 0.25
        assert trained.premise == held_out_accuracy(trained.model, tiny.cell)
        got = measure(trained.model, tiny.cell, predict(tiny.cell.setting), 2)
        assert got.correct / got.samples == trained.premise
        assert len(got.digit_correct) == tiny.cell.format.result_width


@pytest.mark.training
def test_a_training_is_reproducible(tiny: Taught) -> None:
    with float32(TINY, SHORT):
        first, again, other = (train(tiny.cell, seed, SHORT, recipe=QUICK) for seed in (1, 1, 2))
    assert (first.premise, first.steps) == (again.premise, again.steps)
    weights, same, different = (x.model.embedding.weight for x in (first, again, other))
    assert torch.equal(weights, same)
    assert not torch.equal(weights, different)


@pytest.mark.training
def test_training_stops_when_the_budget_is_spent() -> None:
    seen: list[int] = []
    recipe = Recipe(settling=20, cooling=20, batch_size=8)
    with float32(TINY, SHORT):
        trained = train(cell(base=3), seed=0, budget=30, recipe=recipe, on_step=seen.append)
    assert trained.steps == 30
    assert trained.premise < PREMISE
    assert seen == sorted(seen)
    assert seen[-1] == 30


def test_the_premise_is_that_of_the_worst_trained_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """One input in a thousand has three digits: right on all the others is not enough."""
    c = cell(train=Domain((2,), priming=((3, Fraction(1, 1000)),)), test_lengths=(2, 3))

    def two_digits_only(_: object, c: Cell, operands: np.ndarray) -> np.ndarray:
        said = c.format.results(operands)
        said[operands[:, :, 2].any(1), 0] += 1
        return said

    monkeypatch.setattr("arith.verify.model.measure.answers", two_digits_only)
    assert held_out_accuracy(None, c) == 0  # type: ignore[arg-type]
    assert held_out_accuracy(None, cell(train=Domain((2,)), test_lengths=(2, 3))) == 1  # type: ignore[arg-type]


def test_a_recorded_training_ends_with_what_is_measured(tiny: Taught) -> None:
    """All of 10 seeds on three kinds of processor were right at the end, none on 0.6 at first."""
    for i, trained in enumerate(tiny.trained):
        final = [measure(trained.model, tiny.cell, predict(tiny.cell.setting), n) for n in (2, 3)]
        curve = tiny.recorder.trajectory(i, trained.steps, final)
        assert curve.steps[0] == CHUNK and curve.steps[-1] == trained.steps
        assert curve.correct[2][0] < curve.correct[2][-1] == round(trained.premise, 4)
