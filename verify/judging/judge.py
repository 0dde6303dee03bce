"""The judge: does what was measured meet the standards of agreement with what was predicted?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from arith.theory.arithmetic.directions import EXTRAPOLATING, Direction
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.prediction.forecast import Forecast, forecast
from arith.theory.prediction.predict import Prediction
from arith.theory.text import answer
from arith.verify.judging.intervals import Interval, pooled
from arith.verify.judging.premises import claim_applied, eligible_runs, is_stored, no_run_qualifies
from arith.verify.judging.standards import explains, is_below_one, is_testable, meets
from arith.verify.plan import premise
from arith.verify.plan.cells import Cell
from arith.verify.records.measurement import Measurement
from arith.verify.records.predicted import PredictedLength
from arith.verify.records.runs import Run, by_cell


class Verdict(StrEnum):
    """What a measurement says of a prediction.

    Undetermined: nothing is claimed that it could contradict, or only of models that were measured
    to be stable, and none was.  Inconclusive: no model met the premise, none is noise-invariant at
    what it is said to ignore, or none is stable where that is asked.  Premise: the length was
    trained, so it says whether the premise is met; or what is claimed of it says no more than that.
    """

    AGREE = "agree"
    DIVERGE = "diverge"
    UNDETERMINED = "undetermined"
    INCONCLUSIVE = "inconclusive"
    PREMISE = "premise"


class Untested(StrEnum):
    """Why the verdict on a length is undetermined, in the words of tables.

    Nothing is claimed; or a bound is too near 0 or 1 to fail; or it is of stable models, and no
    model was.
    """

    UNCLAIMED = answer.UNCLAIMED
    WEAK = "too weak to test"
    UNSTABLE = "none stable"


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on several lengths: diverge, else inconclusive, else agree, else undetermined."""
    given = set(verdicts)
    order = (Verdict.DIVERGE, Verdict.INCONCLUSIVE, Verdict.AGREE)
    return next((x for x in order if x in given), Verdict.UNDETERMINED)


@dataclass(frozen=True)
class LengthVerdict:
    """The verdict on one test length of a cell.

    Args:
        accuracy: measured against the truth, of the models that are judged, or of all converged
            ones where a claim says nothing; None where there are none.
        learned: measured against the learned function, None where none is predicted.
        verdict: on what the refined theory claims.
        published: on the published theorem.
        before: on what was claimed before training; undetermined where that was not kept.
        stored: whether today's claim is the one that was stored before training, of each model.
    """

    prediction: LengthPrediction
    accuracy: Interval | None
    learned: Interval | None
    verdict: Verdict
    published: Verdict
    before: Verdict
    stored: bool

    @property
    def digits(self) -> int:
        """The test length."""
        return self.prediction.digits

    @property
    def untested(self) -> Untested | None:
        """Why the verdict is undetermined; None where it is another."""
        if self.verdict != Verdict.UNDETERMINED:
            return None
        if self.prediction.claim == Claim.NONE:
            return Untested.UNCLAIMED
        return Untested.UNSTABLE if is_testable(self.prediction) else Untested.WEAK


