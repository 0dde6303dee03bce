"""Training: cells of one shape, as one ensemble, until their premises hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from arith.theory.setting.training import DEFAULT_BUDGET
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import held_out_accuracy
from arith.verify.plan.cells import Cell
from arith.verify.plan.flops import training_flops
from arith.verify.plan.recipe import CHUNK, RECIPE, Recipe
from arith.verify.records.reading import Seconds, Share, Whole, check
from arith.verify.training.checkpoint import Checkpoint
from arith.verify.training.device import WORTH_COMPILING, has_compiler
from arith.verify.training.ensemble import Drawn, Ensemble
from arith.verify.training.recorder import Curve
from arith.verify.training.schedule import Schedule, Scheduled


@dataclass(frozen=True)
class Trained:
    """A trained model and how it came about.

    Args:
        premise: held-out accuracy in domain.
        steps: optimizer steps taken.
        seconds: wall time until then, of the whole ensemble.
        noise: the share of learned noise that each token bears, where there is any.
    """

    model: GPT
    cell: Cell
    seed: int
    premise: float
    steps: int
    seconds: float
    noise: tuple[float, ...] | None = None


def train(cell: Cell, seed: int, budget: int = DEFAULT_BUDGET, **options: Any) -> Trained:
    """Train one model; ``options`` are those of ``train_ensemble``."""
    return train_ensemble([(cell, seed)], budget, **options)[0]


def train_ensemble(
    jobs: Sequence[tuple[Cell, int]],
    budget: int = DEFAULT_BUDGET,
    device: str = "cpu",
    recipe: Recipe = RECIPE,
    on_step: Callable[[int], None] = lambda step: None,
    watch: Callable[[int, Ensemble], None] = lambda step, ensemble: None,
    compiled: bool | None = None,
    checkpoint: Checkpoint | None = None,
    curves: Curve = lambda *point: None,
    precision: str = "auto",
) -> list[Trained]:
    """Train cells of one shape until their premises hold or too few steps are left.

    Each model becomes what it would if it were trained alone, up to rounding; one that is
    finished before the others waits for them, unchanged.

    Args:
        jobs: cells of equal ``shape_of``, and seeds.
        budget: the most optimizer steps.
        on_step: called before every chunk, and at the end, with the number of steps taken.
        watch: called after every chunk with the number of steps taken and the ensemble.
        compiled: whether to compile the step; None where compiling is worth its time.
        checkpoint: where the training goes on, and where its state is kept.
        curves: called after every chunk with what the curves of each model show.
        precision: of the matrix products (see ``precision_name``).
    """
    if compiled is None:
        cell = jobs[0][0]
        flops = training_flops(cell, recipe.batch_size, len(cell.training_format.trained_slots))
        compiled = len(jobs) * budget * flops >= WORTH_COMPILING[device] and has_compiler(device)

    def begun() -> _Training:
        ensemble = Ensemble(jobs, device, recipe, compiled, precision)
        return _Training(jobs, budget, recipe, ensemble)

    training = begun()
    if checkpoint is not None and not checkpoint.resume(training):
        training = begun()
    while not training.finished:
        on_step(training.step)
        training.chunk(watch, curves)
        if checkpoint is not None:
            checkpoint.look(training)
    on_step(training.step)
    return training.trained


@dataclass(frozen=True)
class _State:
    """How far a training has come, but for its tensors; ``ended`` is by the number of a model."""

    step: Whole
    seconds: Seconds
    schedules: tuple[Scheduled, ...]
    ended: dict[Whole, tuple[Share, Whole, Seconds]]
    drawn: Drawn


class _Training:
    """An ensemble with its schedules, between two chunks of steps: all that the next depends on."""

    def __init__(
        self, jobs: Sequence[tuple[Cell, int]], budget: int, recipe: Recipe, ensemble: Ensemble
    ) -> None:
        self.jobs, self.budget, self.ensemble = jobs, budget, ensemble
        self.schedules = [Schedule(recipe, budget) for _ in jobs]
        self.step, self.seconds = 0, 0.0
        self._ended: dict[int, tuple[float, int, float]] = {}
        """Premise, steps and seconds of each model when its premise was last measured."""

    def state(self) -> _State:
        """How far it has come."""
        schedules = tuple(x.kept() for x in self.schedules)
        return _State(self.step, self.seconds, schedules, self._ended, self.ensemble.drawn())

    def tensors(self) -> dict[str, Tensor]:
        """The tensors that it changes, by name."""
        return self.ensemble.tensors()

    def restore(self, state: _State, tensors: Mapping[str, Tensor]) -> None:
        """Go on from where ``state`` and ``tensors`` were taken (errors as of ``Ensemble``)."""
        check(state.step <= self.budget, "it has more steps than the budget")
        check(state.ended.keys() <= set(range(len(self.jobs))), "a model has ended that is none")
        for i, (own, kept) in enumerate(zip(self.schedules, state.schedules, strict=True)):
            own.restore(kept)
            check(i in state.ended or not own.finished, "a model is finished and has not ended")
            check(max(own.since, own.learned or 0) <= state.step, "a step is still to come")
        self.ensemble.restore(state.drawn, tensors)
        self.step, self.seconds, self._ended = state.step, state.seconds, dict(state.ended)

    @property
    def finished(self) -> bool:
        return all(schedule.finished for schedule in self.schedules)

    @property
    def trained(self) -> list[Trained]:
        """The models; one that was finished before the others was left unchanged."""
        return [
            Trained(self.ensemble.model(i), cell, seed, *self._ended[i], self.ensemble.noise(i))
            for i, (cell, seed) in enumerate(self.jobs)
        ]

    def chunk(self, watch: Callable[[int, Ensemble], None], curves: Curve) -> None:
        """Take some steps, and move every schedule on."""
        start = time.perf_counter() - self.seconds
        ensemble, steps = self.ensemble, range(self.step, min(self.step + CHUNK, self.budget))
        losses = self._losses(steps)
        step = self.step = steps.stop
        watch(step, ensemble)
        for i, (schedule, loss) in enumerate(zip(self.schedules, losses, strict=True)):
            if schedule.finished:
                continue
            curves(i, step, "loss/training", loss)
            curves(i, step, "learning rate/share of its peak", schedule.learning_rate(steps[-1]))
            if step < schedule.end:
                starts = schedule.starts
                schedule.after_chunk(step, loss)
                if schedule.starts > starts:
                    ensemble.start_anew(i, *self.jobs[i], starts)
            if step < schedule.end:
                continue
            cell = self.jobs[i][0]
            accuracy = held_out_accuracy(ensemble.model(i), cell)
            curves(i, step, "accuracy/held out", accuracy)
            self._ended[i] = accuracy, step, time.perf_counter() - start
            schedule.after_premise(step, accuracy)
        self.seconds = time.perf_counter() - start

    def _losses(self, steps: range) -> list[float]:
        """Take some steps with every model; the mean loss of each."""
        schedules, device = self.schedules, self.ensemble.device
        levels = torch.tensor([s.levels_at(steps.start) for s in schedules], device=device)
        rates = [[s.learning_rate(t) for s in schedules] for t in steps]
        each = zip(
            self.ensemble.examples(len(steps)), torch.tensor(rates, device=device), strict=True
        )
        losses = [self.ensemble.step(tokens, levels, rate) for tokens, rate in each]
        return torch.stack(losses).mean(0).tolist()
