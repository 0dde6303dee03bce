"""The prediction for one setting: verdicts, exact accuracies, learned function, derivation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from arith.theory.errors import InvalidInput, NotCountable
from arith.theory.inference.derivation import (
    Beyond,
    Function,
    Step,
    beyond,
    beyond_lengths,
    cite,
    support_step,
)
from arith.theory.inference.learned import LearnedFunction
from arith.theory.inference.rule import Basis
from arith.theory.inference.support import Support, support
from arith.theory.numbers.effort import LIMIT, PART, budget, spend
from arith.theory.numbers.exact_text import exact_text, text_and_float
from arith.theory.prediction.expressibility import expressibility
from arith.theory.prediction.interleaved import interleaved_lengths
from arith.theory.prediction.lengths import LengthPrediction, predict_lengths
from arith.theory.prediction.natural import natural_lengths
from arith.theory.prediction.outcomes import Claim, Status
from arith.theory.prediction.published import NATURAL_LENGTHS, Published, published
from arith.theory.setting.directions import EXTRAPOLATING, Direction
from arith.theory.setting.domains import MISSED
from arith.theory.setting.requests import setting_json
from arith.theory.setting.settings import Setting
from arith.theory.setting.tasks import Task

_INDIFFERENT = "Premise: noise at ignored positions changes no answer."
_STEADY = "Premise: disturbing all digits a little changes no answer."


@dataclass(frozen=True)
class Prediction:
    """The prediction for a setting, and why.

    A claim rests only on premises that were decided: what is not known is taken neither for yes
    nor for no, and nothing is claimed that needs it.

    Args:
        derivation: every step, from the premises to the accuracy.
        learned: by the support rule, None where that does not follow.
        continues: training shows all that longer inputs ask for, so the task itself was learned.
    """

    setting: Setting
    published: Published
    lengths: tuple[LengthPrediction, ...]
    derivation: tuple[Step, ...]
    learned: LearnedFunction | None = field(repr=False)
    continues: bool = False

    def verdict(self, direction: Direction) -> Status:
        """Whether the learned function generalizes to all test lengths of a direction."""
        lengths = [x for x in self.lengths if x.direction == direction]
        if not lengths:
            return Status.NOT_TESTED
        if all(x.status == Status.GENERALIZES for x in lengths):
            return Status.GENERALIZES
        return Status.FAILS if any(x.at_most < 1 for x in lengths) else Status.UNDETERMINED

    @cached_property
    def learned_text(self) -> str | None:
        """The learned function, as SymPy writes it."""
        if self.continues:
            return self.setting.task.formula()
        return None if self.learned is None else self.learned.formula

    @property
    def observed(self) -> list[str]:
        """The rules that claims rest on and that are not proved."""
        claimed = [x for x in self.lengths if x.claim != Claim.NONE]
        if all(x.proved or self.setting.is_premise(x.digits) for x in claimed):
            return []
        return list(dict.fromkeys(x.rule for x in self.derivation if x.basis == Basis.OBSERVED))

    def published_verdict(self, direction: Direction) -> Status:
        """The paper's verdict on a direction of ``EXTRAPOLATING``."""
        if not any(x.direction == direction for x in self.lengths):
            return Status.NOT_TESTED
        is_down = direction == Direction.DOWNWARD
        return self.published.downward if is_down else self.published.upward

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{d} {self.verdict(d)}" for d in EXTRAPOLATING)
        return f"<Prediction: {self.setting.text()}: {verdicts}>"

    def to_json(self) -> dict[str, Any]:
        """The prediction as a JSON object."""
        s, written = self.setting, setting_json(self.setting).items()
        train = {n.removeprefix("train_"): x for n, x in written if n.startswith("train_")}
        beside = [asdict(x) for x in expressibility(s)]
        return {
            "task": s.task.name,
            "expression": s.task.formula(),
            "modulus": s.task.modulus,
            "base": s.base,
            "encoding": s.encoding.name,
            "layout": s.layout.name,
            "window": s.window,
            "width": s.width,
            "layers": s.layers,
            **({"padding": s.padding} if s.natural else {}),
            **({"starts": s.starts} if s.random_starts else {}),
            "train": train,
            "test_domain": s.test_kind,
            "verdict": {d: self.verdict(d) for d in EXTRAPOLATING},
            "published": {
                **{d: self.published_verdict(d) for d in EXTRAPOLATING},
                "theorem": self.published.theorem,
            },
            **({"expressibility": beside} if beside else {}),
            "learned_function": self.learned_text,
            "lengths": [
                {
                    "digits": x.digits,
                    "direction": x.direction,
                    "status": x.status,
                    **text_and_float("accuracy", x.accuracy),
                    **text_and_float("at_most", x.at_most),
                    **text_and_float("at_least", x.at_least),
                    **text_and_float("learned_accuracy", x.learned_accuracy),
                    **text_and_float("unseen_share", x.unseen_share),
                    "claim": x.claim,
                    "tried": x.tried,
                    "candidates": [exact_text(c) for c in x.candidates],
                }
                for x in self.lengths
            ],
            "derivation": [
                {"rule": x.rule, "statement": x.statement, "source": x.source}
                for x in self.derivation
            ],
        }


