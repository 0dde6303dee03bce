"""Made-up measurements, as if a model had been trained."""

from __future__ import annotations

from arith.verify.plan.cells import Cell
from arith.verify.records.measurement import Measurement
from arith.verify.records.runs import Run

RIGHT = {1: 1.0, 2: 1.0, 3: 1.0, 4: 0.0}
"""What the theory predicts of addition with APE, trained on three digits."""


def run(
    c: Cell,
    accuracy: dict[int, float],
    learned: float = 1.0,
    premise: float = 1.0,
    seed: int = 0,
    samples: int = 1000,
    exhaustive: bool = False,
) -> Run:
    """A run of a cell.

    Args:
        accuracy: by length.
        learned: the share of answers that are those of the learned function.
        premise: the accuracy on held-out inputs of the trained lengths.
        samples: inputs per length.
        exhaustive: whether they are all there are.
    """
    digits = (samples,) * c.format.result_width
    measurements = tuple(
        Measurement(
            n, samples, exhaustive, round(samples * a), round(samples * learned), digits, digits
        )
        for n, a in accuracy.items()
    )
    return Run(
        c,
        seed,
        "1",
        "float32",
        premise,
        1000,
        4000,
        8000,
        1.0,
        "test",
        measurements,
        indifference=1.0,
    )


def headline_runs() -> list[Run]:
    """One run of each cell of the headline grid: after ``make verify`` there may be more."""
    from builders.evidence import committed_runs  # imported late: a run alone needs no reports

    first: dict[str, Run] = {}
    for x in committed_runs("headline"):
        if x.recipe == x.cell.recipe.version:
            first.setdefault(x.cell.key, x)
    return list(first.values())
