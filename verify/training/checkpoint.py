"""Checkpoints: the state of a training on disk, so that it goes on where it was stopped.

What is kept is all that the next step depends on: weights, moments of the optimizer, the states of
the random generators and of the schedules.  A training that was stopped and goes on ends with
the same numbers, to the last bit, as one that was not.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import torch

from verify.plan.plan import Job

EVERY = 120.0
"""Seconds between two checkpoints; a shorter training has none."""
_WRITER = (1, torch.__version__)
"""The form of the states, and what wrote the tensors in them; others are not read."""


class Resumable(Protocol):
    """Something whose state can be kept and put back."""

    def state(self) -> Any:
        """What it needs to go on."""

    def restore(self, state: Any) -> None:
        """Go on from a state that ``state`` gave."""


class Checkpoint:
    """A file with the state of one training, written now and then.

    Args:
        path: of the file; it is replaced as a whole, and a damaged one is not used.
        beside: what else goes on with the training, such as a recorder.
    """

    def __init__(self, path: Path, beside: Resumable) -> None:
        self.path, self.beside = path, beside
        self._last = time.monotonic()

    def resume(self, training: Resumable) -> None:
        """Put the kept state back, if there is one."""
        try:
            # Written by this program beside its own store, and by nobody else.
            states = torch.load(self.path, weights_only=False)
        except (OSError, pickle.UnpicklingError, EOFError, RuntimeError, ImportError):
            return
        if states["writer"] == _WRITER:
            training.restore(states["training"])
            self.beside.restore(states["beside"])

    def look(self, training: Resumable) -> None:
        """Keep the state, if it is time; a full disk keeps none."""
        if time.monotonic() < self._last + EVERY:
            return
        self._last = time.monotonic()
        written = self.path.with_suffix(f".{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            states = {"training": training.state(), "beside": self.beside.state()}
            torch.save({"writer": _WRITER, **states}, written)
            written.replace(self.path)
        except (OSError, RuntimeError):  # torch's own error of a file that cannot be written
            with suppress(OSError):
                written.unlink(missing_ok=True)


def checkpoint_path(folder: Path, jobs: Sequence[Job], budget: int, precision: str) -> Path:
    """The file for a training of these models."""
    models = [(job.cell.key, job.seed, job.recipe.version) for job in jobs]
    name = hashlib.sha256(json.dumps([models, budget, precision]).encode()).hexdigest()[:16]
    return folder / f"{name}.pt"


def forget(path: Path) -> None:
    """Remove a checkpoint, and its folder with the last: its runs are kept elsewhere."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
        path.parent.rmdir()
