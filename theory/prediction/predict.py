"""The prediction for one setting: verdicts, exact accuracies, learned function, derivation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.counting.accuracy import accuracy, known_accuracy, shown_share, touched, unseen_share
from theory.counting.witnesses import witnesses
from theory.errors import InvalidInput, NotCountable
from theory.inference.derivation import (
    BLIND,
    CONTINUES,
    NOTHING,
    SAME,
    SUPPORT,
    Step,
    beyond,
    cite,
    support_step,
)
from theory.inference.learned import LearnedFunction
from theory.inference.support import Support
from theory.learning.leaps import leaps
from theory.numbers.effort import budget, remembered, spend
from theory.prediction.formulas import learned_formula, task_formula
from theory.prediction.published import Published, published
from theory.prediction.unseen_text import inferred_text, leak_text, unfixed_text
from theory.setting.domains import Domain
from theory.setting.properties import base_aligned
from theory.setting.settings import Setting

GENERALIZES, PARTIAL, FAILS, UNDETERMINED = "generalizes", "partial", "fails", "undetermined"
EXACT, AT_MOST, NO_CLAIM = "exact", "at most", "none"
MOST_UNSEEN = Fraction(1, 20)
"""The largest share of a test domain on which training may leave the answer open.

Up to here the accuracy of the learned function is given (it is then right to within this
share); above, the length is undetermined.
"""
MOST_WORK = 1_500_000_000
"""Steps that the counts of one prediction may take (some seconds)."""
MOST_WITNESSED = 300_000_000
"""Steps that single inputs may take where a count is given up."""


@dataclass(frozen=True)
class LengthPrediction:
    """What is predicted at one test length.

    Args:
        accuracy: exact; None where undetermined, or partial and too large to be counted.
        unseen_share: the share of the test domain whose answer training does not fix; None where
            there is no learned function, or it is too large to be counted.
        at_most: what the accuracy cannot exceed, whatever the model does on that share.
        inferred: the share whose digits training never showed together, and whose answer it
            fixes all the same (joint support).
        extends: the accuracy rests on what the learned function does with digits that training
            never showed, at their place or together.
        learned_accuracy: how often the learned function is right on the whole test domain,
            whatever is claimed; None where there is none, or it is too large to be counted.
        counted: False where the accuracy or its bound would take too long to be counted.
    """

    digits: int
    direction: str
    status: str
    accuracy: Fraction | None
    unseen_share: Fraction | None = Fraction(0)
    at_most: Fraction = Fraction(1)
    inferred: Fraction = Fraction(0)
    extends: bool = False
    learned_accuracy: Fraction | None = None
    counted: bool = True

    @property
    def unseen(self) -> Fraction:
        """``unseen_share``, or 0 where it is not known."""
        return self.unseen_share or Fraction(0)


@dataclass(frozen=True)
class Prediction:
    """The prediction for a setting, and why.

    A claim rests only on premises that were decided: what is not known is taken neither for yes
    nor for no, and nothing is claimed that needs it.

    Args:
        steps: from the premises to the accuracy of the learned function.
        learned: the function that the support rule says was learned, None where it does
            not follow.
        continues: the local rule goes on at every length, so the task itself was learned.
    """

    setting: Setting
    published: Published
    lengths: tuple[LengthPrediction, ...]
    steps: tuple[Step, ...]
    learned: LearnedFunction | None = field(repr=False)
    continues: bool = False

    def verdict(self, direction: str) -> str:
        """``generalizes``, ``fails``, ``undetermined``, or ``none`` without such a length."""
        return _verdict([x for x in self.lengths if x.direction == direction])

    @cached_property
    def leaks(self) -> bool | None:
        """Whether the learned function may be met in part only, where training showed too little.

        True by the rule ``leak``, for an encoding with a learned vector per position; False where no
        length asks for anything that training never showed, or the task asks for few digits at once;
        None where that is not decided: whether the task leaps was not counted, or it does
        and the encoding is another, of which the rule does not speak.
        """
        s = self.setting
        if not any(x.extends for x in self.lengths):
            return False
        more = True if not s.task.is_linear else leaps(s.task, s.base, s.train)
        return more if s.encoding.own_positions else (None if more else more)

    def claim(self, x: LengthPrediction) -> str:
        """What is claimed of a model at a length: its accuracy ``exact``, ``at most``, or ``none``.

        A claim rests only on premises that were decided.  What is exact rests, where a length asks for
        what training never showed, on the task not leaking; a bound holds whether it leaks or
        not, of an encoding with a learned vector per position.
        """
        if x.accuracy is not None and not (x.extends and self.leaks is not False):
            return EXACT
        bounded = x.at_most < 1 and (self.leaks is False or self.setting.encoding.own_positions)
        return AT_MOST if bounded else NO_CLAIM

    @cached_property
    def derivation(self) -> tuple[Step, ...]:
        """Every step, from the premises to what is claimed."""
        if self.leaks is False:
            return self.steps
        s = self.setting
        extending = [x for x in self.lengths if x.extends]
        claims = {self.claim(x) for x in extending}
        counted = not s.task.is_linear or leaps(s.task, s.base, s.train) is not None
        directions = {x.direction for x in extending}
        what = leak_text(s, directions, AT_MOST in claims, NO_CLAIM in claims, counted)
        return (*self.steps, cite("leak", what))

    @cached_property
    def learned_text(self) -> str | None:
        """The learned function, as SymPy writes it."""
        if self.continues:
            return task_formula(self.setting.task)
        return None if self.learned is None else learned_formula(self.learned)

    def published_verdict(self, direction: str) -> str:
        """The paper's verdict, ``none`` where no test length lies in that direction."""
        if not any(x.direction == direction for x in self.lengths):
            return "none"
        return getattr(self.published, direction)

    def __repr__(self) -> str:
        from theory.display.text import setting_text

        verdicts = ", ".join(f"{d} {self.verdict(d)}" for d in ("downward", "upward"))
        return f"<Prediction: {setting_text(self.setting)}: {verdicts}>"

    def _repr_markdown_(self) -> str:
        from theory.display.text import markdown

        return markdown(self)

    def to_json(self) -> dict[str, Any]:
        """The object that ``arith predict --json`` prints."""
        s = self.setting
        directions = ("downward", "upward")
        return {
            "task": s.task.name,
            "expression": task_formula(s.task),
            "modulus": s.task.modulus,
            "base": s.base,
            "encoding": s.encoding.name,
            "layout": s.layout.name,
            "window": s.window,
            "train": _train_json(s.train),
            "test_domain": s.test_kind,
            "verdict": {d: self.verdict(d) for d in directions},
            "published": {
                **{d: self.published_verdict(d) for d in directions},
                "theorem": self.published.theorem,
            },
            "learned_function": self.learned_text,
            "lengths": [
                {
                    "digits": x.digits,
                    "direction": x.direction,
                    "status": x.status,
                    "accuracy": _text(x.accuracy),
                    "accuracy_float": None if x.accuracy is None else float(x.accuracy),
                    "learned_accuracy": _text(x.learned_accuracy),
                    "unseen_share": _text(x.unseen_share),
                    "at_most": str(x.at_most),
                    "claim": self.claim(x),
                }
                for x in self.lengths
            ],
            "derivation": [step.to_json() for step in self.derivation],
        }


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _train_json(train: Domain) -> dict[str, Any]:
    """The training domain; priming, allowed digits and a limit only where there are any."""
    data: dict[str, Any] = {"digits": list(train.lengths), "domain": train.kind}
    if train.priming:
        data["priming"] = {str(n): str(share) for n, share in train.priming}
    if train.allowed:
        data["allowed"] = {str(i): list(digits) for i, digits in train.allowed}
    if train.pairs is not None:
        data["pairs"] = train.pairs
    return data


