"""The prediction for one setting: verdicts, exact accuracies, learned function, derivation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any

from theory.accuracy import accuracy, known_accuracy, shown_share, touched, unseen_share
from theory.derivation import (
    BLIND,
    CONTINUES,
    NOTHING,
    NOTHING_FOLLOWS,
    SAME,
    SUPPORT,
    Step,
    beyond,
    cite,
    support_step,
)
from theory.domains import Domain
from theory.formulas import learned_formula, task_formula
from theory.leaps import FEW, leaps
from theory.learned import LearnedFunction
from theory.properties import base_aligned
from theory.published import Published, published
from theory.settings import Setting
from theory.support import support
from theory.tasks import InvalidInput, Task

GENERALIZES, PARTIAL, FAILS, UNDETERMINED = "generalizes", "partial", "fails", "undetermined"
EXACT, AT_MOST, NO_CLAIM = "exact", "at most", "none"
MOST_UNSEEN = Fraction(1, 20)
"""The largest share of a test domain on which training may leave the answer open.

Up to here the accuracy of the learned function is given (it is then right to within this
share); above, the length is undetermined.
"""


@dataclass(frozen=True)
class LengthPrediction:
    """What is predicted at one test length.

    Args:
        accuracy: exact, or None where undetermined.
        unseen: the share of the test domain whose answer training does not fix.
        at_most: what the accuracy cannot exceed, whatever the model does on that share.
        inferred: the share whose digits training never showed together, and whose answer it
            fixes all the same (joint support).
        extends: the accuracy rests on what the learned function does with digits that training
            never showed, at their place or together.
    """

    digits: int
    direction: str
    status: str
    accuracy: Fraction | None
    unseen: Fraction = Fraction(0)
    at_most: Fraction = Fraction(1)
    inferred: Fraction = Fraction(0)
    extends: bool = False


@dataclass(frozen=True)
class Prediction:
    """The prediction for a setting, and why.

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
    def leaks(self) -> bool:
        """Whether the learned function may be met in part only (rule ``leak``)."""
        s = self.setting
        extends = s.encoding.own_positions and any(x.extends for x in self.lengths)
        return extends and (not s.task.is_linear or bool(leaps(s.task, s.base, s.train)))

    def claim(self, x: LengthPrediction) -> str:
        """What is claimed of a model at a length: its accuracy ``exact``, ``at most``, or ``none``."""
        if x.status != UNDETERMINED and not (x.extends and self.leaks):
            return EXACT
        return AT_MOST if x.at_most < 1 else NO_CLAIM

    @cached_property
    def derivation(self) -> tuple[Step, ...]:
        """Every step, from the premises to what is claimed."""
        if not self.leaks:
            return self.steps
        linear = self.setting.task.is_linear
        why = f"asks for more than {FEW} digits at once" if linear else "multiplies digits"
        what = (
            f"The task {why}. Where an input needs what training never showed, the accuracy is that of the "
            "learned function or less."
        )
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
        from theory.text import setting_text

        verdicts = ", ".join(f"{d} {self.verdict(d)}" for d in ("downward", "upward"))
        return f"<Prediction: {setting_text(self.setting)}: {verdicts}>"

    def _repr_markdown_(self) -> str:
        from theory.text import markdown

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
                    "accuracy": None if x.accuracy is None else str(x.accuracy),
                    "accuracy_float": None if x.accuracy is None else float(x.accuracy),
                    "unseen_share": str(x.unseen),
                    "at_most": str(x.at_most),
                    "claim": self.claim(x),
                }
                for x in self.lengths
            ],
            "derivation": [dict(vars(step)) for step in self.derivation],
        }


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

    Raises:
        NotCountable: an accuracy is asked for that cannot be counted exactly.
        InvalidInput: the task is defined nowhere on the training or a test domain.
    """
    task, base, train = setting.task, setting.base, setting.train
    shown = support(task, train, base)
    if not shown.boxes:
        raise InvalidInput(f"the task is defined nowhere on {train.text()}")
    upward, reason = beyond(setting, shown)
    if not train.likely_whole(base, task.operands):
        what = f"{train.text()} may lack digits that the domain has."
        upward, reason = BLIND, (cite("sample", what),)
    reading = LearnedFunction(task, shown, base)
    lengths, unseen = _lengths(
        reading, train, setting.test_lengths, setting.test_kind, upward, _base_aligned(reading)
    )
    return Prediction(
        setting,
        published(task, setting.encoding, base, train),
        lengths,
        (
            cite("convergence", f"The model is right on held-out {train.text()}."),
            support_step(task.names, shown),
            *reason,
            *unseen,
        ),
        reading if upward in (SUPPORT, SAME) else None,
        upward == CONTINUES,
    )


@lru_cache(maxsize=4096)
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
    lengths = tuple(_at_length(reading, train, Domain((n,), kind), upward, aligned) for n in tests)
    return lengths, tuple(
        cite("joint support", text) for text in _joint_texts(reading.task, train, lengths)
    )


def _at_length(
    reading: LearnedFunction, train: Domain, test: Domain, upward: str, aligned: bool
) -> LengthPrediction:
    [length] = test.lengths
    direction = train.direction(length)
    if upward == CONTINUES or train.covers(length, test.kind):
        return LengthPrediction(length, direction, GENERALIZES, Fraction(1))
    if upward == BLIND:
        return LengthPrediction(length, direction, UNDETERMINED, None)
    unseen = unseen_share(reading, test)
    if upward == NOTHING and _replaces(reading, test):
        return LengthPrediction(length, direction, UNDETERMINED, None, unseen)
    if unseen > MOST_UNSEEN:
        at_most = known_accuracy(reading, test) + unseen
        return LengthPrediction(length, direction, UNDETERMINED, None, unseen, at_most)
    value = Fraction(1) if aligned else accuracy(reading, test)
    status = GENERALIZES if value == 1 else FAILS if value == 0 else PARTIAL
    inferred = max(Fraction(0), 1 - shown_share(reading, test) - unseen)
    at_most = min(Fraction(1), value + unseen)
    extends = inferred > MOST_UNSEEN or (upward == SUPPORT and _replaces(reading, test))
    return LengthPrediction(length, direction, status, value, unseen, at_most, inferred, extends)


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


def _joint_texts(task: Task, train: Domain, lengths: tuple[LengthPrediction, ...]) -> Iterator[str]:
    """What joint support says of the lengths that ask for digits never shown together."""
    borrows = ", or that borrow from ignored ones" if task.needs_order else ""
    for share, what in (
        (
            "inferred",
            "Never shown together by {train}: digits of {where}. Still fixed: they enter one "
            "by one, or have equivalents.",
        ),
        (
            "unseen",
            "Never shown by {train}: digits, or combinations of digits that the task makes "
            f"interact{borrows}, of {{where}}. " + NOTHING_FOLLOWS,
        ),
    ):
        found = {x.digits: getattr(x, share) for x in lengths}
        where = _where({n: f"{float(x):.0%}" for n, x in found.items() if x > MOST_UNSEEN})
        if where:
            yield what.format(train=train.text(), where=where)


def _where(shares: dict[int, str]) -> str:
    """``length 1 (9% of the inputs), lengths 4..6 (100% of the inputs)``."""
    parts = []
    for share, group in groupby(shares.items(), key=lambda item: item[1]):
        first, *_, last = 2 * [n for n, _ in group]
        at = f"length {first}" if first == last else f"lengths {first}..{last}"
        parts.append(f"{at} ({share} of the inputs)")
    return ", ".join(parts)
