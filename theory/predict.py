"""The prediction for one setting: verdicts, exact accuracies, learned function, derivation."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.accuracy import accuracy, known_accuracy, unseen_share
from theory.domains import Domain
from theory.encodings import Encoding
from theory.identifiability import (
    Continuation,
    blind,
    continuation,
    out_of_sight,
    shared_offset,
)
from theory.layouts import Layout
from theory.learned import LearnedFunction
from theory.properties import base_aligned, digit_causal, residual_modulus
from theory.published import Published, published
from theory.rules import RULES
from theory.support import Support, support
from theory.tasks import InvalidInput, Task, expression_text

GENERALIZES, PARTIAL, FAILS, UNDETERMINED = "generalizes", "partial", "fails", "undetermined"
LARGEST_BASE = 256
MOST_UNSEEN = Fraction(1, 20)
"""The largest share of a test domain on which training may leave the answer open.

Up to here the accuracy of the learned function is given (it is then right to within this
share); above, the length is undetermined.
"""


@dataclass(frozen=True)
class Setting:
    """Everything that a prediction depends on.

    Args:
        test_lengths: the digits to test; None for 1 to the longest training length + 3.
        window: how many tokens a query sees, itself included; 0 is the whole prefix.

    Raises:
        InvalidInput: a base below 2, a negative window, a test length below 1, or an
            interleaved layout for a task that is not digit causal.
    """

    task: Task
    base: int
    encoding: Encoding
    layout: Layout
    train: Domain
    window: int = 0
    test_lengths: tuple[int, ...] = ()
    test_kind: str = "longest"

    def __post_init__(self) -> None:
        if not 2 <= self.base <= LARGEST_BASE:
            raise InvalidInput(f"base must be between 2 and {LARGEST_BASE}, not {self.base}")
        rest = self.task.divisor
        while rest % self.base == 0:
            rest //= self.base
        if rest != 1:
            raise InvalidInput(
                f"'// {self.task.divisor}' has to divide by a power of the base {self.base}"
            )
        if self.window < 0:
            raise InvalidInput(f"window must be 0 (the whole prefix) or more, not {self.window}")
        shown = self.train.every_length
        lengths = self.test_lengths or tuple(range(1, max(shown) + 4))
        object.__setattr__(self, "test_lengths", Domain(lengths, self.test_kind).lengths)
        if self.layout.interleaved:
            causal, witness = digit_causal(self.task, self.base)
            if not causal:
                assert witness is not None
                raise InvalidInput(
                    f"the interleaved layout needs a digit causal task; in base {self.base} "
                    f"f{witness.first} and f{witness.second} agree on the operands' lowest "
                    f"{witness.digits} digits and differ on the result's"
                )

    @property
    def digits(self) -> int:
        """The longest operand that is written."""
        return max(*self.test_lengths, *self.train.every_length)

    def test(self, length: int) -> Domain:
        """The test domain of one length."""
        return Domain((length,), self.test_kind)

    def is_premise(self, length: int) -> bool:
        """Whether a test at this length asks for what was trained, so that the premise covers it."""
        same = self.test_kind == self.train.kind and not self.train.allowed
        return same and length in self.train.every_length

    def direction(self, length: int) -> str:
        """``downward``, ``in_domain``, ``between`` or ``upward``."""
        shown = self.train.every_length
        if length in shown:
            return "in_domain"
        if length < min(shown):
            return "downward"
        return "upward" if length > max(shown) else "between"


@dataclass(frozen=True)
class Step:
    """One step of a derivation: the rule, what it says here, and its source."""

    rule: str
    statement: str
    source: str


@dataclass(frozen=True)
class LengthPrediction:
    """What is predicted at one test length.

    Args:
        accuracy: exact, or None where undetermined.
        unseen: the share of the test domain whose answer training does not fix.
        at_most: what the accuracy cannot exceed, whatever the model does on that share.
    """

    digits: int
    direction: str
    status: str
    accuracy: Fraction | None
    unseen: Fraction = Fraction(0)
    at_most: Fraction = Fraction(1)


@dataclass(frozen=True)
class Prediction:
    """The prediction for a setting, and why.

    Args:
        learned: the function that the support rule says was learned, None where it does
            not follow.
        continues: the local rule goes on at every length, so the task itself was learned.
    """

    setting: Setting
    published: Published
    lengths: tuple[LengthPrediction, ...]
    derivation: tuple[Step, ...]
    learned: LearnedFunction | None = field(repr=False)
    continues: bool = False

    def verdict(self, direction: str) -> str:
        """``generalizes``, ``fails``, ``undetermined``, or ``none`` without such a length."""
        return _verdict([x for x in self.lengths if x.direction == direction])

    @cached_property
    def learned_text(self) -> str | None:
        """The learned function, as SymPy writes it."""
        if self.continues:
            return expression_text(self.setting.task.expression)
        return None if self.learned is None else expression_text(self.learned.expression)

    def published_verdict(self, direction: str) -> str:
        """The paper's verdict, ``none`` where no test length lies in that direction."""
        if not any(x.direction == direction for x in self.lengths):
            return "none"
        return getattr(self.published, direction)

    def _repr_markdown_(self) -> str:
        from theory.text import markdown

        return markdown(self)

    def to_json(self) -> dict[str, Any]:
        """The object that ``arith predict --json`` prints."""
        s = self.setting
        directions = ("downward", "upward")
        return {
            "task": s.task.name,
            "expression": expression_text(s.task.expression),
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
                }
                for x in self.lengths
            ],
            "derivation": [vars(step) for step in self.derivation],
        }


