"""The prediction at one test length: an interval of exact accuracies, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.properties import base_aligned
from arith.theory.counting.accuracy import (
    accuracy,
    bound_by_example,
    known_accuracy,
    shown_share,
    touched,
    unseen_share,
)
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import NotCountable
from arith.theory.generalization.constants import Computes, Constants
from arith.theory.generalization.outcomes import Claim, Status

MOST_UNSEEN = Fraction(1, 20)
"""The largest share of a test domain on which training may leave the answer open.

The accuracy is right to within this share; above it the length is undetermined.
"""
EQUAL_VIEWS, CONSTANTS, APART, NOT_FOUND = "equal views", "constants", "shown apart", "not found"
"""The four theorems (``arith.theory.generalization.theorems``)."""


class Premise(StrEnum):
    """What a claim asks of a model, besides that it is right on its training domain."""

    NOISE = "noise invariance"
    """Noise at addresses that were constant in training changes no answer."""
    READS = "noise sensitivity"
    """Such noise changes answers: the model reads what stands there."""
    STABLE = "stability"
    """Disturbing all digits a little changes no answer, or it was not tried."""
    MEASURED = "measured stability"
    """Stability that was tried, on all inputs: of other models the claim says nothing."""
    LOCALITY = "locality"
    """No query depends on a digit that a later query lacks.  It is not tried."""


@dataclass(frozen=True)
class LengthPrediction:
    """What is predicted at one test length.

    Args:
        accuracy: exact; None where undetermined, or partial and too large to be counted.
        unseen_share: the share of the test domain whose answer training does not fix; None where
            there is no learned function, or the share is too large to be counted.
        at_most: what the accuracy cannot exceed, whatever the model does on that share.
        known: where no accuracy is claimed, the share whose answer training fixes and that the
            learned function gets right.
        inferred: the share whose digits training never showed together, but whose answer it
            fixes nevertheless (joint support).
        learned_accuracy: how often the learned function is right on the whole test domain,
            whatever is claimed; None where there is none, or it is too large to be counted.
        counted: False where the accuracy or its bound would take too long to be counted.
        candidates: where nothing is claimed, how often the task and f^ are right, of which a stable
            model is expected to compute one (rule ``two candidates``): 1 and less, or 1 alone where
            both are right.  Empty where something is claimed, where nothing is known of f^, or its
            accuracy is too large to be counted.
        because: the theorems that decide it.
        premises: what these ask of a model.
    """

    digits: int
    direction: Direction
    accuracy: Fraction | None
    unseen_share: Fraction | None = Fraction(0)
    at_most: Fraction = Fraction(1)
    inferred: Fraction = Fraction(0)
    learned_accuracy: Fraction | None = None
    counted: bool = True
    known: Fraction = Fraction(0)
    candidates: tuple[Fraction, ...] = ()
    because: tuple[str, ...] = ()
    premises: tuple[Premise, ...] = ()

    @property
    def at_least(self) -> Fraction:
        """What the accuracy does not fall below, whatever the model does on the open share."""
        if self.accuracy is None:
            return self.known
        return max(Fraction(0), self.accuracy - self.unseen)

    @property
    def status(self) -> Status:
        """Whether all inputs come out right, some or not all, or training leaves it open."""
        if self.accuracy is None:
            is_bounded = self.at_most < 1 and not self.at_least
            return Status.FAILS if is_bounded else Status.UNDETERMINED
        if self.accuracy == 1 and not self.unseen:
            return Status.GENERALIZES
        return Status.PARTIAL if self.accuracy else Status.FAILS

    @property
    def claim(self) -> Claim:
        """What is claimed of a model's accuracy."""
        if self.accuracy is not None:
            return Claim.EXACT
        if self.at_most < 1:
            return Claim.AT_MOST
        return Claim.AT_LEAST if self.at_least else Claim.NONE

    @property
    def is_open(self) -> bool:
        """Whether more than ``MOST_UNSEEN`` is open for some models.

        What is claimed leaves it open, if anything is; or the claim speaks only of models that were
        measured to be stable.
        """
        is_loose = self.accuracy is None and self.at_most - self.at_least > MOST_UNSEEN
        return is_loose or self.requires_measured_stability

    @property
    def requires_noise_invariance(self) -> bool:
        """Whether it speaks only of models that are noise-invariant at what they should ignore."""
        return Premise.NOISE in self.premises

    @property
    def requires_noise_sensitivity(self) -> bool:
        """Whether it speaks only of models whose answers such noise changes."""
        return Premise.READS in self.premises

    @property
    def requires_measured_stability(self) -> bool:
        """Whether it speaks only of models that were measured to be stable, not of untried ones."""
        return Premise.MEASURED in self.premises

    @property
    def infers(self) -> bool:
        """Whether joint support decides it."""
        return self.inferred > MOST_UNSEEN

    @property
    def requires_stability(self) -> bool:
        """Whether it speaks of stable models: joint support decides it, or ignored digits do."""
        return self.claim != Claim.NONE and Premise.STABLE in self.premises

    @property
    def follows_from_premise(self) -> bool:
        """Whether it only says that a model is right on the part of the inputs that was trained."""
        is_in_domain = self.direction == Direction.IN_DOMAIN and self.claim == Claim.AT_LEAST
        return is_in_domain and not (self.inferred or self.requires_noise_invariance)

    @property
    def proved(self) -> bool:
        """Whether the prediction is a theorem for models that are right on all of training."""
        return self.because == (EQUAL_VIEWS,) or self.follows_from_premise

    @property
    def unseen(self) -> Fraction:
        """``unseen_share``, or 0 where it is not known."""
        return self.unseen_share or Fraction(0)

    @property
    def may_change(self) -> Fraction:
        """The share of inputs on which a stable model may waver: the open ones.

        None where stability has to be measured: a model has to be one function there.
        """
        return Fraction(0) if self.requires_measured_stability else self.unseen


