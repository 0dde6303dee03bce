"""The prediction at each test length: status, exact accuracy, and what training leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from arith.theory.counting.accuracy import (
    accuracy,
    known_accuracy,
    shown_share,
    touched,
    unseen_share,
    witnesses,
)
from arith.theory.errors import NotCountable
from arith.theory.inference.derivation import Beyond, Step, cite
from arith.theory.inference.learned import LearnedFunction
from arith.theory.numbers.effort import LITTLE, PART, budget, remembered
from arith.theory.numbers.shares import percent_text
from arith.theory.prediction.outcomes import Claim, Status
from arith.theory.prediction.unseen_text import inferred_text, unfixed_text
from arith.theory.setting.directions import Direction
from arith.theory.setting.domains import Domain
from arith.theory.setting.lengths_text import lengths_text
from arith.theory.setting.properties import base_aligned
from arith.theory.setting.settings import Setting

MOST_UNSEEN = Fraction(1, 20)
"""The largest share of a test domain on which training may leave the answer open.

The accuracy is right to within this share; above it the length is undetermined.
"""


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
        ignores: the accuracy rests on digits being ignored that training never varied, or on their
            places being told from others, so a model has to be indifferent to them.
        learned_accuracy: how often the learned function is right on the whole test domain,
            whatever is claimed; None where there is none, or it is too large to be counted.
        counted: False where the accuracy or its bound would take too long to be counted.
        shown: training shows the context of every answer (rule ``receptive field``).
        trained: each input is, as far as queries see it, one of the training domain.
        bounded_by: the rule that ``at_most`` rests on, where numbers have their natural lengths.
        tried: it speaks of models only that were seen to be steady, not of untried ones.
        candidates: where nothing is claimed, how often the task and f^ are right, of which a stable
            model is expected to compute one (rule ``two candidates``): 1 and less, or 1 alone where
            both are right.  Empty where something is claimed, where nothing is known of f^, or its
            accuracy is too large to be counted.
    """

    digits: int
    direction: Direction
    status: Status
    accuracy: Fraction | None
    unseen_share: Fraction | None = Fraction(0)
    at_most: Fraction = Fraction(1)
    inferred: Fraction = Fraction(0)
    ignores: bool = False
    learned_accuracy: Fraction | None = None
    counted: bool = True
    shown: bool = False
    trained: bool = False
    bounded_by: str = "address"
    known: Fraction = Fraction(0)
    tried: bool = False
    candidates: tuple[Fraction, ...] = ()

    @property
    def at_least(self) -> Fraction:
        """What the accuracy does not fall below, whatever the model does on the open share."""
        if self.accuracy is None:
            return self.known
        return max(Fraction(0), self.accuracy - self.unseen)

    @property
    def claim(self) -> Claim:
        """What is claimed of a model's accuracy."""
        if self.accuracy is not None:
            return Claim.EXACT
        if self.at_most < 1:
            return Claim.AT_MOST
        return Claim.AT_LEAST if self.at_least else Claim.NONE

    @property
    def infers(self) -> bool:
        """Whether joint support decides it."""
        return self.inferred > MOST_UNSEEN

    @property
    def asks_steady(self) -> bool:
        """Whether it speaks of steady models: joint support decides it, or ignored digits do."""
        return self.claim != Claim.NONE and (self.infers or self.ignores)

    @property
    def follows_from_premise(self) -> bool:
        """Whether it only says that a model is right on the part of the inputs that was trained."""
        is_in_domain = self.direction == Direction.IN_DOMAIN and self.claim == Claim.AT_LEAST
        return is_in_domain and not (self.inferred or self.ignores)

    @property
    def proved(self) -> bool:
        """Whether the prediction is a theorem for models that are right on all of training."""
        return self.shown or self.trained or self.follows_from_premise

    @property
    def unseen(self) -> Fraction:
        """``unseen_share``, or 0 where it is not known."""
        return self.unseen_share or Fraction(0)


