"""Time to the premise: how long until a model answers held-out inputs of its training domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import cast

from benchmarks.apart import apart
from benchmarks.baseline import PlainTraining
from benchmarks.tables import Row, Table, tell
from benchmarks.timing import clock
from verify import grids
from verify.cells import Cell
from verify.measure import held_out_accuracy
from verify.model import GPT
from verify.recipe import DEFAULT_BUDGET, PREMISE
from verify.stack import Stack
from verify.train import train

EVERY = 50
"""Steps between two looks at the accuracy."""
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
        f"Until {PREMISE:.0%} of held-out answers are right, looked at every {EVERY} steps, "
        f"one thread, {device}; medians of {1 if quick else len(SEEDS)} seeds. Seconds include "
        f"compiling, where the step is compiled, but not the looks. The baseline is stopped after "
        f"{PATIENCE} times our seconds. Median of the cells: {_text(median(ratios))}."
    )
    return [Table("Time to the premise", rows, note)]


def _compare(cell: Cell, seeds: Sequence[int], device: str) -> tuple[Row, float]:
    ours, plain, ratios = [], [], []
    for seed in seeds:
        mine, theirs = apart(1, _ours, cell, seed, device), None
        if mine is not None:
            theirs = apart(1, _plain, cell, seed, device, PATIENCE * mine.seconds)
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


def _ours(cell: Cell, seed: int, device: str) -> Arrival | None:
    """Our training, as ``arith verify`` would do it; None where the budget was not enough."""
    now = clock(device)
    start, looking = now(), 0.0
    arrival: Arrival | None = None

    def watch(step: int, stack: Stack) -> None:
        nonlocal arrival, looking
        if step % EVERY:
            return
        look = now()
        if held_out_accuracy(stack.model(0), cell) >= PREMISE:
            arrival = Arrival(step, look - start - looking)
            raise _Arrived
        looking += now() - look

    try:
        trained = train(cell, seed, DEFAULT_BUDGET, device=device, watch=watch)
    except _Arrived:
        return arrival
    return Arrival(trained.steps, now() - start - looking) if trained.converged else None


def _plain(cell: Cell, seed: int, device: str, limit: float) -> Arrival | None:
    """The baseline; None where ``limit`` seconds were not enough."""
    now = clock(device)
    start, looking = now(), 0.0
    training = PlainTraining(cell, device, results_only=True, seed=seed)
    while (took := now() - start - looking) <= limit:
        if training.steps % EVERY == 0 and training.steps:
            look = now()
            if held_out_accuracy(cast(GPT, training.model), cell) >= PREMISE:
                return Arrival(training.steps, took)
            looking += now() - look
        training.step()
    return None
