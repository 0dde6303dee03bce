"""Time to the premise: how long until a model answers held-out inputs of its training domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import cast

from torch import nn

from benchmarks.apart import apart
from benchmarks.baseline import PlainTraining
from benchmarks.tables import Row, Table, tell
from benchmarks.timing import clock
from verify import grids
from verify.cells import Cell
from verify.measure import held_out_accuracy
from verify.model import GPT
from verify.recipe import CHUNK, DEFAULT_BUDGET, PREMISE
from verify.stack import Stack
from verify.train import train

PATIENCE = 15
"""The baseline is stopped when it has taken so many times our seconds."""
SEEDS = (0, 1, 2)

_CELLS = (
    grids.Row("add", test_digits="1-5"),
    grids.Row("add", pe="rpe", layout="interleaved", window=6, test_digits="1-6"),
    grids.Row("mod_add", modulus=101, train_digits="2", test_digits="1-4"),
)
"""Three cells of the headline grid, without the products: there one would wait for an hour."""
_QUICK = (grids.Row("add", base=2, train_digits="4", test_digits="1-5"),)


@dataclass(frozen=True)
class Arrival:
    """When a training got there: optimizer steps, and seconds without the looks."""

    steps: float
    seconds: float


NEVER = Arrival(math.inf, math.inf)
_UNITS = ("steps", "seconds")


class _Arrived(Exception):
    """Raised to end a training that has got there."""


def tables(quick: bool, device: str) -> list[Table]:
    """Steps and seconds to the premise, ours and the baseline's, medians of the seeds."""
    rows, ratios = [], []
    for request in _QUICK if quick else _CELLS:
        row, ratio = _compare(request.cell(), SEEDS[:1] if quick else SEEDS, device)
        rows.append(row)
        tell(row)
        ratios.append(ratio)
    note = (
        f"Until {PREMISE:.0%} of held-out answers are right, looked at every {CHUNK} steps, "
        f"one thread, {device}; medians of {1 if quick else len(SEEDS)} seeds. Seconds include "
        f"compiling, where the step is compiled, but not the looks. Both sides train in turns until "
        f"ours gets there; later steps of the baseline count as long as those took, and it is "
        f"stopped after {PATIENCE} times our seconds. Median of the cells: {_text(median(ratios))}."
    )
    return [Table("Time to the premise", rows, note)]


def _compare(cell: Cell, seeds: Sequence[int], device: str) -> tuple[Row, float]:
    ours, plain, ratios = [], [], []
    for seed in seeds:
        mine, theirs = apart(1, _race, cell, seed, device)
        ours.append(mine or NEVER)
        plain.append(theirs or NEVER)
        ratios.append(plain[-1].seconds / mine.seconds if mine else 0.0)
    row: Row = {"cell": cell.label(), "model": cell.model}
    for name, side in (("our", ours), ("plain", plain)):
        row |= {f"{name} {unit}": _text(median(getattr(x, unit) for x in side)) for unit in _UNITS}
    each = " ".join(map(_text, ratios))
    return row | {"ratio": _text(median(ratios)), "each seed": each}, median(ratios)


def _text(value: float) -> str:
    if not math.isfinite(value):
        return "not reached"
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _race(cell: Cell, seed: int, device: str) -> tuple[Arrival | None, Arrival | None]:
    """Ours, as ``arith verify`` would train it, and the baseline: in turns until ours gets there.

    From then on the baseline goes on by itself, and its steps count as long as they took in
    turns: a machine that is slow for a while is slow for both.

    Returns:
        None for ours where the budget was not enough, for the baseline after ``PATIENCE`` times
        our seconds.
    """
    now, training = clock(device), PlainTraining(cell, device, results_only=True, seed=seed)
    ours, plain = _Side(cell), _Side(cell)
    start = now()

    def step_plain() -> None:
        for _ in range(CHUNK):
            training.step()

    def watch(step: int, stack: Stack) -> None:
        nonlocal start
        ours.turn(now() - start, stack.model(0))
        if plain.arrival is None:
            start = now()
            step_plain()
            plain.turn(now() - start, training.model)
        if ours.arrival is not None:
            raise _Arrived
        start = now()

    try:
        train(cell, seed, DEFAULT_BUDGET, device=device, watch=watch)
    except _Arrived:
        pace = plain.seconds / plain.steps
        while plain.arrival is None and plain.seconds <= PATIENCE * ours.seconds:
            step_plain()
            plain.turn(CHUNK * pace, training.model)
    return ours.arrival, plain.arrival


@dataclass
class _Side:
    """What one side has trained: optimizer steps, and seconds without the looks."""

    cell: Cell
    steps: int = 0
    seconds: float = 0.0
    arrival: Arrival | None = None

    def turn(self, seconds: float, model: nn.Module) -> None:
        """Count a turn of ``CHUNK`` steps, and look whether the model has got there."""
        self.steps += CHUNK
        self.seconds += seconds
        if held_out_accuracy(cast(GPT, model), self.cell) >= PREMISE:
            self.arrival = Arrival(self.steps, self.seconds)
