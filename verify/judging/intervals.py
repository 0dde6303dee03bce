"""Proportions with their confidence intervals, pooled over models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.9
"""Of every interval: one that lies within a tolerance is a test at 5 % on either side."""
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half of such an interval, in standard deviations."""


@dataclass(frozen=True)
class Interval:
    """A proportion with its confidence interval."""

    value: float
    low: float
    high: float


def pooled(counts: Sequence[tuple[int, int]], exhaustive: bool = False) -> Interval:
    """The pooled proportion of (successes, trials) per model; exact where all there is was tried.

    A Wilson interval on the effective sample size: the number of trials, divided by the excess
    where models differ by more than sampling explains (design effect, Korn and Graubard 1998).
    """
    trials = sum(n for _, n in counts)
    value = sum(k for k, _ in counts) / trials
    if exhaustive:
        return Interval(value, value, value)
    effect = 1.0
    if len(counts) > 1 and 0 < value < 1:
        spread = sum(n * (k / n - value) ** 2 for k, n in counts) / (len(counts) - 1)
        effect = max(1.0, spread / (value * (1 - value)))
    n = max(1, round(trials / effect))
    low, high = wilson(round(value * n), n)
    return Interval(value, min(low, value), max(high, value))


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The score interval of a proportion (Wilson 1927)."""
    centre = (successes + _Z**2 / 2) / (trials + _Z**2)
    spread = sqrt(successes * (trials - successes) / trials + _Z**2 / 4)
    half = _Z * spread / (trials + _Z**2)
    return max(0.0, centre - half), min(1.0, centre + half)
