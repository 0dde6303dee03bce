"""Training: cells of one shape, as one stack, until their premises hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from verify.model.gpt import GPT
from verify.model.measure import held_out_accuracy
from verify.plan.cells import Cell
from verify.plan.flops import training_flops
from verify.plan.premise import PREMISE
from verify.plan.recipe import CHUNK, DEFAULT_BUDGET, RECIPE, Recipe, Schedule
from verify.training.device import WORTH_COMPILING, has_compiler
from verify.training.ensemble import Stack


@dataclass(frozen=True)
class Trained:
    """A trained model and how it came about.

    Args:
        premise: held-out accuracy in domain.
        steps: optimizer steps taken.
        seconds: wall time until then, of the whole stack.
    """

    model: GPT
    cell: Cell
    seed: int
    premise: float
    steps: int
    seconds: float

    @property
    def converged(self) -> bool:
        """Whether it reached the accuracy that training aims at (see also ``verify.plan.premise``)."""
        return self.premise >= PREMISE


def train(cell: Cell, seed: int, budget: int = DEFAULT_BUDGET, **options: Any) -> Trained:
    """Train one cell (see ``train_stack``)."""
    return train_stack([(cell, seed)], budget, **options)[0]


def train_stack(
    jobs: Sequence[tuple[Cell, int]],
    budget: int = DEFAULT_BUDGET,
    device: str = "cpu",
    recipe: Recipe = RECIPE,
    on_step: Callable[[int], None] = lambda step: None,
    watch: Callable[[int, Stack], None] = lambda step, stack: None,
    compiled: bool | None = None,
) -> list[Trained]:
    """Train cells of one shape until their premises hold or the budget is spent.

    Each model becomes what it would if it were trained alone, up to rounding; one that is
    finished before the others waits for them, unchanged.

    Args:
        jobs: cells of equal ``shape_of``, and seeds.
        budget: the most optimizer steps.
        on_step: called before every chunk, and at the end, with the number of steps taken.
        watch: called after every chunk with the number of steps taken and the stack.
        compiled: None to decide by ``verify.training.device``.
    """
    start = time.perf_counter()
    if compiled is None:
        cell = jobs[0][0]
        step = training_flops(cell, recipe.batch, cell.format.result_width)
        compiled = len(jobs) * budget * step >= WORTH_COMPILING and has_compiler(device)
    stack = Stack(jobs, device, recipe, compiled)
    schedules = [Schedule(recipe, budget) for _ in jobs]
    ended: dict[int, Trained] = {}
    step = 0

    def premise(i: int) -> float:
        model, (cell, seed) = stack.model(i), jobs[i]
        value = held_out_accuracy(model, cell)
        ended[i] = Trained(model, cell, seed, value, step, time.perf_counter() - start)
        return value

    while not all(s.finished for s in schedules):
        on_step(step)
        steps = range(step, min(step + CHUNK, budget))
        cut = torch.tensor([s.cut(step) for s in schedules], device=device)
        scale = torch.tensor([[s.rate(t) for s in schedules] for t in steps], device=device)
        batches = zip(stack.examples(len(steps)), scale, strict=True)
        losses = torch.stack([stack.step(tokens, cut, rate) for tokens, rate in batches])
        step = steps.stop
        watch(step, stack)
        for i, (schedule, loss) in enumerate(zip(schedules, losses.mean(0).tolist(), strict=True)):
            if not schedule.finished:
                schedule.look(step, loss, lambda: premise(i))
    on_step(step)
    return [ended[i] for i in range(len(jobs))]
