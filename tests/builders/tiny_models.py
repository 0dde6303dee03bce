"""Models for the tests: small ones that are trained, and some whose answers are known."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import torch

from arith.theory.arithmetic.domains import Domain
from arith.verify.mechanism.equivalence import predicted_support
from arith.verify.model.gpt import GPT, UNSEEN, Block
from arith.verify.model.measure import ignored_slots
from arith.verify.model.networks import network
from arith.verify.model.positions import Learned
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import CHUNK, Recipe
from arith.verify.plan.sizes import SIZES, Size
from arith.verify.training.recorder import Recorder
from arith.verify.training.train import Trained, train_ensemble
from builders.cells import cell

QUICK = Recipe(
    batch_size=64,
    muon_lr=0.02,
    adamw_lr=1e-3,
    early_lr=1.0,
    warmup=20,
    noise_change=192,
    settling=100,
    cooling=100,
)
"""Fast rates and all of the noise at once: the recipe in use is made for thousands of steps."""
TINY, SMALLEST = Size(2, 2, 32), Size(2, 2, 16)
STEPS, SEEDS = 200, (0, 1)
SHORT = 5
"""A chunk of steps, where a test needs several and not what they teach."""


@dataclass(frozen=True)
class Taught:
    """Models of one cell that were trained, one per seed, and what was seen of it.

    Args:
        before: the same models before the first step.
    """

    cell: Cell
    models: list[GPT]
    before: list[GPT]
    trained: list[Trained]
    recorder: Recorder


@contextmanager
def float32(shape: Size | None = None, chunk: int = CHUNK) -> Iterator[None]:
    """Train in float32 on every processor, and ``pico`` in another shape if one is given.

    Args:
        chunk: steps between two looks at a model.
    """
    with (
        patch.dict(os.environ, ARITH_PRECISION="float32"),
        patch.dict(SIZES, {} if shape is None else {"pico": shape}),
        patch("arith.verify.training.train.CHUNK", chunk),
    ):
        yield


def taught(
    c: Cell, seeds: Sequence[int] = SEEDS, steps: int = STEPS, recipe: Recipe = QUICK
) -> Taught:
    """Train small models of a cell, in some seconds."""
    recorder = Recorder([c] * len(seeds))
    jobs = [(c, seed) for seed in seeds]
    with float32(TINY):
        trained = train_ensemble(jobs, steps, recipe=recipe, watch=recorder, compiled=False)
    before = [untrained(c, TINY, seed=seed) for seed in seeds]
    return Taught(c, [x.model for x in trained], before, trained, recorder)


def untrained(c: Cell, shape: Size = SMALLEST, std: float = 0.0, seed: int = 0) -> GPT:
    """A small model of a cell.

    Args:
        std: of the weights, so that more passes through than through the initial ones; 0 for those.
    """
    net = network(c, seed, shape=shape)
    for p in net.parameters():
        if p.dim() > 1 and std:
            torch.nn.init.normal_(p, std=std)
    return net.eval()


def blind(net: GPT, c: Cell) -> GPT:
    """The model, now unable to see any operand digit that is predicted to be ignored."""
    net.mask[:, torch.from_numpy(ignored_slots(c, predicted_support(c)))] = UNSEEN
    return net


PRODUCT = cell("mod_mul", 2, base=2, train=Domain((1, 2, 3)), test_lengths=(3, 4))
"""The product of the units in base 2; the fourth digits of the operands are ignored."""


def leaking(layer: int) -> GPT:
    """A model of ``PRODUCT`` made by hand, of which one block alone does anything.

    It answers 1 where a digit that is predicted to be ignored is 1, and else 0.
    """
    net = network(PRODUCT, 0, shape=Size(2, 1, 8))
    # Four directions without a mean, which the norms leave as they are but for the length.
    ignored, elsewhere, one, said = torch.eye(8)[::2] - torch.eye(8)[1::2]
    position, block = net.position, net.blocks[layer]
    assert isinstance(position, Learned) and isinstance(block, Block)
    with torch.no_grad():
        for p in net.parameters():
            if p.dim() > 1:
                p.zero_()
        net.embedding.weight[:2] = torch.stack((-one, one))
        places = torch.from_numpy(ignored_slots(PRODUCT, predicted_support(PRODUCT)))[:, None]
        position.table.copy_(torch.where(places, ignored, elsewhere))
        # Every place attends to the ignored ones alone, in equal parts.
        block.query.weight[0] = 100 * (ignored + elsewhere)
        block.key.weight[0] = ignored
        # Their mean is below zero if both hold a 0, and above if one holds a 1.
        block.value.weight[0] = one + ignored / 2
        block.out.weight[:, 0] = said
        net.head.weight[:2] = torch.stack((-said, said))
    return net.eval()