def natural_length(
    setting: Setting,
    digits: int,
    right: bool,
    at_most: Fraction = Fraction(1),
    counted: bool = True,
    shown: bool = False,
    bounded_by: str = "address",
) -> LengthPrediction:
    """The prediction where there is no learned function: right on all inputs, bounded, or open."""
    direction, one = setting.train.direction(digits), Fraction(1)
    if right:
        predicted = LengthPrediction(digits, direction, Status.GENERALIZES, one)
        return replace(predicted, learned_accuracy=one, shown=shown)
    status = Status.FAILS if at_most < 1 else Status.UNDETERMINED
    predicted = LengthPrediction(digits, direction, status, None, None, at_most)
    return replace(predicted, counted=counted, bounded_by=bounded_by)


@remembered(256)
def predict_lengths(
    learned: LearnedFunction, tests: tuple[int, ...], kind: str, beyond: tuple[Beyond, ...]
) -> tuple[tuple[LengthPrediction, ...], tuple[Step, ...]]:
    """The prediction at each test length, and the steps to it; ``beyond`` is of each length."""
    domains = [Domain((n,), kind) for n in tests]
    with budget(PART):
        counted = [_at_length(learned, *x) for x in zip(domains, beyond, strict=True)]
    with budget(LITTLE):
        lengths = tuple(
            x if x.counted else _witnessed(learned, test, x)
            for x, test in zip(counted, domains, strict=True)
        )
    with budget(LITTLE):
        lengths = tuple(
            replace(x, candidates=_candidates(learned, test, x)) if may.candidates else x
            for x, test, may in zip(lengths, domains, beyond, strict=True)
        )
    return lengths, tuple(_steps(learned, lengths))


def _at_length(learned: LearnedFunction, test: Domain, upward: Beyond) -> LengthPrediction:
    [length], one, train = test.lengths, Fraction(1), learned.support.train
    predicted = partial(LengthPrediction, length, train.direction(length))
    undetermined = partial(predicted, Status.UNDETERMINED, None)
    trained = train.covers(length, test.kind)
    if trained or upward is Beyond.SHOWN:
        return predicted(Status.GENERALIZES, one, learned_accuracy=one, shown=not trained)
    if upward.is_silent:
        return undetermined(None)
    if upward is Beyond.UNSHOWN:  # what is not proved is not said of contexts that training lacks
        proved = _at_length(learned, test, Beyond.OPEN)
        return proved if proved.proved else undetermined(None)
    unseen = _counted(unseen_share, learned, test)
    changes = replaces(learned, test)
    tried = changes and upward is Beyond.STEADILY_IGNORED
    ignores = tried or upward is Beyond.ONE_IGNORED or (changes and upward is Beyond.IGNORED)
    predicted, undetermined = (partial(x, tried=tried) for x in (predicted, undetermined))
    if upward is Beyond.OPEN and changes:
        return undetermined(unseen)
    value = one if _is_aligned(learned) else _counted(accuracy, learned, test)
    if upward is Beyond.STOPS and value is not None and unseen is not None and value < 1:
        return predicted(Status.FAILS, None, unseen, at_most=min(one, value + unseen))
    if upward is Beyond.STOPS and changes:
        return undetermined(unseen, learned_accuracy=value)
    if unseen is None or unseen > MOST_UNSEEN:
        known = None if unseen is None else _counted(known_accuracy, learned, test)
        surely = value if known is None else known  # right where training fixes the answer
        bound = one if unseen is None or surely is None else min(one, surely + unseen)
        inferred = None if known is None else _inferred(learned, test, unseen)
        return undetermined(
            unseen,
            at_most=bound,
            inferred=inferred or Fraction(0),
            ignores=ignores and (bound < 1 or bool(known)),
            learned_accuracy=None if upward is Beyond.OPEN else value,
            counted=known is not None,
            known=known or Fraction(0),
        )
    if value is None:
        return undetermined(unseen, counted=False, ignores=ignores)
    inferred = _inferred(learned, test, unseen)
    hides_changes = not changes or upward is Beyond.UNSEEN
    always = value == 1 and not unseen
    return predicted(
        Status.GENERALIZES if always else Status.PARTIAL if value else Status.FAILS,
        value,
        unseen,
        at_most=min(one, value + unseen),
        inferred=inferred or Fraction(0),
        ignores=ignores,
        learned_accuracy=value,
        trained=hides_changes and inferred == 0 == unseen and train.pairs is None,
    )


