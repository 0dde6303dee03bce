"""The claims: what the evidence says of each published theorem and each rule of ours.

A claim speaks of some test lengths of a cell.  A cell, or one model of it, counts once per claim,
by its worst length.  Models are judged one by one as the cell is with all of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from arith.theory.arithmetic.directions import EXTRAPOLATING, Direction
from arith.theory.arithmetic.tasks import TASKS
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim as Claimed
from arith.theory.generalization.outcomes import Status
from arith.theory.prediction.predict import Prediction
from arith.theory.prediction.published import treats
from arith.theory.rules import RULES
from arith.theory.transformer.encodings import ENCODINGS
from arith.verify.judging.judge import CellVerdict, Verdict
from arith.verify.judging.learning import leap_verdicts, plateau_verdicts

PUBLISHED, REFINED = "published", "refined"


@dataclass(frozen=True)
class Tally:
    """How many cells, or how many models, say what of a claim.

    Args:
        not_reached: the premise was not met.
        no_claim: nothing is claimed of them that a measurement could contradict.
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
        source: ``published`` (arXiv 2407.17963) or ``refined`` (``theory.rules``).
        name: of the theorem, with its direction; or of the rule, as derivations cite it.
        cells: judged with their converged models pooled.
        seeds: each model judged by itself.
    """

    source: str
    name: str
    says: str
    cells: Tally
    seeds: Tally


UNTREATED = "tasks and encodings that are not in the paper"
THEOREMS: dict[str, tuple[str, str]] = {
    "addition, absolute encoding": (Status.GENERALIZES, Status.FAILS),
    **{
        f"addition, {encoding.label}": (Status.GENERALIZES, Status.GENERALIZES)
        for encoding in ENCODINGS.values()
        if encoding.reference == "relative"
    },
    "multiplication, absolute encoding": (Status.GENERALIZES, Status.FAILS),
    "multiplication, relative encoding": (Status.GENERALIZES, Status.FAILS),
    "modular addition, p divides B^n": (Status.GENERALIZES, Status.GENERALIZES),
    "modular addition, p does not divide B^n": (Status.GENERALIZES, Status.FAILS),
    "modular multiplication, p divides B^n": (Status.GENERALIZES, Status.GENERALIZES),
    "modular multiplication, p does not divide B^n": (Status.GENERALIZES, Status.FAILS),
    UNTREATED: ("as its criteria decide", "as its criteria decide"),
}
"""The theorems of arXiv 2407.17963: what each says of shorter and of longer inputs.

Each relative encoding has a row of its own where the theorem says that sums extend.
``theory.prediction.published`` applies their criteria to other tasks too; those cells, and the
ones it is silent on, stand in the last line.
"""
_FORMS = {TASKS["add"].terms: "addition", TASKS["mul"].terms: "multiplication"}


def theorem(prediction: Prediction) -> str:
    """The published theorem, a key of ``THEOREMS``, that speaks of a setting."""
    setting = prediction.setting
    task, encoding = setting.task, setting.encoding
    form = _FORMS.get(task.terms)
    is_treated = treats(encoding, setting.train) and not setting.natural
    if form is None or not is_treated:
        return UNTREATED
    if task.modulus is None:
        if form == "addition" and encoding.reference == "relative":
            return f"{form}, {encoding.label}"
        return f"{form}, {encoding.reference} encoding"
    divides = prediction.published.upward == Status.GENERALIZES
    return f"modular {form}, p {'divides' if divides else 'does not divide'} B^n"


def rules_of(prediction: Prediction, length: LengthPrediction) -> set[str]:
    """The rules that the prediction at a length rests on."""
    return {step.rule for step in prediction.derivation if length.digits in step.lengths}


def claims(verdicts: Sequence[CellVerdict]) -> list[Claim]:
    """Every published theorem in each direction, then every rule, with what speaks for and against.

    One that no cell speaks to is there with zeros.
    """
    cells, seeds = _tallies(verdicts), _tallies(m for v in verdicts for m in v.by_model)
    theorems = [
        (PUBLISHED, f"{name}, {d}", says)
        for name, both in THEOREMS.items()
        for d, says in zip(EXTRAPOLATING, both, strict=True)
    ]
    rules = [(REFINED, name, rule.statement) for name, rule in RULES.items()]
    return [
        Claim(source, name, says, cells.get(name, Tally()), seeds.get(name, Tally()))
        for source, name, says in theorems + rules
    ]


def _tallies(verdicts: Iterable[CellVerdict]) -> dict[str, Tally]:
    """By claim, how many of these cells, or models, say what of it, each by its worst verdict.

    A length that was not measured counts only where no other was.
    """
    order = (Verdict.DIVERGE, Verdict.AGREE, Verdict.INCONCLUSIVE, Verdict.UNDETERMINED)
    counts = defaultdict[str, Counter[Verdict]](Counter)
    for v in verdicts:
        for name, said in _says(v).items():
            if said:
                counts[name][next((x for x in order if x in said), order[-1])] += 1
    found = {}
    for name, of in counts.items():
        contradicts, supports, not_reached, no_claim = (of[x] for x in order)
        found[name] = Tally(supports, contradicts, not_reached, no_claim)
    return found


def _says(v: CellVerdict) -> dict[str, list[Verdict]]:
    """What a cell, or one model of it, says of claims by their names: a verdict for each length."""
    name = theorem(v.prediction)
    lengths = defaultdict[str, set[int]](set)
    for step in v.prediction.derivation:
        lengths[step.rule].update(step.lengths)
    return {
        **{f"{name}, {d}": _theorem_verdicts(d, v) for d in EXTRAPOLATING},
        **{rule: _verdicts_at(of_rule, v) for rule, of_rule in lengths.items()},
        "plateau": plateau_verdicts(v),  # these two speak of training
        "leap": leap_verdicts(v),
    }


def _theorem_verdicts(direction: Direction, v: CellVerdict) -> list[Verdict]:
    """The verdicts of a cell at the lengths that the theorem of its setting speaks of."""
    silent = v.prediction.published_verdict(direction) == Status.UNDETERMINED
    judged = [x.published for x in v.lengths if x.prediction.direction == direction]
    return [Verdict.UNDETERMINED for _ in judged] if silent else judged


def _verdicts_at(lengths: Container[int], v: CellVerdict) -> list[Verdict]:
    """The verdicts of a cell at the lengths whose claim rests on a rule."""
    return [
        Verdict.UNDETERMINED if x.prediction.claim == Claimed.NONE else x.verdict
        for x in v.lengths
        if x.digits in lengths
    ]
