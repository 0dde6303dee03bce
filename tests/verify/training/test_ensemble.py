"""Ensembles: what each model is fed, and a step that can be recorded on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from builders.cells import cell, natural_cell
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from arith.theory.arithmetic.domains import Domain
from arith.theory.transformer.encodings import ENCODINGS
from arith.verify.data.sequences import NaturalFormat
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import RECIPE
from arith.verify.training.ensemble import Ensemble, Examples


def test_every_choice_of_spaces_is_trained_on() -> None:
    c = natural_cell("rpe", "spaced")
    fmt = c.training_format
    assert isinstance(fmt, NaturalFormat)
    tokens = Examples(c, 0, RECIPE).draw(60).flatten(0, 1).numpy()
    is_space, is_digit = tokens == fmt.space, tokens < c.setting.base
    before = np.arange(tokens.shape[1]) < fmt.equals
    assert not is_space[:, ~before].any()
    assert (is_digit[:, 1:] | ~is_space[:, :-1]).all()  # a digit follows a space
    digits = (is_digit & before).sum(1)
    assert abs(is_space.sum() / digits.sum() - 0.5) < 0.01
    longest = is_space[digits == digits.max()]  # of 999 + 999, in any way
    assert len(np.unique(longest, axis=0)) == 2 ** digits.max()


_OF_THE_HOST = ("_local_scalar_dense", "lift_fresh", "nonzero")
"""Operations that read a number back, or copy one there: none of them can be recorded."""
LEVELS, RATE = (40, 0, 0), 1.0


class Watch(TorchDispatchMode):
    """Keeps the names of all operations."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def ensemble(c: Cell, device: str) -> Ensemble:
    return Ensemble([(c, 0), (c, 1)], device, RECIPE, compiled=False)


def inputs(one: Ensemble, steps: int) -> tuple[Tensor, Tensor, Tensor]:
    levels = torch.tensor([LEVELS] * 2, device=one.device)
    return one.examples(steps), levels, torch.full((2,), RATE, device=one.device)


def asked_of_the_host(one: Ensemble) -> Sequence[str]:
    """What a step that is not the first asks of the machine around a GPU."""
    tokens, levels, rate = inputs(one, 2)
    one.step(tokens[0], levels, rate)
    noise = torch.stack([source.draw() for source in one._noise])
    with Watch() as watch:
        one._step(tokens[1], noise, levels, rate)
    assert len(watch.seen) > 100  # it saw the step
    return [x for x in watch.seen if any(name in x for name in _OF_THE_HOST)]


@pytest.mark.parametrize("pe", ENCODINGS)
def test_a_step_asks_nothing_of_the_host(pe: str) -> None:
    c = cell(pe=pe, base=3, train=Domain((2,)), test_lengths=(2,))
    assert not asked_of_the_host(ensemble(c, "cpu"))


@pytest.mark.parametrize(
    ("pe", "form"),
    [("randomized", "interleaved"), ("randomized-fire", "hinted"), ("coupled", "scratchpad")],
)
def test_nor_does_a_step_on_natural_lengths(pe: str, form: str) -> None:
    c = natural_cell(pe, form, base=3, train=Domain((1, 2)), test_lengths=(1, 2))
    assert not asked_of_the_host(ensemble(c, "cpu"))


def test_the_watch_sees_what_cannot_be_recorded() -> None:
    with Watch() as watch:
        bool(torch.ones(1).any())
    assert any("_local_scalar_dense" in x for x in watch.seen)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("pe", ENCODINGS)
def test_a_replayed_step_is_the_same_step(pe: str) -> None:
    c = cell(pe=pe, base=3, train=Domain((2,)), test_lengths=(2,))
    losses = []
    for replayed in (False, True):
        one = ensemble(c, "cuda")
        if not replayed:
            vars(one)["_replayed"] = lambda step, *inputs: step(*inputs)
        tokens, levels, rate = inputs(one, 10)
        losses.append(torch.stack([one.step(x, levels, rate) for x in tokens]))
    # Some operations on a GPU add in an order that changes.
    assert torch.allclose(*losses, rtol=0, atol=2e-3)
    assert not torch.allclose(losses[0][0], losses[0][-1], rtol=0, atol=2e-2)