def right(digits: int, direction: Direction, because: str) -> LengthPrediction:
    """That all inputs of a length come out right, by a theorem."""
    one = Fraction(1)
    return LengthPrediction(digits, direction, one, learned_accuracy=one, because=(because,))


def undecided(digits: int, direction: Direction, counted: bool = True) -> LengthPrediction:
    """That nothing follows at a length."""
    return LengthPrediction(digits, direction, None, unseen_share=None, counted=counted)


def expected(learned: LearnedFunction, test: Domain, how: Constants) -> LengthPrediction:
    """What follows at a length if a model computes f^ wherever training fixes the answer.

    Where it takes digits that training kept constant as it always did, and where digits that were
    shown apart fix the answer, f^ is right or wrong by the count.  The rest is open.
    """
    [length], one, train = test.lengths, Fraction(1), learned.support.train
    open_ = undecided(length, train.direction(length))
    unseen, changes = _counted(unseen_share, learned, test), replaces(learned, test)
    is_kept, no_better = (how.computes is x for x in (Computes.EXPECTED, Computes.NO_BETTER))
    if changes and how.computes is Computes.TASK:
        goes_on = right(length, open_.direction, CONSTANTS)
        return replace(goes_on, premises=_premises(how, changes))
    if changes and not (is_kept or no_better):
        return replace(open_, unseen_share=unseen)
    value = one if _is_aligned(learned) else _counted(accuracy, learned, test)
    if no_better and value is not None and unseen is not None and value + unseen < 1:
        apart = (APART,) * bool(_inferred(learned, test, unseen))
        return replace(
            open_,
            unseen_share=unseen,
            at_most=value + unseen,
            because=(CONSTANTS, *apart),
        )
    if no_better and changes:
        return replace(open_, unseen_share=unseen, learned_accuracy=value)
    asked = _premises(how, changes)
    if unseen is None or unseen > MOST_UNSEEN:
        known = None if unseen is None else _counted(known_accuracy, learned, test)
        surely = value if known is None else known  # right where training fixes the answer
        bound = one if unseen is None or surely is None else min(one, surely + unseen)
        inferred = None if known is None else _inferred(learned, test, unseen)
        said = bound < 1 or bool(known)
        found = replace(
            open_,
            unseen_share=unseen,
            at_most=bound,
            inferred=inferred or Fraction(0),
            learned_accuracy=value if is_kept or no_better else None,
            counted=known is not None,
            known=known or Fraction(0),
            premises=asked if said else tuple(x for x in asked if x is Premise.MEASURED),
        )
        return _decided(learned, found, how, changes, inferred)
    if value is None:
        return replace(open_, unseen_share=unseen, counted=False, premises=asked)
    inferred = _inferred(learned, test, unseen)
    found = replace(
        open_,
        accuracy=value,
        unseen_share=unseen,
        at_most=min(one, value + unseen),
        inferred=inferred or Fraction(0),
        learned_accuracy=value,
        premises=asked,
    )
    return _decided(learned, found, how, changes, inferred)


