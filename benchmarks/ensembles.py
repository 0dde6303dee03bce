"""Ensembles: whether M models train faster together than one after the other."""

from __future__ import annotations

from arith.verify.plan.recipe import RECIPE
from benchmarks.apart import each_apart
from benchmarks.ours import EnsembleTraining
from benchmarks.tables import Row, Table
from benchmarks.throughput import headline_cell
from benchmarks.timing import clock, in_turns, ratio, spread

MODELS = ("pico", "nano")
_SIZES = {"cpu": (1, 2, 4), "cuda": (1, 2, 4, 8, 16, 32, 64)}


def tables(quick: bool, device: str) -> list[Table]:
    """Model steps a second by the size of the ensemble."""
    rows = each_apart(1, _rows, MODELS, quick, device)
    note = (
        f"Batch {RECIPE.batch_size} per model, the headline grid's 3-digit addition, compiled, one "
        f"thread, {device}. Gain: model steps a second against one model at a time."
    )
    return [Table("Ensembles of models", rows, note)]


def _rows(model: str, quick: bool, device: str) -> list[Row]:
    cell = headline_cell(model)
    counts = _SIZES[device][: 2 if quick else None]
    # All are made before any is compiled: making one forgets compiled code.
    ensembles = {
        str(m): EnsembleTraining([(cell, seed) for seed in range(m)], RECIPE, device)
        for m in counts
    }
    sides = {m: ensemble.step for m, ensemble in ensembles.items()}
    seconds = in_turns(sides, 2 if quick else 7, 0.2 if quick else 1.0, clock(device))
    return [
        {
            "model": model,
            "M": m,
            "model steps/s": spread([m / s for s in seconds[str(m)]]),
            "gain": ratio([m * s for s in seconds["1"]], seconds[str(m)]),
        }
        for m in counts
    ]
