"""Published findings on length generalization in arithmetic, beside our predictions.

The findings stand in ``literature.toml``, each with its setting, what was reported, and where
that was checked.  One is *in scope* when the premises of a prediction hold: a decoder alone,
operands zero-padded to one fixed width, no aids (index hints, scratchpads, ...), 99 % reached
in domain, and a domain, task, encoding and layout of ours.  It agrees when every length does of
which the prediction says something, the learned function's accuracy taken as exact; others are
only set beside the theorem of arXiv 2407.17963."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

from theory.errors import InvalidInput
from theory.prediction.predict import FAILS, GENERALIZES, UNDETERMINED, Prediction, predict
from theory.prediction.published import published
from theory.setting.domains import KINDS, Domain
from theory.setting.encodings import ENCODINGS, encoding
from theory.setting.layouts import LAYOUTS, layout
from theory.setting.settings import Setting
from theory.setting.tasks import TASKS, named_task

TOLERANCE = 0.05
"""How far a reported accuracy may be from the predicted one.

The premise lets a model be wrong on 1 % of its training domain, and longer inputs ask for more
of the same digits; the same width judges our own measurements.
"""

AGREES, DISAGREES, NO_CLAIM, OUT_OF_SCOPE = "agrees", "disagrees", "no claim", "out of scope"
WORDS = NOTHING, PARTIAL, EXTENDS = "fails", "partial", "extends"


@dataclass(frozen=True)
class Paper:
    """Where a finding was published."""

    authors: str
    title: str
    year: int
    arxiv: str

    @property
    def citation(self) -> str:
        """``Xu et al. 2024, Principled Understanding of Generalization, arXiv 2407.17963``."""
        return f"{self.authors} {self.year}, {self.title}, arXiv {self.arxiv}"


@dataclass(frozen=True)
class Finding:
    """One published result: a setting, and what was seen in it.

    Args:
        train: the training lengths; empty where they could not be checked.
        why: in-domain accuracy, where it did not converge.
        against: ``truth``, or ``learned_function``: agreement with f(a mod B^n, b mod B^n).
        accuracy: percent per test length; empty where only an outcome was reported.
        outcome: ``extends``, ``partial`` or ``fails``, with the figure in words.
        checked: where these facts were seen.

    The values of the other fields are listed at the head of ``literature.toml``.
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
    model: str = ""
    aids: tuple[str, ...] = ()
    converged: bool = True
    why: str = ""
    against: str = "truth"
    accuracy: tuple[float, ...] = ()
    outcome: str = ""
    figure: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        expected = 0 if self.outcome else len(self.test)
        if len(self.accuracy) != expected or not (self.accuracy or self.outcome):
            raise InvalidInput(f"'{self.id}' needs an outcome, or an accuracy per test length")

    def setting(self) -> Setting:
        """The setting, as the predictor takes it.

        Raises:
            InvalidInput: some part of it is not in our tables.
        """
        task, train = named_task(self.task, self.modulus), Domain(self.train, self.train_domain)
        place = (encoding(self.encoding), layout(self.layout), train, 0)
        return Setting(task, self.base, *place, self.test, self.test_domain)

    @property
    def result(self) -> str:
        """What was reported above the trained lengths: ``extends``, ``partial`` or ``fails``."""
        if self.outcome:
            return self.outcome
        longer = [a for n, a in zip(self.test, self.accuracy, strict=True) if n > max(self.train)]
        return _in_words([a / 100 for a in longer])


def _in_words(accuracies: list[float]) -> str:
    if all(a >= 1 - TOLERANCE for a in accuracies):
        return EXTENDS
    return NOTHING if all(a <= TOLERANCE for a in accuracies) else PARTIAL


def _lengths(text: str) -> tuple[int, ...]:
    """``1-3+5`` as (1, 2, 3, 5)."""
    found: list[int] = []
    for part in filter(None, text.split("+")):
        low, _, high = part.partition("-")
        found += range(int(low), int(high or low) + 1)
    return tuple(found)


def _span(lengths: tuple[int, ...]) -> str:
    """(1, 2, 3, 5) as ``1-3+5``."""
    lows = [n for n in lengths if n - 1 not in lengths]
    highs = [n for n in lengths if n + 1 not in lengths]
    runs = zip(lows, highs, strict=True)
    return "+".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs) or "?"


@cache
def findings() -> tuple[Finding, ...]:
    """Every finding, in the order of the file (InvalidInput: a row that makes no sense)."""
    data = tomllib.loads(
        resources.files("theory.studies").joinpath("literature.toml").read_text("utf-8")
    )
    shared = {name: entry.pop("setting") for name, entry in data["paper"].items()}
    papers = {name: Paper(**entry) for name, entry in data["paper"].items()}
    return tuple(_finding(papers, {**shared[row["paper"]], **row}) for row in data["finding"])


