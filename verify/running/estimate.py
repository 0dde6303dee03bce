"""What a plan would train, and how long that may take on this machine.

Some steps are timed.  How many a model takes is known from models of its cell, where there are any.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import ClassVar

import torch

from arith.verify.plan.cells import Cell
from arith.verify.plan.flops import training_flops
from arith.verify.plan.plan import Job, Plan
from arith.verify.plan.recipe import Recipe
from arith.verify.plan.sizes import Size
from arith.verify.records.budgets import is_wanted
from arith.verify.records.runs import Run
from arith.verify.running.run import ensembles
from arith.verify.training.device import train_alone
from arith.verify.training.ensemble import FIRST, Ensemble
from arith.verify.training.schedule import LEVELS

_STEPS, _SECONDS = 10, 0.5
"""The most steps that are timed at once, and the time after which that is enough."""
_TOO_LONG = 5.0
"""Seconds of a step that is not made, but taken to be as fast as those of smaller models."""
_MOST_TIMED = 10**10
"""Operations of a step of one model that is made on a processor: more need time and memory."""
Seconds = tuple[float, float]
"""The least and the most."""
Kind = tuple[Cell, str]
"""A cell, and the version of the recipe: models of one kind take about as many steps."""


@dataclass(frozen=True)
class Estimate:
    """What would be trained.

    Args:
        again: how many are to be trained though the store has them.
        each: those to be trained, each with its time.
        total: the time of all, so many at once.
        known: how many models take as many steps as others of their cell did.
    """

    columns: ClassVar = ("cell", "model", "to train", "time of each")
    plan: Plan
    again: int
    each: dict[Job, Seconds]
    total: Seconds
    workers: int
    known: int = 0

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
        number, asked = len(self.each), len(self.plan.models)
        if not number:
            return f"Nothing would be trained: the store has {_models(asked)}."
        others = f" of {asked:,}; the store has the others" if number < asked else ""
        again = f" ({self.again:,} again, to be kept)" if self.again else ""
        at_once = f", {self.workers} at once" if self.workers > 1 else ""
        return (
            f"Would be trained: {_models(number)}{again}{others}.\n"
            f"Time: about {_range(self.total)}{at_once}. This is an estimate from a few steps "
            f"timed now{self._steps()}."
        )

    def _steps(self) -> str:
        """How many steps models take, in words."""
        before = " and the steps that models of the same cell took before"
        if self.known == len(self.each):
            return before
        fewest = min(fewest_steps(job.recipe, self.plan.budget) for job in self.each)
        most = self.plan.budget
        steps = f"{fewest:,} to {most:,}" if fewest < most else f"{fewest:,}"
        if self.known:
            return f"{before}; another takes {steps}"
        return f"; a model takes {steps} steps"


def fewest_steps(recipe: Recipe, budget: int) -> int:
    """The fewest steps of a model that converges."""
    return min(budget, recipe.dropout_first + recipe.settling + recipe.cooling)


def estimate(
    plan: Plan,
    jobs: Sequence[Job],
    again: int,
    device: str,
    workers: int,
    before: Iterable[Run] = (),
) -> Estimate:
    """The time that training takes on this machine.

    A few steps of every size, encoding and length are made, as far as they are short.

    Args:
        jobs: the models of the plan to be trained.
        again: how many of them the store has.
        before: models that tell how many steps others of their cells take, by the same recipe.
    """
    train_alone()
    taken = _steps_taken(before, plan.budget)
    groups = ensembles(jobs, device)[::-1]  # small models first
    timed: dict[tuple[Size, str, int], float] = {}
    each: dict[Job, Seconds] = {}
    lasting: list[Seconds] = [(0.0, 0.0)]
    speed = 0.0
    for group in groups:
        flops = _flops(group)
        shape = group[0].cell.size, group[0].cell.setting.encoding.name, flops
        if shape not in timed:
            large = device == "cpu" and flops > _MOST_TIMED
            if large and not speed:
                small = _smaller(group[0])
                speed = _flops([small]) / _step_seconds([small], device)
            too_long = large or (speed and flops / speed >= _TOO_LONG)
            timed[shape] = flops / speed if too_long else _step_seconds(group, device)
            speed = flops / timed[shape]
        step = timed[shape]
        seconds = step * fewest_steps(group[0].recipe, plan.budget), step * plan.budget
        if all(_kind(job) in taken for job in group):
            # Those that train together take as many steps as the slowest.
            seconds = (step * max(taken[_kind(job)] for job in group),) * 2
        lasting.append(seconds)
        each |= dict.fromkeys(group, seconds)
    # As long as the longest at least, and as all of them shared out.
    least, most = (max(*x, sum(x) / workers) for x in zip(*lasting, strict=True))
    in_order = {job: each[job] for job in jobs}
    at_once = min(workers, len(groups)) or 1
    known = sum(_kind(job) in taken for job in jobs)
    return Estimate(plan, again, in_order, (least, most), at_once, known)


def _smaller(job: Job) -> Job:
    """The same training of one layer, on as few examples at a time as are soon done."""
    setting = replace(job.cell.setting, layers=1)
    small = replace(job, cell=replace(job.cell, setting=setting))
    batch = max(1, job.recipe.batch_size * _MOST_TIMED // max(_flops([small]), _MOST_TIMED))
    return replace(small, recipe=replace(job.recipe, batch_size=batch))


def _kind(job: Job) -> Kind:
    return job.cell, job.recipe.version


def _steps_taken(runs: Iterable[Run], budget: int) -> dict[Kind, float]:
    """The mean of the steps that models took, by kind.

    A model counts only if this budget would have trained it as long.
    """
    steps = defaultdict[Kind, list[int]](list)
    for run in runs:
        if run.steps <= budget and not is_wanted(run, budget):
            steps[run.cell, run.recipe].append(run.steps)
    return {key: mean(each) for key, each in steps.items()}


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
    fewest = 1 if device == "cpu" else FIRST + 2  # one records, and the next is replayed
    for tokens in batches:
        start = time.perf_counter()
        float(ensemble.step(tokens, levels, rate).sum())  # a GPU is waited for
        taken.append(time.perf_counter() - start)
        if len(taken) >= fewest and sum(taken) > _SECONDS:
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
