"""The recipe: how every cell is trained, and when.

The learning rate follows a cosine over the whole budget.  There is no dropout, and half the rate,
until the task is mostly learned: hard tasks do not get off the ground otherwise.  From then on
there is as much of both as the model bears: they rise while the loss is low in spite of them and
fall where it is high.  Dropout makes a model indifferent to positions that carry nothing, the
more the longer it is trained with it; a task that needs the whole width bears less.  When the
loss has been low under all of it for long enough, the learning rate falls to zero, and the
premise (held-out accuracy in domain) is looked at.  Where it is not met, training goes on as
before, and so it does to the budget where the loss does not become low; in their last steps
dropout falls with the rate, for what was learned under noise need not hold without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from verify.plan.premise import PREMISE

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
        early: the share of the rates that is used while there is no dropout; it grows to 1 with
            the dropout.
        warmup: steps of linear warm-up.
        low: the training loss per digit (nats, mean over a chunk of steps) below which the task
            counts as mostly learned: dropout starts, or rises.
        high: the loss above which dropout falls again.
        dropout: the highest rate in 256ths, on embeddings and on what each block adds to the
            stream.
        rise: by how much the rate changes between two chunks of steps, in 256ths.
        settle: the fewest steps from the start of dropout to the end of learning.
        cool: steps in which the learning rate falls to zero then.
        decay: weight decay.
        clip: largest gradient norm.
    """

    version: str = "3"
    batch: int = 128
    matrix_rate: float = 0.01
    other_rate: float = 2e-3
    early: float = 0.5
    warmup: int = 100
    low: float = 0.1
    high: float = 0.2
    dropout: int = 51
    rise: int = 5
    settle: int = 1000
    cool: int = 1000
    decay: float = 0.1
    clip: float = 1.0


RECIPE = Recipe()


class Schedule:
    """The learning rate and the dropout of one model, by what its loss does."""

    def __init__(self, recipe: Recipe, budget: int) -> None:
        self.recipe, self.budget = recipe, budget
        self.dropout = 0
        """The dropout rate, in 256ths."""
        self.withdrawn = False
        """Whether dropout falls to zero with the learning rate."""
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

    def left(self, step: int) -> float:
        """The share of the cooling that is still to come; 1 before it."""
        if self.cooling is None:
            return 1.0
        return max(0.0, (self.end - step) / (self.end - self.cooling))

    def cut(self, step: int) -> float:
        """The dropout of a step, in 256ths."""
        return self.dropout * (self.left(step) if self.withdrawn else 1.0)

    def rate(self, step: int) -> float:
        """The learning rate of a step, as a share of the peak; 0 after the end."""
        if self.finished:
            return 0.0
        recipe = self.recipe
        warm = min(1.0, (step + 1) / recipe.warmup)
        warm *= recipe.early + (1 - recipe.early) * self.dropout / recipe.dropout
        now = step if self.cooling is None else self.cooling
        return warm * _cosine(now / self.budget) * self.left(step)

    def look(self, step: int, loss: float, premise: Callable[[], float]) -> None:
        """Move on, given the step reached and the mean loss of the last chunk.

        Args:
            premise: measures the accuracy in domain; called at the end.
        """
        recipe, low = self.recipe, loss < self.recipe.low
        if step >= self.end:
            self.finished = premise() >= PREMISE or step >= self.budget
            self.settling, self.cooling, self.withdrawn = step, None, True
            return
        if low and self.settling is None:
            self.settling = step
        if self.settling is None:
            return
        change = recipe.rise * (low - (loss > recipe.high))
        self.dropout = min(max(0, self.dropout + change), recipe.dropout)
        settled = step >= self.settling + recipe.settle and self.dropout == recipe.dropout
        late = step >= self.budget - recipe.cool
        if self.cooling is None and (late or (low and settled)):
            self.cooling, self.withdrawn = step, self.withdrawn or late


def _cosine(progress: float) -> float:
    return 0.5 * (1 + math.cos(math.pi * progress))
