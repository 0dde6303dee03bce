"""Timing in turns: a machine that slows down for a while slows both sides of a ratio."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

Clock = Callable[[], float]


@dataclass(frozen=True)
class Spread:
    """The median of repeated measurements, and their quartiles."""

    median: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Median and quartiles."""
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
    return Spread(median, low, high)


def clock(device: str) -> Clock:
    """A clock in seconds that first waits for what the device was asked to do."""
    if device == "cpu":
        return time.perf_counter

    def read() -> float:
        torch.cuda.synchronize()
        return time.perf_counter()

    return read


def in_turns(
    sides: Mapping[str, Callable[[], object]],
    rounds: int,
    block: float = 0.0,
    clock: Clock = time.perf_counter,
) -> dict[str, list[float]]:
    """Seconds per call of each side, one value per round: A B A B ...

    Each side is called twice beforehand, for what only first calls do.

    Args:
        block: seconds that a turn takes at least; a quick side is called several times in one.
    """
    calls = {}
    for name, side in sides.items():
        side()
        start = clock()
        side()
        calls[name] = max(1, math.ceil(block / max(clock() - start, 1e-9)))
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            start = clock()
            for _ in range(calls[name]):
                side()
            seconds[name].append((clock() - start) / calls[name])
    return seconds


def ratio(slow: Sequence[float], fast: Sequence[float]) -> Spread:
    """How many times longer ``slow`` takes, from the pairs of each round."""
    return spread([a / b for a, b in zip(slow, fast, strict=True)])
