"""Large pages of memory: what asking the C library for them saves."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from arith.verify.plan.cells import CellRequest
from arith.verify.plan.recipe import RECIPE
from arith.verify.training.device import LARGE_PAGES, TUNABLES, prefer_large_pages, train_alone
from benchmarks.ours import EnsembleTraining
from benchmarks.tables import Row, Table
from benchmarks.timing import in_turns, ratio, spread

MODELS = ("pico", "nano", "wide", "micro")
STEPS = 20
"""Of a turn."""
_training: list[EnsembleTraining] = []
"""The training of this process."""


def tables(quick: bool, device: str) -> list[Table]:
    """Steps of two processes in turns, of which one has asked for large pages."""
    rows = [_row(model, quick) for model in MODELS[: 1 if quick else None]]
    note = (
        f"Sums mod 100 of three digits, APE, aligned; batch {RECIPE.batch_size}, not compiled, one "
        "thread, cpu. Ratio: time with small pages over time with large ones."
    )
    return [Table("Large pages", rows, note)]


def _row(model: str, quick: bool) -> Row:
    with ExitStack() as stack:
        sides = {
            "large": stack.enter_context(_process(model, prefer_large_pages)),
            "small": stack.enter_context(_process(model, _refuse)),
        }
        seconds = in_turns(sides, 2 if quick else 12)
    return {
        "model": model,
        **{f"{x} ms": spread([1000 * s / STEPS for s in seconds[x]]) for x in ("small", "large")},
        "ratio": ratio(seconds["small"], seconds["large"]),
    }


def _refuse() -> None:
    os.environ[TUNABLES] = f"{LARGE_PAGES}=0"


@contextmanager
def _process(model: str, prepare: Callable[[], None]) -> Iterator[Callable[[], object]]:
    """What takes some steps in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, _begin, (model,)) as pool:
        with patch.dict(os.environ):
            os.environ.pop(TUNABLES, None)
            prepare()
            pool.submit(_steps).result()  # the process starts here, in this environment
        yield lambda: pool.submit(_steps).result()


def _begin(model: str) -> None:
    train_alone()
    cell = CellRequest("mod_add", modulus=100, test_digits="1-5", model=model).cell()
    _training.append(EnsembleTraining([(cell, 0)], RECIPE, "cpu", compiled=False))


def _steps() -> None:
    for _ in range(STEPS):
        _training[0].step()
