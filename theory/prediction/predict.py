"""The prediction for one setting: verdicts, exact accuracies, learned function, derivation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from arith.theory.arithmetic.directions import EXTRAPOLATING, Direction
from arith.theory.arithmetic.effort import LIMIT, LITTLE, PART, budget, spend
from arith.theory.arithmetic.exact_text import exact_text, text_and_float
from arith.theory.arithmetic.tasks import Operations, Task
from arith.theory.counting.learned import LearnedFunction, LearnedOperations
from arith.theory.errors import InvalidInput
from arith.theory.generalization.constants import Computes
from arith.theory.generalization.lengths import LengthPrediction, candidates, undecided, witnessed
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.generalization.theorems import Observation, conclude, observe
from arith.theory.observation.support import Support, support
from arith.theory.prediction.convergence import Convergence, convergence
from arith.theory.prediction.expressibility import expressibility
from arith.theory.prediction.forecast import Forecast, forecast
from arith.theory.prediction.mixture import (
    hidden_sign,
    mixed_length,
    mixed_published,
)
from arith.theory.prediction.published import NATURAL_LENGTHS, Published, published
from arith.theory.prediction.words import derivation
from arith.theory.rules import Basis, Step, cite
from arith.theory.setting.requests import setting_json
from arith.theory.setting.settings import Setting


@dataclass(frozen=True)
class Prediction:
    """The prediction for a setting, and why.

    A claim rests only on premises that were decided: what is not known is taken neither for yes
    nor for no, and nothing is claimed that needs it.

    Args:
        derivation: every step, from the premises to the accuracy.
        expected: the function that a converged model computes: f^ by the support rule, or the task
            itself where training shows all that longer inputs ask for; None where neither follows.
        kept: f^ of one operation, whether a model is expected to compute it or not.
        operations: the prediction of each by itself, where a model has several and its queries see
            which is asked for.
    """

    setting: Setting
    published: Published
    lengths: tuple[LengthPrediction, ...]
    derivation: tuple[Step, ...]
    expected: Task | LearnedFunction | LearnedOperations | None = field(repr=False)
    operations: tuple[Prediction, ...] = ()
    kept: LearnedFunction | None = field(default=None, repr=False)

    def verdict(self, direction: Direction) -> Status:
        """Whether the learned function generalizes to all test lengths of a direction."""
        lengths = [x for x in self.lengths if x.direction == direction]
        if not lengths:
            return Status.NOT_TESTED
        if all(x.status == Status.GENERALIZES for x in lengths):
            return Status.GENERALIZES
        return Status.FAILS if any(x.at_most < 1 for x in lengths) else Status.UNDETERMINED

    @property
    def continues(self) -> bool:
        """Whether the task itself is expected."""
        return isinstance(self.expected, Task)

    @property
    def learned(self) -> LearnedFunction | LearnedOperations | None:
        """The expected function where it is not the task itself."""
        return None if isinstance(self.expected, Task) else self.expected

    @cached_property
    def learned_text(self) -> str | None:
        """The expected function, as SymPy writes it."""
        return None if self.expected is None else self.expected.formula()

    @cached_property
    def forecasts(self) -> dict[int, Forecast]:
        """What was measured in settings like this one, by untrained length; no part of a claim."""
        return forecast(self.setting, self.derivation, self.lengths)

    @cached_property
    def convergence(self) -> Convergence:
        """How many models like it converge; no part of a claim."""
        return convergence(self.setting)

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
        s, written = self.setting, setting_json(self.setting)
        train = {n.removeprefix("train_"): x for n, x in written.items() if n.startswith("train_")}
        others = ("results", "test_layout", "test_allowed", "result_width")
        beside = [asdict(x) for x in expressibility(s)]
        told = {n: x.to_json() for n, x in self.forecasts.items()}
        return {
            "task": s.task.name,
            "expression": s.task.formula(),
            "modulus": s.task.asked_modulus,
            "base": s.digit_base,
            "encoding": s.encoding.name,
            "layout": s.layout.name,
            "window": s.window,
            "width": s.width,
            "layers": s.layers,
            **({"padding": s.padding} if s.natural else {}),
            **({"starts": s.starts} if s.random_starts else {}),
            "train": train,
            "test_domain": s.test_kind,
            **{n: written[n] for n in others if n in written},
            "verdict": {d: self.verdict(d) for d in EXTRAPOLATING},
            "published": {
                **{d: self.published_verdict(d) for d in EXTRAPOLATING},
                "theorem": self.published.theorem,
            },
            **({"expressibility": beside} if beside else {}),
            "learned_function": self.learned_text,
            "convergence": self.convergence.to_json(),
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
                    "because": list(x.because),
                    "premises": list(x.premises),
                    "candidates": [exact_text(c) for c in x.candidates],
                    "forecast": told.get(x.digits),
                }
                for x in self.lengths
            ],
            "derivation": [
                {
                    "rule": x.rule,
                    "statement": x.statement,
                    "source": x.source,
                    "lengths": sorted(x.lengths),
                }
                for x in self.derivation
            ],
            **({"operations": [x.to_json() for x in self.operations]} if self.operations else {}),
        }


def predict(setting: Setting) -> Prediction:
    """The prediction for a setting: what it shows, what the theorems say of each length, and why.

    What would take too many steps is not counted; single inputs then decide what they can
    (``bound_by_example``).

    Raises:
        InvalidInput: the task is defined nowhere on the training or a test domain.
        TooMuchWork: to see what training showed takes too long, or a budget around it is spent.
    """
    if isinstance(setting.task, Operations):
        return _mixed(setting, setting.task)
    spend(500_000 + 50_000 * len(setting.test_lengths))
    with budget(LIMIT):
        other = _without_idle_modulus(setting)
        return _predicted(setting) if other is None else _of_idle_modulus(setting, other)


def _predicted(setting: Setting) -> Prediction:
    _check_defined(setting)
    observed = observe(setting)
    with budget(PART):
        lengths = [conclude(observed, n) for n in setting.test_lengths]
    if not setting.natural:
        lengths = _where_not_counted(observed, lengths)
    longer = [x for x in lengths if x.direction == Direction.UPWARD]
    shown = bool(longer) and all(x.digits in observed.shown for x in longer)
    goes_on = bool(longer) and all(x.status == Status.GENERALIZES for x in lengths)
    expected = observed.learned if observed.keeps and not shown else None
    return Prediction(
        setting,
        NATURAL_LENGTHS
        if setting.natural
        else published(setting.task, setting.encoding, setting.digit_base, setting.train),
        tuple(lengths),
        derivation(observed, tuple(lengths)),
        setting.task if goes_on and (shown or setting.natural) else expected,
        kept=observed.learned,
    )


def _mixed(setting: Setting, task: Operations) -> Prediction:
    """The prediction for several operations: of each by itself, as far as queries see which."""
    each = tuple(
        predict(replace(setting, task=part, train=setting.train.of_operation(i)))
        for i, part in enumerate(task.parts)
    )
    said = mixed_published([x.published for x in each], task.parts)
    tests = setting.untrained
    if hidden := hidden_sign(setting):
        steps = (
            cite("convergence", each[0].derivation[0].statement),
            cite("blind", hidden, tests, True),
        )
        lengths = tuple(
            undecided(x.digits, x.direction) if x.digits in tests else x for x in each[0].lengths
        )
        return Prediction(setting, said, lengths, steps, None)
    known = tuple(x.expected for x in each if isinstance(x.expected, LearnedFunction | Task))
    learned = LearnedOperations(task, known) if len(known) == len(each) else None
    columns = zip(*(x.lengths for x in each), strict=True)
    return Prediction(
        setting,
        said,
        tuple(mixed_length(setting, column) for column in columns),
        _mixed_steps(each),
        task if all(x.continues for x in each) else learned,
        each,
    )


def _mixed_steps(each: Sequence[Prediction]) -> tuple[Step, ...]:
    """The steps to what is said of each operation; those that all share once."""
    common = [x for x in each[0].derivation if all(x in p.derivation for p in each)]
    own = [
        replace(step, statement=f"{p.setting.task.text()}: {step.statement}")
        for p in each
        for step in p.derivation
        if step not in common
    ]
    what = "Every query sees the sign, so it compares with training examples of one operation."
    return (*common, cite("operations", what), *own)


def _check_defined(setting: Setting) -> None:
    """Check that the task is defined somewhere on every domain."""
    task, base, train = setting.task, setting.base, setting.train
    if not setting.natural:
        spend(support(task, train, base).steps)
    tests = map(setting.test, setting.test_lengths) if task.needs_order else ()
    for domain in (train, *tests):
        if not Support(task, domain, base).is_defined:
            raise InvalidInput(
                f"the task is defined nowhere on {domain.text()}: every result would be negative "
                "(with '% p' it is not)"
            )


def _where_not_counted(
    observed: Observation, lengths: list[LengthPrediction]
) -> list[LengthPrediction]:
    """What single inputs decide where no count did; the two candidates where nothing is claimed."""
    learned, test = observed.learned, observed.setting.test
    with budget(LITTLE):
        lengths = [witnessed(learned, test(x.digits), x) for x in lengths]
    with budget(LITTLE):
        for n, x in enumerate(lengths):
            fits = observed.constants[x.digits].computes is not Computes.UNKNOWN
            if fits and x.claim == Claim.NONE:
                lengths[n] = replace(x, candidates=candidates(learned, test(x.digits), x))
    return lengths


def _without_idle_modulus(setting: Setting) -> Setting | None:
    """The setting without a modulus that no answer reaches, if no query can tell the two apart."""
    task, base, digits = setting.task, setting.base, setting.digits
    whole = setting.without_idle_modulus
    alike = whole.result_width(base, digits) == task.result_width(base, digits)
    layout = setting.layout
    units_first = not layout.wide and layout.result_first == "least"  # what is longer comes after
    is_told_apart = setting.window or not (setting.encoding.reference == "absolute" or units_first)
    alike |= setting.natural or not is_told_apart
    return replace(setting, task=whole) if whole != task and alike else None


def _of_idle_modulus(setting: Setting, whole: Setting) -> Prediction:
    """The prediction where no answer reaches the modulus: that of the task without it."""
    other = predict(whole)
    premise, *reasons = other.derivation
    longer = [x.digits for x in other.lengths if x.direction == Direction.UPWARD]
    what = f"No answer reaches {setting.task.modulus}: the task is {whole.task.text()}."
    step = cite("modulus out of reach", what, longer)
    expected = setting.task if other.continues else other.expected
    steps = (premise, step, *reasons)
    return replace(other, setting=setting, derivation=steps, expected=expected)
