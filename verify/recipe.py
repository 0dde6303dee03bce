"""The recipe: how every cell is trained, and when.

The learning rate follows a cosine over the whole budget.  There is no dropout until the task is
mostly learned: hard tasks do not get off the ground with it.  From then on there is: it makes a
model indifferent to positions that carry nothing, the more the longer it is trained with it.
When the loss is low in spite of it, the learning rate falls to zero at once, and the premise
(held-out accuracy in domain) is looked at; where it is not met, training goes on as before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

PREMISE = 0.99
"""In-domain accuracy on held-out inputs from which a model counts as converged."""
CHUNK = 50
"""Steps between two looks at the loss."""
DEFAULT_BUDGET = 6000
"""The most optimizer steps that a model gets unless more are asked for."""


@dataclass(frozen=True)
class Recipe:
    """How every cell is trained.

    Args:
        version: changes whenever results would, so that old measurements are not mixed in.
        batch: examples per step.
        matrix_rate: peak learning rate of Muon.
        other_rate: peak learning rate of AdamW (embeddings, positions, norms, head).
        warmup: steps of linear warm-up.
        low: the training loss per digit (nats, mean over a chunk of steps) that counts as mostly
            learned: dropout starts.
        settle: the fewest steps with dropout until the loss counts as low in spite of it.
        cool: steps in which the learning rate falls to zero then.
        dropout: the rate in 256ths, on embeddings and on what each block adds to the stream,
            once the task is mostly learned.
        decay: weight decay.
        clip: largest gradient norm.
    """

    version: str = "2"
    batch: int = 128
    matrix_rate: float = 0.02
    other_rate: float = 1e-3
    warmup: int = 100
    low: float = 0.1
    settle: int = 1000
    cool: int = 1000
    dropout: int = 51
    decay: float = 0.1
    clip: float = 1.0


RECIPE = Recipe()


class Schedule:
    """The learning rate and the dropout of one model, by what its loss does."""

    def __init__(self, recipe: Recipe, budget: int) -> None:
        self.recipe, self.budget = recipe, budget
        self.dropout = 0
        """The dropout rate, in 256ths."""
        self.settling: int | None = None
        """The step since which there is dropout, or since the premise was missed."""
        self.cooling: int | None = None
        """The step since which the learning rate falls to zero."""
        self.finished = False

    @property
    def end(self) -> int:
        """The step at which the premise is looked at."""
        return (
            self.budget
            if self.cooling is None
            else min(self.cooling + self.recipe.cool, self.budget)
        )

    def rate(self, step: int) -> float:
        """The learning rate of a step, as a share of the peak; 0 after the end."""
        if self.finished:
            return 0.0
        warm = min(1.0, (step + 1) / self.recipe.warmup)
        if self.cooling is None:
            return warm * _cosine(step / self.budget)
        left = (self.end - step) / (self.end - self.cooling)
        return warm * _cosine(self.cooling / self.budget) * max(0.0, left)

    def look(self, step: int, loss: float, premise: Callable[[], float]) -> None:
        """Move on, given the step reached and the mean loss of the last chunk.

        Args:
            premise: measures the accuracy in domain; called at the end.
        """
        low, since = loss < self.recipe.low, self.settling
        if step >= self.end:
            self.finished = premise() >= PREMISE or step >= self.budget
            self.settling, self.cooling = step, None
        elif low and since is None:
            self.settling, self.dropout = step, self.recipe.dropout
        elif low and since is not None and self.cooling is None:
            self.cooling = step if step >= since + self.recipe.settle else None


def _cosine(progress: float) -> float:
    return 0.5 * (1 + math.cos(math.pi * progress))
