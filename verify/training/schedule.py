"""The schedule: the learning rate and the noise of one model, decided by its loss.

The learning rate keeps its peak, or follows a cosine over the whole budget.  A model passes
through four states:

- *learning*: no noise, and a share of the learning rate, until the loss is low.  Hard tasks
  are not learned otherwise.  Some models never leave a plateau: after a long wait they start anew.
- *settling*: the noise (token noise, or dropout) rises, and the learning rate grows with it; some
  recipes have dropout alone at first, and both then.
  Noise makes a model ignore positions that carry nothing, the more so the longer it lasts.
- *cooling*: the learning rate falls to zero, and the noise with it.  It starts when the model has
  settled long enough, or when the budget is about to end.  Then the premise is measured.
- *given up*: no low loss, and too few steps are left for settling and cooling in full.  The premise
  is measured.  In a budget less than twice as long as these a model cools at its end instead.
- *finished*: the premise holds, or the steps that are left are too few.

A model that missed the premise settles again, under three quarters of the noise that every token
gets: a task that needs the whole width bears less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import Enum
from typing import Annotated

from msgspec import Meta

from arith.verify.plan.premise import PREMISE
from arith.verify.plan.recipe import FIFTH, Recipe
from arith.verify.records.reading import Positive, Whole

LEVELS = 3
"""Of the noise, of the dropout beside it and of learned noise."""
_ALL = 256
_LEARNED_NOISE_CHANGE = 48
"""By how much learned noise rises between two chunks of steps, in 256ths, up to all of it."""
State = Enum("State", "LEARNING SETTLING COOLING GIVEN_UP FINISHED")


Level = Annotated[int, Meta(ge=0, le=_ALL)]


@dataclass
class Scheduled:
    """What a schedule has come to.

    Args:
        since: the step at which the state was entered, or entered anew.
        starts: how often the model has started, with other weights each time.
        learned: the step at which the loss was first low.
        noise: the noise that the model bears, in 256ths.
        learned_noise: the noise of a place that has learned to bear all of it, in 256ths.
        highest: the highest noise, in 256ths; what was too much for the task becomes less.
    """

    state: State
    since: Whole
    starts: Positive
    learned: Whole | None
    noise: Level
    learned_noise: Level
    highest: Level


class Schedule(Scheduled):
    """The state of one model in training.

    Args:
        budget: the most optimizer steps.
    """

    def __init__(self, recipe: Recipe, budget: int) -> None:
        super().__init__(State.LEARNING, 0, 1, None, 0, 0, recipe.noise)
        self.recipe, self.budget = recipe, budget

    def kept(self) -> Scheduled:
        """What it has come to, without what is known of it anyway."""
        return Scheduled(**{f.name: getattr(self, f.name) for f in fields(Scheduled)})

    def restore(self, kept: Scheduled) -> None:
        """Go on from what ``kept`` gave."""
        vars(self).update(vars(kept))

    @property
    def finished(self) -> bool:
        """Whether the model is trained no further."""
        return self.state is State.FINISHED

    @property
    def end(self) -> int:
        """The step at which the premise is measured."""
        if self.state is State.COOLING:
            return min(self.since + self.recipe.cooling, self.budget)
        return self.since if self.state is State.GIVEN_UP else self.budget

    def learning_rate(self, step: int) -> float:
        """The learning rate of a step, as a share of the peak."""
        if self.finished:
            return 0.0
        recipe = self.recipe
        learns = self.state is State.LEARNING
        warmup = min(1.0, (step - (self.since if learns else 0) + 1) / recipe.warmup)
        settles = float(not learns)
        risen = self.noise / self.highest if self.highest else settles
        early = recipe.early_lr + (1 - recipe.early_lr) * risen
        progress = (self.since if self.state is State.COOLING else step) / self.budget
        cosine = 0.5 * (1 + math.cos(math.pi * progress)) if recipe.decays else 1.0
        least = recipe.least_lr
        decayed = least + (1 - least) * cosine
        return warmup * early * decayed * self._still_to_cool(step)

    def noise_at(self, step: int) -> float:
        """The noise of a step, in 256ths."""
        # What has not begun before a model cools does not begin then.
        at = self.since if self.state is State.COOLING else step
        waits = self.learned is not None and at < self.learned + self.recipe.dropout_first
        return 0.0 if waits else self.noise * self._still_to_cool(step)

    def dropout_at(self, step: int) -> float:
        """The rate of the dropout beside token noise, in 256ths."""
        if not self.recipe.dropout_first or self.learned is None or self.finished:
            return 0.0
        return FIFTH * self._still_to_cool(step)

    def learned_noise_at(self, step: int) -> float:
        """The noise of a place that has learned to bear all of it, in 256ths.

        It does not become less where every token's is too much for the task: a place that bears it
        is one that the task does not need.
        """
        return self.learned_noise * self._still_to_cool(step)

    def levels_at(self, step: int) -> tuple[float, float, float]:
        """All ``LEVELS`` of a step, in 256ths."""
        return self.noise_at(step), self.dropout_at(step), self.learned_noise_at(step)

    def _still_to_cool(self, step: int) -> float:
        """The share of the cooling that is still to come; 1 in other states."""
        if self.state is not State.COOLING:
            return 1.0
        return max(0.0, (self.end - step) / (self.end - self.since))

    def after_chunk(self, step: int, loss: float) -> None:
        """Move on before the end, given the step reached and the mean loss of the last chunk."""
        recipe = self.recipe
        if self.state is State.LEARNING and loss < recipe.low_loss:
            self._enter(State.SETTLING, step)
            self.learned = step
        if self.state is State.LEARNING:
            again = min(step - self.since, self.budget - step) >= recipe.patience
            if recipe.patience and again:
                self.since, self.starts = step, self.starts + 1
            elif self._enough <= self.budget - recipe.dropout_first - self._enough <= step:
                self._enter(State.GIVEN_UP, step)
            return
        self.noise = min(self.noise + recipe.noise_change, self.highest)
        self.learned_noise = min(self.learned_noise + _LEARNED_NOISE_CHANGE, _ALL)
        before = recipe.dropout_first if self.since == self.learned else 0
        settled = step >= self.since + before + recipe.settling and self.noise == self.highest
        late = step >= self.budget - recipe.cooling
        if self.state is State.SETTLING and (late or settled):
            self._enter(State.COOLING, step)

    def after_premise(self, step: int, accuracy: float) -> None:
        """Move on at the end, given the accuracy on held-out inputs of the training domain."""
        finished = accuracy >= PREMISE or self.budget - step < self._enough
        finished |= self.state is State.GIVEN_UP
        self._enter(State.FINISHED if finished else State.SETTLING, step)
        self.highest = self.noise = self.highest * 3 // 4

    @property
    def _enough(self) -> int:
        """The steps of settling and cooling in full."""
        return self.recipe.settling + self.recipe.cooling

    def _enter(self, state: State, step: int) -> None:
        self.state, self.since = state, step