def predict(setting: Setting) -> Prediction:
    """The prediction for a setting.

    What would take too many steps is not counted; single inputs then decide what they can
    (``theory.counting.witnesses``).

    Raises:
        InvalidInput: the task is defined nowhere on the training or a test domain.
        TooMuchWork: to see what training showed takes too long, or a budget around it is spent.
    """
    spend(500_000 + 50_000 * len(setting.test_lengths))
    with budget(LIMIT):
        return _predicted(setting)


def _predicted(setting: Setting) -> Prediction:
    task, base, train = setting.task, setting.base, setting.train
    whole = task.without_idle_modulus(base, setting.digits)
    if whole != task and _is_written_alike(setting, whole):
        return _of_idle_modulus(setting, whole)
    shown = support(task, train, base)
    tests = map(setting.test, setting.test_lengths) if task.needs_order else ()
    for domain in (train, *tests):
        if not Support(task, domain, base).is_defined:
            raise InvalidInput(
                f"the task is defined nowhere on {domain.text()}: every result would be negative "
                "(with '% p' it is not)"
            )
    if setting.natural:
        return _of_natural_lengths(setting)
    spend(shown.steps)
    try:
        with budget(PART):
            upward, reason = beyond(setting, shown)
    except NotCountable:
        what = "Whether the digits that training showed fix the rule was not decided."
        upward, reason = Beyond.BLIND, (cite("count", what, leaves_open=True),)
    if not train.likely_whole(base, task.operands):
        what = f"{train.text()} may lack digits that the domain has"
        what += f", with a chance of {MISSED:g} or more."
        upward, reason = Beyond.BLIND, (cite("sample", what, leaves_open=True),)
    learned = LearnedFunction(shown)
    with budget(PART):
        by_length, because = beyond_lengths(setting, shown, upward)
    lengths, unseen = predict_lengths(learned, setting.test_lengths, setting.test_kind, by_length)
    if all(x.shown or setting.is_premise(x.digits) for x in lengths):
        reason = ()  # nothing rests on it
    longer = [x.shown for x in lengths if x.direction == Direction.UPWARD]
    continues = bool(longer) and all(longer)
    decided = upward.candidates is Function.EXPECTED
    expected = learned if decided and not continues else None
    return Prediction(
        setting,
        published(task, setting.encoding, base, train),
        lengths,
        (
            _premise(setting),
            support_step(shown),
            *([cite("indifference", _INDIFFERENT)] if any(x.ignores for x in lengths) else []),
            *reason,
            *because,
            *unseen,
            *([cite("steadiness", _STEADY)] if any(x.asks_steady for x in lengths) else []),
        ),
        expected,
        continues and _are_right(lengths),
    )


def _is_written_alike(setting: Setting, whole: Task) -> bool:
    """Whether a task without its modulus is written alike, as far as a query can tell."""
    base, digits = setting.base, setting.digits
    alike = whole.result_width(base, digits) == setting.task.result_width(base, digits)
    return alike or (setting.encoding.reference == "absolute" and not setting.window)


def _of_idle_modulus(setting: Setting, whole: Task) -> Prediction:
    """The prediction where no answer reaches the modulus: that of the task without it."""
    other = predict(replace(setting, task=whole))
    premise, *reasons = other.derivation
    what = f"No answer reaches {setting.task.modulus}: the task is {whole.text()}."
    return replace(
        other, setting=setting, derivation=(premise, cite("modulus out of reach", what), *reasons)
    )


def _are_right(lengths: Iterable[LengthPrediction]) -> bool:
    """Whether all lengths come out right, so that the task itself was learned."""
    return all(x.status == Status.GENERALIZES for x in lengths)


def _of_natural_lengths(setting: Setting) -> Prediction:
    """The prediction where numbers have their natural lengths."""
    by_length = interleaved_lengths if setting.layout.interleaved else natural_lengths
    lengths, steps = by_length(setting)
    longer = any(x.direction == Direction.UPWARD for x in lengths)
    return Prediction(
        setting,
        NATURAL_LENGTHS,
        lengths,
        (_premise(setting), *steps),
        None,
        longer and _are_right(lengths),
    )


def _premise(setting: Setting) -> Step:
    what = f"Premise: the model is right on held-out {setting.train.text()}"
    if setting.train.pairs is not None:
        what += f" (a digit is taken to be shown if it is missed with a chance below {MISSED:g})"
    return cite("convergence", what)
