"""What a plan would train, and how long that may take on this machine: some steps are timed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch

from verify.plan.flops import training_flops
from verify.plan.plan import Job, Plan
from verify.plan.recipe import Recipe
from verify.plan.sizes import Size
from verify.running.run import ensembles
from verify.training.device import train_alone
from verify.training.ensemble import Ensemble
from verify.training.schedule import LEVELS

_STEPS, _SECONDS = 10, 1.0
"""The most steps that are timed of one size, and the time after which that is enough."""
_TOO_LONG = 5.0
"""Seconds of a step that is not made, but taken to be as fast as those of smaller models."""
Seconds = tuple[float, float]
"""The least and the most."""


@dataclass(frozen=True)
class Estimate:
    """What would be trained.

    Args:
        again: how many are to be trained though the store has them.
        each: those to be trained, each with its time.
        total: the time of all, so many at once.
    """

    columns: ClassVar = ("cell", "model", "to train", "time of each")
    plan: Plan
    again: int
    each: dict[Job, Seconds]
    total: Seconds
    workers: int

    def rows(self) -> list[tuple[str, ...]]:
        """One line per cell with a model to train, in the order of ``columns``."""
        number = Counter(job.cell for job in self.each)
        time_of = {job.cell: _range(seconds) for job, seconds in self.each.items()}
        of = self.plan.seeds
        return [
            (cell.label(), cell.model, f"{n} of {of}", time_of[cell]) for cell, n in number.items()
        ]

    def sentence(self) -> str:
        """How many models would be trained, how long that takes, and what that is taken from."""
        plan, number, asked = self.plan, len(self.each), len(self.plan.models)
        if not number:
            return f"Nothing would be trained: the store has {_models(asked)}."
        others = f" of {asked:,}; the store has the others" if number < asked else ""
        again = f" ({self.again:,} again, to be kept)" if self.again else ""
        at_once = f", {self.workers} at once" if self.workers > 1 else ""
        fewest = min(fewest_steps(job.recipe, plan.budget) for job in self.each)
        steps = f"{fewest:,} to {plan.budget:,}" if fewest < plan.budget else f"{fewest:,}"
        return (
            f"Would be trained: {_models(number)}{again}{others}.\n"
            f"Time: about {_range(self.total)}{at_once}. This is an estimate from a few steps "
            f"timed now; a model takes {steps} steps."
        )


def fewest_steps(recipe: Recipe, budget: int) -> int:
    """The fewest steps of a model that converges."""
    return min(budget, recipe.dropout_first + recipe.settling + recipe.cooling)


def estimate(plan: Plan, jobs: Sequence[Job], again: int, device: str, workers: int) -> Estimate:
    """The time that training takes on this machine.

    A few steps of every size are made, and those of other lengths are taken to be as fast for
    the operations they make.

    Args:
        jobs: the models of the plan to be trained.
        again: how many of them the store has.
    """
    train_alone()
    groups = ensembles(jobs, device)[::-1]  # small models first
    speeds: dict[Size, float] = {}
    each: dict[Job, Seconds] = {}
    lasting: list[Seconds] = [(0.0, 0.0)]
    speed = 0.0
    for group in groups:
        flops = _flops(group)
        size = group[0].cell.size
        if size not in speeds and (not speed or flops / speed < _TOO_LONG):
            speed = flops / _step_seconds(group, device)
        step = flops / speeds.setdefault(size, speed)
        fewest = fewest_steps(group[0].recipe, plan.budget)
        seconds = step * fewest, step * plan.budget
        lasting.append(seconds)
        each |= dict.fromkeys(group, seconds)
    # As long as the longest at least, and as all of them shared out.
    least, most = (max(*x, sum(x) / workers) for x in zip(*lasting, strict=True))
    in_order = {job: each[job] for job in jobs}
    return Estimate(plan, again, in_order, (least, most), min(workers, len(groups)) or 1)


def _flops(group: Sequence[Job]) -> int:
    """The operations of a step of some models together."""
    cell, recipe = group[0].cell, group[0].recipe
    written = len(cell.training_format.trained_slots)
    return len(group) * training_flops(cell, recipe.batch_size, written)


def _step_seconds(group: Sequence[Job], device: str) -> float:
    """The time of one step of some models together; it is not compiled."""
    ensemble = Ensemble([(x.cell, x.seed) for x in group], device, group[0].recipe, compiled=False)
    batches = ensemble.examples(_STEPS + 1)
    levels = torch.full((len(group), LEVELS), float(group[0].recipe.noise), device=device)
    rate = torch.zeros(len(group), device=device)
    taken: list[float] = []
    for tokens in batches:
        start = time.perf_counter()
        float(ensemble.step(tokens, levels, rate).sum())  # a GPU is waited for
        taken.append(time.perf_counter() - start)
        if sum(taken) > _SECONDS:
            break
    return min(taken)  # the first of several warms up


def _models(number: int) -> str:
    return "1 model" if number == 1 else f"{number:,} models"


def _range(seconds: Seconds) -> str:
    """``45 s to 3 min``, ``10 to 44 min``, ``3.5 h``."""
    least, most = (_text(x) for x in seconds)
    if least == most:
        return least
    return f"{least.removesuffix(f' {most.split()[1]}')} to {most}"


def _text(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:,.1f} h"
