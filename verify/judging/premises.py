"""Of which converged models a claim on a length speaks: today's claim, or that stored before.

A claim says itself what it asks of a model (``LengthPrediction.premises``), and so does one that is
stored.  What was stored before claims said so is read off the version of the theory that made it
(``earlier_claims.toml``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from arith.theory.counting.learned import LearnedFunction
from arith.theory.generalization.lengths import LengthPrediction, Premise, replaces
from arith.theory.observation.support import support
from arith.theory.setting.settings import Setting
from arith.verify.plan.premise import SEEN_STEADY, least_kept
from arith.verify.records.measurement import Measurement
from arith.verify.records.predicted import Predicted, PredictedLength
from arith.verify.records.runs import Run


def does_with_noise(premises: Collection[Premise], run: Run) -> bool:
    """Whether noise at constant addresses does to a model's answers what a claim asks for."""
    reads = run.indifference is not None and not run.indifferent
    return (run.indifferent or Premise.NOISE not in premises) and (
        reads or Premise.READS not in premises
    )


def speaks_of(expected: LengthPrediction, run: Run) -> bool:
    """Whether today's claim on a length speaks of a converged model."""
    tried, measured = expected.requires_measured_stability, run.at(expected.digits)
    stay = _stay(measured, expected.may_change, least_kept(tried), tried)
    return does_with_noise(expected.premises, run) and (stay or not expected.requires_stability)


def is_firm(expected: LengthPrediction, measured: Measurement) -> bool:
    """Whether as many answers stayed as today's claim asks for, or none were tried."""
    least = least_kept(expected.requires_measured_stability)
    return _stay(measured, expected.may_change, least, tried=False)


def _stay(measured: Measurement | None, may_change: Fraction, least: float, tried: bool) -> bool:
    """Whether so many answers stayed, or nothing was measured.

    Args:
        may_change: the share of inputs whose answer training leaves open.
        tried: whether that has to have been tried where answers were measured.
    """
    if measured is None or measured.steady is None:
        return measured is None or not tried
    return measured.steady + may_change >= least


def no_run_qualifies(runs: Sequence[Run], expected: LengthPrediction) -> bool:
    """Whether a claim on models that were measured to be stable finds none that is."""
    return (
        expected.requires_measured_stability
        and any(does_with_noise(expected.premises, r) for r in runs)
        and not any(speaks_of(expected, r) for r in runs)
    )


def eligible_runs(runs: Sequence[Run], expected: LengthPrediction) -> list[Run]:
    """The converged models that are judged at a length, or all where a claim says nothing."""
    everyone = no_run_qualifies(runs, expected)
    return [r for r in runs if everyone or speaks_of(expected, r)]


def claim_applied(expected: LengthPrediction, setting: Setting, run: Run) -> bool:
    """Whether what was stored of a length spoke of a converged model; not, where nothing was.

    Args:
        expected: today's prediction of the length.
    """
    told, digits = run.predicted, expected.digits
    claim = None if told is None else told.at(digits)
    if told is None or claim is None:
        return False
    premises = claim.premises
    if premises is None:
        premises = _premises_then(expected, setting, told, claim)
    tried = Premise.MEASURED in premises
    may_change = Fraction(0)  # of these answers no premise speaks
    if claim.premises is not None or _since("bounds", told):
        is_whole = tried and forecasts_are_of_all(told)
        may_change = Fraction(0) if is_whole else claim.unseen_share or Fraction(0)
    stay = _stay(run.at(digits), may_change, least_kept_then(told, tried), tried)
    return does_with_noise(premises, run) and (stay or Premise.STABLE not in premises)


def forecasts_are_of_all(told: Predicted) -> bool:
    """Whether what was stored with a claim on stable models was a forecast of all of them."""
    return _since("whole", told)


def is_stored(expected: LengthPrediction, setting: Setting, run: Run) -> bool:
    """Whether what is claimed of a converged model at a length is what was stored of it."""
    speaks = speaks_of(expected, run)
    if speaks != claim_applied(expected, setting, run):
        return False
    return not speaks or (run.predicted is not None and _is_alike(expected, run.predicted))


def required_stability_then(expected: LengthPrediction, told: Predicted) -> bool:
    """Whether such a claim spoke of stable models alone when this was stored."""
    if expected.requires_measured_stability:
        return _since("measured", told)
    kind = "joint_support" if expected.infers else "ignored_digits"
    return _since("bounds" if expected.accuracy is None else kind, told)


def least_kept_then(told: Predicted, tried: bool) -> float:
    """The share of the answers that had to stay when a claim was stored.

    Args:
        tried: whether it speaks only of models that were measured to be stable.
    """
    first, last = _earlier()["all_firmly"]
    return SEEN_STEADY if first <= int(told.theory) <= last else least_kept(tried)


# --- claims that were stored before they said what they ask -------------------------------------


@cache
def _earlier() -> dict[str, Any]:
    """The versions of the theory since which claims asked for what."""
    return tomllib.loads(Path(__file__).with_name("earlier_claims.toml").read_text())


def _since(what: str, told: Predicted) -> bool:
    """Whether claims asked for that when this was stored."""
    return int(told.theory) >= _earlier()[what]


def _premises_then(
    expected: LengthPrediction, setting: Setting, told: Predicted, claim: PredictedLength
) -> tuple[Premise, ...]:
    """What a claim asked for that was stored without saying so."""
    if expected.requires_noise_sensitivity:  # that a rule goes on was said of any model then
        return ()
    if _is_alike(expected, told):
        ignores = expected.requires_noise_invariance
    else:
        ignores = _rests_on_ignored(told, setting, claim.digits)
    asks_steady = expected.requires_stability and required_stability_then(expected, told)
    # An exact claim on inputs that are open today: joint support was taken to decide them.
    was_inferred = claim.accuracy is not None and (claim.unseen_share or 0) < expected.unseen
    asks_steady |= was_inferred and _since("joint_support", told)
    each = {
        Premise.NOISE: ignores,
        Premise.STABLE: asks_steady,
        Premise.MEASURED: expected.requires_measured_stability,
    }
    return tuple(premise for premise, is_asked in each.items() if is_asked)


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
