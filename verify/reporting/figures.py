"""The two kinds of figure that sections share: rows with names, and curves along training."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from theory.display.style import FAINT, PALE, figure
from verify.judging.judge import CellVerdict
from verify.plan.premise import PREMISE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 8.0
"""Of a figure, in inches."""
_PANELS = 3
"""Cells beside each other."""


@contextmanager
def named_rows(
    path: Path,
    names: Sequence[str],
    label: str,
    titles: Sequence[str] = ("",),
    inches: float = 0.34,
) -> Iterator[list[Axes]]:
    """Panels beside each other with the same rows: the first row is on top, at height 0.

    Args:
        label: of what goes from left to right.
        inches: the height of a row.
    """
    with figure(path, WIDTH, inches * len(names) + 1.2) as drawn:
        drawn.set_layout_engine("constrained")
        axes = list(drawn.subplots(1, len(titles), sharey=True, squeeze=False)[0])
        for ax, title in zip(axes, titles, strict=True):
            ax.set_title(title, fontsize=8)
            ax.grid(axis="y", color=PALE)
            ax.set_axisbelow(True)
        axes[0].set_yticks(range(len(names)), names, fontsize=6.5)
        axes[0].set_ylim(len(names) - 0.5, -0.5)
        drawn.supxlabel(label, fontsize=8)
        yield axes
        style = {"ncols": 6, "fontsize": 7, "frameon": False}
        drawn.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", **style)


def training_curves(
    verdicts: Sequence[CellVerdict],
    path: Path,
    draw: Callable[[Axes, CellVerdict], None],
    label: str,
) -> None:
    """A panel per cell over the training steps, on which ``draw`` puts the cell's curves.

    The premise is a dotted line; the label says what the curves show.
    """
    rows = ceil(len(verdicts) / _PANELS)
    with figure(path, WIDTH, 2 * rows + 0.3) as drawn:
        drawn.set_layout_engine("constrained")
        axes = list(drawn.subplots(rows, _PANELS, sharey=True, squeeze=False).flat)
        for ax, v in zip(axes, verdicts, strict=False):
            draw(ax, v)
            ax.axhline(PREMISE, color=FAINT, lw=0.6, ls=":")
            ax.set_xscale("log")
            ax.set_ylim(-0.03, 1.03)
            ax.set_title(v.name, fontsize=6.5)
            if ax.get_legend_handles_labels()[0]:
                ax.legend(fontsize=5, loc="upper left", frameon=False)
        for ax in axes[len(verdicts) :]:
            ax.axis("off")
        drawn.supxlabel("training step", fontsize=8)
        drawn.supylabel(label, fontsize=8)
