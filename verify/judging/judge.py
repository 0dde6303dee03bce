"""The judge: does what was measured agree with what was predicted?

The tolerances stand here, once, with their reasons, for every cell alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from theory.prediction.lengths import LengthPrediction
from theory.prediction.outcomes import Claim
from theory.prediction.predict import Prediction, predict
from theory.setting.directions import EXTRAPOLATING
from verify.plan import premise
from verify.plan.cells import Cell
from verify.records.measurement import Measurement
from verify.records.runs import Run

TOLERANCE = 0.05
"""How far a measured accuracy may be from the predicted one.

The premise lets a model be wrong on 1 % of the inputs it was trained for.  Longer inputs ask
for more of the same digits, so a few times that is what a correct theory of imperfect models
can promise; every value told apart by the theory's theorems (0, 1/3, 1) is further away.
"""
MECHANISM = 0.5
"""The share of answers that a learned function has to explain.

An answer has several digits, so no other function of the operands meets it by chance more than
rarely; one that meets it more often than not is what the model computes, and the rest is leak.
"""
CONFIDENCE = 0.95

AGREE, DIVERGE, UNDECIDED, INCONCLUSIVE, PREMISE_MET = (
    "agree",
    "diverge",
    "undetermined",
    "inconclusive",
    "premise",
)


@dataclass(frozen=True)
class Interval:
    """A proportion with its confidence interval."""

    value: float
    low: float
    high: float


def pooled(counts: list[tuple[int, int]]) -> Interval:
    """The pooled proportion of (successes, trials) per seed.

    A Wilson interval on the effective sample size: where seeds differ by more than sampling
    explains, the number of trials is divided by the excess (the design effect of Korn and
    Graubard 1998).
    """
    trials = sum(n for _, n in counts)
    value = sum(k for k, _ in counts) / trials
    effect = 1.0
    if len(counts) > 1 and 0 < value < 1:
        spread = sum(n * (k / n - value) ** 2 for k, n in counts) / (len(counts) - 1)
        effect = max(1.0, spread / (value * (1 - value)))
    n = max(1, round(trials / effect))
    low, high = _wilson(round(value * n), n)
    return Interval(value, min(low, value), max(high, value))


@cache
def _wilson(successes: int, trials: int) -> tuple[float, float]:
    """Kept, for SciPy makes a test of every interval, and a report judges each cell several times."""
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(CONFIDENCE, method="wilson")
    return interval.low, interval.high


@dataclass(frozen=True)
class LengthVerdict:
    """The verdict on one test length of a cell.

    Args:
        accuracy: measured against the truth, None where no run converged.
        learned: measured against the learned function, None where none is predicted.
        verdict: on what the refined theory claims.
        exact: on the accuracy of the learned function, whether or not it is claimed to be exact.
        published: on the published theorem.
    """

    prediction: LengthPrediction
    accuracy: Interval | None
    learned: Interval | None
    verdict: str
    exact: str
    published: str


@dataclass(frozen=True)
class CellVerdict:
    """The verdict on one cell: its converged runs pooled, its other runs named."""

    cell: Cell
    prediction: Prediction
    runs: tuple[Run, ...]
    lengths: tuple[LengthVerdict, ...]

    @property
    def converged(self) -> tuple[Run, ...]:
        """The runs that met the premise."""
        return tuple(r for r in self.runs if r.converged)

    @property
    def shown(self) -> tuple[Run, ...]:
        """The runs that tables show: those that met the premise, or all where none did."""
        return self.converged or self.runs

    @property
    def verdict(self) -> str:
        """The worst of the lengths' verdicts; undetermined where the theory claims nothing."""
        found = {x.verdict for x in self.lengths}
        order = (INCONCLUSIVE, DIVERGE, AGREE, UNDECIDED)
        return next((v for v in order if v in found), UNDECIDED)

    @property
    def reason(self) -> str:
        """Why the cell is inconclusive, in a phrase; empty where it is not."""
        if self.converged:
            return ""
        if not self.runs:
            return "not trained"
        best = max(self.runs, key=lambda r: (r.premise, r.budget))
        if best.premise >= premise.PREMISE:
            return (
                f"premise not established: only {best.held_out} held-out inputs, "
                f"{premise.needed()} needed"
            )
        return (
            f"not converged: {best.premise:.2f} of held-out inputs after {best.steps} steps "
            f"(the budget); try --budget {3 * best.budget}"
        )


