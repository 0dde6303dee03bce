"""Recording trajectories: looks at the models of an ensemble while they train."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theory.prediction.predict import predict
from verify.model.gpt import GPT
from verify.model.measure import answers, learned_answers
from verify.plan.cells import Cell
from verify.plan.inputs import inputs
from verify.records.measurement import Measurement
from verify.records.trajectory import GROWTH, Trajectory
from verify.training.ensemble import Ensemble

SAMPLES = 200
"""Inputs per test length and look: the first of those that the final measurement uses."""


class Recorder:
    """Records the trajectories of an ensemble; made for the ``watch`` of ``train_ensemble``."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._watched = [_Watched(cell) for cell in cells]
        self._next = 0.0

    def __call__(self, step: int, ensemble: Ensemble) -> None:
        """Look at every model of the ensemble, if it is time."""
        if step >= self._next:
            self._next = GROWTH * step
            for i, watched in enumerate(self._watched):
                watched.look(step, ensemble.model(i))

    def state(self) -> Any:
        """What was seen until now."""
        return self._next, [(x.steps, x.correct, x.learned) for x in self._watched]

    def restore(self, state: Any) -> None:
        """Go on from a state that ``state`` gave."""
        self._next, seen = state
        for watched, kept in zip(self._watched, seen, strict=True):
            watched.steps, watched.correct, watched.learned = kept

    def trajectory(self, i: int, steps: int, final: Sequence[Measurement]) -> Trajectory:
        """What was seen of model i, which ended after so many steps with that measured of it."""
        return self._watched[i].trajectory(steps, final)


class _Watched:
    """One model's looks: inputs by test length, and the shares that were right at each look."""

    def __init__(self, cell: Cell) -> None:
        prediction = predict(cell.setting)
        self.cell, self.steps = cell, list[int]()
        self.has_learned = prediction.learned is not None
        self.tests: dict[int, tuple[np.ndarray, np.ndarray | None]] = {}
        for n in cell.setting.test_lengths:
            held_out = True if cell.setting.is_premise(n) else None
            operands = inputs(cell, cell.setting.test(n), held_out)[0][:SAMPLES]
            self.tests[n] = operands, learned_answers(prediction, cell, operands)
        self.correct: dict[int, list[float]] = {n: [] for n in self.tests}
        self.learned: dict[int, list[float]] = {n: [] for n in self.tests}

    def look(self, step: int, model: GPT) -> None:
        self.steps.append(step)
        for n, (operands, learned) in self.tests.items():
            said = answers(model, self.cell, operands, learned)
            self.correct[n].append(_share(said, self.cell.format.results(operands)))
            if learned is not None:
                self.learned[n].append(_share(said, learned))

    def trajectory(self, steps: int, final: Sequence[Measurement]) -> Trajectory:
        # A model that is finished before the others of its ensemble is looked at no further.
        looks = sum(step < steps for step in self.steps)
        correct = {n: shares[:looks] for n, shares in self.correct.items()}
        learned = {n: shares[:looks] for n, shares in self.learned.items()}
        for m in final:
            correct[m.digits].append(round(m.correct / m.samples, 4))
            learned[m.digits].append(round((m.learned or 0) / m.samples, 4))
        return Trajectory(
            (*self.steps[:looks], steps),
            {n: tuple(shares) for n, shares in correct.items()},
            {n: tuple(shares) for n, shares in learned.items()} if self.has_learned else None,
        )


def _share(said: np.ndarray, wanted: np.ndarray) -> float:
    """The share of whole answers ``(n, M)`` that are those wanted."""
    return round(float((said == wanted).all(1).mean()), 4)