def _verdict(lengths: list[LengthPrediction]) -> str:
    if not lengths:
        return "none"
    if all(x.status == GENERALIZES for x in lengths):
        return GENERALIZES
    if any(x.at_most < 1 for x in lengths):
        return FAILS
    return UNDETERMINED


def predict(setting: Setting) -> Prediction:
    """The prediction for a setting.

    What would take more than ``MOST_WORK`` steps is not counted: the accuracy is then None, and
    single inputs decide what they can (``theory.counting.witnesses``).

    Raises:
        InvalidInput: the task is defined nowhere on the training or a test domain.
        TooMuchWork: a budget around it is spent.
    """
    task, base, train = setting.task, setting.base, setting.train
    spend(500_000 + 50_000 * len(setting.test_lengths))
    shown = Support(task, train, base)
    if not shown.boxes:
        raise InvalidInput(f"the task is defined nowhere on {train.text()}")
    try:
        with budget(MOST_WORK):
            upward, reason = beyond(setting, shown)
    except NotCountable:
        what = "Whether the digits that training showed fix the rule was not decided."
        upward, reason = BLIND, (cite("count", what),)
    if not train.likely_whole(base, task.operands):
        what = f"{train.text()} may lack digits that the domain has."
        upward, reason = BLIND, (cite("sample", what, leaves_open=True),)
    reading = LearnedFunction(shown)
    lengths, unseen = _lengths(
        reading, train, setting.test_lengths, setting.test_kind, upward, _base_aligned(reading)
    )
    return Prediction(
        setting,
        published(task, setting.encoding, base, train),
        lengths,
        (
            cite("convergence", f"Premise: the model is right on held-out {train.text()}."),
            support_step(shown),
            *reason,
            *unseen,
        ),
        reading if upward in (SUPPORT, SAME) else None,
        upward == CONTINUES,
    )