def _premises(how: Constants, changes: bool) -> tuple[Premise, ...]:
    """What is asked of a model that is said to ignore digits, or to read them."""
    measured = (Premise.STABLE, *(Premise.MEASURED,) * how.measured)
    if how.computes is Computes.TASK and changes:
        return (Premise.READS, *measured)
    if how.computes is Computes.EXPECTED and not how.masked and (changes or how.shared):
        return (Premise.NOISE, *measured)
    return measured if how.measured and how.unshown else ()


def _decided(
    learned: LearnedFunction,
    found: LengthPrediction,
    how: Constants,
    changes: bool,
    inferred: Fraction | None,
) -> LengthPrediction:
    """A claim with the theorems that decide it, and with the premise of joint support."""
    if found.claim == Claim.NONE:
        return found
    replaced = changes and not how.masked
    together = inferred == 0 and not learned.support.train.sampled
    apart = not together or (how.unshown and how.measured)
    because = (CONSTANTS,) * replaced + (APART,) * apart or (EQUAL_VIEWS,)
    is_proved = because == (EQUAL_VIEWS,) or found.follows_from_premise
    premises = () if is_proved else found.premises
    if found.infers and Premise.STABLE not in premises:
        premises = (*premises, Premise.STABLE)
    return replace(found, because=because, premises=premises)


def candidates(learned: LearnedFunction, test: Domain, x: LengthPrediction) -> tuple[Fraction, ...]:
    """How often the task and f^ are right at a length where nothing is claimed of it."""
    one, kept = Fraction(1), x.learned_accuracy
    if kept is None:
        kept = _counted(accuracy, learned, test) if replaces(learned, test) else one
    return () if kept is None else (one,) if kept == 1 else (one, kept)


def _inferred(learned: LearnedFunction, test: Domain, unseen: Fraction | None) -> Fraction | None:
    """The share of a test domain whose digits were never shown together, but whose answer is fixed.

    None where it would take too long to be counted.
    """
    together = _counted(shown_share, learned, test)
    return None if together is None else max(Fraction(0), 1 - together - (unseen or 0))


def _counted(
    count: Callable[[LearnedFunction, Domain], Fraction], learned: LearnedFunction, test: Domain
) -> Fraction | None:
    """A share, or None where it would take too long to be counted."""
    try:
        return count(learned, test)
    except NotCountable:
        return None


def witnessed(learned: LearnedFunction, test: Domain, x: LengthPrediction) -> LengthPrediction:
    """What single inputs decide at a length that was not counted."""
    if x.counted or not replaces(learned, test):  # else f and f^ are one there
        return x
    return replace(x, at_most=min(x.at_most, bound_by_example(learned, test)))


def replaces(learned: LearnedFunction, test: Domain) -> bool:
    """Whether a test asks for digits at a position where training always showed one other."""
    boxes = test.boxes(learned.base, learned.task.operands)
    return any(touched(learned.support, box) for box in boxes)


def _is_aligned(learned: LearnedFunction) -> bool:
    """Whether the positions that are read hold everything that counts modulo p."""
    task = learned.task
    k = None if task.modulus is None else base_aligned(task.modulus, learned.base)
    return k is not None and all(n is not None and n >= k for n in learned.support.read_lengths)
