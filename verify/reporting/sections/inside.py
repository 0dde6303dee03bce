"""What ``arith inspect`` saw inside single models, as each ``mechanism/*/mechanism.json`` says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, cast

import numpy as np
from msgspec import Meta

from arith.theory.errors import InvalidInput
from arith.theory.setting.settings import LARGEST_LAYERS
from arith.theory.text.style import FAINT, PALETTE
from arith.theory.text.text import count, digits_text
from arith.verify.plan.cells import Cell
from arith.verify.plan.given import read_bytes
from arith.verify.plan.premise import PREMISE
from arith.verify.records.reading import Length, Share, read, read_cell
from arith.verify.reporting.blocks import Block, Figure, Heading, Table, text
from arith.verify.reporting.influence_plot import draw_influences
from arith.verify.reporting.plots import MISSED, Mark, draw_rows
from arith.verify.reporting.report import Report

SOME = 0.1
"""The part of the lost answers from which some count as brought back."""
_MARKS = "os^Dv*"
"""Of layers, beside their colours."""
_MOST = 2**24
"""Bytes of what was measured of one model."""
_A_LAYER_EACH = Meta(min_length=1, max_length=LARGEST_LAYERS)
_Ratios = Annotated[list[Annotated[float, Meta(ge=0, le=10**9)] | None], _A_LAYER_EACH]
_Shares = Annotated[list[Share], _A_LAYER_EACH]


class _Distance(TypedDict):
    largest: Share


_Distances = TypedDict(
    "_Distances", {"truth": _Distance, "learned function": NotRequired[_Distance]}
)
_Equivalence = TypedDict("_Equivalence", {"by layer": _Ratios})
_Leaks = TypedDict("_Leaks", {"as it is": Share, "mended by layer": _Shares})


class _Measured(TypedDict):
    """What is used of it here."""

    cell: dict[str, Any]
    digits: Length
    premise: NotRequired[Share]
    influence: NotRequired[dict[str, list[list[list[Share | None]]]]]
    distance: _Distances
    equivalence: NotRequired[_Equivalence]
    leaks: NotRequired[_Leaks]


Models = Sequence[dict[str, Any]]
"""What was measured of each model."""


def inside(report: Report) -> list[Block]:
    """How near each inspected model is to its expected function, and through what others leak."""
    files = sorted((report.folder / "mechanism").glob("*/mechanism.json"))
    models = [_read(file) for file in files]
    return [*_inside(models), *_leaks(models)] if models else []


def _read(file: Path) -> dict[str, Any]:
    """What ``arith inspect`` wrote (InvalidInput: the file is damaged)."""
    try:
        model: Any = read(cast(Any, _Measured), read_bytes(file, "the mechanism", _MOST))
        shares = {k: np.array(x, dtype=float) for k, x in model.get("influence", {}).items()}
        if len({x.shape for x in shares.values()}) > 1 or any(x.ndim != 3 for x in shares.values()):
            raise ValueError("influence: a share for each pair of digits is asked for")
        return model | {"cell": read_cell(json.dumps(model["cell"])), "influence": shares}
    except ValueError as error:  # InvalidInput is one, and so is what NumPy says of ragged lists
        raise InvalidInput(f"{file}: it is not what arith inspect writes ({error})") from None


def _inside(models: Models) -> list[Block]:
    distances = [model["distance"] for model in models]
    both = [(d["learned function"], d["truth"]) for d in distances if "learned function" in d]
    as_near = sum(learned["largest"] <= truth["largest"] for learned, truth in both)
    return [
        Heading("Inside"),
        text("inside", as_near=as_near, models=count(len(both), "model")),
        Table([_row(model) for model in models]),
        text("inside_legend"),
        *(_influences(i, model) for i, model in enumerate(models, 1) if model["influence"]),
    ]


def _influences(number: int, model: dict[str, Any]) -> Figure:
    """The influences of a model, drawn anew from what was measured."""
    cell: Cell = model["cell"]
    return Figure(
        f"Influences: {_name(model)}",
        f"influence-{number}.svg",
        lambda path: draw_influences(
            model["influence"], cell.label(), path, cell.setting.task.names
        ),
    )


def _row(model: dict[str, Any]) -> dict[str, str]:
    learned = model["distance"].get("learned function")
    *_, state = model.get("equivalence", {}).get("by layer", [None])
    return {
        "cell": _name(model),
        "digits": str(model["digits"]),
        "from f^": "-" if learned is None else f"{learned['largest']:.3f}",
        "from f": f"{model['distance']['truth']['largest']:.3f}",
        "from the equivalent input": "-" if state is None else str(state),
    }


def _leaks(models: Models) -> list[Block]:
    """What comes back of the lost answers where one layer does not see the ignored digits."""
    measured = [x for x in models if "leaks" in x]
    names = [_name(x) for x in measured]
    shares = [(x["leaks"]["as it is"], *x["leaks"]["mended by layer"]) for x in measured]
    leaking = [x for x in shares if x[0] < PREMISE]
    if not leaking:
        return []
    # Of what is lost, 1 - now, patching a layer brings back the difference to now.
    some = sum(max(x[2:], default=0) - x[0] >= SOME * (1 - x[0]) for x in leaking)
    most = sum(max(x[2:], default=0) > x[1] for x in leaking)
    rows = [
        {"cell": name, "digits": str(model["digits"]), "as it is": f"{now:.3f}"}
        | {f"layer {i} patched": f"{x:.3f}" for i, x in enumerate(patched, 1)}
        for name, model, (now, *patched) in zip(names, measured, shares, strict=True)
    ]
    marks = [x for i, (now, *layers) in enumerate(shares) for x in _leak_marks(i, now, layers)]
    label = "share of the answers to the longest inputs that follow f^"
    return [
        Heading("Leaks"),
        text("leaks", some=some, models=count(len(leaking), "model"), most=most),
        Figure(
            "Answers that follow the expected function, as they are and patched",
            "leaks.svg",
            lambda path: draw_rows(path, names, [("", marks)], label),
        ),
        Table(rows),
        text("leaks_legend"),
    ]


def _leak_marks(row: int, now: float, patched: Sequence[float]) -> list[Mark]:
    """The share as it is (a bar), with each layer patched (dots), and a line from end to end."""
    ends = [min(now, *patched), max(now, *patched)]
    bar: Any = {"color": "k", "marker": "|", "ms": 8, "mew": 2, "ls": ""}
    marks = [Mark(row, ends, None, {"color": FAINT, "lw": 0.8}), Mark(row, [now], "as it is", bar)]
    for i, x in enumerate(patched):
        style: Any = {"marker": _MARKS[i % len(_MARKS)], "color": PALETTE[i % len(PALETTE)]}
        marks.append(Mark(row, [x], f"layer {i + 1} patched", {**style, "ms": 6, "ls": ""}))
    return marks


def _name(measured: dict[str, Any]) -> str:
    """The cell that was inspected and its model, in a few words."""
    cell: Cell = measured["cell"]
    missed = f" ({MISSED})" if measured.get("premise", 1) < PREMISE else ""
    return f"{cell.label()} · {cell.model}{missed}"


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
    return [[digits_text(measured["digits"]), *row] for row in rows]
