"""Of which converged models a claim on a length speaks: today's claim, or that stored before.

Where digits are ignored, of indifferent and steady ones; where joint support decides, of steady
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from arith.theory.inference.learned import LearnedFunction
from arith.theory.inference.support import support
from arith.theory.prediction.lengths import LengthPrediction, replaces
from arith.theory.setting.settings import Setting
from arith.verify.plan.premise import SEEN_STEADY, least_kept
from arith.verify.records.measurement import Measurement
from arith.verify.records.predicted import Predicted, PredictedLength
from arith.verify.records.runs import Run

_JOINTLY_SINCE, _IGNORED_SINCE, _BOUNDS_SINCE = 26, 28, 29
"""The versions of the theory from which claims speak of steady models alone.

Of exact ones: where joint support decides, and where they rest on ignored digits.  Of bounds:
either.  Since the last of them answers that training leaves open may change.
"""
_TRIED_SINCE = 30
"""The version from which some claims speak only of models that were seen to be steady."""
_ALL_FIRMLY = range(30, 33)
"""The versions in which all claims asked for as many answers as those."""


def speaks_of(expected: LengthPrediction, run: Run) -> bool:
    """Whether today's claim on a length speaks of a converged model."""
    return (run.indifferent or not expected.ignores) and (
        run.is_steady(expected.digits, expected.unseen, expected.tried) or not expected.asks_steady
    )


def is_firm(expected: LengthPrediction, measured: Measurement) -> bool:
    """Whether as many answers stayed as today's claim asks for, or none were tried."""
    return measured.is_steady(expected.unseen, least_kept(expected.tried))


def says_nothing(runs: Sequence[Run], expected: LengthPrediction) -> bool:
    """Whether a claim on models that were seen to be steady finds none that is."""
    indifferent = [r for r in runs if r.indifferent]
    return expected.tried and bool(indifferent) and not any(speaks_of(expected, r) for r in runs)


def asked(runs: Sequence[Run], expected: LengthPrediction) -> list[Run]:
    """The converged models that are judged at a length, or all where a claim says nothing."""
    everyone = says_nothing(runs, expected)
    return [r for r in runs if everyone or speaks_of(expected, r)]


def spoke_of(expected: LengthPrediction, setting: Setting, run: Run) -> bool:
    """Whether what was stored of a length spoke of a converged model; not, where nothing was.

    Args:
        expected: today's prediction of the length.
    """
    told, digits = run.predicted, expected.digits
    claim = None if told is None else told.at(digits)
    if told is None or claim is None:
        return False
    if _is_alike(expected, told):
        ignores = expected.ignores
    else:
        ignores = _rests_on_ignored(told, setting, digits)
    asks_steady = expected.asks_steady and presumes_steady(expected, told)
    open_then, theory = claim.unseen_share or Fraction(0), int(told.theory)
    # An exact claim on inputs that are open today: joint support was taken to decide them.
    was_inferred = claim.accuracy is not None and open_then < expected.unseen
    asks_steady |= was_inferred and theory >= _JOINTLY_SINCE
    may_change = open_then if theory >= _BOUNDS_SINCE else Fraction(0)
    is_steady = run.is_steady(digits, may_change, expected.tried, asked_then(told, expected.tried))
    return (run.indifferent or not ignores) and (is_steady or not asks_steady)


def is_stored(expected: LengthPrediction, setting: Setting, run: Run) -> bool:
    """Whether what is claimed of a converged model at a length is what was stored of it."""
    speaks = speaks_of(expected, run)
    if speaks != spoke_of(expected, setting, run):
        return False
    return not speaks or (run.predicted is not None and _is_alike(expected, run.predicted))


def presumes_steady(expected: LengthPrediction, told: Predicted) -> bool:
    """Whether such a claim spoke of steady models alone when this was stored."""
    if expected.tried:
        return int(told.theory) >= _TRIED_SINCE
    since = _JOINTLY_SINCE if expected.infers else _IGNORED_SINCE
    return int(told.theory) >= (_BOUNDS_SINCE if expected.accuracy is None else since)


def asked_then(told: Predicted, tried: bool) -> float:
    """The share of the answers that had to stay when a claim was stored.

    Args:
        tried: whether it speaks only of models that were seen to be steady.
    """
    return SEEN_STEADY if int(told.theory) in _ALL_FIRMLY else least_kept(tried)


def _is_alike(expected: LengthPrediction, told: Predicted) -> bool:
    """Whether what is claimed of a length is what was stored of it."""

    def claim(x: LengthPrediction | PredictedLength) -> tuple[object, ...]:
        least = x.at_least if x.accuracy is None else None  # else it follows from the others
        return x.digits, x.accuracy, least, x.at_most, x.unseen_share or 0

    return any(claim(x) == claim(expected) for x in told.lengths)


def _rests_on_ignored(told: Predicted, setting: Setting, digits: int) -> bool:
    """Whether what was stored of a length rests on digits being ignored: f^ decides it, by them."""
    task = setting.task
    shown = LearnedFunction(support(task, setting.train, setting.base))
    return told.learned not in (None, task.formula()) and replaces(shown, setting.test(digits))
