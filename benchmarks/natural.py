"""Natural lengths: what a token of training costs, against one of padded operands."""

from __future__ import annotations

from dataclasses import replace

from arith.verify.plan.cells import Cell, CellRequest
from arith.verify.plan.recipe import RECIPE
from benchmarks.apart import each_apart
from benchmarks.ours import EnsembleTraining
from benchmarks.tables import Row, Table
from benchmarks.timing import clock, in_turns, ratio, spread

CASES = (
    "pico ape aligned",
    "pico rpe aligned",
    "pico coupled aligned",
    "pico shifted aligned",
    "pico randomized aligned",
    "pico rpe scratchpad",
    "pico rpe spaced",
    "pico rpe interleaved",
    "micro ape aligned",
)
"""Model, encoding and layout."""


def tables(quick: bool, device: str) -> list[Table]:
    """Tokens a second, in turns."""
    rows = each_apart(1, _rows, CASES[: 1 if quick else None], quick, device)
    note = (
        f"Sums of one to five digits, and sums of five digits padded to six; batch "
        f"{RECIPE.batch_size}, compiled, one thread, {device}. A token is one of the columns of a "
        "batch, padding included. Cost: time per token, natural against padded."
    )
    return [Table("Natural lengths", rows, note)]


def _rows(case: str, quick: bool, device: str) -> list[Row]:
    model, pe, form = case.split()
    asked = CellRequest("add", pe=pe, layout=form, model=model, test_digits="1-5")
    natural = replace(asked, train_digits="1-5", padding="none").cell()
    if form != "interleaved":
        asked = replace(asked, layout="aligned", width=6)
    padded = replace(asked, train_digits="5").cell()
    cells = {"natural": natural, "padded": padded}
    trained = {side: EnsembleTraining([(cell, 0)], RECIPE, device) for side, cell in cells.items()}
    sides = {side: training.step for side, training in trained.items()}
    seconds = in_turns(sides, 2 if quick else 9, 0.2 if quick else 1.0, clock(device))
    each = {side: [s / _tokens(cells[side]) for s in seconds[side]] for side in cells}
    return [
        {
            "model": model,
            "encoding": pe,
            "layout": form,
            **{f"{side} tokens": _tokens(cell) for side, cell in cells.items()},
            "natural tokens/s": spread([RECIPE.batch_size / s for s in each["natural"]]),
            "cost": ratio(each["natural"], each["padded"]),
        }
    ]


def _tokens(cell: Cell) -> int:
    return len(cell.training_format.tokens) - 1
