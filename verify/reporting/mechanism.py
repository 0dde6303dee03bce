"""What ``arith inspect`` measured inside a model, as its ``mechanism.json`` holds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from verify.plan.cells import Cell


def read_mechanisms(folder: Path) -> dict[str, dict[str, Any]]:
    """What was measured, by the name of a folder under ``mechanism`` beside the evidence."""
    files = sorted((folder / "mechanism").glob("*/mechanism.json"))
    return {file.parent.name: json.loads(file.read_text()) for file in files}


def mechanism_name(measured: dict[str, Any]) -> str:
    """The cell that was inspected and its model, in a few words."""
    cell = Cell.from_json(measured["cell"])
    return f"{cell.label()} · {cell.model}"


def mechanism_rows(measured: dict[str, Any]) -> list[list[str]]:
    """What was measured inside a model, a line each: length, what, value."""
    rows = [
        [
            f"influences of the model and the {name}, largest (mean) difference",
            f"{distance['largest']:.3f} ({distance['mean']:.3f})",
        ]
        for name, distance in measured["distance"].items()
    ]
    if "equivalence" in measured:
        ratios = measured["equivalence"]["by layer"]
        what = "distance to the equivalent trained input, unrelated ones being 1, by layer"
        rows.append([what, ", ".join("-" if x is None else f"{x:.3f}" for x in ratios)])
    if "leaks" in measured:
        shares = (measured["leaks"]["as it is"], *measured["leaks"]["mended by layer"])
        what = "share that follows f^; then if one layer saw no ignored digit, by layer"
        rows.append([what, ", ".join(f"{x:.3f}" for x in shares)])
    return [[f"{measured['digits']} digits", *row] for row in rows]
