"""Loss curves: what TensorBoard shows of trainings, one of its runs for each model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arith.theory.errors import InvalidInput
from arith.verify.model.kept import kept_path
from arith.verify.plan.plan import Job

Curve = Callable[[int, int, str, float], None]
"""Takes the index of a model, the steps it has taken, and the name and value of a curve there."""
_FLUSH = 10
"""Seconds until what was written can be seen."""


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
