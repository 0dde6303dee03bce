"""What is seen of models in training: trajectories, which runs keep, and curves of TensorBoard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from arith.theory.errors import InvalidInput
from arith.verify.model.kept import kept_path
from arith.verify.model.measure import answers, learned_answers
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import inputs_at
from arith.verify.plan.plan import Job
from arith.verify.records.measurement import Measurement
from arith.verify.records.reading import Length, Seconds, Share, Whole, check
from arith.verify.records.trajectory import GROWTH, Trajectory
from arith.verify.training.ensemble import Ensemble

SAMPLES = 200
"""Inputs per test length and look: the first of those that the final measurement uses."""
_FLUSH = 10
"""Seconds until a curve that was written can be seen."""
Curve = Callable[[int, int, str, float], None]
"""Takes the index of a model, the steps it has taken, and the name and value of a curve there."""
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
        curves: is told every accuracy.
    """

    def __init__(self, cells: Sequence[Cell], curves: Curve = lambda *point: None) -> None:
        self._cells, self._curves = cells, curves
        self._tests = [_tests(cell) for cell in cells]
        self._looks = [dict[int, Shares]() for _ in cells]
        """What was seen of each model, by the steps that it had taken."""
        self._next = 0.0

    def __call__(self, step: int, ensemble: Ensemble) -> None:
        """Look at every model of the ensemble, if it is time."""
        if step < self._next:
            return
        self._next = GROWTH * step
        for i, cell in enumerate(self._cells):
            model, seen = ensemble.model(i), self._looks[i].setdefault(step, {})
            for n, (operands, learned) in self._tests[i].items():
                said = answers(model, cell, operands, learned)
                right = cell.format_for(operands.shape[2]).results(operands)
                as_learned = 0.0 if learned is None else _share(said, learned)
                seen[n] = _share(said, right), as_learned
                self._curves(i, step, f"accuracy/{n} digits", seen[n][0])

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


def _tests(cell: Cell) -> dict[int, tuple[np.ndarray, np.ndarray | None]]:
    """By test length, what a look asks and the answers of ``f^`` to it."""
    found = {}
    for n in cell.setting.test_lengths:
        operands = inputs_at(cell, n)[0][:SAMPLES]
        found[n] = operands, learned_answers(cell.prediction, cell, operands)
    return found


def _share(said: np.ndarray, wanted: np.ndarray) -> float:
    """The share of whole answers ``(n, M)`` that are those wanted."""
    return float((said == wanted).all(1).mean())


def check_installed() -> None:
    """Refuse curves where TensorBoard's files cannot be written (InvalidInput)."""
    if find_spec("tensorboard") is None:
        raise InvalidInput("--tensorboard needs the extra: pip install 'arith[tensorboard]'")


class Curves:
    """Writes the curves of some models; a context manager, and a ``Curve`` of a training.

    A curve that cannot be written ends there, and its training goes on.

    Args:
        folder: each model has a folder in it, with the name under which it would be kept; None
            to write nothing.
    """

    def __init__(self, folder: Path | None, jobs: Sequence[Job], precision: str) -> None:
        self._folders = [folder and kept_path(folder, job, precision) for job in jobs]
        self._writers: dict[int, Any] = {}
        self.faults: list[str] = []
        """Why curves could not be written."""

    def __enter__(self) -> Curves:
        return self

    def __call__(self, model: int, step: int, name: str, value: float) -> None:
        """Add a point to a curve of a model, after so many steps."""
        folder = self._folders[model]
        if folder is None:
            return
        with self._faults(model):
            if model not in self._writers:
                from torch.utils.tensorboard import SummaryWriter

                # What an earlier training wrote from this step on is no longer shown.
                new = SummaryWriter(str(folder), purge_step=step, flush_secs=_FLUSH)
                self._writers[model] = new
            self._writers[model].add_scalar(name, value, step)

    def __exit__(self, *_: object) -> None:
        for model, writer in self._writers.items():
            with self._faults(model):
                writer.close()

    @contextmanager
    def _faults(self, model: int) -> Iterator[None]:
        """Tell the first fault of a model, and write no more of it."""
        try:
            yield
        except Exception as error:  # TensorBoard raises what its thread did
            if self._folders[model] is not None:
                self.faults.append(f"cannot write curves in {self._folders[model]}: {error}")
                self._folders[model] = None
