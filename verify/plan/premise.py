"""The premise: the theory speaks of models that have learned what they were trained on.

A model meets it when its accuracy on held-out inputs is high, and when there were enough of them
to know that.  Two of two right is an accuracy of 1 and says next to nothing.
"""

from __future__ import annotations

import math
from functools import cache

from arith.theory.arithmetic.tasks import Task

PREMISE = 0.99
"""In-domain accuracy on held-out inputs from which a model counts as converged."""
SURE = 0.95
"""What the lower confidence bound of that accuracy has to reach."""
INDIFFERENT = 0.99
"""The share of answers in domain that must stay when ignored tokens are disturbed, where the
prediction says that a model ignores digits."""
STEADY = 0.99
"""The share of answers at a length that must stay when all operand digits are disturbed a little,
where the prediction says what models answer to digits that training never showed together, or rests
on ignored digits.  A model in which it was not measured counts as stable."""
SEEN_STEADY = 0.998
"""That share where the prediction speaks only of models that were measured to be stable."""
CONFIDENCE = 0.95
"""The confidence of that bound, one-sided."""
NEEDED = math.ceil(math.log(1 - CONFIDENCE, SURE))
"""The fewest held-out inputs that can establish the premise, all of them right."""


@cache
def lower_bound(right: int, inputs: int) -> float:
    """The exact one-sided confidence bound of a proportion (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv  # scipy.stats takes seconds to import

    return float(betaincinv(right, inputs - right + 1, 1 - CONFIDENCE)) if right else 0.0


def independent(task: Task, inputs: int) -> int:
    """How many of some held-out inputs are surely independent of each other.

    Those that differ only in the order of operands that can change places count once.
    """
    return inputs // math.prod(math.factorial(len(alike)) for alike in task.symmetric_operands)


def too_few(inputs: int) -> str:
    """That so many independent held-out inputs cannot establish the premise; empty if they can."""
    few = f"only {inputs} independent held-out inputs, {NEEDED} needed"
    return few if inputs < NEEDED else ""


def is_met(accuracy: float, inputs: int) -> bool:
    """Whether a model counts as converged.

    Args:
        accuracy: on held-out inputs, at the trained length where it is lowest.
        inputs: how many held-out inputs were tested, of all trained lengths.
    """
    # Over all lengths at least so many are right: the accuracy is that of the lowest.
    right = round(accuracy * inputs)
    return accuracy >= PREMISE and lower_bound(right, inputs) >= SURE


def least_kept(tried: bool) -> float:
    """The share of answers that a claim asks for, where it speaks of stable models.

    Args:
        tried: whether it speaks only of models that were measured to be stable.
    """
    return SEEN_STEADY if tried else STEADY


def written(accuracy: float) -> str:
    """An accuracy with three decimals, never rounded up to a threshold that it missed."""
    return f"{math.floor(accuracy * 1000) / 1000:.3f}"
