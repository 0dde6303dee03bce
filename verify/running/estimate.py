"""What a plan would train, and how long that may take on this machine.

Some steps are timed.  How many a model takes is known from models of its cell, where there are any.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from arith.theory.prediction.convergence import convergence
from arith.theory.text.text import count
from arith.verify.plan.cells import Cell
from arith.verify.plan.flops import training_flops
from arith.verify.plan.plan import Job, Plan
from arith.verify.plan.recipe import Recipe
from arith.verify.records.budgets import is_wanted
from arith.verify.records.runs import Run
from arith.verify.running.run import ensembles
from arith.verify.training.schedule import LEVELS

_STEPS, _SECONDS = 10, 0.5
"""The most steps that are timed at once, and the time after which that is enough."""
_MOST_TIMED = 10**10
"""Operations of a step that is made on a processor: of a larger one only a part is timed."""


@dataclass(frozen=True)
class Estimate:
    """What would be trained.

    Args:
        again: how many are to be trained though the store has them.
        each: those to be trained, each with the least and the most seconds it takes.
        total: the same of all, so many at once.
        known: how many models take as many steps as others of their cell did.
    """

    columns = ("cell", "model", "parameters", "to train", "time of each", "chance to converge")
    plan: Plan
    again: int
    each: dict[Job, tuple[float, float]]
    total: tuple[float, float]
    workers: int
    known: int

    def rows(self) -> list[tuple[str, ...]]:
        """One line per cell with a model to train, in the order of ``columns``."""
        if not self.each:
            return []
        from arith.verify.model.networks import parameter_count  # which takes torch

        number, rows = Counter(job.cell for job in self.each), list[tuple[str, ...]]()
        for cell, job in {job.cell: job for job in self.each}.items():
            parameters = f"{parameter_count(cell, job.recipe):,}"
            to_train = f"{number[cell]} of {self.plan.seeds}"
            found = convergence(cell.setting, job.recipe.trains_as, cell.model, self.plan.budget)
            chance = f"{found.share:.0%}" if found.near else "?"
            time_of_each = _range(self.each[job])
            rows.append((cell.label(), cell.model, parameters, to_train, time_of_each, chance))
        return rows

    def sentence(self) -> str:
        """How many models would be trained, how long that takes, and what that is taken from."""
        number, asked = len(self.each), len(self.plan.models)
        if not number:
            return f"Nothing would be trained: the store has {count(f'{asked:,}', 'model')}."
        others = f" of {asked:,}; the store has the others" if number < asked else ""
        again = f" ({self.again:,} again, to be kept)" if self.again else ""
        at_once = f", {self.workers} at once" if self.workers > 1 else ""
        steps = " and the steps that models of the same cell took before" if self.known else ""
        if self.known < number:
            fewest = min(fewest_steps(job.recipe, self.plan.budget) for job in self.each)
            numbers = " to ".join(f"{n:,}" for n in sorted({fewest, self.plan.budget}))
            steps += f"; {'another' if self.known else 'a model'} takes {numbers} steps"
        return (
            f"Would be trained: {count(f'{number:,}', 'model')}{again}{others}.\n"
            f"Time: about {_range(self.total)}{at_once}. This is an estimate from a few steps "
            f"timed now{steps}."
        )


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

    Args:
        jobs: the models of the plan to be trained.
        again: how many of them the store has.
        before: models that tell how many steps others of their cells take, by the same recipe.
    """
    taken = _steps_taken(before, plan.budget)
    groups = ensembles(jobs, device)
    step_seconds: dict[tuple[object, ...], float] = {}
    each: dict[Job, tuple[float, float]] = {}
    for group in groups:
        cell, recipe, flops = group[0].cell, group[0].recipe, _flops(group)
        shape = cell.size, cell.setting.encoding.name, flops
        if shape not in step_seconds:
            part = _part(group) if device == "cpu" and flops > _MOST_TIMED else group
            seconds = _step_seconds(part, device, plan.precision)
            step_seconds[shape] = seconds * flops / _flops(part)
        least, most = float(fewest_steps(recipe, plan.budget)), float(plan.budget)
        kinds = {(job.cell, job.recipe.version) for job in group}
        if kinds <= taken.keys():  # those that train together take as many as the slowest
            least = most = max(taken[kind] for kind in kinds)
        of_steps = least * step_seconds[shape], most * step_seconds[shape]
        each |= dict.fromkeys(group, of_steps)
    # As long as the longest at least, and as all of them shared out.
    lasting = [each[group[0]] for group in groups] or [(0.0, 0.0)]
    least, most = (max(*x, sum(x) / workers) for x in zip(*lasting, strict=True))
    return Estimate(
        plan=plan,
        again=again,
        each={job: each[job] for job in jobs},
        total=(least, most),
        workers=min(workers, len(groups)) or 1,
        known=sum((job.cell, job.recipe.version) in taken for job in jobs),
    )


def _part(group: Sequence[Job]) -> list[Job]:
    """A training of one layer of the same width, on as few examples at a time as are soon done."""
    job = group[0]
    cell = replace(job.cell, setting=replace(job.cell.setting, layers=1))
    one = replace(job, cell=cell, recipe=replace(job.recipe, batch_size=1))
    batch = min(job.recipe.batch_size, max(1, _MOST_TIMED // _flops([one])))
    return [replace(one, recipe=replace(job.recipe, batch_size=batch))]


def _steps_taken(runs: Iterable[Run], budget: int) -> dict[tuple[Cell, str], float]:
    """The mean of the steps that models took, by cell and recipe.

    A model counts only if this budget would have trained it as long.
    """
    steps = defaultdict[tuple[Cell, str], list[int]](list)
    for run in runs:
        if run.steps <= budget and not is_wanted(run, budget):
            steps[run.cell, run.recipe].append(run.steps)
    return {key: mean(each) for key, each in steps.items()}


def _flops(group: Sequence[Job]) -> int:
    """The operations of a step of some models together."""
    cell, recipe = group[0].cell, group[0].recipe
    written = len(cell.training_format.trained_slots)
    return len(group) * training_flops(cell, recipe.batch_size, written)


def _step_seconds(group: Sequence[Job], device: str, precision: str) -> float:
    """The time of one step of some models together; it is not compiled."""
    # Imported late: where nothing is to be trained, nothing is timed.
    import torch

    from arith.verify.training.device import train_alone
    from arith.verify.training.ensemble import FIRST, Ensemble

    train_alone()
    jobs, recipe = [(x.cell, x.seed) for x in group], group[0].recipe
    ensemble = Ensemble(jobs, device, recipe, False, precision)
    batches = ensemble.examples(_STEPS + 1)
    levels = torch.full((len(group), LEVELS), float(recipe.noise), device=device)
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


def _range(seconds: tuple[float, float]) -> str:
    """``45 s to 3 min``, ``10 to 44 min``, ``3.5 h``."""
    least, most = (_text(x) for x in seconds)
    if least == most:
        return least
    return f"{least.removesuffix(f' {most.split()[1]}')} to {most}"


def _text(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:,.1f} h"
