"""The claim table: what the evidence says of each published theorem and each rule of ours.

A claim speaks of some test lengths of a cell, and a cell, or one model of it, counts once per
claim: by its worst length.  Models are judged one by one as the cell is with all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from theory.inference.rules import RULES
from theory.prediction import outcomes
from theory.prediction.lengths import MOST_UNSEEN, LengthPrediction
from theory.prediction.outcomes import Status
from theory.prediction.predict import Prediction
from theory.prediction.published import treats
from theory.setting.directions import EXTRAPOLATING, Direction
from theory.setting.tasks import TASKS
from verify.judging.judge import AGREE, DIVERGE, INCONCLUSIVE, UNDECIDED, CellVerdict, judge
from verify.judging.unconverged import verdicts_of
from verify.reporting.training_course import leap_verdicts

PUBLISHED, REFINED = "published", "refined"


@dataclass(frozen=True)
class Tally:
    """How many cells, or how many models, say what of a claim.

    Args:
        not_reached: it claims something of them, and the premise was not met.
        no_claim: it speaks of them, and claims nothing that a measurement could contradict.
    """

    supports: int = 0
    contradicts: int = 0
    not_reached: int = 0
    no_claim: int = 0

    @property
    def tested(self) -> int:
        """Those that could contradict the claim: the premise was met."""
        return self.supports + self.contradicts


@dataclass(frozen=True)
class Claim:
    """A theorem in one direction, or a rule, and what the evidence says of it.

    Args:
        source: ``published`` (arXiv 2407.17963) or ``refined`` (``theory.inference.rules``).
        name: of the theorem, with its direction; or of the rule, as derivations cite it.
        says: what it claims.
        cells: judged with their converged models pooled.
        seeds: each model judged by itself.
    """

    source: str
    name: str
    says: str
    cells: Tally
    seeds: Tally


UNTREATED = "tasks and encodings not treated, by the same criteria"
THEOREMS: dict[str, tuple[str, str]] = {
    "addition, absolute encoding": (Status.GENERALIZES, Status.FAILS),
    "addition, relative encoding": (Status.GENERALIZES, Status.GENERALIZES),
    "multiplication, absolute encoding": (Status.GENERALIZES, Status.FAILS),
    "multiplication, relative encoding": (Status.GENERALIZES, Status.FAILS),
    "modular addition, p divides B^n": (Status.GENERALIZES, Status.GENERALIZES),
    "modular addition, p does not divide B^n": (Status.GENERALIZES, Status.FAILS),
    "modular multiplication, p divides B^n": (Status.GENERALIZES, Status.GENERALIZES),
    "modular multiplication, p does not divide B^n": (Status.GENERALIZES, Status.FAILS),
    UNTREATED: ("as they say", "as they say"),
}
"""The theorems of arXiv 2407.17963: what each says of shorter and of longer inputs.

