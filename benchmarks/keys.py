"""Keys that nothing sees: what filling up to 16 of them saves where sequences are short."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

from arith.verify.plan.recipe import RECIPE
from arith.verify.plan.rows import row
from benchmarks.apart import each_apart
from benchmarks.ours import EnsembleTraining
from benchmarks.tables import Row, Table
from benchmarks.timing import clock, in_turns, ratio, spread

MODELS = ("pico", "nano", "wide", "micro")


def tables(quick: bool, device: str) -> list[Table]:
    """Steps with few keys as they are and filled up, in turns."""
    rows = each_apart(1, _rows, MODELS[: 1 if quick else None], quick, device)
    note = (
        f"Sums mod 100 of three digits, APE, aligned; batch {RECIPE.batch_size}, not compiled, one "
        f"thread, {device}. Ratio: time as they are over time filled up."
    )
    return [Table("Few keys", rows, note)]


def _rows(model: str, quick: bool, device: str) -> list[Row]:
    cell = row("mod_add", "ape", 3, 5, modulus=100, model=model).cell()
    filled = EnsembleTraining([(cell, 0)], RECIPE, device, compiled=False)
    as_they_are = EnsembleTraining([(cell, 0)], RECIPE, device, compiled=False)
    sides = {"filled up": filled.step, "as they are": _unfilled(as_they_are.step)}
    seconds = in_turns(sides, 2 if quick else 9, 0.2 if quick else 1.0, clock(device))
    return [
        {
            "model": model,
            "keys": len(cell.training_format.tokens) - 1,
            **{f"{side} ms": spread([1000 * s for s in seconds[side]]) for side in sides},
            "ratio": ratio(seconds["as they are"], seconds["filled up"]),
        }
    ]


def _unfilled(step: Callable[[], None]) -> Callable[[], None]:
    return patch("arith.verify.model.gpt.spare_keys", lambda keys: 0)(step)
