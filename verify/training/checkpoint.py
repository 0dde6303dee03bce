"""Checkpoints: the state of a training on disk, so that it goes on where it was stopped.

What is kept is all that the next step depends on: weights, moments of the optimizer, the states of
the random generators and of the schedules.  A training on a CPU that was stopped and goes on
ends with the same numbers, to the last bit, as one that was not.

The file is one of safetensors: tensors, and beside them JSON.  Whoever hands over a store may hand
over this too, so nothing in it can be code, and what does not fit the training is not used.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from arith.verify.plan.given import check_regular, one_line
from arith.verify.records.reading import check, read
from arith.verify.records.source import source
from arith.verify.training.recorder import Recorder, Seen

_WRITER = f"{source()} {torch.__version__}"
"""What a training does depends on, as it was when this process started: what others wrote is not
read, as it would go on with other code, and its predictions would not be those from before it."""
EVERY = 120.0
"""Seconds between two checkpoints; a shorter training has none."""


class Training(Protocol):
    """What can be kept: plain values, which are a dataclass of checked types, and tensors."""

    def state(self) -> Any: ...

    def tensors(self) -> dict[str, Tensor]: ...

    def restore(self, state: Any, tensors: Mapping[str, Tensor]) -> None: ...


class Checkpoint:
    """A file with the state of one training, written now and then.

    Args:
        path: of the file; it is replaced as a whole, and a damaged one is not used.
        recorder: goes on with the training.
        say: is told in one line that a file is not used.
    """

    def __init__(self, path: Path, recorder: Recorder, say: Callable[[str], None]) -> None:
        self.path, self.recorder, self._say = path, recorder, say
        self._last = time.monotonic()

    def resume(self, training: Training) -> bool:
        """Put what was kept into a training; False where it cannot be, and may be in part."""
        if not self.path.exists():
            return True
        try:
            self._restore(training)
        except Exception as error:  # of nearly any kind: it is damaged, or of another training
            with suppress(OSError):
                self.path.rename(self.path.with_name(f"{self.path.name}.unused"))
            why = one_line(str(error) or type(error).__name__)
            self._say(f"the training starts anew, {self.path} is put aside: {why}")
            return False
        return True

    def _restore(self, training: Training) -> None:
        """Put what was kept into a training and its recorder."""
        check_regular(self.path, "it")
        with safe_open(self.path, "pt") as file:
            told = file.metadata() or {}
            check(told.get("writer") == _WRITER, "other code wrote it")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        kept, own = (
            {name: (x.shape, x.dtype) for name, x in each.items()}
            for each in (tensors, training.tensors())
        )
        check(kept == own, "it is of another training")
        check(told.get("digest") == _digest(told, tensors), "it is damaged")
        state = read(type(training.state()), told["training"])
        seen = read(Seen, told["seen"])
        training.restore(state, tensors)
        self.recorder.restore(seen)

    def look(self, training: Training) -> None:
        """Keep a training, if it is time; a full disk keeps none."""
        if time.monotonic() < self._last + EVERY:
            return
        self._last = time.monotonic()
        written = self.path.with_suffix(f".{os.getpid()}")
        parts = {"training": training.state(), "seen": self.recorder.state()}
        told = {name: msgspec.json.encode(part).decode() for name, part in parts.items()}
        told["writer"] = _WRITER
        tensors = training.tensors()
        told["digest"] = _digest(told, tensors)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            save_file(tensors, written, told)
            written.replace(self.path)
        except (OSError, SafetensorError):
            with suppress(OSError):
                written.unlink(missing_ok=True)


def _digest(told: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """The SHA-256 of what is kept of a training."""
    text = json.dumps({n: x for n, x in told.items() if n != "digest"}, sort_keys=True)
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        flat = tensors[name].cpu().contiguous().flatten()
        digest.update(flat.view(torch.uint8).numpy().data)
    return digest.hexdigest()
