"""The counts of a report: what became of the claims, and of which models.

Every page and the JSON take them from here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict
from arith.verify.judging.premises import is_firm
from arith.verify.judging.standards import is_testable

FRACTIONAL = Fraction(1, 20)
"""An accuracy farther than this from 0 and from 1 is neither: such claims are the hardest."""
TESTED = {Verdict.AGREE, Verdict.DIVERGE}
"""The verdicts on what a measurement could contradict."""


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
class Part:
    """How many of some things are as asked."""

    some: int
    of: int

    @property
    def others(self) -> float | None:
        """The share of those that are not; None where there is nothing."""
        return (self.of - self.some) / self.of if self.of else None


@dataclass(frozen=True)
class Summary:
    """The counts of some cells; lengths are test lengths that were not trained.

    Args:
        cells: trained or not.
        conclusive: cells whose verdict is not ``inconclusive``.
        claims: of today's theory, those that could be tested.
        silent: lengths that were measured, and at which nothing is claimed of these models.
        inconclusive: claims that were not tested, for no model met the premises.
        predicted_before: claims stored before training, kept or given up.
        stored_and_kept: those that today's theory makes just so.
        stored_and_given_up: those that it makes no more, or otherwise.
        explained_after: claims of today's theory that are not kept ones: made or changed since.
        published: what the published theorem says, by length.
        wins_over_published: lengths at which the refined claim agrees and the theorem does not.
        losses_to_published: lengths at which the theorem agrees and the refined claim does not.
        fractional_agree: exact claims well between 0 and 1 (``FRACTIONAL``) that agree.
        upward: the longer lengths that carry a claim, of all cells, trained or not: ``ape``, and
            ``other`` encodings.
        indifferent: models that keep their answers when ignored tokens are disturbed, of those with
            a claim that asks for it.
        steady: measurements in which answers stay when digits are a little disturbed, likewise.
    """

    cells: int
    conclusive: int
    models: int
    converged: int
    claims: Judged
    silent: int
    inconclusive: int
    predicted_before: Judged
    stored_and_kept: Judged
    stored_and_given_up: Judged
    explained_after: Judged
    published: Judged
    wins_over_published: int
    losses_to_published: int
    fractional_agree: int
    upward: dict[str, Part]
    indifferent: Part
    steady: Part

    @property
    def ledger(self) -> list[tuple[str, Judged]]:
        """How the claims stored before training and those of today's theory belong together.

        Each sum stands below what it is the sum of; empty where both are the same claims, or none.
        """
        changed = self.explained_after.tested or self.stored_and_given_up.tested
        if not self.predicted_before.tested or not changed:
            return []
        return [
            ("stored before training, and today's claim too", self.stored_and_kept),
            ("stored, and made no more or otherwise today", self.stored_and_given_up),
            ("stored before training, in all", self.predicted_before),
            ("made or changed since", self.explained_after),
            ("today's theory, in all: first and fourth line", self.claims),
        ]

    def to_json(self) -> dict[str, Any]:
        """The counts of claims, by their names."""
        found = {k: asdict(x) if isinstance(x, Judged) else x for k, x in vars(self).items()}
        found["claims"] |= {name: found.pop(name) for name in ("silent", "inconclusive")}
        del found["indifferent"], found["steady"]
        return found | {"silent_upward": {k: x.others for k, x in found.pop("upward").items()}}


def summarize(verdicts: Sequence[CellVerdict]) -> Summary:
    """Count what became of the claims on some cells."""
    lengths = [x for v in verdicts for x in v.lengths]
    kept, others = ([x for x in lengths if _is_kept(x) == is_kept] for is_kept in (True, False))
    both = Counter((x.verdict, x.published) for x in lengths)
    upward = {"ape": list[bool](), "other": list[bool]()}
    for v in verdicts:
        where = "ape" if v.cell.setting.encoding.name == "ape" else "other"
        # A claim on stable models counts where there is one, or no model has converged.
        upward[where] += [not is_silent(x) and is_testable(x.prediction) for x in v.longer]
    return Summary(
        cells=len(verdicts),
        conclusive=sum(v.verdict != Verdict.INCONCLUSIVE for v in verdicts),
        models=sum(len(v.runs) for v in verdicts),
        converged=sum(len(v.converged) for v in verdicts),
        claims=judged(x.verdict for x in lengths),
        silent=sum(x.accuracy is not None and is_silent(x) for x in lengths),
        inconclusive=sum(is_untested(v, x) for v in verdicts for x in v.lengths),
        predicted_before=judged(x.before for x in lengths),
        stored_and_kept=judged(x.before for x in kept),
        stored_and_given_up=judged(x.before for x in others),
        explained_after=judged(x.verdict for x in lengths if is_later(x)),
        published=judged(x.published for x in lengths),
        wins_over_published=both[Verdict.AGREE, Verdict.DIVERGE],
        losses_to_published=both[Verdict.DIVERGE, Verdict.AGREE],
        fractional_agree=sum(
            FRACTIONAL < x.prediction.accuracy < 1 - FRACTIONAL
            for x in lengths
            if x.verdict == Verdict.AGREE and x.prediction.accuracy is not None
        ),
        upward={where: _part(claims) for where, claims in upward.items()},
        indifferent=_part(
            run.indifferent
            for v in verdicts
            if any(x.prediction.requires_noise_invariance for x in v.lengths)
            for run in v.converged
            if run.indifference is not None
        ),
        steady=_part(
            is_firm(x.prediction, m)
            for v in verdicts
            for x in v.lengths
            if x.prediction.requires_stability
            for run in v.converged
            if (m := run.at(x.digits)) and m.steady is not None
        ),
    )


def _part(found: Iterable[bool]) -> Part:
    answers = list(found)
    return Part(sum(answers), len(answers))


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
            if of and x.before in TESTED:
                found.setdefault(max(of), []).append(x.before)
    return {version: judged(found[version]) for version in sorted(found)}


def is_silent(x: LengthVerdict) -> bool:
    """Whether nothing is claimed at a length, trained ones aside."""
    return x.verdict == Verdict.UNDETERMINED


def is_untested(v: CellVerdict, x: LengthVerdict) -> bool:
    """Whether something is claimed at a length and no model could test it."""
    if x.verdict != Verdict.INCONCLUSIVE or not is_testable(x.prediction):
        return False
    return not (v.cell.setting.is_premise(x.digits) or x.prediction.follows_from_premise)


def _is_kept(x: LengthVerdict) -> bool:
    """Whether what was stored before training is what theory claims today, and was tested."""
    return x.stored and x.before == x.verdict and x.verdict in TESTED


def is_later(x: LengthVerdict) -> bool:
    """Whether a claim that was tested was not stored so before training: made or changed since."""
    return x.verdict in TESTED and not _is_kept(x)
