"""The published theorems of arXiv 2407.17963, kept as they stand beside the refined prediction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from theory.prediction.outcomes import Status
from theory.setting.domains import Domain
from theory.setting.encodings import Encoding
from theory.setting.properties import base_aligned, translation_invariant
from theory.setting.tasks import Task


@dataclass(frozen=True)
class Published:
    """What the paper's theorems say of a task, for a model that has converged on ``D_n``.

    Args:
        downward: of lengths below n; undetermined where the paper does not speak of it.
        upward: of lengths above n.
        theorem: the statement, in words.
    """

    downward: Status
    upward: Status
    theorem: str


def treats(encoding: Encoding, train: Domain) -> bool:
    """Whether the paper speaks of an encoding (APE or RPE) and a training set (all digits)."""
    return encoding.reference in ("absolute", "relative") and not train.allowed


@lru_cache(maxsize=4096)
def published(task: Task, encoding: Encoding, base: int, train: Domain) -> Published:
    """The paper's verdict; its criteria are applied to tasks that it does not name."""
    if not treats(encoding, train):
        what = "training set" if train.allowed else "encoding"
        return Published(
            Status.UNDETERMINED, Status.UNDETERMINED, f"the paper does not treat this {what}"
        )
    trained = train.every_length[-1]
    yes, no = Status.GENERALIZES, Status.FAILS
    relative = encoding.reference != "absolute"
    if task.full_modulus is not None:
        k = base_aligned(task.full_modulus, base)
        power = f"{base}^{trained}"
        if k is not None and k <= trained:
            why = f"p = {task.full_modulus} divides {power}, so the higher digits do not matter"
            return Published(yes, yes, why)
        why = (
            f"p = {task.full_modulus} does not divide {power}, so the higher digits matter, and "
            "they were not trained"
        )
        return Published(yes, no, why)
    if relative and translation_invariant(task):
        why = "the task is translation invariant, and RPE preserves it"
        return Published(yes, yes, why)
    why = (
        "the task is not translation invariant, which RPE would need"
        if relative
        else "APE never trained the positions above n"
    )
    return Published(yes, no, why)
