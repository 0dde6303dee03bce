"""The benchmarks measure what they say: turns, operations, and a baseline that is a real GPT."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from typer.testing import CliRunner

import benchmarks.__main__ as command
from arith.theory.transformer.encodings import ENCODINGS
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import answers
from arith.verify.plan.cells import Cell
from arith.verify.plan.flops import training_flops
from arith.verify.plan.inputs import inputs
from arith.verify.plan.recipe import RECIPE
from arith.verify.plan.sizes import SIZES, Size, size
from arith.verify.training import train
from benchmarks import predictor, premise
from benchmarks.baseline import BATCH, PlainGPT, PlainTraining
from benchmarks.evaluation import token_by_token
from benchmarks.measuring import Spread, Table, in_turns, ratio
from benchmarks.steps import LONG, EnsembleTraining, headline_cell, long_cell


class Clockwork:
    """A clock that only moves when something is done, and a machine that slows down."""

    def __init__(self) -> None:
        self.now, self.slowness = 0.0, 1.0
        self.calls: list[str] = []

    def side(self, name: str, seconds: float) -> None:
        self.calls.append(name)
        self.now += seconds * self.slowness

    def read(self) -> float:
        self.slowness *= 1.0001
        return self.now


def test_turns_alternate_and_a_slowing_machine_leaves_the_ratio_alone() -> None:
    work = Clockwork()
    sides = {"a": lambda: work.side("a", 1), "b": lambda: work.side("b", 3)}
    seconds = in_turns(sides, rounds=4, clock=work.read)
    assert work.calls == ["a", "a", "b", "b"] + ["a", "b"] * 4
    assert seconds["a"][-1] > seconds["a"][0]
    assert ratio(seconds["b"], seconds["a"]).median == pytest.approx(3, rel=0.01)


def test_a_quick_side_is_called_until_its_turn_is_filled() -> None:
    work = Clockwork()
    sides = {"a": lambda: work.side("a", 0.1), "b": lambda: work.side("b", 5)}
    seconds = in_turns(sides, rounds=2, block=1, clock=work.read)
    assert work.calls[4:] == (["a"] * 10 + ["b"]) * 2
    assert seconds["a"] == pytest.approx([0.1, 0.1], rel=0.01)


def test_a_spread_is_the_median_and_the_quartiles() -> None:
    assert ratio([1, 2, 3, 4, 50], [1, 1, 1, 1, 1]) == Spread(3, 2, 4)


def test_the_baseline_has_the_shapes_and_the_size_of_the_published_model() -> None:
    net = PlainGPT(Size(2, 2, 16), vocabulary=7, length=12)
    assert net(torch.zeros(3, 12, dtype=torch.int64)).shape == (3, 12, 7)
    assert net(torch.zeros(3, 9, dtype=torch.int64), torch.tensor([4, 8])).shape == (3, 2, 7)
    assert sum(p.numel() for p in net.parameters()) == 7 * 16 + 12 * 16 + 2 * 12 * 16**2 + 5 * 16


def test_the_baseline_does_not_see_the_future() -> None:
    net = PlainGPT(Size(2, 2, 16), vocabulary=7, length=12).eval()
    for p in net.parameters():
        torch.nn.init.normal_(p, std=0.4)
    x = torch.from_numpy(np.random.default_rng(0).integers(0, 7, (3, 12)))
    y = x.clone()
    y[:, 8:] = (y[:, 8:] + 1) % 7
    assert torch.allclose(net(x)[:, :8], net(y)[:, :8], atol=1e-5)
    assert not torch.allclose(net(x)[:, 8:], net(y)[:, 8:], atol=1e-5)


@pytest.mark.training
@pytest.mark.parametrize("results_only", [False, True])
def test_the_baseline_learns(results_only: bool) -> None:
    cell = headline_cell("nano")
    training = PlainTraining(cell, "cpu", results_only, batch=16)
    before = loss(training)
    for _ in range(30):
        training.step()
    assert loss(training) < 0.9 * before


def loss(training: PlainTraining) -> float:
    """The mean loss per token that counts, on the next batch."""
    tokens = training.draw()[0]
    with torch.no_grad():
        return float(training.loss(tokens))


def test_the_baseline_is_asked_as_ours_is() -> None:
    """``verify.model.measure`` takes it: the looks at the premise use one code for both."""
    cell = headline_cell("nano")
    operands, _ = inputs(cell, cell.setting.train, held_out=True)
    model = PlainTraining(cell, "cpu", True).model
    said = answers(model, cell, operands[:20])
    assert (said == token_by_token(model, cell, operands[:20])).all()


@pytest.mark.training
@pytest.mark.parametrize(("patience", "steps"), [(0, math.inf), (math.inf, 20)])
def test_a_race_goes_on_until_both_are_there_or_patience_ends(
    monkeypatch: pytest.MonkeyPatch, patience: float, steps: float
) -> None:
    """Ours is there at its first look, as is said here, and the baseline at its second."""
    looks: Counter[int] = Counter()

    def accuracy(model: object, cell: Cell) -> float:
        looks[id(model)] += 1
        return float(isinstance(model, GPT) or looks[id(model)] > 1)

    for module in (premise, train):
        monkeypatch.setattr(module, "CHUNK", 10)
    monkeypatch.setattr(premise, "held_out_accuracy", accuracy)
    monkeypatch.setattr(premise, "PATIENCE", patience)
    monkeypatch.setattr("arith.verify.training.train.has_compiler", lambda device: False)
    monkeypatch.setitem(SIZES, "pico", Size(1, 2, 16))
    ours, plain = premise.race(premise.QUICK_CELLS[0].cell(), 0, "cpu")
    assert ours.steps == 10
    assert {x.steps for x in plain.values()} == {steps}


@pytest.mark.parametrize("model", ["nano", "micro"])
def test_the_operations_are_those_that_torch_counts(model: str) -> None:
    cell = headline_cell(model)
    plain = PlainTraining(cell, "cpu", results_only=False)
    with FlopCounterMode(display=False) as counted:
        plain.loss(plain.draw()[0]).backward()
    assert training_flops(cell, BATCH) == pytest.approx(counted.get_total_flops(), rel=0.02)


@pytest.mark.parametrize("model", ["nano", "micro"])
def test_our_operations_are_those_that_torch_counts(model: str) -> None:
    cell = headline_cell(model)
    form = cell.format
    ours = EnsembleTraining([(cell, 0)], replace(RECIPE, batch_size=BATCH), "cpu")
    net = ours.ensemble.models[0]
    tokens = ours.ensemble.examples(1)[0, 0]
    needed = net.noise_size(BATCH, len(form.tokens) - 1, form.result_width)
    noise = torch.zeros(needed, dtype=torch.uint8)
    with FlopCounterMode(display=False) as counted:
        net(tokens[:, :-1], ours.ensemble.slots, noise, ours.noise[0]).sum().backward()
    expected = training_flops(cell, BATCH, form.result_width)
    assert expected == pytest.approx(counted.get_total_flops(), rel=0.02)


def test_the_longer_sequences_have_about_the_tokens_they_should() -> None:
    assert abs(len(long_cell("nano").format.tokens) - 1 - LONG) <= 1
    assert size(long_cell("mini").model) == Size(6, 6, 384)


def test_the_predictor_is_measured_on_the_whole_grid() -> None:
    assert (
        len(predictor.settings(tuple(ENCODINGS), predictor.LAYOUTS)) == 16 * 2 * len(ENCODINGS) * 3
    )


def test_tables_are_markdown() -> None:
    table = Table("T", [{"a": "x", "b": Spread(1.234, 1, 12345.6)}, {"a": 5, "b": 0.5}], "Note.")
    lines = table.markdown().splitlines()
    assert [lines[0], lines[-1]] == ["### T", "Note."]
    assert "1.23 (1-12,346)" in lines[4]
    assert asdict(table)["rows"][0]["b"] == {"median": 1.234, "low": 1, "high": 12345.6}


def test_an_unknown_part_is_refused() -> None:
    done = CliRunner().invoke(command.app, ["--only", "predictions"])
    assert done.exit_code == 2
    assert "predictor" in done.output