@remembered(4096)
def _lengths(
    reading: LearnedFunction,
    train: Domain,
    tests: tuple[int, ...],
    kind: str,
    upward: str,
    aligned: bool,
) -> tuple[tuple[LengthPrediction, ...], tuple[Step, ...]]:
    """The prediction at each test length, and the steps for digits never shown together.

    Encoding and layout enter by ``upward`` only, so settings that differ in them share this.

    Args:
        upward: what ``beyond`` says of the digits that training kept constant.
        aligned: the positions that are read hold everything that counts modulo p.
    """
    domains = [Domain((n,), kind) for n in tests]
    with budget(MOST_WORK):
        found = [_at_length(reading, train, test, upward, aligned) for test in domains]
    with budget(MOST_WITNESSED):
        lengths = tuple(
            x if x.counted else _witnessed(reading, test, x)
            for x, test in zip(found, domains, strict=True)
        )
    steps = list(_joint_steps(reading, train, lengths))
    given_up = ", ".join(str(x.digits) for x in lengths if not x.counted)
    if given_up:
        what = f"Not counted, for it would take too long: the accuracy at {given_up} digit(s)."
        steps.append(cite("count", what))
    return lengths, tuple(steps)


def _at_length(
    reading: LearnedFunction, train: Domain, test: Domain, upward: str, aligned: bool
) -> LengthPrediction:
    [length] = test.lengths
    direction = train.direction(length)
    one = Fraction(1)
    if upward == CONTINUES or train.covers(length, test.kind):
        return LengthPrediction(length, direction, GENERALIZES, one, learned_accuracy=one)
    if upward == BLIND:
        return LengthPrediction(length, direction, UNDETERMINED, None, None)
    unseen = _counted(unseen_share, reading, test)
    replaces = _replaces(reading, test)
    if upward == NOTHING and replaces:
        return LengthPrediction(length, direction, UNDETERMINED, None, unseen)
    value = one if aligned else _counted(accuracy, reading, test)
    if unseen is None or unseen > MOST_UNSEEN:
        known = None if unseen is None else _counted(known_accuracy, reading, test)
        surely = value if known is None else known  # right where training fixes the answer
        at_most = one if unseen is None or surely is None else min(one, surely + unseen)
        own = None if upward == NOTHING else value
        return LengthPrediction(
            *(length, direction, UNDETERMINED, None, unseen, at_most),
            learned_accuracy=own,
            counted=known is not None,
        )
    if value is None:
        return LengthPrediction(length, direction, UNDETERMINED, None, unseen, counted=False)
    status = GENERALIZES if value == 1 else FAILS if value == 0 else PARTIAL
    shown = _counted(shown_share, reading, test)
    inferred = Fraction(0) if shown is None else max(Fraction(0), 1 - shown - unseen)
    at_most = min(one, value + unseen)
    extends = shown is None or inferred > MOST_UNSEEN or (upward == SUPPORT and replaces)
    return LengthPrediction(
        *(length, direction, status, value, unseen, at_most, inferred, extends, value)
    )


def _counted(
    count: Callable[[LearnedFunction, Domain], Fraction], reading: LearnedFunction, test: Domain
) -> Fraction | None:
    """A share, or None where it would take too long to be counted."""
    try:
        return count(reading, test)
    except NotCountable:
        return None


def _witnessed(reading: LearnedFunction, test: Domain, x: LengthPrediction) -> LengthPrediction:
    """What single inputs decide at a length that was not counted."""
    if not _replaces(reading, test):
        return x  # f and f^ are one there
    found = witnesses(reading, test)
    is_fixed = x.unseen_share is not None and x.unseen_share <= MOST_UNSEEN
    status = PARTIAL if is_fixed and found.right and found.at_most < 1 else x.status
    return replace(x, status=status, at_most=min(x.at_most, found.at_most))


def _replaces(reading: LearnedFunction, test: Domain) -> bool:
    """Whether a test asks for digits where training always showed one other."""
    boxes = test.boxes(reading.base, reading.task.operands)
    return any(touched(reading.support, box, reading.task) for box in boxes)


def _base_aligned(reading: LearnedFunction) -> bool:
    """Whether the positions that are read hold everything that counts modulo p."""
    task = reading.task
    k = None if task.full_modulus is None else base_aligned(task.full_modulus, reading.base)
    reads = [reading.support.read_length(j) for j in range(task.operands)]
    return k is not None and all(n is not None and n >= k for n in reads)


def _joint_steps(
    reading: LearnedFunction, train: Domain, lengths: tuple[LengthPrediction, ...]
) -> Iterator[Step]:
    """What joint support says of the lengths that ask for digits never shown together."""
    for share, say in (("inferred", inferred_text), ("unseen", unfixed_text)):
        found = [x for x in lengths if getattr(x, share) > MOST_UNSEEN]
        if found:
            are_shorter = all(x.direction == "downward" for x in found)
            what = say(reading, train, {x.digits: getattr(x, share) for x in found}, are_shorter)
            yield cite("joint support", what, leaves_open=share == "unseen")
