"""Trajectories: what a model answered along its training, in domain and out of it.

The published question behind them: does the behaviour out of domain come before, with, or long
after the accuracy in domain (arXiv 2407.17963, on grokking)?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.predict import predict
from verify.cells import Cell
from verify.measure import Measurement, answers, inputs, learned_answers
from verify.premise import PREMISE
from verify.stack import Stack

GROWTH = 1.25
"""Each look comes at about so many times the steps of the last: what is learned early is seen."""
SAMPLES = 200
"""Inputs per test length and look: the first of those that the final measurement uses."""


@dataclass(frozen=True)
class Trajectory:
    """Accuracies of one model along training.

    Args:
        steps: optimizer steps at each look; the last is the end, with the final measurement.
        correct: by test length, the share of answers equal to ``f`` at each look.
        learned: the same for the predicted learned function, None where there is none.
    """

    steps: tuple[int, ...]
    correct: dict[int, tuple[float, ...]]
    learned: dict[int, tuple[float, ...]] | None

    def to_json(self) -> dict[str, Any]:
        """The trajectory as plain values."""
        return vars(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Trajectory:
        """The trajectory that ``to_json`` wrote."""

        def curves(part: dict[str, list[float]] | None) -> dict[int, tuple[float, ...]] | None:
            return None if part is None else {int(n): tuple(xs) for n, xs in part.items()}

        return cls(tuple(data["steps"]), curves(data["correct"]) or {}, curves(data["learned"]))


class Recorder:
    """Records the trajectories of a stack; made for the ``watch`` of ``verify.train``."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._watched = [_Watched(cell) for cell in cells]
        self._next = 0.0

    def __call__(self, step: int, stack: Stack) -> None:
        """Look at every model of the stack, if it is time."""
        if step >= self._next:
            self._next = GROWTH * step
            for i, watched in enumerate(self._watched):
                watched.look(step, stack, i)

    def trajectory(self, i: int, steps: int, final: Sequence[Measurement]) -> Trajectory:
        """What was seen of model i, which ended after so many steps with that measured of it."""
        return self._watched[i].trajectory(steps, final)


class _Watched:
    """One model's looks."""

    def __init__(self, cell: Cell) -> None:
        prediction, form = predict(cell.setting), cell.format
        self.cell, self.steps = cell, list[int]()
        self.has_learned = prediction.learned is not None
        self.tests: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray | None]] = {}
        for n in cell.setting.test_lengths:
            held_out = True if cell.setting.is_premise(n) else None
            operands = inputs(cell, cell.setting.test(n), held_out)[0][:SAMPLES]
            learned = learned_answers(prediction, cell, operands)
            self.tests[n] = operands, form.results(operands), learned
        self.correct: dict[int, list[float]] = {n: [] for n in self.tests}
        self.learned: dict[int, list[float]] = {n: [] for n in self.tests}

    def look(self, step: int, stack: Stack, i: int) -> None:
        model = stack.model(i)
        self.steps.append(step)
        for n, (operands, true, learned) in self.tests.items():
            said = answers(model, self.cell, operands, learned)
            self.correct[n].append(_share(said, true))
            if learned is not None:
                self.learned[n].append(_share(said, learned))

    def trajectory(self, steps: int, final: Sequence[Measurement]) -> Trajectory:
        end = sum(step < steps for step in self.steps)
        correct = {n: [*xs[:end]] for n, xs in self.correct.items()}
        learned = {n: [*xs[:end]] for n, xs in self.learned.items()}
        for m in final:
            correct[m.digits].append(round(m.correct / m.samples, 4))
            learned[m.digits].append(round((m.learned or 0) / m.samples, 4))
        return Trajectory(
            (*self.steps[:end], steps),
            {n: tuple(xs) for n, xs in correct.items()},
            {n: tuple(xs) for n, xs in learned.items()} if self.has_learned else None,
        )


def _share(said: np.ndarray, wanted: np.ndarray) -> float:
    return round(float((said == wanted).all(1).mean()), 4)


@dataclass(frozen=True)
class Timing:
    """The first steps at which a model was seen to have got there.

    Args:
        within: to the premise, at every trained length; None if it never was.
        outside: to answers of which the learned function explains ``share``, at a test length.
    """

    within: int | None
    outside: int | None


def timing(cell: Cell, trajectory: Trajectory, digits: int, share: float) -> Timing:
    """When the premise was reached, and when the predicted behaviour at a test length.

    Args:
        share: of answers equal to the learned function that count as reached.

    Raises:
        ValueError: the cell has no learned function, or no test length that was trained.
    """
    if trajectory.learned is None or not _trained(cell, trajectory):
        raise ValueError("a trajectory without a learned function or a premise has no timing")
    outside = trajectory.learned[digits]
    return Timing(learned_at(cell, trajectory, PREMISE), _first(trajectory, outside, share))


def learned_at(cell: Cell, trajectory: Trajectory, share: float) -> int | None:
    """The first step at which a model was seen to be right in domain on that share of the answers.

    At the trained length where it is lowest; None if it never was, or no test length was trained.
    """
    curves = [trajectory.correct[n] for n in _trained(cell, trajectory)]
    lowest = [min(values) for values in zip(*curves, strict=True)]
    return _first(trajectory, lowest, share) if curves else None


def _trained(cell: Cell, trajectory: Trajectory) -> list[int]:
    return [n for n in trajectory.correct if cell.setting.is_premise(n)]


def _first(trajectory: Trajectory, values: Sequence[float], goal: float) -> int | None:
    reached = zip(trajectory.steps, values, strict=True)
    return next((step for step, value in reached if value >= goal), None)
