"""Time to the premise: how long until a model answers held-out inputs of its training domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from torch import nn

from arith.theory.setting.training import DEFAULT_BUDGET
from arith.verify.model.measure import held_out_accuracy
from arith.verify.plan.cells import Cell, CellRequest
from arith.verify.plan.premise import PREMISE
from arith.verify.plan.recipe import CHUNK
from arith.verify.training.ensemble import Ensemble
from arith.verify.training.train import train
from benchmarks.baseline import PlainTraining
from benchmarks.measuring import Row, Table, apart, clock, tell

PATIENCE = 15
"""The baseline is stopped when it has taken so many times our seconds."""
SEEDS = (0, 1, 2)

_CELLS = (
    CellRequest("add", test_digits="1-5"),
    CellRequest("add", pe="rpe", layout="interleaved", window=6, test_digits="1-6"),
    CellRequest("mod_add", modulus=101, train_digits="2", test_digits="1-4"),
)
"""Three cells of the headline grid, without the products: there one would wait for an hour."""
QUICK_CELLS = (CellRequest("add", base=2, train_digits="4", test_digits="1-5"),)


_LOSSES = {"every token": False, "result digits": True}
"""What the baseline's loss is of, and whether that is results only: nanoGPT's, and ours."""


class _Arrived(Exception):
    """Raised to end a training that has got there."""


def tables(quick: bool, device: str) -> list[Table]:
    """Steps and seconds to the premise, ours and the baseline's, medians of the seeds."""
    rows: list[Row] = []
    ratios: dict[str, list[float]] = {loss: [] for loss in _LOSSES}
    for request in QUICK_CELLS if quick else _CELLS:
        cell = request.cell()
        races = [apart(1, race, cell, seed, device) for seed in (SEEDS[:1] if quick else SEEDS)]
        for loss in _LOSSES:
            ours, plain = zip(*((mine, theirs[loss]) for mine, theirs in races), strict=True)
            row, ratio = _row(cell, loss, ours, plain)
            rows.append(row)
            tell(row)
            ratios[loss].append(ratio)
    medians = ", ".join(f"{_text(median(values))} ({loss})" for loss, values in ratios.items())
    note = (
        f"Until {PREMISE:.0%} of held-out answers are right, looked at every {CHUNK} steps, "
        f"one thread, {device}; medians of {1 if quick else len(SEEDS)} seeds. Seconds include "
        f"compiling, where the step is compiled, but not the looks. All train in turns until "
        f"ours gets there; later steps of the baseline count as long as those took, and it is "
        f"stopped after {PATIENCE} times our seconds. Medians of the cells: {medians}."
    )
    return [Table("Time to the premise", rows, note)]


def _row(cell: Cell, loss: str, ours: Sequence[Side], plain: Sequence[Side]) -> tuple[Row, float]:
    """A row of the table, from both sides of each seed, and its ratio."""
    each = zip(ours, plain, strict=True)
    ratios = [b.seconds / a.seconds if math.isfinite(a.seconds) else 0.0 for a, b in each]
    row: Row = {"cell": cell.label(), "model": cell.model, "plain loss": loss}
    for name, side in (("our", ours), ("plain", plain)):
        row[f"{name} steps"] = _text(median(x.steps for x in side))
        row[f"{name} seconds"] = _text(median(x.seconds for x in side))
    told = {"ratio": _text(median(ratios)), "each seed": " ".join(map(_text, ratios))}
    return row | told, median(ratios)


def _text(value: float) -> str:
    if not math.isfinite(value):
        return "not reached"
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


@dataclass
class Side:
    """What one side has trained: optimizer steps, and seconds without the looks."""

    cell: Cell
    steps: float = 0
    seconds: float = 0.0
    arrived: bool = False

    def turn(self, seconds: float, model: nn.Module) -> None:
        """Count a turn of ``CHUNK`` steps, and look whether the model has got there."""
        self.steps += CHUNK
        self.seconds += seconds
        self.arrived = held_out_accuracy(model, self.cell) >= PREMISE

    def ended(self) -> Side:
        """This side when it got there: where it did not, after infinitely many steps."""
        return self if self.arrived else Side(self.cell, math.inf, math.inf)


def race(cell: Cell, seed: int, device: str) -> tuple[Side, dict[str, Side]]:
    """Ours, as ``arith verify`` would train it, and the baseline: in turns until ours gets there.

    From then on the baseline goes on by itself, and its steps count as long as they took in
    turns: a machine that is slow for a while is slow for all.

    Returns:
        When ours got there, never if the budget was not enough; and the baseline by its loss,
        never after ``PATIENCE`` times our seconds.
    """
    now, ours = clock(device), Side(cell)
    plain = {
        loss: (Side(cell), PlainTraining(cell, device, results_only, seed=seed))
        for loss, results_only in _LOSSES.items()
    }
    start = now()

    def watch(step: int, ensemble: Ensemble) -> None:
        nonlocal start
        ours.turn(now() - start, ensemble.model(0))
        for side, training in plain.values():
            if not side.arrived:
                start = now()
                _train(training)
                side.turn(now() - start, training.model)
        if ours.arrived:
            raise _Arrived
        start = now()

    try:
        train(cell, seed, DEFAULT_BUDGET, device=device, watch=watch)
    except _Arrived:
        for side, training in plain.values():
            pace = side.seconds / side.steps
            while not side.arrived and side.seconds <= PATIENCE * ours.seconds:
                _train(training)
                side.turn(CHUNK * pace, training.model)
    return ours.ended(), {loss: side.ended() for loss, (side, _) in plain.items()}


def _train(training: PlainTraining) -> None:
    for _ in range(CHUNK):
        training.step()
