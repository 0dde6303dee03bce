"""Published findings beside our predictions of them.

A finding is *in scope* when the premises of a prediction hold (``missing_premises``).  It agrees
when every length does of which the prediction says something; the accuracy of the learned function
is then taken as exact.  Findings out of scope are only set beside the theorem of arXiv 2407.17963.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache

from arith.theory.errors import InvalidInput
from arith.theory.numbers.shares import percent_text
from arith.theory.prediction.outcomes import Status
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.prediction.published import published
from arith.theory.setting.decision import Decision
from arith.theory.setting.directions import Direction
from arith.theory.setting.domains import KINDS, Domain
from arith.theory.setting.encodings import ENCODINGS
from arith.theory.setting.layouts import LAYOUTS
from arith.theory.setting.requests import setting_words
from arith.theory.setting.tasks import TASKS, named_task
from arith.theory.studies.findings import TOLERANCE, Finding, Result, result_of


class Outcome(StrEnum):
    """What a finding says of our prediction."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    NO_CLAIM = "no claim"
    LED = "led to a rule"
    OUT_OF_SCOPE = "out of scope"


@dataclass(frozen=True)
class LengthComparison:
    """One test length: what we predict of the reported quantity, and what was reported.

    Args:
        predicted: exact, None where training does not fix it.
        low: what it cannot fall below, whatever the model does with inputs that training does
            not fix; ``high`` likewise.
        reported: a share of 1, None where only an outcome was reported.
    """

    digits: int
    predicted: Fraction | None
    low: Fraction
    high: Fraction
    reported: float | None

    @property
    def claims(self) -> bool:
        """Whether some figure would contradict the prediction."""
        return self.low > TOLERANCE or self.high < 1 - TOLERANCE

    @property
    def is_contradicted(self) -> bool:
        """Whether a figure is reported that is further from the prediction than the tolerance."""
        low, high = self.low - TOLERANCE, self.high + TOLERANCE
        return self.reported is not None and not low <= self.reported <= high

    def text(self) -> str:
        """The prediction in percent, ``-`` where there is none."""
        if self.predicted is not None:
            return percent_text(self.predicted, ".3g").removesuffix("%")
        low, high = (percent_text(x, ".3g").removesuffix("%") for x in (self.low, self.high))
        return f"{low}..{high}" if self.claims else "-"


@dataclass(frozen=True)
class Comparison:
    """A finding beside our prediction, if any, and the published theorem.

    Args:
        premise: the first premise that does not hold, empty for a finding in scope.
        reason: one sentence: which premise fails, what disagrees, or what was compared.
        published: the theorem's verdict upward, None where it does not speak of the finding.
        published_agrees: whether that is what was reported.
    """

    finding: Finding
    premise: str
    outcome: Outcome
    reason: str
    prediction: Prediction | None
    lengths: tuple[LengthComparison, ...]
    published: Status | None
    published_agrees: Decision

    @property
    def command(self) -> str:
        """The command that predicts the same; empty where there is no setting of ours."""
        if self.prediction is None:
            return ""
        return " ".join(["arith predict", *setting_words(self.prediction.setting)])

    @property
    def in_scope(self) -> bool:
        """Whether every premise of the prediction holds."""
        return not self.premise


def missing_premises(finding: Finding) -> dict[str, str]:
    """The premises that do not hold, by name, each with a clause that says why."""
    f, missing = finding, {}
    if f.architecture != "decoder":
        missing["architecture"] = f"its architecture is {f.architecture}; ours is a decoder"
    if f.padding == "unknown":
        missing["padding"] = "how its numbers are padded could not be checked"
    if f.aids:
        missing["aids"] = f"the model is helped by {', '.join(f.aids)}"
    if not {f.train_domain, f.test_domain} <= set(KINDS) or not f.train:
        missing["domain"] = "the domains are none of ours (D_n, D_n^ab), or not known"
    elif why := _no_setting(f):
        missing["setting"] = why
    if not f.converged:
        missing["convergence"] = f"in domain it had not converged ({f.why})"
    return missing


def _no_setting(finding: Finding) -> str:
    """Why there is no setting of ours for a finding, empty where there is one."""
    f = finding
    if not (f.task in TASKS and f.encoding in ENCODINGS and f.layout in LAYOUTS):
        return "its task, encoding or layout is not in our tables, or not known"
    try:
        f.setting()
    except InvalidInput as error:
        return str(error)
    return ""


@cache
def compare(finding: Finding) -> Comparison:
    """A finding beside our prediction of it and the published theorem."""
    missing = missing_premises(finding)
    mute = missing.keys() & {"padding", "domain", "setting"}
    prediction = None if mute else predict(finding.setting())
    lengths = () if prediction is None else _compare_lengths(finding, prediction)
    if "convergence" in missing and prediction is not None and _bounds_only(prediction):
        del missing["convergence"]
        lengths = tuple(x for x in lengths if x.digits not in finding.train)
    verdict, agrees = _theorem(finding)
    premise, *others = missing or [""]
    if premise:
        also = f" (also missing: {', '.join(others)})" if others else ""
        outcome, reason = Outcome.OUT_OF_SCOPE, missing[premise] + also
    else:
        assert prediction is not None
        outcome, reason = _judge(finding, prediction, lengths)
    if outcome == Outcome.AGREES and finding.led:
        outcome, reason = Outcome.LED, f"the rule '{finding.led}' was made after it: {reason}"
    text = reason[0].upper() + reason[1:] + "."
    return Comparison(finding, premise, outcome, text, prediction, lengths, verdict, agrees)


