"""Training throughput: our step against the plain one, and both against the machine's peak."""

from __future__ import annotations

import torch

from arith.verify.plan.cells import Cell, CellRequest
from arith.verify.plan.flops import training_flops
from arith.verify.plan.recipe import RECIPE
from arith.verify.training.device import precision_name
from benchmarks.apart import apart, thread_counts
from benchmarks.baseline import BATCH, PlainTraining
from benchmarks.ours import EnsembleTraining
from benchmarks.peak import peak
from benchmarks.tables import Row, Table, tell
from benchmarks.timing import clock, in_turns, ratio, spread

MODELS = ("nano", "micro", "mini")
LONG = 64
"""Tokens that are read of the longer sequences."""


def tables(quick: bool, device: str) -> list[Table]:
    """Sequences a second at the paper's sizes and batch, and the share of the peak."""
    rows, peaks = [], []
    for threads in thread_counts(device)[: 1 if quick else None]:
        best = apart(threads, _peaks, quick, device)
        peaks.append({"threads": threads} | {f"{n} GFLOP/s": x / 1e9 for n, x in best.items()})
        for model in MODELS[:1] if quick else MODELS:
            cells = [headline_cell(model)] if quick else [headline_cell(model), long_cell(model)]
            for cell in cells:
                rows.append(apart(threads, _row, cell, quick, device, threads, best))
                tell(rows[-1])
    note = (
        f"Sequences a second of training on {device}, each side with its own recipe and with "
        f"noise: ours has batch {RECIPE.batch_size}, the plain one {BATCH}; the second ratio "
        "gives the plain side our batch. Ratios: median and quartiles of the rounds. GFLOP/s "
        "count the matrix products that each side makes; ours are fewer, because the last block "
        "is computed at the result digits only. The share is of the fastest product in that "
        "side's precision (the plain side's is float32)."
    )
    return [
        Table("Training throughput", rows, note),
        Table("Fastest matrix products", peaks),
    ]


def headline_cell(model: str) -> Cell:
    """Addition as in the headline grid: trained on 3 digits, tested to 5."""
    return _cell(model, 5)


def long_cell(model: str) -> Cell:
    """Addition so wide that about 64 tokens are read."""
    wide = (_cell(model, digits) for digits in range(3, LONG))
    return min(wide, key=lambda cell: abs(len(cell.format.tokens) - 1 - LONG))


def _cell(model: str, digits: int) -> Cell:
    return CellRequest("add", train_digits="3", test_digits=f"3-{digits}", model=model).cell()


def _peaks(quick: bool, device: str) -> dict[str, float]:
    """Operations a second by precision."""
    types = {"float32": torch.float32, "bfloat16": torch.bfloat16}
    return {name: peak(dtype, device, 2 if quick else 10) for name, dtype in types.items()}


def _row(cell: Cell, quick: bool, device: str, threads: int, peaks: dict[str, float]) -> Row:
    ours = EnsembleTraining([(cell, 0)], RECIPE, device)
    plain = PlainTraining(cell, device, results_only=False)
    larger = PlainTraining(cell, device, results_only=False, batch=RECIPE.batch_size)
    sides = {"ours": ours.step, "plain": plain.step, "plain, our batch": larger.step}
    batches = {"ours": RECIPE.batch_size, "plain": BATCH, "plain, our batch": RECIPE.batch_size}
    # A step of mini takes seconds: fewer rounds.
    rounds = 2 if quick else 5 if cell.model == "mini" else 9
    seconds = in_turns(sides, rounds, 0.2 if quick else 1.0, clock(device))
    each = {side: [s / batches[side] for s in seconds[side]] for side in sides}
    rate = {side: 1 / spread(each[side]).median for side in sides}
    number = precision_name(device)
    reached = {
        "ours": rate["ours"] * training_flops(cell, 1, cell.format.result_width),
        "plain": rate["plain"] * training_flops(cell, 1),
    }
    return {
        "model": cell.model,
        "tokens": len(cell.format.tokens) - 1,
        "threads": threads,
        "precision": number,
        "ours seq/s": rate["ours"],
        "plain seq/s": rate["plain"],
        "ratio": ratio(each["plain"], each["ours"]),
        "ratio, our batch": ratio(each["plain, our batch"], each["ours"]),
        "ours GFLOP/s": reached["ours"] / 1e9,
        "of peak": reached["ours"] / peaks[number],
        "plain GFLOP/s": reached["plain"] / 1e9,
        "of peak (plain)": reached["plain"] / peaks["float32"],
    }
