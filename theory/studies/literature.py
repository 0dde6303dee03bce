"""Published findings on length generalization in arithmetic beside our predictions of them.

``literature.toml`` holds the findings.  One is *in scope* when the premises of a prediction hold
(``missing_premises``).  It agrees when every length does of which the prediction says something;
the accuracy of the learned function is then taken as exact.  Findings out of scope are only set
beside the theorem of arXiv 2407.17963.
"""

from __future__ import annotations

import tomllib
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property
from importlib import resources
from statistics import mean
from typing import Any

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.domains import KINDS, Domain
from arith.theory.arithmetic.shares import percent_text
from arith.theory.arithmetic.tasks import TASKS, named_task
from arith.theory.errors import InvalidInput
from arith.theory.generalization.outcomes import Status
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.prediction.published import published
from arith.theory.setting.requests import LARGEST_TEST, read_each, setting_words
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import ENCODINGS, encoding
from arith.theory.transformer.layouts import STARTS, layout

TOLERANCE = 0.05
"""How far a reported accuracy may be from the predicted one, as for our own measurements.

The premise lets a model be wrong on 1 % of its training domain; longer inputs ask for more of it.
"""


class Result(StrEnum):
    """What was reported of inputs longer than the trained ones, worst first."""

    FAILS = "fails"
    PARTIAL = "partial"
    EXTENDS = "extends"


@dataclass(frozen=True)
class Paper:
    """Where a finding was published; ``source`` says where to find it."""

    authors: str
    title: str
    year: int
    source: str

    @property
    def citation(self) -> str:
        """``Xu et al. 2024, Principled Understanding of Generalization, arXiv 2407.17963``."""
        return f"{self.authors} {self.year}, {self.title}, {self.source}"


@dataclass(frozen=True)
class Finding:
    """One published result: a setting, what was seen in it, and where that was checked.

    The head of ``literature.toml`` says what the fields mean.

    Raises:
        InvalidInput: neither an outcome nor an accuracy for each test length, or both.
    """

    id: str
    paper: Paper
    task: str
    encoding: str
    layout: str
    train: tuple[int, ...]
    train_domain: str
    test: tuple[int, ...]
    test_domain: str
    padding: str
    architecture: str
    checked: str
    modulus: int | None = None
    base: int = 10
    width: int = 0
    starts: int = 0
    layers: int = 0
    model: str = ""
    test_layout: str = ""
    train_each: tuple[tuple[int, ...], ...] = ()
    test_each: tuple[tuple[int, ...], ...] = ()
    aids: tuple[str, ...] = ()
    converged: bool = True
    why: str = ""
    against: str = "truth"
    accuracy: tuple[float, ...] = ()
    outcome: str = ""
    figure: str = ""
    mean: tuple[tuple[int, int, float], ...] = ()
    led: str = ""
    assumed: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        expected = 0 if self.outcome else len(self.test)
        if len(self.accuracy) != expected or not (self.accuracy or self.outcome):
            raise InvalidInput(f"'{self.id}' needs an outcome, or an accuracy per test length")

    @property
    def is_known(self) -> bool:
        """Whether its task, its encoding and its layout are in our tables."""
        tasks = self.task.split(",")
        with suppress(InvalidInput):
            layout(self.layout)
            return set(tasks) <= set(TASKS) and self.encoding in ENCODINGS
        return False

    @cached_property
    def setting(self) -> Setting:
        """The setting, as the predictor takes it.

        Operands that are padded to the longest of their example are natural ones of one length.

        Raises:
            InvalidInput: it is not in our tables, or its numbers start at random, and from how many
                starts is not known.
        """
        one_length = self.padding == "longer"
        setting = Setting(
            named_task(self.task, self.modulus),
            self.base,
            encoding(self.encoding),
            layout(self.layout),
            Domain(
                () if self.train_each else self.train,
                "every" if one_length else self.train_domain,
                each=self.train_each,
            ),
            test_lengths=() if self.test_each else self.test,
            test_each=self.test_each,
            test_layout=layout(self.test_layout) if self.test_layout else None,
            test_kind="every" if one_length else self.test_domain,
            width=self.width,
            layers=self.layers,
            padding="fixed" if self.padding == "fixed" else "none",
            starts=self.starts or STARTS,
        )
        if setting.random_starts and not self.starts:
            raise InvalidInput("from how many starts its training drew is not known")
        return setting

    @property
    def outcomes(self) -> tuple[Result, ...]:
        """What its words leave possible, worst first; empty where figures are given."""
        return tuple(Result(x) for x in self.outcome.split(" or ")) if self.outcome else ()

    @property
    def result(self) -> Result | None:
        """What was reported above the trained lengths; None where nothing was."""
        if self.outcome:
            return self.outcomes[-1]
        by_length = zip(self.test, self.accuracy, strict=True)
        longer = [a / 100 for n, a in by_length if n > max(self.train)]
        return result_of(longer) if longer else None


