"""What is said of a grid before it is trained: ``python -m arith.verify.reporting.before GRID``.

It writes two files beside the report, to be committed before the training.  ``predictions.jsonl``
has the predictions as they are stored with models; ``forecasts.jsonl`` has, of each untrained
length, the claim, the forecast where no accuracy is claimed, and the accuracies of the two
candidates.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.exact_text import exact_text
from arith.theory.errors import InvalidInput
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.forecast import Forecast
from arith.verify.plan.cells import Cell
from arith.verify.plan.folders import COMMITTED
from arith.verify.plan.given import read_bytes
from arith.verify.plan.grids import grid
from arith.verify.records.evidence import PREDICTIONS
from arith.verify.records.files import write
from arith.verify.records.predicted import predicted
from arith.verify.records.reading import Length, Line, Share, Whole, read

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
    path, found = folder / FORECASTS, dict[Cell, dict[int, StoredLength]]()
    if not path.exists():
        return found
    for number, line in enumerate(BytesIO(read_bytes(path, "the forecasts")), 1):
        try:
            said = read(_Said, line)
        except InvalidInput as error:
            raise InvalidInput(f"{path}, line {number}: {error}") from None
        found[said.cell] = {x.digits: x for x in said.lengths}
    return found


def candidates(cell: Cell, x: LengthPrediction) -> tuple[Fraction, ...]:
    """The accuracies of which a stable model is expected to have one, at an untrained length.

    At longer inputs of natural lengths theory has no f^.  A digit that is not found leaves the
    answer to chance, and chances multiply: all are right or, but for a fiftieth, none.
    """
    if cell.setting.natural and x.direction == Direction.UPWARD:
        return (Fraction(1), Fraction(0))
    return x.candidates


def said(cell: Cell) -> dict[str, Any]:
    """What is said of each untrained length of a cell."""
    prediction = cell.prediction
    lengths = [x for x in prediction.lengths if not cell.setting.is_premise(x.digits)]
    return {
        "cell": cell.to_json(),
        "hash": predicted(prediction).hash,
        "lengths": [
            {
                "digits": x.digits,
                "inputs": x.direction,
                "claim": x.claim,
                "at_least": exact_text(x.at_least),
                "at_most": exact_text(x.at_most),
                "candidates": [exact_text(c) for c in candidates(cell, x)],
                "forecast": _kept(prediction.forecasts.get(x.digits)),
            }
            for x in lengths
        ],
    }


def _kept(forecast: Forecast | None) -> dict[str, Any] | None:
    """What is stored of a forecast: all but the names of the cells that it rests on."""
    return {**vars(forecast), "cells": len(forecast.cells)} if forecast else None


def lines(cells: list[Cell]) -> Iterator[tuple[str, str, str]]:
    """The name of a file, and a line for it, of each cell."""
    for cell in cells:
        stored = {"cell": cell.to_json(), **predicted(cell.prediction).to_json()}
        yield cell.key, PREDICTIONS, json.dumps(stored)
        yield cell.key, FORECASTS, json.dumps(said(cell))


def main(name: str) -> None:
    """Write the two files of a grid."""
    found = sorted(lines(grid(name)))
    for file in (PREDICTIONS, FORECASTS):
        text = "".join(line + "\n" for _, of, line in found if of == file)
        write(COMMITTED / name / file, text)
        print(f"wrote {COMMITTED.name}/{name}/{file}")


if __name__ == "__main__":
    main(*sys.argv[1:])
