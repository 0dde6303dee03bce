"""Training: ensembles, compiled steps; real steps of tiny models."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from builders.cells import cell, natural_cell
from builders.tiny_models import SHORT, float32

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import named_task
from arith.verify.model.networks import network
from arith.verify.plan.recipe import RECIPES, Recipe
from arith.verify.plan.sizes import SIZES, Size
from arith.verify.training.device import has_compiler
from arith.verify.training.ensemble import shape_of
from arith.verify.training.train import Trained, train, train_ensemble

RECIPE = Recipe(settling=0, cooling=2 * SHORT, batch_size=16, warmup=SHORT, low_loss=2.0)


def weights(trained: Trained) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in trained.model.parameters()])


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Everything in float64, where the order of additions shows only after many steps."""
    monkeypatch.setattr("arith.verify.training.train.CHUNK", SHORT)
    monkeypatch.setattr("arith.verify.training.ensemble.precision_type", lambda *_: torch.float64)
    monkeypatch.setitem(SIZES, "pico", Size(2, 2, 16))
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.training
@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("pe", ["ape", "coupled", "rpe", "randomized", "randomized-fire"])
def test_an_ensemble_trains_each_model_as_if_it_were_alone(pe: str) -> None:
    """Two tasks of one shape, two seeds, through all states, with dropout."""
    options = {"pe": pe, "base": 3, "train": Domain((2,)), "test_lengths": (2, 3)}
    tasks = [named_task("mod_add", 20), named_task("mod_mul", 25)]
    jobs = [(cell(task=task, **options), seed) for seed, task in enumerate(tasks)]
    assert len({shape_of(c) for c, _ in jobs}) == 1
    together = train_ensemble(jobs, 4 * SHORT, recipe=RECIPE, compiled=False)
    for (c, seed), stacked in zip(jobs, together, strict=True):
        alone = train(c, seed, 4 * SHORT, recipe=RECIPE, compiled=False)
        assert (stacked.steps, stacked.premise) == (alone.steps, alone.premise)
        assert torch.allclose(weights(stacked), weights(alone), rtol=0, atol=1e-6)
    assert not torch.allclose(weights(together[0]), weights(together[1]), rtol=0, atol=0.1)


@pytest.mark.training
@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(
    ("pe", "form"), [("randomized", "interleaved"), ("randomized-fire", "hinted")]
)
def test_random_positions_are_drawn_for_each_model_by_its_own_seed(pe: str, form: str) -> None:
    c = natural_cell(pe, form, base=3, train=Domain((1, 2)), test_lengths=(1, 2))
    jobs = [(c, 0), (c, 1)]
    _, stacked = train_ensemble(jobs, SHORT, recipe=RECIPE, compiled=False)
    alone = train(c, 1, SHORT, recipe=RECIPE, compiled=False)
    assert torch.allclose(weights(stacked), weights(alone), rtol=0, atol=1e-6)


@pytest.mark.training
@pytest.mark.usefixtures("double")
def test_a_model_that_stays_where_it_is_starts_anew_with_other_weights() -> None:
    recipe = replace(RECIPE, low_loss=0.0, patience=SHORT)
    c = cell(base=3, train=Domain((2,)), test_lengths=(2, 3))
    jobs = [(c, 0), (c, 1)]
    together = train_ensemble(jobs, 2 * SHORT, recipe=recipe, compiled=False)
    for (_, seed), stacked in zip(jobs, together, strict=True):
        alone = train(c, seed, 2 * SHORT, recipe=recipe, compiled=False)
        assert torch.allclose(weights(stacked), weights(alone), rtol=0, atol=1e-6)
        first, second = (network(c, seed + n, recipe).parameters() for n in (0, 2**31))
        far, near = (
            torch.dist(weights(alone), torch.cat([p.detach().flatten() for p in each]))
            for each in (first, second)
        )
        assert near < 0.8 * far
    stays = train(c, 0, 2 * SHORT, recipe=replace(recipe, patience=0), compiled=False)
    assert torch.dist(weights(stays), weights(together[0])) > 1


def test_other_shapes_do_not_train_together() -> None:
    shapes = [cell(), cell(pe="rpe"), cell(form="reversed"), cell(base=9), cell(window=5)]
    assert len({shape_of(c) for c in shapes}) == len(shapes)
    moduli = [named_task("mod_add", p) for p in (101, 150)]
    assert shape_of(cell(task=moduli[0])) == shape_of(cell(task=moduli[1]))


@pytest.mark.training
@pytest.mark.skipif(not has_compiler("cpu"), reason="no C++ compiler")
@pytest.mark.soak
def test_a_compiled_step_is_the_same_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Traced by default; ``ARITH_EXAMPLES`` has it made into machine code, for half a minute."""
    apart = 0.02
    if "ARITH_EXAMPLES" not in os.environ:
        apart = 1e-4  # the same operations, but for how a compiled rectifier is written
        monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="eager"))
    # Code that torch keeps of another processor's vectors does not compile for this one.
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    c = cell(base=2, train=Domain((2,)), test_lengths=(2,))
    with float32(Size(1, 2, 16)):  # compiling is slow
        runs = [train(c, 0, 20, recipe=RECIPE, compiled=compiled) for compiled in (False, True)]
    first, second = map(weights, runs)
    assert torch.dist(first, second) < apart * first.norm()


@pytest.mark.training
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_trains(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the end of a small budget, and the weights move."""
    monkeypatch.setitem(SIZES, "pico", Size(2, 2, 16))
    recipe, c = replace(RECIPES[name], batch_size=8), cell(base=3, train=Domain((2,)))
    monkeypatch.setattr("arith.verify.training.train.CHUNK", SHORT)
    budget = SHORT + 2  # a chunk, and a part of one
    start, end = (train(c, 0, n, recipe=recipe, compiled=False) for n in (1, budget))
    assert end.steps == budget
    assert torch.isfinite(weights(end)).all()
    assert not torch.allclose(weights(start), weights(end))
