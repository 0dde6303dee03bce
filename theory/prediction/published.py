"""The published theorems of arXiv 2407.17963, kept as they stand beside the refined prediction."""

from __future__ import annotations

from dataclasses import dataclass

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.properties import residual_modulus, translation_invariant
from arith.theory.arithmetic.tasks import Task
from arith.theory.generalization.outcomes import Status
from arith.theory.transformer.encodings import Encoding


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


NATURAL_LENGTHS = Published(
    Status.UNDETERMINED,
    Status.UNDETERMINED,
    "the paper does not treat numbers of natural length",
)
"""What the paper says where operands are not padded."""


def treats(encoding: Encoding, train: Domain) -> bool:
    """Whether the paper speaks of an encoding (APE or RPE) and a training set (all digits)."""
    return encoding.reference in ("absolute", "relative") and not train.restricted


def published(task: Task, encoding: Encoding, base: int, train: Domain) -> Published:
    """The paper's verdict; its criteria are applied to tasks that it does not name."""
    yes, no, unknown = Status.GENERALIZES, Status.FAILS, Status.UNDETERMINED
    if not treats(encoding, train):
        what = "training set" if train.restricted else "encoding"
        return Published(unknown, unknown, f"the paper does not treat this {what}")
    if task.modulus is not None:
        n = train.lengths[-1]  # a length that is mixed in is seen too seldom to be the paper's n
        p, power = f"p = {task.modulus}", f"{base}^{n}"
        if residual_modulus(task.modulus, base, n) == 1:
            return Published(yes, yes, f"{p} divides {power}, so the higher digits do not matter")
        why = f"does not divide {power}, so the higher digits matter, and they were not trained"
        return Published(yes, no, f"{p} {why}")
    label = encoding.label
    if encoding.reference == "absolute":
        return Published(yes, no, f"under {label} the places above n were never trained")
    if translation_invariant(task):
        why = f"the task is translation invariant, and {label} sees offsets alone"
        return Published(yes, yes, why)
    return Published(yes, no, "the task is not translation invariant, as it would have to be")