def _train_json(train: Domain) -> dict[str, Any]:
    """The training domain; priming and allowed digits only where there are any."""
    data: dict[str, Any] = {"digits": list(train.lengths), "domain": train.kind}
    if train.priming:
        data["priming"] = {str(n): str(share) for n, share in train.priming}
    if train.allowed:
        data["allowed"] = {str(i): list(digits) for i, digits in train.allowed}
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
    task, base = setting.task, setting.base
    shown = support(task, setting.train, base)
    if not shown.boxes:
        raise InvalidInput(f"the task is defined nowhere on {setting.train.text()}")
    steps = [_cite("convergence", f"The model is right on held-out {setting.train.text()}.")]
    steps += _support_steps(setting, shown)
    upward, reason = _beyond(setting, shown)
    steps += reason
    reading = LearnedFunction(task, shown, base)
    lengths = tuple(_at_length(setting, n, reading, upward) for n in setting.test_lengths)
    if any(x.unseen > MOST_UNSEEN for x in lengths):
        steps.append(_cite("joint support", _joint_text(setting, lengths)))
    learned = reading if upward in (_SUPPORT, _SAME) else None
    return Prediction(
        setting,
        published(task, setting.encoding, base, max(setting.train.every_length)),
        lengths,
        tuple(steps),
        learned,
        upward == _CONTINUES,
    )


_SUPPORT, _CONTINUES, _SAME, _NOTHING, _BLIND = "support", "continues", "same", "nothing", "blind"


def _beyond(setting: Setting, shown: Support) -> tuple[str, list[Step]]:
    """What happens to digits at positions that training kept constant, and the steps to it."""
    task, base, encoding = setting.task, setting.base, setting.encoding
    place = (setting.layout, setting.window, setting.digits)
    cannot_see = blind(task, base, *place, shown)
    if cannot_see:
        return _BLIND, [_cite("blind", cannot_see + ".")]
    if out_of_sight(task, base, *place, shown):
        return _SAME, [_cite("out of sight", "No query sees a digit that training kept constant.")]
    if encoding.reference == "absolute" and encoding.own_parameter:
        return _SUPPORT, _modulus_steps(setting)
    goes_on = continuation(
        task,
        base,
        setting.layout,
        encoding,
        setting.window,
        max(setting.train.every_length),
        setting.digits,
    )
    if goes_on.outcome == "forced":
        return _CONTINUES, [_cite("continuation", goes_on.reason + ".")]
    if not encoding.own_parameter:
        return _NOTHING, [*_why_not(goes_on), _cite("formula", RULES["formula"].statement)]
    if goes_on.outcome == "open":
        return _NOTHING, _why_not(goes_on)
    shared = shared_offset(task, base, *place, shown)
    if shared:
        return _NOTHING, [_cite("shared offset", shared[0].upper() + shared[1:] + ".")]
    return _SUPPORT, [
        _cite("one candidate", goes_on.reason[0].upper() + goes_on.reason[1:] + "."),
        *_modulus_steps(setting),
    ]


