"""Predicted and measured accuracy by length, a panel per cell."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from theory.display.answer import UNCLAIMED
from theory.display.style import HATCH, INK, PALETTE, UNKNOWN, draw_box
from theory.prediction.lengths import LengthPrediction
from theory.prediction.outcomes import Claim
from verify.judging.judge import CellVerdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.6, 2.5
"""Of a panel, in inches."""
_COLUMNS = 3
"""Panels beside each other."""
_BAR = 0.7
"""The width of what is predicted at a length, where lengths are 1 apart."""
_LEAST = 0.03
"""The height of a prediction without ±."""


def size(panels: int) -> tuple[float, float]:
    """Width and height of a figure with so many panels, in inches; room for a legend included."""
    return WIDTH * min(panels, _COLUMNS), HEIGHT * ceil(panels / _COLUMNS) + 0.3


def draw_by_length(drawn: Figure, verdicts: Sequence[CellVerdict]) -> None:
    """Draw a panel for each cell: bars are predictions, points are measurements."""
    drawn.set_layout_engine("constrained")
    columns = min(len(verdicts), _COLUMNS)
    rows = ceil(len(verdicts) / columns)
    axes = list(drawn.subplots(rows, columns, sharey=True, squeeze=False).flat)
    for ax, v in zip(axes, verdicts, strict=False):
        _draw_cell(ax, v)
    for ax in axes[len(verdicts) :]:
        ax.axis("off")
    named: dict[str, Any] = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        named.update(zip(labels, handles, strict=True))
    drawn.legend(
        list(named.values()),
        list(named),
        loc="outside upper center",
        ncols=len(named) if columns > 1 else 3,
        frameon=False,
        fontsize=7.5,
    )
    drawn.supxlabel("digits", fontsize=8.5)
    drawn.supylabel("accuracy", fontsize=8.5)


def _draw_cell(ax: Axes, v: CellVerdict) -> None:
    for at, x in enumerate(v.lengths):
        _draw_prediction(ax, at, v, x.prediction)
        measured = v.measured(x.digits)
        if measured is not None:
            below, above = measured.value - measured.low, measured.high - measured.value
            label = "measured" if v.converged else "measured, not converged"
            style: Any = {"color": INK, "ms": 4, "capsize": 2.5, "lw": 0.9, "label": label}
            fill = INK if v.converged else "white"
            ax.errorbar(at, measured.value, [[below], [above]], fmt="o", mfc=fill, **style)
    trained = v.cell.setting.train.lengths
    ticks = [f"{x.digits}\ntrained" if x.digits in trained else str(x.digits) for x in v.lengths]
    ax.set_xticks(range(len(v.lengths)), ticks)
    ax.set_xlim(-0.6, len(v.lengths) - 0.4)
    ax.set_ylim(-0.04, 1.06)
    ax.set_title(v.name, fontsize=7.5)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_prediction(ax: Axes, at: int, v: CellVerdict, x: LengthPrediction) -> None:
    """What is claimed of the accuracy at a length: a range."""
    claim = v.prediction.claim(x)
    if claim == Claim.NONE:
        low, high = 0.0, 1.0
        style = {"fc": "white", "ec": UNKNOWN, "hatch": HATCH, "lw": 0, "label": UNCLAIMED}
    elif x.accuracy is None:
        low, high = 0.0, float(x.at_most)
        style = {"fc": PALETTE[5], "alpha": 0.35, "lw": 0, "label": "predicted: at most"}
    else:
        unseen = float(x.unseen)
        low, high = max(0.0, float(x.accuracy) - unseen), min(1.0, float(x.accuracy) + unseen)
        style = {"fc": PALETTE[5], "lw": 0, "label": "predicted"}
    missing = max(0.0, _LEAST - (high - low)) / 2  # a line would not be seen below a point
    draw_box(ax, at - _BAR / 2, low - missing, _BAR, high - low + 2 * missing, **style)
