"""What figures of the report share: a width, rows of names, panels of training curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from theory.display.style import FAINT, PALE, PALETTE, figure
from theory.learning.plateaus import plateaus
from verify.judging.judge import CellVerdict
from verify.plan.premise import PREMISE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 8.0
"""Of a figure, in inches."""
_PANELS = 3
"""Panels beside each other."""


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows of an axis, the first on top, each at its number."""
    ax.set_yticks(range(len(names)), names, fontsize=6.5)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="y", color=PALE)
    ax.set_axisbelow(True)


def training_curves(
    verdicts: Sequence[CellVerdict],
    path: Path,
    draw: Callable[[Axes, CellVerdict], None],
    label: str,
) -> None:
    """A panel per cell over the training steps, with the premise as a dotted line.

    Args:
        draw: puts the curves of a cell on its panel.
        label: what the curves show.
    """
    rows = ceil(len(verdicts) / _PANELS)
    with figure(path, WIDTH, 2 * rows + 0.3) as drawn:
        drawn.set_layout_engine("tight")
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


def in_domain_curves(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Accuracy at the trained lengths along training; dashed lines are the plateaus of the task."""
    training_curves(verdicts, path, _in_domain, "right in domain")


def _in_domain(ax: Axes, v: CellVerdict) -> None:
    s = v.cell.setting
    for run in v.runs:
        for colour, n in zip(PALETTE, s.train.every_length, strict=False):
            if run.trajectory is not None and n in run.trajectory.correct:
                label = f"{n} digits" if run is v.runs[0] else None
                curve = run.trajectory.correct[n]
                ax.plot(run.trajectory.steps, curve, color=colour, lw=1, label=label)
    for plateau in plateaus(s.task, s.base, s.train):
        ax.axhline(float(plateau.accuracy), color=PALETTE[1], lw=0.6, ls="--")
