"""Training: one recipe for every cell.

Muon on the matrices inside the blocks and AdamW on the rest (Jordan et al. 2024), a
cosine per round, loss on the result digits only.  Dropout is what makes a model indifferent
to positions that carry nothing, the more the longer it is trained with it; but hard tasks do
not get off the ground with it.  So it comes in as soon as the task is mostly learned, and
stays.  Rounds go on until the premise holds (held-out accuracy in domain) or the budget is
spent.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from verify.cells import Cell
from verify.measure import held_out_accuracy
from verify.model import GPT, size
from verify.sequences import Sampler

PREMISE = 0.99
"""In-domain accuracy on held-out inputs from which a model counts as converged."""


@dataclass(frozen=True)
class Recipe:
    """How every cell is trained.

    Args:
        version: changes whenever results would, so that old measurements are not mixed in.
        steps: optimizer steps per round.
        batch: examples per step.
        matrix_rate: peak learning rate of Muon.
        other_rate: peak learning rate of AdamW (embeddings, positions, norms, head).
        final: the learning rate at the end of a round, as a share of the peak.
        warmup: steps of linear warm-up.
        decay: weight decay.
        dropout: the rate, on embeddings and on what each block adds to the stream, once the
            task is mostly learned.
        learned_at: the training loss per digit (nats, mean over a chunk of steps) that
            counts as mostly learned.
        clip: largest gradient norm.
    """

    version: str = "1"
    steps: int = 6000
    batch: int = 128
    matrix_rate: float = 0.02
    other_rate: float = 1e-3
    final: float = 0.02
    warmup: int = 100
    decay: float = 0.1
    dropout: float = 0.2
    learned_at: float = 0.1
    clip: float = 1.0


RECIPE = Recipe()
DEFAULT_BUDGET = 9000


@dataclass(frozen=True)
class Trained:
    """A trained model and how it came about.

    Args:
        premise: held-out accuracy in domain.
        steps: optimizer steps taken.
        seconds: wall time.
    """

    model: GPT
    cell: Cell
    seed: int
    premise: float
    steps: int
    seconds: float

    @property
    def converged(self) -> bool:
        """Whether the premise of the theory holds."""
        return self.premise >= PREMISE


def train(
    cell: Cell,
    seed: int,
    budget: int = DEFAULT_BUDGET,
    device: str = "cpu",
    recipe: Recipe = RECIPE,
    on_step: Callable[[int], None] = lambda step: None,
) -> Trained:
    """Train a cell until its premise holds or the budget is spent.

    Args:
        budget: the most optimizer steps; a round is never longer than what is left of it.
        on_step: called every 50 steps with the number of steps taken.
    """
    start = time.perf_counter()
    form, setting = cell.format, cell.setting
    model = GPT(
        size(cell.model),
        form.vocabulary,
        form.tokens[:-1],
        setting.encoding.name,
        setting.window,
        seed,
    ).to(device)
    sampler = Sampler(form, setting.train)
    data = np.random.default_rng([seed, 1])
    optimizers = _optimizers(model, recipe)
    steps, premise = 0, 0.0
    while steps < budget and premise < PREMISE:
        length = min(recipe.steps, budget - steps)
        done = steps
        _round(model, optimizers, sampler, data, length, recipe, lambda s: on_step(done + s))
        steps += length
        premise = held_out_accuracy(model, cell)
    return Trained(model, cell, seed, premise, steps, time.perf_counter() - start)


def _optimizers(model: GPT, recipe: Recipe) -> list[torch.optim.Optimizer]:
    inside = [p for p in model.blocks.parameters() if p.dim() == 2]
    chosen = {id(p) for p in inside}
    others = [p for p in model.parameters() if id(p) not in chosen]
    return [
        torch.optim.Muon(inside, lr=recipe.matrix_rate, weight_decay=recipe.decay),
        torch.optim.AdamW(
            others, lr=recipe.other_rate, betas=(0.9, 0.95), weight_decay=recipe.decay
        ),
    ]


def _round(
    model: GPT,
    optimizers: list[torch.optim.Optimizer],
    sampler: Sampler,
    data: np.random.Generator,
    steps: int,
    recipe: Recipe,
    on_step: Callable[[int], None],
) -> None:
    """One cosine of the learning rate."""
    model.train()
    form = sampler.format
    device = model.mask.device
    slots = torch.from_numpy(np.sort(form.result_slots) - 1).to(device)
    peaks = (recipe.matrix_rate, recipe.other_rate)
    chunk = 50
    losses: list[torch.Tensor] = []
    for step in range(steps):
        if step % chunk == 0:
            on_step(step)
            if losses and float(torch.stack(losses).mean()) < recipe.learned_at:
                model.dropout.rate = recipe.dropout
            losses = []
            operands = sampler.sample(recipe.batch * chunk, data, held_out=False)
            tokens = torch.from_numpy(form.write(operands, form.results(operands))).to(device)
            batches = tokens.split(recipe.batch)
        scale = min(1.0, (step + 1) / recipe.warmup) * _cosine(step / steps, recipe.final)
        for optimizer, peak in zip(optimizers, peaks, strict=True):
            optimizer.param_groups[0]["lr"] = peak * scale
        batch = batches[step % chunk]
        logits = model(batch[:, :-1], slots)
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:][:, slots].flatten())
        losses.append(loss.detach())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    on_step(steps)


def _cosine(progress: float, final: float) -> float:
    return final + (1 - final) * 0.5 * (1 + math.cos(math.pi * progress))