def judge(cell: Cell, runs: Iterable[Run], prediction: Prediction | None = None) -> CellVerdict:
    """Judge the runs of one cell.

    Args:
        prediction: made from the cell's setting where it is not given.
    """
    prediction = prediction or predict(cell.setting)
    runs = tuple(sorted(runs, key=lambda r: r.seed))
    good = [r for r in runs if r.converged]
    lengths = []
    for expected in prediction.lengths:
        measured = [m for r in good for m in r.measurements if m.digits == expected.digits]
        lengths.append(_judge_length(prediction, expected, measured))
    return CellVerdict(cell, prediction, runs, tuple(lengths))


def _judge_length(
    prediction: Prediction, expected: LengthPrediction, measured: list[Measurement]
) -> LengthVerdict:
    if not measured:
        return LengthVerdict(expected, None, None, *(INCONCLUSIVE,) * 3)
    counts = [(m.correct, m.samples) for m in measured]
    accuracy, alone = pooled(counts), [pooled([c]) for c in counts]
    learned = None
    if prediction.learned is not None:
        learned = pooled([(m.learned or 0, m.samples) for m in measured])
    if prediction.setting.is_premise(expected.digits):
        return LengthVerdict(expected, accuracy, learned, *(PREMISE_MET,) * 3)
    claim, verdict, exact = prediction.claim(expected), UNDECIDED, UNDECIDED
    if expected.accuracy is not None:
        wanted = expected.accuracy
        # An interval that respects the seeds meets anything where they differ: most have to agree.
        near = [_near(x, wanted, expected.unseen) for x in (accuracy, *alone)]
        explained = learned is None or learned.value >= MECHANISM
        exact = AGREE if near[0] and _most(near[1:]) and explained else DIVERGE
    if claim == Claim.EXACT:
        verdict = exact
    elif claim == Claim.AT_MOST and expected.at_most + Fraction(TOLERANCE) < 1:
        below = [not_above(x, expected.at_most) for x in (accuracy, *alone)]
        verdict = AGREE if below[0] and _most(below[1:]) else DIVERGE
    published = _judge_published(prediction, expected, accuracy)
    return LengthVerdict(expected, accuracy, learned, verdict, exact, published)


def not_above(measured: Interval, bound: Fraction) -> bool:
    """Whether the interval reaches down to a bound, give or take the tolerance."""
    return measured.low <= float(bound) + TOLERANCE


def _most(found: list[bool]) -> bool:
    return 2 * sum(found) > len(found)


def _near(measured: Interval, predicted: Fraction, unseen: Fraction) -> bool:
    """Whether the interval meets the prediction, give or take the tolerance.

    Where training does not fix the answer on a share of the inputs, those may go either way.
    """
    room = TOLERANCE + float(unseen)
    return measured.low <= float(predicted) + room and measured.high >= float(predicted) - room


def _judge_published(prediction: Prediction, expected: LengthPrediction, accuracy: Interval) -> str:
    """Whether the theorem's yes (accuracy 1) or no (below 1) is what was measured."""
    says = (
        getattr(prediction.published, expected.direction)
        if expected.direction in EXTRAPOLATING
        else "undetermined"
    )
    if says == "undetermined":
        return UNDECIDED
    is_right = accuracy.high >= 1 - TOLERANCE
    return AGREE if is_right == (says == "generalizes") else DIVERGE


def exit_code(verdicts: Iterable[CellVerdict]) -> int:
    """0 all agree, 1 some length diverges, 3 some cell is inconclusive and none diverges."""
    found = {v.verdict for v in verdicts}
    if DIVERGE in found or any(x.verdict == DIVERGE for v in verdicts for x in v.lengths):
        return 1
    return 3 if INCONCLUSIVE in found else 0
