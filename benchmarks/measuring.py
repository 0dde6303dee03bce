"""Measuring: sides timed in turns, each measurement in a process of its own, results as tables.

A machine that slows down for a while slows both sides of a ratio.  A fresh process has compiled
nothing and cached nothing, and compiled CPU code keeps the number of threads that it was made for.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from tabulate import tabulate

from arith.verify.training.device import (
    has_compiler,
    keep_freed_memory,
    precision_name,
    prefer_large_pages,
)
from arith.verify.training.device import machine as trained_on

T = TypeVar("T")
Clock = Callable[[], float]
Row = dict[str, Any]


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


def timed(
    sides: Mapping[str, Callable[[], object]], quick: bool, device: str, rounds: int = 9
) -> dict[str, list[float]]:
    """As ``in_turns`` on a device, each turn a second; a quick run has two short ones."""
    return in_turns(sides, 2 if quick else rounds, 0.2 if quick else 1.0, clock(device))


def ratio(slow: Sequence[float], fast: Sequence[float]) -> Spread:
    """How many times longer ``slow`` takes, from the pairs of each round."""
    return spread([a / b for a, b in zip(slow, fast, strict=True)])


def apart(threads: int, function: Callable[..., T], *arguments: object) -> T:
    """The function's value, from a fresh process with its own threads and compiler cache."""
    context = multiprocessing.get_context("spawn")
    prefer_large_pages()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache,
        ProcessPoolExecutor(1, context, _start, (threads, cache)) as pool,
    ):
        return pool.submit(function, *arguments).result()


def each_apart(
    threads: int, rows: Callable[..., list[T]], models: Sequence[str], quick: bool, device: str
) -> list[T]:
    """The rows of each model size, one process a size; of the first only in a quick run."""
    chosen = models[:1] if quick else models
    return [row for model in chosen for row in apart(threads, rows, model, quick, device)]


def thread_counts(device: str) -> tuple[int, ...]:
    """The numbers of threads to measure with: one and two, or what the GPU's host has."""
    cores = every_thread()
    return (cores,) if device == "cuda" else (1, 2)[:cores]


def every_thread() -> int:
    """As many threads as there are cores."""
    return os.cpu_count() or 1


def _start(threads: int, cache: str) -> None:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
    torch.set_num_threads(threads)
    keep_freed_memory()


@dataclass(frozen=True)
class Table:
    """Rows of equal columns.

    Args:
        rows: by column, text, numbers or ``Spread``.
        note: what to read from it, below the table.
    """

    title: str
    rows: list[Row]
    note: str = ""

    def markdown(self) -> str:
        """The table with its title and note."""
        cells = [{name: _text(value) for name, value in row.items()} for row in self.rows]
        grid = tabulate(cells, headers="keys", tablefmt="pipe", disable_numparse=True)
        return "\n\n".join(part for part in (f"### {self.title}", grid, self.note) if part)


def tell(row: Row) -> None:
    """Print a row as it is measured, in one line, beside the tables."""
    text = ", ".join(f"{name} {_text(value)}" for name, value in row.items())
    print(text, file=sys.stderr, flush=True)


def machine(device: str) -> str:
    """What the results depend on, in one line."""
    compiled = "compiled" if has_compiler(device) else "not compiled"
    processor = torch.cpu.get_capabilities().get("cpu_name", platform.machine())
    where = trained_on(device, precision_name(device))
    return f"{processor}; {where}, NumPy {np.__version__}, {compiled}"


def _text(value: object) -> str:
    if isinstance(value, Spread):
        return f"{_number(value.median)} ({_number(value.low)}-{_number(value.high)})"
    return _number(value) if isinstance(value, int | float) else str(value)


def _number(value: float) -> str:
    """Three digits, and no exponents."""
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
