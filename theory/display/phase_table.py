"""The points of a phase diagram as a table in a file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from theory.display.files import writing
from theory.errors import InvalidInput
from theory.studies.phase import Point


def write_csv(points: Sequence[Point], path: Path) -> None:
    """One line per point; each accuracy as an exact rational, as a float, and its upper bound.

    Empty fields stand for None: no modulus, not base aligned, or undetermined.  Where an
    accuracy is undetermined its bound may still say that the model fails.

    Raises:
        InvalidInput: no points, or the file cannot be written.
    """
    if not points:
        raise InvalidInput("there are no points to write")
    rows = [_row(point) for point in points]
    with writing(path), path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _row(point: Point) -> dict[str, object]:
    s = point.setting
    row: dict[str, object] = {
        "task": s.task.text(),
        "modulus": s.task.modulus,
        "base": s.base,
        "encoding": s.encoding.name,
        "layout": s.layout.name,
        "train_digits": point.train_digits,
        "verdict": point.verdict,
        "residual_modulus": point.residual_modulus,
        "base_aligned": point.base_aligned,
    }
    for distance, x in zip(point.ahead, point.lengths, strict=True):
        name = f"accuracy_plus_{distance}"
        row[name] = x.accuracy
        row[f"{name}_float"] = None if x.accuracy is None else float(x.accuracy)
        row[f"{name}_at_most"] = x.at_most
    return row
