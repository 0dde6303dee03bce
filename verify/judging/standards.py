"""What a measurement has to meet: how near it has to be to what is predicted, and how surely.

The standards stand here, once, with their reasons, and are the same for every cell of a recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verify.judging.intervals import CONFIDENCE, Interval, exact, pooled
from verify.plan.recipe import Recipe
from verify.records.measurement import Measurement


@dataclass(frozen=True)
class Standard:
    """A test of what models got right against what was predicted of them.

    Args:
        tolerance: how far an accuracy may be from the predicted one.
        mechanism: the share of answers that a learned function has to explain.
        confidence: of a model's interval.
        inside: whether the interval of every model has to lie within the tolerance, so that few
            inputs are never agreement (the equivalence test of Schuirmann 1987); otherwise those
            of all models together and of most of them have to reach it.
        indifferent: whether models that are disturbed by tokens that they are said to ignore are
            left out where the prediction rests on that.
    """

    tolerance: float
    mechanism: float
    confidence: float
    inside: bool
    indifferent: bool

    def meets(
        self, measured: Sequence[Measurement], low: float, high: float, unseen: float = 0.0
    ) -> bool:
        """Whether models were right as often as between two accuracies, give or take.

        Args:
            unseen: the share of the inputs on which nothing is predicted.
        """
        room = self.tolerance + unseen
        low, high = low - room, high + room
        if self.inside:
            return all(low <= x.low and x.high <= high for x in map(self.interval, measured))
        reached = [comes_within(self.interval(m), low, high) for m in measured]
        # An interval that respects how much models differ meets nearly anything where they do.
        return comes_within(pooled(_counts(measured)), low, high) and 2 * sum(reached) > len(
            reached
        )

    def is_one(self, measured: Sequence[Measurement]) -> bool:
        """Whether models are always right, give or take."""
        if self.inside:
            return self.meets(measured, 1.0, 1.0)
        return not self.is_below_one(measured)

    def is_below_one(self, measured: Sequence[Measurement]) -> bool:
        """Whether models are surely not always right."""
        models = map(self.interval, measured) if self.inside else [pooled(_counts(measured))]
        return all(x.high < 1 - self.tolerance for x in models)

    def interval(self, m: Measurement) -> Interval:
        """What one model got right; exact where it was tested on all there is."""
        if self.inside and m.exhaustive:
            return exact(m.correct, m.samples)
        return pooled(_counts([m]), self.confidence)

    def explains(self, measured: Sequence[Measurement]) -> bool:
        """Whether the learned function explains the answers; where none is predicted, it does."""
        shares = [(m.learned, m.samples) for m in measured if m.learned is not None]
        if not shares:
            return True
        if self.inside:
            return all(k / n >= self.mechanism for k, n in shares)
        return pooled(shares).value >= self.mechanism


def comes_within(measured: Interval, low: float, high: float) -> bool:
    """Whether the interval meets what is between two accuracies."""
    return measured.low <= high and measured.high >= low


def _counts(measured: Sequence[Measurement]) -> list[tuple[int, int]]:
    return [(m.correct, m.samples) for m in measured]


NEARNESS = Standard(
    tolerance=0.05, mechanism=0.5, confidence=CONFIDENCE, inside=False, indifferent=False
)
"""For models that let ignored digits leak.

The premise lets a model be wrong on 1 % of the inputs it was trained for.  Longer inputs ask
for more of the same digits, so a few times that is what a correct theory of imperfect models
can promise; every value told apart by the theory's theorems (0, 1/3, 1) is further away.  An
answer has several digits, so no other function of the operands meets it by chance more than
rarely; one that meets it more often than not is what the model computes, and the rest is leak.
"""
EQUIVALENCE = Standard(tolerance=0.02, mechanism=0.9, confidence=0.9, inside=True, indifferent=True)
"""For models that ignore what they are said to ignore.

A 90 % interval inside the tolerance is a test at 5 % on either side of whether the accuracy is
further away than that.
"""


def standard_of(recipe: Recipe) -> Standard:
    """By which standard models of a recipe are judged."""
    return EQUIVALENCE if recipe.leak_free else NEARNESS
