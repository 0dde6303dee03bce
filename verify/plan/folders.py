"""Where a training writes besides its store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Folders:
    """Folders, None for what is not to be written.

    Args:
        models: for the trained models (see ``verify.model.kept``).
        curves: for what TensorBoard shows (see ``verify.training.curves``).
        checkpoints: for the states of long trainings, from which they go on.
    """

    models: Path | None = None
    curves: Path | None = None
    checkpoints: Path | None = None


NO_FOLDERS = Folders()
