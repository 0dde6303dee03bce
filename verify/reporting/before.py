"""What is said of a grid before it is trained: ``python -m arith.verify.reporting.before GRID``.

It writes two files beside the report, to be committed before the training.  ``predictions.jsonl``
has the predictions as they are stored with models; ``forecasts.jsonl`` has, of each untrained
length, the claim, the forecast where no accuracy is claimed, and the accuracies of the two
candidates.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from arith.theory.arithmetic.directions import Direction
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.verify.plan.cells import Cell
from arith.verify.plan.folders import COMMITTED
from arith.verify.plan.grids import grid
from arith.verify.records.evidence import PREDICTIONS, read_lines
from arith.verify.records.files import write
from arith.verify.records.predicted import predicted
from arith.verify.records.reading import Length, Line, Share, Whole, as_json, read

FORECASTS = "forecasts.jsonl"
"""The file beside the predictions."""


@dataclass(frozen=True)
class StoredForecast:
    """A forecast as it was before training (see ``theory.prediction.forecast.Forecast``).

    Args:
        cells: how many it rests on.
    """

    median: Share
    low: Share
    high: Share
    models: Whole
    cells: Whole
    near: bool


@dataclass(frozen=True)
class StoredLength:
    """What was said of an untrained length."""

    digits: Length
    inputs: Direction
    claim: Claim
    at_least: Fraction
    at_most: Fraction
    candidates: tuple[Fraction, ...]
    forecast: StoredForecast | None


@dataclass(frozen=True)
class _Said:
    """A line of the file."""

    cell: Cell
    hash: Line
    lengths: tuple[StoredLength, ...]


def read_before(folder: Path) -> dict[Cell, dict[int, StoredLength]]:
    """What was said of each cell by length; nothing where no such file is in the folder.

    Raises:
        InvalidInput: a line cannot be read.
    """
    found = dict[Cell, dict[int, StoredLength]]()

    def add(line: bytes) -> None:
        said = read(_Said, line)
        found[said.cell] = {x.digits: x for x in said.lengths}

    read_lines(folder / FORECASTS, add)
    return found


def candidates(cell: Cell, x: LengthPrediction) -> tuple[Fraction, ...]:
    """The accuracies of which a stable model is expected to have one, at an untrained length.

    At longer inputs of natural lengths theory has no f^.  A digit that is not found leaves the
    answer to chance, and chances multiply: all are right or, but for a fiftieth, none.
    """
    if cell.setting.natural and x.direction == Direction.UPWARD:
        return (Fraction(1), Fraction(0))
    return x.candidates


def _told(cell: Cell) -> _Said:
    """What is said of each untrained length of a cell."""
    prediction, lengths = cell.prediction, []
    for x in prediction.lengths:
        if not cell.setting.is_premise(x.digits):
            claimed = x.digits, x.direction, x.claim, x.at_least, x.at_most, candidates(cell, x)
            found, told = prediction.forecasts.get(x.digits), None
            if found is not None:
                told = StoredForecast(**vars(found) | {"cells": len(found.cells)})
            lengths.append(StoredLength(*claimed, told))
    return _Said(cell, predicted(prediction).hash, tuple(lengths))


def texts(cells: Iterable[Cell]) -> dict[str, str]:
    """The two files of some cells, a line for each."""
    lines = dict[str, list[str]]({PREDICTIONS: [], FORECASTS: []})
    for cell in sorted(cells, key=lambda cell: cell.key):
        stored = {"cell": cell.to_json(), **predicted(cell.prediction).to_json()}
        lines[PREDICTIONS].append(json.dumps(stored) + "\n")
        lines[FORECASTS].append(json.dumps(as_json(_told(cell))) + "\n")
    return {file: "".join(some) for file, some in lines.items()}


def main(name: str) -> None:
    """Write the two files of a grid."""
    for file, text in texts(grid(name)).items():
        write(COMMITTED / name / file, text)
        print(f"wrote {COMMITTED.name}/{name}/{file}")


if __name__ == "__main__":
    main(*sys.argv[1:])
