"""Where a training writes besides its store, and where evidence is found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Folders:
    """Folders, None for what is not to be written.

    Args:
        models: for the trained models (see ``verify.model.kept``).
        curves: for what TensorBoard shows (see ``verify.training.recorder``).
        checkpoints: for the states of long trainings, from which they go on.
    """

    models: Path | None = None
    curves: Path | None = None
    checkpoints: Path | None = None


NO_FOLDERS = Folders()
COMMITTED = Path(__file__).resolve().parents[2] / "reports"
"""The committed evidence, where this file is in a checkout of arith; a wheel has none."""
WHERE_COMMITTED = (
    f"what is committed is in {COMMITTED}: name that with --folder"
    if COMMITTED.is_dir()
    else "what is committed is in the repository of arith, in reports, and not in the package: say "
    "where that folder is with --folder"
)


def evidence_folder(grid: str | None = None, writes: bool = False) -> Path:
    """Where evidence is read that no folder is named for: here in ``reports``, or the committed.

    Args:
        grid: whose evidence; by default that of any.
        writes: whether something is to be written there; outside of the checkout that is not the
            committed folder.
    """
    here, stem = Path("reports"), "*" if grid is None else Path(grid).stem
    if any(here.glob(f"{stem}/evidence.jsonl")) or not any(
        COMMITTED.glob(f"{stem}/evidence.jsonl")
    ):
        return here
    return here if writes and not Path.cwd().is_relative_to(COMMITTED.parent) else COMMITTED
