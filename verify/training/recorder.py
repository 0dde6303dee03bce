"""Recording trajectories: looks at the models of an ensemble while they train."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arith.theory.prediction.predict import Prediction
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import answers, learned_answers
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import inputs_at
from arith.verify.records.measurement import Measurement
from arith.verify.records.reading import Length, Seconds, Share, Whole, check
from arith.verify.records.trajectory import GROWTH, Trajectory
from arith.verify.training.curves import Curve
from arith.verify.training.ensemble import Ensemble

SAMPLES = 200
"""Inputs per test length and look: the first of those that the final measurement uses."""

Shares = dict[Length, tuple[Share, Share]]
"""By test length, the shares of answers equal to ``f`` and to ``f^`` (0 where there is none)."""


@dataclass(frozen=True)
class Seen:
    """What was seen until now.

    Args:
        next: the step from which models are looked at again.
        looks: what was seen of each model, by the steps that it had taken.
    """

    next: Seconds
    looks: tuple[dict[Whole, Shares], ...]


class Recorder:
    """Records the trajectories of an ensemble; made for the ``watch`` of ``train_ensemble``.

    Args:
        predictions: of each cell.
        curves: is told every accuracy.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        predictions: Sequence[Prediction],
        curves: Curve = lambda *point: None,
    ) -> None:
        self._cells, self._curves = cells, curves
        self._tests = [_tests(*each) for each in zip(cells, predictions, strict=True)]
        self._looks: list[dict[int, Shares]] = [{} for _ in cells]
        """What was seen of each model, by the steps that it had taken."""
        self._next = 0.0

    def __call__(self, step: int, ensemble: Ensemble) -> None:
        """Look at every model of the ensemble, if it is time."""
        if step >= self._next:
            self._next = GROWTH * step
            for i, looks in enumerate(self._looks):
                looks[step] = self._look(i, ensemble.model(i))
                for n, (correct, _) in looks[step].items():
                    self._curves(i, step, f"accuracy/{n} digits", correct)

    def _look(self, i: int, model: GPT) -> Shares:
        cell, found = self._cells[i], {}
        for n, (operands, learned) in self._tests[i].items():
            said = answers(model, cell, operands, learned)
            as_learned = 0.0 if learned is None else _share(said, learned)
            right = cell.format_for(operands.shape[2]).results(operands)
            found[n] = _share(said, right), as_learned
        return found

    def state(self) -> Seen:
        """What was seen until now."""
        return Seen(self._next, tuple(self._looks))

    def restore(self, seen: Seen) -> None:
        """Go on from what ``state`` gave (InvalidInput: it is of other models)."""
        tests = [x.keys() for x in self._tests]
        check(len(tests) == len(seen.looks), "it is of another number of models")
        for lengths, looks in zip(tests, seen.looks, strict=True):
            fine = all(x.keys() == lengths for x in looks.values())
            check(fine, "it is of other test lengths")
        self._next, self._looks = seen.next, list(seen.looks)

    def trajectory(self, i: int, steps: int, final: Sequence[Measurement]) -> Trajectory:
        """What was seen of model i, which ended after so many steps with that measured of it."""
        # A model that is finished before the others of its ensemble is looked at no further.
        looks = {step: shares for step, shares in self._looks[i].items() if step < steps}
        looks[steps] = {
            m.digits: (m.correct / m.samples, (m.learned or 0) / m.samples) for m in final
        }
        correct, learned = (
            {n: tuple(round(x[n][k], 4) for x in looks.values() if n in x) for n in self._tests[i]}
            for k in range(2)
        )
        has_learned = any(x is not None for _, x in self._tests[i].values())
        return Trajectory(tuple(looks), correct, learned if has_learned else None)


def _tests(cell: Cell, prediction: Prediction) -> dict[int, tuple[np.ndarray, np.ndarray | None]]:
    """By test length, what a look asks and the answers of ``f^`` to it."""
    found = {}
    for n in cell.setting.test_lengths:
        operands = inputs_at(cell, n)[0][:SAMPLES]
        found[n] = operands, learned_answers(prediction, cell, operands)
    return found


def _share(said: np.ndarray, wanted: np.ndarray) -> float:
    """The share of whole answers ``(n, M)`` that are those wanted."""
    return float((said == wanted).all(1).mean())