def _finding(papers: dict[str, Paper], row: dict[str, Any]) -> Finding:
    fields = {key.replace("-", "_"): value for key, value in row.items()}
    fields["paper"] = papers[row["paper"]]
    for key in ("train", "test"):
        fields[key] = _lengths(row[key])
    for key in ("aids", "accuracy"):
        fields[key] = tuple(row.get(key, ()))
    return Finding(**fields)


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
    def agrees(self) -> bool | None:
        """Whether the figure is within the tolerance, None without a claim or a figure."""
        if self.reported is None or not self.claims:
            return None
        return self.low - TOLERANCE <= self.reported <= self.high + TOLERANCE

    def text(self) -> str:
        """The prediction in percent, ``-`` where there is none."""
        if self.predicted is not None:
            return f"{100 * float(self.predicted):.3g}"
        low, high = 100 * float(self.low), 100 * float(self.high)
        return f"{low:.3g}..{high:.3g}" if self.claims else "-"


@dataclass(frozen=True)
class Comparison:
    """A finding beside our prediction and the published theorem.

    Args:
        premise: the first premise that does not hold, empty for a finding in scope.
        reason: one sentence: which premise fails, what disagrees, or what was compared.
        published: the theorem's verdict upward, empty where it does not speak of it.
        published_agrees: whether that is what was reported, None without a verdict.
    """

    finding: Finding
    premise: str
    outcome: str
    reason: str
    prediction: Prediction | None  # where the predictor can speak of the setting
    lengths: tuple[LengthComparison, ...]
    published: str
    published_agrees: bool | None

    @property
    def in_scope(self) -> bool:
        """Whether every premise of the prediction holds."""
        return not self.premise


def missing_premises(finding: Finding) -> dict[str, str]:
    """The premises that do not hold, by name, each with a clause that says why."""
    padding = {
        "none": "operands have natural lengths; we predict for operands padded to one width",
        "unknown": "whether operands are padded to one width could not be checked",
    }
    missing = {}
    if finding.architecture != "decoder":
        missing["architecture"] = f"its architecture is {finding.architecture}; ours is a decoder"
    if finding.padding != "fixed":
        missing["padding"] = padding[finding.padding]
    if finding.aids:
        missing["aids"] = f"the model is helped by {', '.join(finding.aids)}"
    if not finding.converged:
        missing["convergence"] = f"in domain it had not converged ({finding.why})"
    if not {finding.train_domain, finding.test_domain} <= set(KINDS) or not finding.train:
        missing["domain"] = "the domains are none of ours (D_n, D_n^ab), or not known"
    known = finding.task in TASKS and finding.encoding in ENCODINGS
    if not known or finding.layout not in LAYOUTS:
        missing["setting"] = "its task, encoding or layout is not in our tables, or not known"
    return missing


@cache
def compare(finding: Finding) -> Comparison:
    """Set a finding beside our prediction of it and beside the published theorem."""
    missing = missing_premises(finding)
    # For natural lengths the predictor has no rule, so its answer for padded ones is not shown.
    mute = missing.keys() & {"padding", "domain", "setting"}
    prediction = None if mute else predict(finding.setting())
    lengths = () if prediction is None else _compare_lengths(finding, prediction)
    verdict, agrees = _theorem(finding)
    premise, *others = missing or [""]
    if premise:
        also = f" (also missing: {', '.join(others)})" if others else ""
        outcome, reason = OUT_OF_SCOPE, missing[premise] + also
    else:
        assert prediction is not None
        outcome, reason = _judge(finding, prediction, lengths)
    text = reason[0].upper() + reason[1:] + "."
    return Comparison(finding, premise, outcome, text, prediction, lengths, verdict, agrees)


def _compare_lengths(finding: Finding, prediction: Prediction) -> tuple[LengthComparison, ...]:
    measured = dict(zip(finding.test, finding.accuracy, strict=False))
    rows, zero, one = [], Fraction(0), Fraction(1)
    for x in prediction.lengths:
        exact = x.accuracy
        if finding.against == "learned_function":
            exact = None if exact is None or prediction.learned is None else one
            low, high = zero if prediction.learned is None else 1 - x.unseen, one
        elif exact is None:
            low, high = zero, x.at_most
        else:
            low, high = max(exact - x.unseen, zero), min(exact + x.unseen, one)
        reported = measured[x.digits] / 100 if x.digits in measured else None
        rows.append(LengthComparison(x.digits, exact, low, high, reported))
    return tuple(rows)


def _judge(
    finding: Finding, prediction: Prediction, lengths: tuple[LengthComparison, ...]
) -> tuple[str, str]:
    """The outcome of a finding in scope, and the reason."""
    trained = {x.digits for x in prediction.lengths if x.direction == "in_domain"}
    claims = [x for x in lengths if x.claims]
    if all(x.digits in trained for x in claims):
        return NO_CLAIM, "training does not fix the answers out of domain"
    if finding.outcome:
        possible = _possible(finding, lengths)
        text = f"predicted: {' or '.join(possible)}; reported: {finding.outcome}"
        return (AGREES if finding.outcome in possible else DISAGREES), text
    wrong = [x for x in claims if not x.agrees]
    if not wrong:
        return AGREES, f"claims on {len(claims)} of {len(lengths)} lengths, all within {TOLERANCE}"
    first, last = (f"{x.reported:.1%} at {x.digits} digits" for x in (wrong[0], wrong[-1]))
    leak = "untrained positions leak, which the support rule rules out: "
    text = f"off the prediction from {first} to {last}"
    return DISAGREES, (leak if finding.against == "learned_function" else "") + text


