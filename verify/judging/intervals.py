"""Proportions with their confidence intervals, pooled over models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.9
"""Of every interval: one that lies within a tolerance is a test at 5 % on either side."""


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
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    centre = (successes + z**2 / 2) / (trials + z**2)
    spread = sqrt(successes * (trials - successes) / trials + z**2 / 4)
    half = z * spread / (trials + z**2)
    return max(0.0, centre - half), min(1.0, centre + half)
