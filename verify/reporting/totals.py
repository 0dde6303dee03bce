"""The counts of a report: what became of the claims, and of which models.

Every page and the JSON take them from here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict
from arith.verify.judging.standards import is_testable

FRACTIONAL = Fraction(1, 20)
"""An accuracy farther than this from 0 and from 1 is neither: such claims are the hardest."""

_TESTED = {Verdict.AGREE, Verdict.DIVERGE}


@dataclass(frozen=True)
class Judged:
    """How many statements agree with what was measured, and how many do not."""

    agree: int
    diverge: int

    @property
    def tested(self) -> int:
        """Those that a measurement could contradict."""
        return self.agree + self.diverge


@dataclass(frozen=True)
class Coverage:
    """How many longer lengths carry a claim, and how many there are in all."""

    claimed: int
    lengths: int

    @property
    def silent(self) -> float | None:
        """The share without a claim; None where there is no such length."""
        return (self.lengths - self.claimed) / self.lengths if self.lengths else None


@dataclass(frozen=True)
class Totals:
    """The counts of a report; lengths are test lengths that were not trained.

    Args:
        cells: trained or not.
        conclusive: cells whose verdict is not ``inconclusive``.
        claims: of today's theory, those that could be tested.
        silent: lengths that were measured, and at which nothing is claimed of these models.
        inconclusive: claims that were not tested, for no model met the premises.
        before: the claims that were stored before training: ``kept`` and ``given_up``.
        kept: those that today's theory makes just so.
        given_up: those that it makes no more, or otherwise.
        after: the claims of today's theory that are not ``kept``: made or changed since.
        theorem: what the published theorem says, by length.
        wins: lengths at which the refined claim agrees and the theorem does not.
        losses: lengths at which the theorem agrees and the refined claim does not.
        fractional: exact claims well between 0 and 1 (``FRACTIONAL``) that agree.
        upward: the longer lengths of all cells, trained or not: ``ape``, and ``other`` encodings.
    """

    cells: int
    conclusive: int
    models: int
    converged: int
    claims: Judged
    silent: int
    inconclusive: int
    before: Judged
    kept: Judged
    given_up: Judged
    after: Judged
    theorem: Judged
    wins: int
    losses: int
    fractional: int
    upward: dict[str, Coverage]


def totals(verdicts: Sequence[CellVerdict]) -> Totals:
    """Count what became of the claims on some cells."""
    lengths = [x for v in verdicts for x in v.lengths]
    both = Counter((x.verdict, x.published) for x in lengths)
    absolute, others = (
        [v for v in verdicts if (v.cell.setting.encoding.name == "ape") == is_ape]
        for is_ape in (True, False)
    )
    return Totals(
        cells=len(verdicts),
        conclusive=sum(v.verdict != Verdict.INCONCLUSIVE for v in verdicts),
        models=sum(len(v.runs) for v in verdicts),
        converged=sum(len(v.converged) for v in verdicts),
        claims=judged(x.verdict for x in lengths),
        silent=sum(x.accuracy is not None and is_silent(x) for x in lengths),
        inconclusive=sum(is_untested(v, x) for v in verdicts for x in v.lengths),
        before=judged(x.before for x in lengths),
        kept=judged(x.before for x in lengths if _is_kept(x)),
        given_up=judged(x.before for x in lengths if not _is_kept(x)),
        after=judged(x.verdict for x in lengths if not _is_kept(x)),
        theorem=judged(x.published for x in lengths),
        wins=both[Verdict.AGREE, Verdict.DIVERGE],
        losses=both[Verdict.DIVERGE, Verdict.AGREE],
        fractional=sum(_is_fractional(x) for x in lengths if x.verdict == Verdict.AGREE),
        upward={"ape": _coverage(absolute), "other": _coverage(others)},
    )


def _is_kept(x: LengthVerdict) -> bool:
    """Whether what was stored before training is what theory claims today, and was tested."""
    return x.stored and x.before == x.verdict and x.verdict in _TESTED


def ledger(t: Totals) -> list[tuple[str, Judged]]:
    """How the claims stored before training and those of today's theory belong together.

    Each sum stands below what it is the sum of; empty where both are the same claims, or none.
    """
    if not t.before.tested or not (t.after.tested or t.given_up.tested):
        return []
    return [
        ("stored before training, and today's claim too", t.kept),
        ("stored, and made no more or otherwise today", t.given_up),
        ("stored before training, in all", t.before),
        ("made or changed since", t.after),
        ("today's theory, in all: first and fourth line", t.claims),
    ]


def judged(verdicts: Iterable[Verdict]) -> Judged:
    """How many of these verdicts agree, and how many diverge."""
    counts = Counter(verdicts)
    return Judged(counts[Verdict.AGREE], counts[Verdict.DIVERGE])


def before_by_version(verdicts: Iterable[CellVerdict]) -> dict[int, Judged]:
    """What became of the claims stored before training, by the version of the theory.

    A length counts under the newest version that claimed something of a model.
    """
    found: dict[int, list[Verdict]] = {}
    for v in verdicts:
        made = [r.predicted for r in v.converged if r.predicted]
        for x in v.lengths:
            of = [int(p.theory) for p in made if p.at(x.digits)]
            if of and x.before in _TESTED:
                found.setdefault(max(of), []).append(x.before)
    return {version: judged(found[version]) for version in sorted(found)}


def is_silent(x: LengthVerdict) -> bool:
    """Whether nothing is claimed at a length, trained ones aside."""
    return x.verdict == Verdict.UNDETERMINED


def is_untested(v: CellVerdict, x: LengthVerdict) -> bool:
    """Whether something is claimed at a length and no model could test it."""
    is_premise = v.cell.setting.is_premise(x.digits) or x.prediction.follows_from_premise
    return x.verdict == Verdict.INCONCLUSIVE and is_testable(x.prediction) and not is_premise


def _is_fractional(x: LengthVerdict) -> bool:
    value = x.prediction.accuracy
    return value is not None and FRACTIONAL < value < 1 - FRACTIONAL


def _coverage(cells: Iterable[CellVerdict]) -> Coverage:
    """A claim on steady models counts where there is one, or no model has converged."""
    claims = [is_testable(x.prediction) and not is_silent(x) for v in cells for x in v.longer]
    return Coverage(sum(claims), len(claims))
