"""Time to the premise: how long until a model answers held-out inputs of its training domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from benchmarks.apart import apart
from benchmarks.baseline import PlainTraining
from benchmarks.tables import Row, Table
from benchmarks.timing import clock
from verify import grids
from verify.cells import Cell
from verify.measure import held_out_accuracy
from verify.model import GPT
from verify.recipe import DEFAULT_BUDGET, PREMISE
from verify.stack import Stack
from verify.train import train

EVERY = 100
"""Steps between two looks at the accuracy."""
PATIENCE = 12
"""The baseline is stopped when it has taken so many times our seconds."""

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

    steps: int
    seconds: float


class _Arrived(Exception):
    """Raised to end a training that has got there."""


def tables(quick: bool, device: str) -> list[Table]:
    """Steps and seconds to the premise, ours and the baseline's."""
    rows, ratios = [], []
    for request in _QUICK if quick else _CELLS:
        row, ratio = _compare(request.cell(), 2 if quick else PATIENCE, device)
        rows.append(row)
        ratios.append(ratio)
    middle = sorted(range(len(rows)), key=ratios.__getitem__)[len(rows) // 2]
    note = (
        f"Until {PREMISE:.0%} of held-out answers are right, looked at every {EVERY} steps, "
        f"one thread, {device}. Seconds include compiling, where the step is compiled, but not the "
        f"looks. Median ratio: {rows[middle]['ratio']}."
    )
    return [Table("Time to the premise", rows, note)]


def _compare(cell: Cell, patience: float, device: str) -> tuple[Row, float]:
    row: Row = {"cell": cell.label(), "model": cell.model}
    ours = apart(1, _ours, cell, device)
    if ours is None:
        return row | {"steps": "not reached", "ratio": "-"}, 0.0
    row |= {"steps": ours.steps, "seconds": ours.seconds}
    plain = apart(1, _plain, cell, device, patience * ours.seconds)
    if plain is None:
        late = {"plain steps": "not reached", "plain seconds": f"> {patience * ours.seconds:.0f}"}
        return row | late | {"ratio": f"> {patience}"}, patience
    ratio = plain.seconds / ours.seconds
    there = {"plain steps": plain.steps, "plain seconds": plain.seconds}
    return row | there | {"ratio": f"{ratio:.3g}"}, ratio


def _ours(cell: Cell, device: str) -> Arrival | None:
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
        trained = train(cell, 0, DEFAULT_BUDGET, device=device, watch=watch)
    except _Arrived:
        return arrival
    return Arrival(trained.steps, now() - start - looking) if trained.converged else None


def _plain(cell: Cell, device: str, limit: float) -> Arrival | None:
    """The baseline; None where ``limit`` seconds were not enough."""
    now = clock(device)
    start, looking = now(), 0.0
    training = PlainTraining(cell, device, results_only=True)
    while (took := now() - start - looking) <= limit:
        if training.steps % EVERY == 0 and training.steps:
            look = now()
            if held_out_accuracy(cast(GPT, training.model), cell) >= PREMISE:
                return Arrival(training.steps, took)
            looking += now() - look
        training.step()
    return None