def result_of(accuracies: list[float]) -> Result:
    """Accuracies, each a share of 1, in a word."""
    if all(a >= 1 - TOLERANCE for a in accuracies):
        return Result.EXTENDS
    return Result.FAILS if all(a <= TOLERANCE for a in accuracies) else Result.PARTIAL


@cache
def findings() -> tuple[Finding, ...]:
    """Every finding, in the order of the file (InvalidInput: a row that makes no sense)."""
    text = resources.files("arith.theory.studies").joinpath("literature.toml").read_text("utf-8")
    data = tomllib.loads(text)
    rows: dict[str, dict[str, Any]] = {}
    found = []
    for given in data["finding"]:
        row = rows.get(given.pop("like", ""), {}) | given
        rows[row["id"]] = row
        paper = dict(data["paper"][row["paper"]])
        shared = paper.pop("setting")
        found.append(_finding(shared | row | {"paper": Paper(**paper)}))
    return tuple(found)


def _finding(row: dict[str, Any]) -> Finding:
    fields = {key.replace("-", "_"): value for key, value in row.items()}
    for key in ("train", "test"):
        if not fields[key]:
            fields[key] = ()
            continue
        asked = read_each(fields[key], key, LARGEST_TEST)
        if isinstance(asked[0], tuple):
            fields[f"{key}_each"] = asked
            asked = Domain((), "lengths", each=asked).lengths
        fields[key] = asked
    for key in ("aids", "accuracy"):
        fields[key] = tuple(fields.get(key, ()))
    fields["mean"] = tuple(map(tuple, fields.get("mean", ())))
    return Finding(**fields)


# --- beside the predictions ---------------------------------------------------------------


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
    if f.assumed:
        missing["facts"] = "not all of its setting could be checked"
    if not {f.train_domain, f.test_domain} <= set(KINDS) or not f.train:
        missing["domain"] = "the domains are none of ours (D_n, D_n^ab), or not known"
    elif not f.is_known:
        missing["setting"] = "its task, encoding or layout is not in our tables, or not known"
    else:
        try:
            _ = f.setting
        except InvalidInput as error:
            missing["setting"] = str(error)
    if not f.converged:
        missing["convergence"] = f"in domain it had not converged ({f.why})"
    return missing


@cache
def compare(finding: Finding) -> Comparison:
    """A finding beside our prediction of it and the published theorem."""
    missing = missing_premises(finding)
    mute = missing.keys() & {"padding", "domain", "setting"}
    prediction = None if mute else _prediction(finding.setting)
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


_prediction = cache(predict)  # findings share settings


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
    off = [x for x in (*compare_means(finding, lengths), *lengths) if x.is_contradicted]
    better = all((x.reported or 0) > x.high for x in off)
    if finding.outcome:  # in words, without a figure per length
        possible, order = possible_results(finding, lengths), list(Result)
        text = f"predicted: {' or '.join(possible)}; reported: {finding.outcome}"
        if set(possible).isdisjoint(finding.outcomes):
            better = order.index(finding.outcomes[0]) > max(map(order.index, possible))
        elif not off:
            return Outcome.AGREES, text
        else:
            text = f"off the prediction, on average {off[0].reported:.1%} from {off[0].digits} on"
    elif not off:
        text = f"claims on {len(claims)} of {len(lengths)} lengths, all within {TOLERANCE}"
        return Outcome.AGREES, text
    else:
        seen = [f"{x.reported:.1%} at {x.digits} digits" for x in off]
        span = f"from {seen[0]} to {seen[-1]}" if len(seen) > 1 else seen[0]
        text = f"off the prediction, {span}"
    why = "not explained"
    if finding.against == "learned_function":
        why = "untrained positions leak, which the support rule rules out"
    elif better and finding.padding != "fixed":
        why = "digits are found at addresses that training never showed"
    return Outcome.DISAGREES, f"{why}: {text}"


def compare_means(
    finding: Finding, lengths: tuple[LengthComparison, ...]
) -> tuple[LengthComparison, ...]:
    """Each reported mean over lengths, named by the first, beside the mean of our bounds there."""
    rows = []
    for first, last, percent in finding.mean:
        among = [x for x in lengths if first <= x.digits <= last]
        low, high = mean([x.low for x in among]), mean([x.high for x in among])
        rows.append(LengthComparison(first, None, low, high, percent / 100))
    return tuple(rows)


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
    unknown = verdict == Status.UNDETERMINED or finding.result is None
    if unknown or not finding.converged:
        return verdict, Decision.UNDECIDED
    extends = finding.result == Result.EXTENDS
    return verdict, Decision.of(extends == (verdict == Status.GENERALIZES))