def _possible(finding: Finding, lengths: tuple[LengthComparison, ...]) -> tuple[str, ...]:
    """What the prediction allows on longer inputs, in words; empty without a claim there."""
    longer = [x for x in lengths if x.claims and x.digits > max(finding.train)]
    if not longer:
        return ()
    low = WORDS.index(_in_words([float(x.low) for x in longer]))
    high = WORDS.index(_in_words([float(x.high) for x in longer]))
    return WORDS[low : high + 1]


def _theorem(finding: Finding) -> tuple[str, bool | None]:
    """The published verdict on longer inputs, and whether it is what was reported."""
    if finding.against != "truth":
        return "", None
    # The trained length matters to tasks with a modulus only, and for those it is always known.
    trained = max(finding.train, default=1)
    try:
        task, by = named_task(finding.task, finding.modulus), encoding(finding.encoding)
    except InvalidInput:
        return "", None
    verdict = published(task, by, finding.base, Domain((trained,))).upward
    if verdict == UNDETERMINED or not finding.converged:
        return verdict, None
    return verdict, verdict == (GENERALIZES if finding.result == EXTENDS else FAILS)


COLUMNS = ("finding", "source", "setting", "reported", "predicted", "theorem", "outcome", "reason")
"""The columns of ``table``."""


def table() -> list[list[str]]:
    """Every comparison as a row of text, under ``COLUMNS``."""
    return [_row(compare(f)) for f in findings()]


def _row(c: Comparison) -> list[str]:
    f = c.finding
    task = f.task if f.modulus is None else f"{f.task} {f.modulus}"
    task += " vs f^" if f.against == "learned_function" else ""
    mark = "^every" if f.train_domain == "every" else ""
    setting = f"{task} · {f.encoding} · {f.layout} · {_span(f.train)}{mark} → {_span(f.test)}"
    predicted = " ".join(x.text() for x in c.lengths)
    said = {True: " (as reported)", False: " (not as reported)", None: ""}[c.published_agrees]
    reported = f"{f.outcome}: {f.figure}" if f.outcome else " ".join(f"{a:g}" for a in f.accuracy)
    theorem = c.published + said
    return [f.id, f.paper.citation, setting, reported, predicted, theorem, c.outcome, c.reason]


IN_SHORT = ("finding", "reported", "predicted", "outcome")
"""The columns of ``short_table``."""
LEGEND = (
    "reported, predicted: on inputs longer than the trained ones. outcome: agrees, disagrees, or the "
    "premise that does not hold, so that nothing is compared. All of one: arith literature FINDING."
)


def short_table() -> list[list[str]]:
    """Every comparison in a line, under ``IN_SHORT``."""
    return [_short(compare(f)) for f in findings()]


def _short(c: Comparison) -> list[str]:
    possible = "/".join(_possible(c.finding, c.lengths))
    return [c.finding.id, c.finding.result, possible or "-", c.premise or c.outcome]


def finding_text(name: str) -> list[str]:
    """One finding beside the prediction, a line for each of ``COLUMNS``.

    Raises:
        InvalidInput: there is no such finding.
    """
    by_id = {f.id: f for f in findings()}
    if name not in by_id:
        near = get_close_matches(name.lower(), by_id, n=1, cutoff=0.4)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise InvalidInput(f"unknown finding '{name}'{hint} (arith literature lists {len(by_id)})")
    row = _row(compare(by_id[name]))
    return [f"{column}: {text or '-'}" for column, text in zip(COLUMNS[1:], row[1:], strict=True)]


def summary() -> str:
    """How many findings can be compared, how many of them agree, and with what."""
    rows = [compare(f) for f in findings()]
    count = {o: sum(c.outcome == o for c in rows) for o in (AGREES, DISAGREES, NO_CLAIM)}
    leaking = sum(
        c.in_scope and c.prediction is not None and c.prediction.leaks is not False for c in rows
    )
    return (
        f"Of {len(rows)} findings from {len({f.paper for f in findings()})} papers, "
        f"{sum(count.values())} meet every premise of a prediction (are in scope): {count[AGREES]} agree "
        f"with it, {count[DISAGREES]} disagree, and on {count[NO_CLAIM]} it makes no claim. Each is compared "
        f"with the accuracy of the expected function; {leaking} are of tasks where arith predict claims that of "
        "a small model as a bound only, or not at all (rule: leak)."
    )