def _why_not(goes_on: Continuation) -> list[Step]:
    return [_cite("landmark", goes_on.reason + ".")] if goes_on.outcome == "open" else []


def _at_length(
    setting: Setting, length: int, reading: LearnedFunction, upward: str
) -> LengthPrediction:
    direction = setting.direction(length)
    test = setting.test(length)
    if setting.is_premise(length) and upward != _BLIND:
        return LengthPrediction(length, direction, GENERALIZES, Fraction(1))
    if upward == _BLIND:
        return LengthPrediction(length, direction, UNDETERMINED, None)
    if upward == _CONTINUES:
        return LengthPrediction(length, direction, GENERALIZES, Fraction(1))
    unseen = unseen_share(reading, test)
    if direction == "upward" and upward == _NOTHING:
        return LengthPrediction(length, direction, UNDETERMINED, None, unseen)
    if unseen > MOST_UNSEEN:
        at_most = known_accuracy(reading, test) + unseen
        return LengthPrediction(length, direction, UNDETERMINED, None, unseen, at_most)
    value = Fraction(1) if _base_aligned(setting, reading) else accuracy(reading, test)
    status = GENERALIZES if value == 1 else FAILS if value == 0 else PARTIAL
    return LengthPrediction(length, direction, status, value, unseen, value)


def _base_aligned(setting: Setting, reading: LearnedFunction) -> bool:
    """Whether the positions that are read hold everything that counts modulo p."""
    task, base = setting.task, setting.base
    k = None if task.full_modulus is None else base_aligned(task.full_modulus, base)
    reads = [reading.support.read_length(j) for j in range(task.operands)]
    return k is not None and all(n is not None and n >= k for n in reads)


def _cite(rule: str, statement: str) -> Step:
    return Step(rule, statement, RULES[rule].source)


def _support_steps(setting: Setting, shown: Support) -> list[Step]:
    names = setting.task.names
    lengths = [shown.read_length(j) for j in range(setting.task.operands)]
    if len(set(lengths)) == 1 and lengths[0] is not None:
        what = (
            f"Positions 1..{lengths[0]} of {' and '.join(names)} varied in training; above, only 0."
        )
    else:
        what = (
            "Read and ignored positions: "
            + "; ".join(
                f"{name} "
                + " ".join(
                    f"{i}:{'read' if (c := shown.constant((j, i))) is None else f'always {c}'}"
                    for i in range(1, shown.width + 1)
                )
                for j, name in enumerate(names)
            )
            + "."
        )
    return [_cite("support", what)]


def _modulus_steps(setting: Setting) -> list[Step]:
    task, base, n = setting.task, setting.base, max(setting.train.every_length)
    if task.full_modulus is None:
        return []
    k = base_aligned(task.full_modulus, base)
    if k is not None and k <= n:
        return [
            _cite(
                "base aligned",
                f"{task.full_modulus} divides {base}^{k}, and {n} >= {k} digits were trained.",
            )
        ]
    left = residual_modulus(task.full_modulus, base, n)
    return [
        _cite(
            "residual modulus",
            f"p' = {task.full_modulus} / gcd({task.full_modulus}, {base}^{n}) = {left}: the digits above "
            f"{n} matter modulo {left}.",
        )
    ]


def _joint_text(setting: Setting, lengths: tuple[LengthPrediction, ...]) -> str:
    which = ", ".join(
        f"{x.digits} digit(s) on {float(x.unseen):.0%} of the inputs"
        for x in lengths
        if x.unseen > MOST_UNSEEN
    )
    return (
        f"Asked for but never shown by {setting.train.text()}: digits, or combinations of digits "
        f"that the task makes interact, at {which}. Nothing follows there."
    )
