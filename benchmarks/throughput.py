"""Training throughput: our step against the plain one, and both against the machine's peak."""

from __future__ import annotations

from dataclasses import replace

import torch

from benchmarks.apart import apart, thread_counts
from benchmarks.baseline import BATCH, PlainTraining
from benchmarks.ours import StackTraining
from benchmarks.peak import peak
from benchmarks.tables import Row, Table, name
from benchmarks.timing import clock, in_turns, ratio, spread
from verify import grids
from verify.cells import Cell
from verify.flops import training_flops
from verify.machine import precision
from verify.recipe import RECIPE

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
            rows += [apart(threads, _row, cell, quick, device, threads, best) for cell in cells]
    note = (
        f"Batch {BATCH}, dropout on, {device}. Ratio: median and quartiles of the pairs of each "
        "round. GFLOP/s count the matrix products that each side makes; ours are fewer, because "
        "the last block is computed at the result digits only. The share is of the fastest "
        "product in that side's precision (the baseline's is float32)."
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
    return grids.Row("add", train_digits="3", test_digits=f"3-{digits}", model=model).cell()


def _peaks(quick: bool, device: str) -> dict[str, float]:
    """Operations a second by precision."""
    types = (torch.float32, torch.bfloat16)
    return {name(dtype): peak(dtype, device, 2 if quick else 10) for dtype in types}


def _row(cell: Cell, quick: bool, device: str, threads: int, peaks: dict[str, float]) -> Row:
    recipe = replace(RECIPE, batch=BATCH)
    ours = StackTraining([(cell, 0)], recipe, device)
    plain = PlainTraining(cell, device, results_only=False)
    # A step of mini takes seconds: fewer rounds.
    rounds = 2 if quick else 5 if cell.model == "mini" else 9
    sides = {"ours": ours.step, "plain": plain.step}
    seconds = in_turns(sides, rounds, 0.2 if quick else 1.0, clock(device))
    number = name(precision(device))
    rate = {side: spread([1 / s for s in values]).median for side, values in seconds.items()}
    reached = {
        "ours": rate["ours"] * training_flops(cell, BATCH, cell.format.result_width),
        "plain": rate["plain"] * training_flops(cell, BATCH),
    }
    return {
        "model": cell.model,
        "tokens": len(cell.format.tokens) - 1,
        "threads": threads,
        "precision": number,
        "ours seq/s": rate["ours"] * BATCH,
        "plain seq/s": rate["plain"] * BATCH,
        "ratio": ratio(seconds["plain"], seconds["ours"]),
        "ours GFLOP/s": reached["ours"] / 1e9,
        "of peak": reached["ours"] / peaks[number],
        "plain GFLOP/s": reached["plain"] / 1e9,
        "of peak (plain)": reached["plain"] / peaks["float32"],
    }