@dataclass(frozen=True)
class CellVerdict:
    """The verdict on one cell: of its converged runs each has to agree, its other runs are named.

    Args:
        tests: what it is tested on, in words, where another cell has its name.
    """

    cell: Cell
    prediction: Prediction
    runs: tuple[Run, ...]
    lengths: tuple[LengthVerdict, ...]
    tests: str = ""

    @property
    def name(self) -> str:
        """The cell and its model in a few words, and its tests where these tell it from another."""
        return f"{self.cell.label()} · {self.cell.model}{self.tests}"

    @property
    def converged(self) -> tuple[Run, ...]:
        """The runs that met the premise."""
        return tuple(r for r in self.runs if r.converged)

    @property
    def converged_or_all(self) -> tuple[Run, ...]:
        """The runs that tables show: those that met the premise, or all where none did."""
        return self.converged or self.runs

    @property
    def longer(self) -> list[LengthVerdict]:
        """The verdicts on lengths above the trained ones."""
        return [x for x in self.lengths if x.prediction.direction == Direction.UPWARD]

    @property
    def diverging(self) -> list[LengthVerdict]:
        """The verdicts on lengths at which a claim diverges."""
        return [x for x in self.lengths if x.verdict == Verdict.DIVERGE]

    @cached_property
    def by_model(self) -> tuple[CellVerdict, ...]:
        """Each run judged by itself."""
        if len(self.runs) == 1:
            return (self,)
        return tuple(judge(self.cell, [run], self.prediction) for run in self.runs)

    @cached_property
    def forecasts(self) -> dict[str, dict[int, Forecast]]:
        """``held_out`` by the noise that converged models were trained with."""
        return {noise: self.held_out(noise) for noise in {run.noise_kind for run in self.converged}}

    def held_out(self, noise: str = "") -> dict[int, Forecast]:
        """The forecasts where no accuracy is claimed, without what was measured of the cell.

        Args:
            noise: with which its models were trained; by default the usual one.
        """
        asked = (x.prediction for x in self.lengths)
        name = self.cell.label()
        return forecast(self.cell.setting, self.prediction.derivation, asked, name, noise)

    @property
    def verdict(self) -> Verdict:
        """The worst of the lengths' verdicts; undetermined where the theory claims nothing.

        It is inconclusive where no model met the premise, whatever is claimed.
        """
        return worst(x.verdict for x in self.lengths) if self.converged else Verdict.INCONCLUSIVE

    @property
    def held_out_too_few(self) -> bool:
        """Whether a model is right in domain, on too few inputs to know."""
        return not self.converged and any(r.premise >= premise.PREMISE for r in self.runs)

    @property
    def reason(self) -> str:
        """Why the cell, or a length of it, is inconclusive, in a phrase; empty where it is not."""
        if self.converged:
            untested = [x for x in self.lengths if x.verdict == Verdict.INCONCLUSIVE]
            unjudged = [x.prediction for x in untested if x.accuracy is None]
            if any(x.requires_noise_invariance for x in unjudged) and not any(
                r.indifferent for r in self.converged
            ):
                return "no model is noise-invariant at the digits that it should ignore"
            if unjudged:
                return "no model is stable where its answers have to be firm"
            return "answers were not compared with f^, which theory has now" if untested else ""
        if not self.runs:
            return "not trained"
        best = max(self.runs, key=lambda r: (r.premise, r.budget))
        if self.held_out_too_few:
            some = f"{best.independent} held-out inputs are too few to be sure where some are wrong"
            return f"premise not established: {premise.too_few(best.independent) or some}"
        return (
            f"not converged: {best.premise_text} of held-out inputs after {best.steps} of "
            f"{best.budget} steps; try --budget {3 * best.budget}"
        )

    def measured(self, digits: int, learned: bool = False) -> Interval | None:
        """What ``converged_or_all`` got right at a length, by the truth or ``f^``, if measured."""
        return _pooled(_measured(self.converged_or_all, digits), learned)

    def shown(self, x: LengthVerdict) -> Interval | None:
        """The accuracy of the models that are judged at a length, or of the others if none is."""
        return x.accuracy or self.measured(x.digits)

    def judged(self, x: LengthVerdict) -> list[Measurement]:
        """What the models answered of which a length's accuracy is."""
        return _measured(eligible_runs(self.converged, x.prediction), x.digits)


def _pooled(measured: Sequence[Measurement], learned: bool) -> Interval | None:
    """What models got right, or how often as ``f^`` did of those compared with it, if any was."""
    shares = ((m.learned if learned else m.correct, m.samples) for m in measured)
    counts = [(right, of) for right, of in shares if right is not None]
    return pooled(counts, all(m.exhaustive for m in measured)) if counts else None


def count_verdicts(verdicts: Iterable[CellVerdict]) -> Counter[Verdict]:
    """How many lengths of these cells have which verdict."""
    return Counter(x.verdict for v in verdicts for x in v.lengths)


def judge_evidence(cells: Sequence[Cell], runs: Sequence[Run]) -> list[CellVerdict]:
    """Judge each cell by the runs of it, predictions made afresh."""
    found = by_cell(runs)
    verdicts = [judge(cell, found.get(cell.key, [])) for cell in cells]
    names = Counter(v.name for v in verdicts)
    return [v if names[v.name] == 1 else replace(v, tests=_tests(v.cell)) for v in verdicts]


def _tests(cell: Cell) -> str:
    s = cell.setting
    kind = "" if s.test_kind == "longest" else f", {s.test_kind}"
    return f" · tested on {','.join(map(str, s.test_lengths))}{kind}"


def judge(cell: Cell, runs: Iterable[Run], prediction: Prediction | None = None) -> CellVerdict:
    """Judge the runs of one cell by its prediction, or by another one that is given."""
    prediction = prediction or cell.prediction
    runs = tuple(sorted(runs, key=lambda r: r.seed))
    converged = [r for r in runs if r.converged]
    lengths = tuple(_judge_length(prediction, x, converged) for x in prediction.lengths)
    return CellVerdict(cell, prediction, runs, lengths)


