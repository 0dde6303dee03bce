"""Training steps: ours against the plain one, many models at once, and natural lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import median

import torch

from arith.verify.plan.cells import Cell, CellRequest
from arith.verify.plan.flops import training_flops
from arith.verify.plan.plan import PRECISIONS
from arith.verify.plan.recipe import CHUNK, RECIPE, Recipe
from arith.verify.training.device import has_compiler, precision_name
from arith.verify.training.ensemble import Ensemble
from arith.verify.training.schedule import LEVELS
from benchmarks.baseline import BATCH, PlainTraining
from benchmarks.measuring import (
    Row,
    Table,
    apart,
    clock,
    each_apart,
    in_turns,
    ratio,
    spread,
    tell,
    thread_counts,
    timed,
)

SIZES = ("nano", "micro", "mini")
"""The paper's."""
LONG = 64
"""Tokens that are read of the longer sequences."""
_TOGETHER = {"cpu": (1, 2, 4), "cuda": (1, 2, 4, 8, 16, 32, 64)}
_SQUARE = {"cpu": (512, 1024, 2048), "cuda": (2048, 4096, 8192)}
_TALL = ((4096, 128, 512), (4096, 384, 1536), (4096, 1536, 384))
"""Products of training: 64 sequences of 64 tokens through the perceptrons of micro and mini."""
_NATURAL = (
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


class EnsembleTraining:
    """An ensemble in training, as in ``verify.training.train``, always with noise.

    Args:
        jobs: cells of equal shape, and seeds; M of them.
        compiled: whether the step is, where there is a compiler.
    """

    def __init__(
        self, jobs: Sequence[tuple[Cell, int]], recipe: Recipe, device: str, compiled: bool = True
    ) -> None:
        self.ensemble = Ensemble(jobs, device, recipe, compiled and has_compiler(device))
        self.noise = torch.full((len(jobs), LEVELS), float(recipe.noise), device=device)
        self.rate = torch.ones(len(jobs), device=device)
        self.examples: list[torch.Tensor] = []

    def step(self) -> None:
        """One optimizer step of every model, with its share of drawing a chunk of examples."""
        self.examples = self.examples or list(self.ensemble.examples(CHUNK))
        self.ensemble.step(self.examples.pop(), self.noise, self.rate)


def throughput(quick: bool, device: str) -> list[Table]:
    """Sequences a second at the paper's sizes and batch, and the share of the peak."""
    rows, peaks = [], []
    for threads in thread_counts(device)[: 1 if quick else None]:
        best = {name: apart(threads, peak, name, quick, device) for name in PRECISIONS}
        peaks.append({"threads": threads} | {f"{n} GFLOP/s": x / 1e9 for n, x in best.items()})
        for model in SIZES[:1] if quick else SIZES:
            for cell in [headline_cell(model), long_cell(model)][: 1 if quick else None]:
                rows.append(apart(threads, _throughput, cell, quick, device, threads, best))
                tell(rows[-1])
    note = (
        f"Sequences a second of training on {device}, each side with its own recipe and with "
        f"noise: ours has batch {RECIPE.batch_size}, the plain one {BATCH}; the second ratio "
        "gives the plain side our batch. Ratios: median and quartiles of the rounds. GFLOP/s "
        "count the matrix products that each side makes; ours are fewer, because the last block "
        "is computed at the result digits only. The share is of the fastest product in that "
        "side's precision (the plain side's is float32)."
    )
    return [Table("Training throughput", rows, note), Table("Fastest matrix products", peaks)]


def headline_cell(model: str) -> Cell:
    """Addition as in the headline grid: trained on 3 digits, tested to 5."""
    return _cell(model, 5)


def long_cell(model: str) -> Cell:
    """Addition so wide that about 64 tokens are read."""
    wide = (_cell(model, digits) for digits in range(3, LONG))
    return min(wide, key=lambda cell: abs(_tokens(cell) - LONG))


def _cell(model: str, digits: int) -> Cell:
    return CellRequest("add", test_digits=f"1-{digits}", model=model).cell()


def _throughput(cell: Cell, quick: bool, device: str, threads: int, peaks: dict[str, float]) -> Row:
    ours = EnsembleTraining([(cell, 0)], RECIPE, device)
    plain = PlainTraining(cell, device, results_only=False)
    larger = PlainTraining(cell, device, results_only=False, batch=RECIPE.batch_size)
    sides = {"ours": ours.step, "plain": plain.step, "plain, our batch": larger.step}
    # A step of mini takes seconds: fewer rounds.
    seconds = timed(sides, quick, device, rounds=5 if cell.model == "mini" else 9)
    of_ours, of_plain, of_larger = (
        [s / batch for s in seconds[side]]
        for side, batch in zip(sides, (RECIPE.batch_size, BATCH, RECIPE.batch_size), strict=True)
    )
    rate, plain_rate = 1 / median(of_ours), 1 / median(of_plain)
    reached = rate * training_flops(cell, 1, cell.format.result_width)
    plain_reached = plain_rate * training_flops(cell, 1)
    number = precision_name(device)
    return {
        "model": cell.model,
        "tokens": _tokens(cell),
        "threads": threads,
        "precision": number,
        "ours seq/s": rate,
        "plain seq/s": plain_rate,
        "ratio": ratio(of_plain, of_ours),
        "ratio, our batch": ratio(of_larger, of_ours),
        "ours GFLOP/s": reached / 1e9,
        "of peak": reached / peaks[number],
        "plain GFLOP/s": plain_reached / 1e9,
        "of peak (plain)": plain_reached / peaks["float32"],
    }


def peak(precision: str, quick: bool, device: str) -> float:
    """Operations a second, the best of several shapes and turns."""
    dtype, rounds, best = getattr(torch, precision), 2 if quick else 10, 0.0
    for m, k, n in [*((n, n, n) for n in _SQUARE[device]), *_TALL]:
        x, w = (torch.randn(size, device=device).to(dtype) for size in ((m, k), (k, n)))
        seconds = in_turns({"product": partial(torch.matmul, x, w)}, rounds, 0.1, clock(device))
        best = max(best, 2 * m * k * n / min(seconds["product"]))
    return best


def ensembles(quick: bool, device: str) -> list[Table]:
    """Model steps a second by the size of the ensemble."""
    rows = each_apart(1, _together, ("pico", "nano"), quick, device)
    note = (
        f"Batch {RECIPE.batch_size} per model, the headline grid's 3-digit addition, compiled, one "
        f"thread, {device}. Gain: model steps a second against one model at a time."
    )
    return [Table("Ensembles of models", rows, note)]


def _together(model: str, quick: bool, device: str) -> list[Row]:
    cell = headline_cell(model)
    counts = _TOGETHER[device][: 2 if quick else None]
    # All are made before any is compiled: making one forgets compiled code.
    trained = {m: EnsembleTraining([(cell, i) for i in range(m)], RECIPE, device) for m in counts}
    sides = {str(m): ensemble.step for m, ensemble in trained.items()}
    seconds = timed(sides, quick, device, rounds=7)
    return [
        {
            "model": model,
            "M": m,
            "model steps/s": spread([m / s for s in seconds[str(m)]]),
            "gain": ratio([m * s for s in seconds["1"]], seconds[str(m)]),
        }
        for m in counts
    ]


def natural(quick: bool, device: str) -> list[Table]:
    """Tokens a second, in turns."""
    rows = each_apart(1, _natural, _NATURAL, quick, device)
    note = (
        f"Sums of one to five digits, and sums of five digits padded to six; batch "
        f"{RECIPE.batch_size}, compiled, one thread, {device}. A token is one of the columns of a "
        "batch, padding included. Cost: time per token, natural against padded."
    )
    return [Table("Natural lengths", rows, note)]


def _natural(case: str, quick: bool, device: str) -> list[Row]:
    model, pe, form = case.split()
    asked = CellRequest("add", pe=pe, layout=form, model=model, test_digits="1-5")
    unpadded = replace(asked, train_digits="1-5", padding="none").cell()
    if form != "interleaved":
        asked = replace(asked, layout="aligned", width=6)
    cells = {"natural": unpadded, "padded": replace(asked, train_digits="5").cell()}
    trained = {side: EnsembleTraining([(cell, 0)], RECIPE, device) for side, cell in cells.items()}
    sides = {side: training.step for side, training in trained.items()}
    seconds = timed(sides, quick, device)
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
