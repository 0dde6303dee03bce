"""Checkpoints: the state of a training on disk, so that it goes on where it was stopped.

What is kept is all that the next step depends on: weights, moments of the optimizer, the states of
the random generators and of the schedules.  A training on a CPU that was stopped and goes on
ends with the same numbers, to the last bit, as one that was not.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import time
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from arith.verify.plan.plan import Job
from arith.verify.records.source import source
from arith.verify.training.recorder import Recorder

_WRITER = (source(), torch.__version__)
"""What a training does depends on, as it was when this process started: what others wrote is not
read, as it would go on with other code, and its predictions would not be those from before it."""
EVERY = 120.0
"""Seconds between two checkpoints; a shorter training has none."""
_UNUSABLE = (
    *(OSError, EOFError, ValueError, KeyError, ImportError, AttributeError, RuntimeError),
    *(pickle.UnpicklingError, zipfile.BadZipFile),
)
"""What a file raises that is missing, damaged, or of other classes."""


class Checkpoint:
    """A file with the state of one training, written now and then.

    Args:
        path: of the file; it is replaced as a whole, and a damaged one is not used.
        recorder: goes on with the training.
    """

    def __init__(self, path: Path, recorder: Recorder) -> None:
        self.path, self.recorder = path, recorder
        self._last = time.monotonic()

    def resume(self) -> Any:
        """The training that was kept, if there is one."""
        try:
            with zipfile.ZipFile(self.path) as parts:
                if parts.testzip() is not None:  # a checksum is wrong; torch does not look
                    return None
            # Written by this program beside its own store, and by nobody else.
            kept = torch.load(self.path, weights_only=False)
        except _UNUSABLE:
            return None
        if kept["writer"] != _WRITER:
            return None
        self.recorder.restore(kept["recorder"])
        return kept["training"]

    def look(self, training: Any) -> None:
        """Keep a training, if it is time; a full disk keeps none."""
        if time.monotonic() < self._last + EVERY:
            return
        self._last = time.monotonic()
        written = self.path.with_suffix(f".{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            kept = {"writer": _WRITER, "training": training, "recorder": self.recorder.state()}
            torch.save(kept, written)
            written.replace(self.path)
        except (OSError, RuntimeError):  # torch's own error of a file that cannot be written
            with suppress(OSError):
                written.unlink(missing_ok=True)


def checkpoint_path(
    folder: Path, jobs: Sequence[Job], budget: int, device: str, precision: str
) -> Path:
    """The file for a training of these models."""
    models = [(job.cell.key, job.seed, job.recipe.version) for job in jobs]
    name = hashlib.sha256(json.dumps([models, budget, device, precision]).encode()).hexdigest()[:16]
    return folder / f"{name}.pt"


def forget(path: Path) -> None:
    """Remove a checkpoint, and its folder with the last: its runs are kept elsewhere.

    With it goes what writers that were killed have left of it.
    """
    with suppress(OSError):
        for file in path.parent.glob(f"{path.stem}.*"):
            file.unlink(missing_ok=True)
        path.parent.rmdir()