They name four tasks and two kinds of encoding.  ``theory.prediction.published`` applies their criteria to
other tasks too; those cells, and the ones it is silent on, stand in the last line.
"""
_FORMS = {TASKS["add"].terms: "addition", TASKS["mul"].terms: "multiplication"}


def theorem(prediction: Prediction) -> str:
    """The published theorem, a key of ``THEOREMS``, that speaks of a setting."""
    setting = prediction.setting
    task, encoding = setting.task, setting.encoding
    form = _FORMS.get(task.terms)
    if form is None or task.divisor != 1 or not treats(encoding, setting.train):
        return UNTREATED
    if task.modulus is None:
        kind = "absolute" if encoding.reference == "absolute" else "relative"
        return f"{form}, {kind} encoding"
    divides = prediction.published.upward == Status.GENERALIZES
    return f"modular {form}, p {'divides' if divides else 'does not divide'} B^n"


_EVERYWHERE = {"continuation", "blind", "sample"}
"""The rules that decide every length but the trained ones, in place of the support rule."""


def uses(rule: str, prediction: Prediction, length: LengthPrediction) -> bool:
    """Whether the prediction at a length rests on a rule.

    A derivation cites its rules once for all lengths.  Which lengths are meant follows from
    what ``theory.prediction.predict`` does with them: the premise covers what was trained, a continuation,
    a blind query and too small a sample decide every other length, joint support fixes or blocks the
    lengths that ask for unseen combinations, a leak is of the lengths that ask for anything unseen, and the
    other rules are about digits above the trained ones.
    """
    cited = {step.rule for step in prediction.derivation}
    trained = prediction.setting.is_premise(length.digits)
    if rule not in cited or trained != (rule == "convergence"):
        return False
    if rule == "support":
        if cited & _EVERYWHERE:
            return False
        return length.direction != Direction.UPWARD or prediction.learned is not None
    if rule == "joint support":
        return max(length.unseen, length.inferred) > MOST_UNSEEN
    if rule == "leak":
        return length.extends
    return trained or rule in _EVERYWHERE or length.direction == Direction.UPWARD


def claims(verdicts: Sequence[CellVerdict]) -> list[Claim]:
    """Every published theorem in each direction, then every rule, with what speaks for and against.

    One that no cell speaks to is there with zeros.
    """
    alone = [judge(v.cell, [run], v.prediction) for v in verdicts for run in v.runs]

    def claim(source: str, name: str, says: str, found: _Found) -> Claim:
        return Claim(source, name, says, _tally(map(found, verdicts)), _tally(map(found, alone)))

    return [
        *(
            claim(PUBLISHED, f"{name}, {direction}", says, _of_theorem(name, direction))
            for name, both in THEOREMS.items()
            for direction, says in zip(EXTRAPOLATING, both, strict=True)
        ),
        *(claim(REFINED, r.name, r.statement, _of_rule(r.name)) for r in RULES.values()),
    ]


_Found = Callable[[CellVerdict], list[str]]
"""The verdicts of a cell at the lengths that a claim speaks of."""


def _of_theorem(name: str, direction: Direction) -> _Found:
    def found(v: CellVerdict) -> list[str]:
        if theorem(v.prediction) != name:
            return []
        silent = v.prediction.published_verdict(direction) == Status.UNDETERMINED
        return [
            UNDECIDED if silent else x.published
            for x in v.lengths
            if x.prediction.direction == direction
        ]

    return found


def _of_rule(rule: str) -> _Found:
    if rule == "plateau":  # about models that missed the premise
        return verdicts_of
    if rule == "leap":  # about how soon a model meets it
        return leap_verdicts

    def found(v: CellVerdict) -> list[str]:
        return [
            x.verdict
            if rule == "leak" or v.prediction.claim(x.prediction) == outcomes.Claim.EXACT
            else UNDECIDED
            for x in v.lengths
            if uses(rule, v.prediction, x.prediction)
        ]

    return found


def _tally(found: Iterable[list[str]]) -> Tally:
    """Count the cells, or the models, that have any verdict, each by its worst.

    A length that was not measured counts only where no other was.
    """
    order = (DIVERGE, AGREE, INCONCLUSIVE)
    worst = Counter(next((w for w in order if w in some), UNDECIDED) for some in found if some)
    return Tally(worst[AGREE], worst[DIVERGE], worst[INCONCLUSIVE], worst[UNDECIDED])


COLUMNS = ("claim", "supports", "contradicts", "not reached", "no claim")


def table(claims: Sequence[Claim]) -> str:
    """The claims as Markdown tables, theorems and rules, in the order of ``COLUMNS``."""
    parts = []
    for source, title in (
        (PUBLISHED, "Published theorems"),
        (REFINED, "Rules of the refined theory"),
    ):
        rows = [_row(c) for c in claims if c.source == source]
        columns = (title, *COLUMNS[1:])
        parts.append(tabulate(rows, columns, tablefmt="github", disable_numparse=True))
    rules = [f"- *{c.name}*: {' '.join(c.says.split())}" for c in claims if c.source == REFINED]
    return "\n\n".join([*parts, "\n".join(rules)])


def _row(c: Claim) -> list[str]:
    return [
        f"{c.name}: {c.says}" if c.source == PUBLISHED else c.name,
        _tested(c.cells.supports, c.seeds.supports, c.seeds.tested),
        _tested(c.cells.contradicts, c.seeds.contradicts, c.seeds.tested),
        _untested(c.cells.not_reached, c.seeds.not_reached),
        _untested(c.cells.no_claim, c.seeds.no_claim),
    ]


def _tested(cells: int, seeds: int, of: int) -> str:
    """``12 cells, 31 of 36 seeds``."""
    return f"{_count(cells, 'cell')}, {seeds} of {_count(of, 'seed')}" if of else "0 cells"


def _untested(cells: int, seeds: int) -> str:
    """``2 cells, 3 seeds``."""
    return f"{_count(cells, 'cell')}, {_count(seeds, 'seed')}" if cells or seeds else "0 cells"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