def _bounds_only(prediction: Prediction) -> bool:
    """Whether all that is said out of domain are upper bounds, which need no convergence.

    They follow where a digit is not found, and a model that is wrong on trained lengths does not
    find more (``docs/addresses.md``).
    """
    untrained = [x for x in prediction.lengths if x.direction != Direction.IN_DOMAIN]
    claimed = [x for x in untrained if x.at_most < 1 or x.accuracy is not None]
    return prediction.setting.natural and bool(claimed) and all(x.at_most < 1 for x in claimed)


def _compare_lengths(finding: Finding, prediction: Prediction) -> tuple[LengthComparison, ...]:
    reported = {n: a / 100 for n, a in zip(finding.test, finding.accuracy, strict=False)}
    rows, zero, one = [], Fraction(0), Fraction(1)
    for x in prediction.lengths:
        exact = x.accuracy
        if finding.against == "learned_function":
            exact = None if exact is None or prediction.learned is None else one
            low, high = zero if prediction.learned is None else 1 - x.unseen, one
        else:
            low, high = x.at_least, x.at_most
        rows.append(LengthComparison(x.digits, exact, low, high, reported.get(x.digits)))
    return tuple(rows)


def _judge(
    finding: Finding, prediction: Prediction, lengths: tuple[LengthComparison, ...]
) -> tuple[Outcome, str]:
    """The outcome of a finding in scope, and the reason."""
    trained = {x.digits for x in prediction.lengths if x.direction == Direction.IN_DOMAIN}
    claims = [x for x in lengths if x.claims]
    if all(x.digits in trained for x in claims):
        return Outcome.NO_CLAIM, "training does not fix the answers out of domain"
    if finding.outcome:
        return _judge_words(finding, possible_results(finding, lengths))
    wrong = [x for x in lengths if x.is_contradicted]
    if not wrong:
        text = f"claims on {len(claims)} of {len(lengths)} lengths, all within {TOLERANCE}"
        return Outcome.AGREES, text
    seen = [f"{x.reported:.1%} at {x.digits} digits" for x in wrong]
    text = f"from {seen[0]} to {seen[-1]}" if len(seen) > 1 else seen[0]
    better = all((x.reported or 0) > x.high for x in wrong)
    return Outcome.DISAGREES, f"{_why_apart(finding, better)}: off the prediction, {text}"


def _judge_words(finding: Finding, possible: tuple[Result, ...]) -> tuple[Outcome, str]:
    """The same of a finding without a figure per length."""
    text = f"predicted: {' or '.join(possible)}; reported: {finding.outcome}"
    if finding.outcome in possible:
        return Outcome.AGREES, text
    order = list(Result)
    better = order.index(finding.result) > max(map(order.index, possible))
    return Outcome.DISAGREES, f"{_why_apart(finding, better)}: {text}"


def _why_apart(finding: Finding, better: bool) -> str:
    """The likely reason of a disagreement, by whether more was reported than predicted."""
    if finding.against == "learned_function":
        return "untrained positions leak, which the support rule rules out"
    if better and finding.padding != "fixed":
        return "digits are found at addresses that training never showed"
    return "not explained"


def possible_results(finding: Finding, lengths: tuple[LengthComparison, ...]) -> tuple[Result, ...]:
    """What the prediction allows on longer inputs, in words; empty without a claim there."""
    longer = [x for x in lengths if x.claims and x.digits > max(finding.train)]
    if not longer:
        return ()
    order = list(Result)
    low = order.index(result_of([float(x.low) for x in longer]))
    high = order.index(result_of([float(x.high) for x in longer]))
    return tuple(order[low : high + 1])


def _theorem(finding: Finding) -> tuple[Status | None, Decision]:
    """The published verdict on longer inputs, and whether it is what was reported."""
    known = finding.task in TASKS and finding.encoding in ENCODINGS
    known = known and finding.padding in ("fixed", "unknown")  # the paper pads
    if finding.against != "truth" or not known:
        return None, Decision.UNDECIDED
    # The trained length matters to tasks with a modulus only, and for those it is always known.
    train = Domain((max(finding.train, default=1),))
    task = named_task(finding.task, finding.modulus)
    verdict = published(task, ENCODINGS[finding.encoding], finding.base, train).upward
    if verdict == Status.UNDETERMINED or not finding.converged:
        return verdict, Decision.UNDECIDED
    extends = finding.result == Result.EXTENDS
    return verdict, Decision.of(extends == (verdict == Status.GENERALIZES))