def _judge_length(
    prediction: Prediction, expected: LengthPrediction, runs: Sequence[Run]
) -> LengthVerdict:
    digits = expected.digits
    models, is_void = eligible_runs(runs, expected), no_run_qualifies(runs, expected)
    measured = _measured(models, digits)
    accuracy = _pooled(measured, learned=False)
    learned = None if prediction.learned is None else _pooled(measured, learned=True)
    is_trained, met = prediction.setting.is_premise(digits), Verdict.PREMISE
    if accuracy is not None and (is_trained or expected.follows_from_premise):
        before = met if is_trained else _before(prediction, expected, runs)
        return LengthVerdict(expected, accuracy, learned, met, met, before, stored=False)
    compared = measured
    if prediction.learned is None:  # answers were compared with an f^ that theory has no more
        compared = [replace(m, learned=None) for m in measured]
    verdict = Verdict.UNDETERMINED if is_void else _judge_claim(expected, compared)
    # A model that is always right follows an f^ that is: elsewhere that has to be measured.
    is_fraction = expected.accuracy not in (None, 1)
    if verdict == Verdict.AGREE and is_fraction and prediction.learned and learned is None:
        verdict = Verdict.INCONCLUSIVE
    # The theorem is judged by the same models, and by all where ours speaks of none.
    published = _judge_published(prediction, expected, measured or _measured(runs, digits))
    before = _before(prediction, expected, runs)
    kept = bool(models) and not is_void
    stored = kept and all(is_stored(expected, prediction.setting, r) for r in runs)
    return LengthVerdict(expected, accuracy, learned, verdict, published, before, stored)


def _measured(runs: Iterable[Run], digits: int) -> list[Measurement]:
    return [m for r in runs if (m := r.at(digits))]


def _before(prediction: Prediction, expected: LengthPrediction, runs: Sequence[Run]) -> Verdict:
    """The verdict on what was claimed before training, each model by what was stored of it."""
    found = list[Verdict]() if runs else [Verdict.INCONCLUSIVE]
    for r in runs:
        told, measured = r.predicted, _measured([r], expected.digits)
        claim = told and told.at(expected.digits)
        if claim and measured and claim_applied(expected, prediction.setting, r):
            found.append(_judge_claim(claim, measured))
            if expected.follows_from_premise and _claims_no_more(claim, expected):
                found[-1] = Verdict.PREMISE
    return Verdict.PREMISE if set(found) == {Verdict.PREMISE} else worst(found)


def _claims_no_more(claim: PredictedLength, expected: LengthPrediction) -> bool:
    """Whether what was stored is a lower bound no higher than today's."""
    return claim.accuracy is None and claim.at_least <= expected.at_least and claim.at_most == 1


def _judge_claim(
    expected: LengthPrediction | PredictedLength, measured: Sequence[Measurement]
) -> Verdict:
    """Whether models did what is claimed of them at a length; inconclusive without any."""
    if not is_testable(expected):
        return Verdict.UNDETERMINED
    if not measured:
        return Verdict.INCONCLUSIVE
    if expected.accuracy is not None:
        goal, unseen = float(expected.accuracy), float(expected.unseen_share or 0)
        agrees = meets(measured, goal, goal, unseen) and explains(measured)
    else:
        agrees = meets(measured, float(expected.at_least), float(expected.at_most))
    return Verdict.AGREE if agrees else Verdict.DIVERGE


def _judge_published(
    prediction: Prediction, expected: LengthPrediction, measured: Sequence[Measurement]
) -> Verdict:
    """Whether the theorem's yes (accuracy 1) or no (below 1) is what was measured."""
    if not measured:
        return Verdict.INCONCLUSIVE
    says = published(prediction, expected)
    if says in (None, Status.UNDETERMINED):
        return Verdict.UNDETERMINED
    extends = says == Status.GENERALIZES
    agrees = meets(measured, 1.0, 1.0) if extends else is_below_one(measured)
    return Verdict.AGREE if agrees else Verdict.DIVERGE


def published(prediction: Prediction, x: LengthPrediction) -> Status | None:
    """What the published theorem says of a length; None of a trained one."""
    return prediction.published_verdict(x.direction) if x.direction in EXTRAPOLATING else None


def exit_code(verdicts: Sequence[CellVerdict]) -> int:
    """0 all agree, 1 some length diverges, 3 some cell is inconclusive and none diverges."""
    codes = {Verdict.DIVERGE: 1, Verdict.INCONCLUSIVE: 3}
    return codes.get(worst(v.verdict for v in verdicts), 0)
