"""The recipe: how every cell is trained, and when.

Three phases.  *Learn*: constant learning rate and no dropout, until the loss is low.
*Settle*: dropout, which makes a model indifferent to positions that carry nothing, the more
the longer it is trained with it; hard tasks do not get off the ground with it, so it comes
second.  It lasts until the loss is low again, dropout and all.  *Cool*: the learning rate
falls to zero.  Where the premise (held-out accuracy in domain) is not met then, settling and
cooling start again.  The budget bounds the whole; the last steps of it are for cooling.
"""

from __future__ import annotations

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
        learned_at: the training loss per digit (nats, mean over a chunk of steps) that ends
            the first phase, and the second.
        settle: the fewest steps of the second phase.
        cool: steps of the third.
        dropout: the rate in 256ths, on embeddings and on what each block adds to the stream,
            in the second and third phase.
        decay: weight decay.
        clip: largest gradient norm.
    """

    version: str = "2"
    batch: int = 128
    matrix_rate: float = 0.02
    other_rate: float = 1e-3
    warmup: int = 100
    learned_at: float = 0.1
    settle: int = 1000
    cool: int = 1000
    dropout: int = 51
    decay: float = 0.1
    clip: float = 1.0


RECIPE = Recipe()


class Schedule:
    """When one model learns, settles and cools."""

    def __init__(self, recipe: Recipe, budget: int) -> None:
        self.recipe, self.budget = recipe, budget
        self.learned: int | None = None
        self.settled: int | None = None
        self.finished = False

    @property
    def cooling(self) -> int:
        """The step at which cooling starts."""
        latest = max(0, self.budget - self.recipe.cool)
        return latest if self.settled is None else min(self.settled, latest)

    @property
    def end(self) -> int:
        """The step at which the premise is looked at."""
        return min(self.cooling + self.recipe.cool, self.budget)

    def rate(self, step: int) -> float:
        """The learning rate of a step, as a share of the peak; 0 after the end."""
        left = (self.end - step) / max(1, self.end - self.cooling)
        return 0.0 if self.finished else max(0.0, min(1.0, (step + 1) / self.recipe.warmup, left))

    @property
    def dropout(self) -> int:
        """The dropout rate, in 256ths."""
        return 0 if self.learned is None else self.recipe.dropout

    def look(self, step: int, loss: float, premise: Callable[[], float]) -> None:
        """Move on, given the step reached and the mean loss of the last chunk.

        Args:
            premise: measures the accuracy in domain; called at the end of cooling.
        """
        low = loss < self.recipe.learned_at
        if step >= self.end:
            self.finished = premise() >= PREMISE or step >= self.budget
            self.learned, self.settled = step, None
        elif self.learned is None:
            self.learned = step if low else None
        elif self.settled is None and low and step >= self.learned + self.recipe.settle:
            self.settled = step
