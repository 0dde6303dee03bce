"""Training: stacks, phases, compiled steps; real steps of tiny models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from builders.cells import cell
from builders.tiny_models import float32

from theory.setting.domains import Domain
from theory.setting.tasks import named_task
from verify.plan.recipe import PREMISE, Recipe, Schedule
from verify.plan.sizes import SIZES, Size
from verify.training.device import has_compiler
from verify.training.ensemble import shape_of
from verify.training.train import Trained, train, train_stack

RECIPE = Recipe(settle=0, cool=20, batch=16, warmup=10, low=2.0)


def weights(trained: Trained) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in trained.model.parameters()])


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Everything in float64, where the order of additions shows only after many steps."""
    monkeypatch.setattr("verify.training.ensemble.precision", lambda device: torch.float64)
    monkeypatch.setitem(SIZES, "pico", Size(2, 2, 16))
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.training
@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("pe", ["ape", "coupled", "rpe"])
def test_a_stack_trains_each_model_as_if_it_were_alone(pe: str) -> None:
    """Three tasks of one shape, two seeds, through all phases, with dropout."""
    options = {"pe": pe, "base": 3, "train": Domain((2,)), "test_lengths": (2, 3)}
    tasks = [named_task("mod_add", 19), named_task("mod_add", 20), named_task("mod_mul", 25)]
    jobs = [(cell(task=task, **options), seed) for task, seed in zip(tasks, (0, 1, 0), strict=True)]
    assert len({shape_of(c) for c, _ in jobs}) == 1
    together = train_stack(jobs, 110, recipe=RECIPE, compiled=False)
    for (c, seed), stacked in zip(jobs, together, strict=True):
        alone = train(c, seed, 110, recipe=RECIPE, compiled=False)
        assert (stacked.steps, stacked.premise) == (alone.steps, alone.premise)
        assert torch.allclose(weights(stacked), weights(alone), rtol=0, atol=1e-6)
    assert not torch.allclose(weights(together[0]), weights(together[1]), rtol=0, atol=0.1)


def test_other_shapes_do_not_stack() -> None:
    shapes = [cell(), cell(pe="rpe"), cell(form="reversed"), cell(base=9), cell(window=5)]
    assert len({shape_of(c) for c in shapes}) == len(shapes)
    moduli = [named_task("mod_add", p) for p in (101, 150)]
    assert shape_of(cell(task=moduli[0])) == shape_of(cell(task=moduli[1]))


@pytest.mark.training
@pytest.mark.skipif(not has_compiler("cpu"), reason="no C++ compiler")
def test_a_compiled_step_is_the_same_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Code that torch keeps of another processor's vectors does not compile for this one.
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    c = cell(base=2, train=Domain((2,)), test_lengths=(2,))
    with float32(Size(1, 2, 16)):  # compiling is slow
        runs = [train(c, 0, 20, recipe=RECIPE, compiled=compiled) for compiled in (False, True)]
    first, second = map(weights, runs)
    assert torch.dist(first, second) < 0.02 * first.norm()


SCHEDULE = Recipe(settle=100, cool=50, warmup=10, low=0.1, high=0.2, dropout=50, rise=25)


def test_dropout_rises_while_the_loss_is_low_and_falls_where_it_is_high() -> None:
    s, rates = Schedule(SCHEDULE, budget=2000), []
    losses = [0.5, 0.05, 0.15, 0.05, 0.05, 0.3, 0.3, 0.3, 0.05]
    for i, loss in enumerate(losses, 1):
        s.look(50 * i, loss, lambda: 0.0)
        rates.append(s.dropout)
    assert rates == [0, 25, 25, 50, 50, 25, 0, 0, 25]


def test_the_rate_falls_when_the_loss_is_low_under_all_dropout() -> None:
    s = Schedule(SCHEDULE, budget=1000)
    assert s.rate(0) == pytest.approx(0.05)  # warm-up, and half the rate before dropout
    assert s.rate(500) == pytest.approx(0.25)
    s.look(100, 0.05, lambda: 0.0)  # 25: not all of it
    assert s.rate(500) == pytest.approx(0.375)
    s.look(150, 0.05, lambda: 0.0)  # all of it, but too soon
    s.look(200, 0.15, lambda: 0.0)  # not low
    assert s.rate(500) == pytest.approx(0.5)  # the middle of the cosine over the budget
    s.look(250, 0.05, lambda: 0.0)
    assert (s.cooling, s.end) == (250, 300)
    assert s.cut(275) == 50  # it holds under noise
    assert s.rate(275) == pytest.approx(s.rate(250) / 2)
    assert s.rate(300) == 0.0


def test_a_model_that_misses_the_premise_goes_on() -> None:
    s = Schedule(SCHEDULE, budget=1000)
    for step in (100, 150, 200):
        s.look(step, 0.05, lambda: 0.0)
    assert s.end == 250
    s.look(250, 0.05, lambda: PREMISE - 0.01)
    assert not s.finished
    assert (s.end, s.dropout) == (1000, 50)
    assert s.rate(500) == pytest.approx(0.5)
    s.look(300, 0.05, lambda: 0.0)  # too soon
    assert s.end == 1000
    s.look(350, 0.05, lambda: 0.0)
    assert (s.end, s.cut(350), s.cut(375)) == (400, 50, 25)  # this time without the noise
    s.look(400, 0.05, lambda: PREMISE)
    assert s.finished
    assert s.rate(410) == 0.0


def test_in_the_last_steps_of_the_budget_dropout_is_withdrawn() -> None:
    s = Schedule(SCHEDULE, budget=300)
    s.look(50, 0.05, lambda: 0.0)
    s.look(200, 0.15, lambda: 0.0)  # not low
    assert (s.cooling, s.cut(200)) == (None, 25)
    s.look(250, 0.15, lambda: 0.0)
    assert (s.cut(250), s.cut(275), s.cut(300)) == (25, 12.5, 0)
    assert s.rate(275) < s.rate(250)
    s.look(300, 0.15, lambda: 0.0)
    assert s.finished


def test_a_model_that_never_learns_ends_with_the_budget() -> None:
    s = Schedule(SCHEDULE, budget=300)
    for step in range(50, 300, 50):
        s.look(step, 2.0, lambda: 0.0)
    assert (s.dropout, s.end, s.rate(150)) == (0, 300, pytest.approx(0.25))
    s.look(300, 2.0, lambda: 0.3)
    assert s.finished