def _candidates(
    learned: LearnedFunction, test: Domain, x: LengthPrediction
) -> tuple[Fraction, ...]:
    """How often the task and f^ are right at a length, where nothing is claimed of it."""
    if x.claim != Claim.NONE:
        return ()
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


def _witnessed(learned: LearnedFunction, test: Domain, x: LengthPrediction) -> LengthPrediction:
    """What single inputs decide at a length that was not counted."""
    if not replaces(learned, test):
        return x  # f and f^ are one there
    found = witnesses(learned, test)
    is_fixed = x.unseen_share is not None and x.unseen_share <= MOST_UNSEEN
    status = Status.PARTIAL if is_fixed and found.right and found.at_most < 1 else x.status
    return replace(x, status=status, at_most=min(x.at_most, found.at_most))


def replaces(learned: LearnedFunction, test: Domain) -> bool:
    """Whether a test asks for digits at a position where training always showed one other."""
    boxes = test.boxes(learned.base, learned.task.operands)
    return any(touched(learned.support, box, learned.task) for box in boxes)


def _is_aligned(learned: LearnedFunction) -> bool:
    """Whether the positions that are read hold everything that counts modulo p."""
    task = learned.task
    k = None if task.modulus is None else base_aligned(task.modulus, learned.base)
    reads = [learned.support.read_length(j) for j in range(task.operands)]
    return k is not None and all(n is not None and n >= k for n in reads)


def _steps(learned: LearnedFunction, lengths: tuple[LengthPrediction, ...]) -> Iterator[Step]:
    """The steps for digits never shown together, and for lengths that were not counted."""
    inferred = {x.digits: x.inferred for x in lengths if x.inferred > MOST_UNSEEN}
    unfixed = {x.digits: x.unseen for x in lengths if x.unseen > MOST_UNSEEN}
    nearly = [x.digits for x in lengths if 0 < x.unseen <= MOST_UNSEEN]
    known = {n: x.known for x in lengths if x.known and (n := x.digits) in unfixed}
    if inferred:
        yield cite("joint support", inferred_text(learned.support, inferred))
    if unfixed:
        yield cite("joint support", unfixed_text(learned.support, unfixed, known), leaves_open=True)
    if nearly or known:
        at = f": at {lengths_text(nearly)}" if nearly else ""
        what = (
            "An exact accuracy is said, give or take the inputs that are open, where these are at "
            f"most {percent_text(MOST_UNSEEN)}{at}"
        )
        yield cite("joint support", what, leaves_open=True)
    yield from _two_candidates(lengths)
    given_up = ", ".join(str(x.digits) for x in lengths if not x.counted)
    if given_up:
        what = f"Not counted, for it would take too long: the accuracy at {given_up} digit(s)."
        yield cite("count", what)


def _two_candidates(lengths: tuple[LengthPrediction, ...]) -> Iterator[Step]:
    """The step that names both functions: at which lengths they differ, at which they do not."""
    differ, alike = ([x.digits for x in lengths if len(x.candidates) == many] for many in (2, 1))
    if differ or alike:
        said = [f"at {lengths_text(differ)} one of the two"] * bool(differ)
        said += [f"at {lengths_text(alike)} both are right"] * bool(alike)
        what = (
            "A stable model is expected to compute the task, or f^, in which digits that training "
            f"kept constant stay: {'; '.join(said)}. Nothing is claimed by this"
        )
        yield cite("two candidates", what)
