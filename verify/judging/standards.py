"""The standards that a measurement has to meet, with their reasons; the same for every cell."""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.generalization.lengths import LengthPrediction
from arith.verify.judging.intervals import Interval, pooled
from arith.verify.records.measurement import Measurement
from arith.verify.records.predicted import PredictedLength

TOLERANCE = 0.02
"""How far an accuracy may be from the predicted one.

The interval of each model has to lie within it, so that few inputs are never agreement (the
equivalence test of Schuirmann 1987).  The premise lets a model be wrong on 1 % of the inputs that
it was trained for, and longer inputs ask for more of the same digits.
"""
MECHANISM = 0.9
"""The share of answers that a learned function has to explain."""


def meets(measured: Sequence[Measurement], low: float, high: float, unseen: float = 0.0) -> bool:
    """Whether every model was right as often as between two accuracies, give or take.

    On a share ``unseen`` of the inputs nothing is predicted.
    """
    room = TOLERANCE + unseen
    return all(low - room <= x.low and x.high <= high + room for x in map(interval, measured))


def is_testable(expected: LengthPrediction | PredictedLength) -> bool:
    """Whether a measurement could contradict what is claimed: no bound that only touches 0 or 1."""
    if expected.accuracy is not None:
        return True
    return float(expected.at_least) > TOLERANCE or float(expected.at_most) + TOLERANCE < 1


def is_below_one(measured: Sequence[Measurement]) -> bool:
    """Whether every model is surely not always right: one wrong answer shows it.

    Of sampled inputs more have to be wrong than the tolerance: what is right by rule is wrong now
    and then.
    """
    return all(
        m.correct < m.samples if m.exhaustive else interval(m).high < 1 - TOLERANCE
        for m in measured
    )


def interval(m: Measurement) -> Interval:
    """What one model got right; exact where it was tested on all there is."""
    return pooled([(m.correct, m.samples)], m.exhaustive)


def explains(measured: Sequence[Measurement]) -> bool:
    """Whether the learned function explains each model's answers; where there is none, it does."""
    shares = (m.learned_share for m in measured)
    return all(share >= MECHANISM for share in shares if share is not None)
