"""What was seen inside single models: the sections of the report on what ``arith inspect`` found.

Its files are kept under ``mechanism`` beside the evidence, a folder per model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from verify.plan.cells import Cell
from verify.plan.premise import PREMISE
from verify.reporting import pictures

LEAKS = PREMISE
"""A model leaks if fewer of its answers follow the learned function: as many as in domain."""


def sections(folder: Path) -> list[str]:
    """The sections that the files allow; their pictures are written to the folder."""
    files = sorted((folder / "mechanism").glob("*/mechanism.json"))
    found = {file.parent.name: json.loads(file.read_text()) for file in files}
    return [text for text in (_mechanisms(found, folder), _leaks(found, folder)) if text]


def _label(data: dict[str, Any]) -> str:
    cell = Cell.from_json(data["cell"])
    return f"{cell.label()} · {cell.model}"


def _mechanisms(found: dict[str, dict[str, Any]], folder: Path) -> str:
    """Influences and hidden states."""
    if not found:
        return ""
    rows, parts = [], []
    for model, data in found.items():
        far = data["distance"]
        same = data.get("equivalence", {}).get("by layer", ["-"])
        near = far.get("learned function")
        rows.append(
            [
                _label(data),
                str(data["digits"]),
                "-" if near is None else f"{near['largest']:.3f}",
                f"{far['truth']['largest']:.3f}",
                "-" if same[-1] is None else f"{same[-1]}",
            ]
        )
        parts.append(f"![Influences: {_label(data)}](mechanism/{model}/influence.svg)")
        if (folder / "mechanism" / model / "states.svg").exists():
            parts.append(f"![States: {_label(data)}](mechanism/{model}/states.svg)")
    learned = [d["distance"] for d in found.values() if "learned function" in d["distance"]]
    nearer = sum(d["learned function"]["largest"] <= d["truth"]["largest"] for d in learned)
    return "\n\n".join(
        [
            "## Inside",
            f"In {nearer} of {len(learned)} models with a predicted f^, which operand digits change which digits of the answers is "
            "at least as near to the expected function as to the task.",
            _table(rows, ("cell", "digits", "from f^", "from f", "from the equivalent input")),
            "*from f^*, *from f*: the largest difference between an influence of the model (how often the "
            "answer's digit changes with an operand's) and that of the expected function or the task. *from "
            "the equivalent input*: the distance of the last states to those of the trained input that the "
            "expected function cannot tell from it, where an unrelated trained input is at 1. Made by "
            "`arith inspect` with the options of the cell.",
            *parts,
        ]
    )


def _leaks(found: dict[str, dict[str, Any]], folder: Path) -> str:
    """Through which layer digits that should be ignored get into the answer."""
    measured = [data for data in found.values() if "leaks" in data]
    leaking = [data for data in measured if data["leaks"]["as it is"] < LEAKS]
    if not leaking:
        return ""
    names = [_label(data) for data in measured]
    shares = [(x["leaks"]["as it is"], *x["leaks"]["mended by layer"]) for x in measured]
    pictures.leaks(names, shares, folder / "leaks.svg")
    recovered = [_recovered(data) for data in leaking]
    some = sum(max(x[1:], default=0.0) >= 0.1 for x in recovered)
    most = sum(max(x[1:], default=0.0) > x[0] for x in recovered)
    rows = [
        [name, str(data["digits"]), *(f"{x:.3f}" for x in of_model)]
        for name, data, of_model in zip(names, measured, shares, strict=True)
    ]
    width = max(map(len, shares))
    headers = ("cell", "digits", "as it is", *(f"layer {i} mended" for i in range(1, width)))
    return "\n\n".join(
        [
            "## Leaks",
            f"In {some} of {len(leaking)} models that leak, a tenth or more of what is lost comes back where a later "
            f"layer does not see the places of the ignored digits, in {most} more than where the first does not: what "
            "leaks is not only the digits, but what the model has made of them at their places.",
            "![Answers that follow the expected function, as they are and mended](leaks.svg)",
            _table(rows, headers),
            "The share of answers that follow f^, each digit given the right ones before it. *layer i mended*: "
            "the share if that layer's keys and values at the places of ignored digits were those of the "
            "equivalent trained input, and all else as it is. The first layer sees the digits, a later one what "
            "stands at their places by then: the digit, and what was worked out there. Made by `arith inspect`.",
        ]
    )


def _recovered(data: dict[str, Any]) -> tuple[float, ...]:
    """By layer, the part of the lost answers that comes back when it is mended."""
    now = data["leaks"]["as it is"]
    return tuple((x - now) / (1 - now) for x in data["leaks"]["mended by layer"])


def _table(rows: Sequence[Sequence[str]], headers: Sequence[str]) -> str:
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)
