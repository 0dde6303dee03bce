"""Models whose input is disturbed: who does not read it keeps every answer, who does may not."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from builders.cells import cell
from builders.tiny_models import Taught, blind, untrained

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.observed import widths_of
from arith.theory.prediction.predict import predict
from arith.verify.mechanism.equivalence import predicted_support
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import (
    greedy,
    measure,
    noise_invariance,
    perturbation_stability,
)
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import inputs_at

SUM = cell()


def test_blind_models_keep_every_answer() -> None:
    for seed in range(3):
        wild = untrained(SUM, std=0.6, seed=seed)
        support = predicted_support(SUM)
        seeing = noise_invariance(wild, SUM, support)
        assert seeing is not None and seeing < 1.0
        assert noise_invariance(blind(wild, SUM), SUM, support) == 1.0


def test_it_is_not_measured_where_nothing_is_ignored() -> None:
    whole = cell(base=2, train=Domain((3,)), test_lengths=(1, 2, 3))
    assert noise_invariance(untrained(whole), whole, predicted_support(whole)) is None


def test_the_share_is_the_same_each_time(tiny: Taught) -> None:
    support = predicted_support(tiny.cell)
    for model in tiny.models:
        first = noise_invariance(model, tiny.cell, support)
        assert first == pytest.approx(noise_invariance(model, tiny.cell, support))


SHORT = cell(digits=3)


def some(c: Cell, digits: int) -> np.ndarray:
    return inputs_at(c, digits)[0][:500]


def steady(model: GPT, digits: int, c: Cell = SHORT) -> float:
    operands = some(c, digits)
    return perturbation_stability(model, c, operands, greedy(model, c, operands))


def test_models_whose_digits_are_alike_keep_every_answer() -> None:
    for seed in range(3):
        model = untrained(SHORT, std=0.6, seed=seed)
        wavering = steady(model, 1)
        assert wavering < 1.0
        with torch.no_grad():
            model.embedding.weight[:10] = model.embedding.weight[0].clone()
        assert steady(model, 1) == 1.0


def test_it_does_not_ask_what_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    model = untrained(SHORT, std=0.6)
    operands = some(SHORT, 2)
    said = greedy(model, SHORT, operands)
    first = perturbation_stability(model, SHORT, operands, said)
    other = cell("mul", digits=3)
    monkeypatch.setattr(type(SHORT.format), "results", other.format.results)
    assert perturbation_stability(model, SHORT, operands, said) == first


def test_the_inputs_are_spread_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 150
    monkeypatch.setattr("arith.verify.model.measure.MOST_PERTURBED", most)
    asked: list[int] = []

    def count(_: object, inputs: tuple[torch.Tensor, ...]) -> None:
        asked.append(len(inputs[0]))

    model = untrained(SHORT)
    operands = some(SHORT, 2)
    said = greedy(model, SHORT, operands)
    model.register_forward_pre_hook(count)
    perturbation_stability(model, SHORT, operands, said)
    steps = -(-len(operands) // most)
    assert asked == [len(np.arange(0, len(operands), steps))] * 2
    assert max(asked) <= most < len(operands)


def test_it_is_measured_where_training_did_not_decide() -> None:
    c = cell(base=4)
    model, prediction = untrained(c), predict(c.setting)
    found = {n: measure(model, c, prediction, n).steady for n in c.setting.test_lengths}
    assert {n for n, share in found.items() if share is None} == {2}


@pytest.mark.parametrize("form", ["plain", "reversed", "interleaved", "spaced"])
def test_digits_of_natural_lengths_are_disturbed_where_they_stand(form: str) -> None:
    """A model to which all digits are alike keeps its answers; another one does not."""
    natural = cell(digits=3, padding="none", form=form)
    operands = inputs_at(natural, 3)[0][:200]
    fmt = natural.format_for(3)
    digits = fmt.operand_digits(operands)
    written = fmt.write(operands, fmt.results(operands))
    assert (written[digits] < 10).all()
    assert (
        digits.sum() == sum(widths_of(operands[:, j]).sum() for j in range(2))
        or form == "interleaved"
    )
    model = untrained(natural, std=0.6)
    assert steady(model, 2, natural) < 1.0
    with torch.no_grad():
        model.embedding.weight[:10] = model.embedding.weight[0].clone()
    assert steady(model, 2, natural) == 1.0
