"""The two kinds of figure that sections share: rows with names, and curves along training."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.display.style import FAINT, PALE, PALETTE, add_legend, figure
from arith.theory.display.text import count
from arith.verify.judging.judge import CellVerdict
from arith.verify.plan.cells import default_model
from arith.verify.plan.premise import PREMISE
from arith.verify.records.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 8.0
"""Of a figure, in inches."""
SMALL = 8.0
"""The smallest text, in points: a page shows a figure at about this size."""
MISSED = "did not converge"
"""What a cross says of a model."""
MOST_PANELS = 12
"""Cells in a figure: more take long to draw, and nobody looks at them."""
_PANELS = 3
"""Cells beside each other."""
_MOST_BESIDE = 7
"""Panels beside each other where rows have names."""


def cell_name(v: CellVerdict) -> str:
    """The cell in a few words, with its model where that is not the usual one."""
    usual = v.cell.model == default_model(v.cell.setting.task)
    return v.cell.label() if usual else v.name


@contextmanager
def named_rows(
    path: Path,
    names: Sequence[str],
    label: str,
    titles: Sequence[str] = ("",),
    inches: float = 0.34,
) -> Iterator[list[Axes]]:
    """Panels beside each other with the same rows: the first row is on top, at height 0.

    Where there are many panels they go on below.

    Args:
        label: of what goes from left to right.
        inches: the height of a row.
    """
    down = ceil(len(titles) / _MOST_BESIDE)
    beside = ceil(len(titles) / down)
    with figure(path, WIDTH, (inches * len(names) + 0.6) * down + 0.3) as drawn:
        drawn.set_layout_engine("constrained")
        every = list(drawn.subplots(down, beside, sharey=True, squeeze=False).flat)
        axes = every[: len(titles)]
        for ax in every[len(titles) :]:
            ax.axis("off")
        for ax, title in zip(axes, titles, strict=True):
            ax.set_title(title, fontsize=8.5)
            ax.grid(axis="y", color=PALE)
            ax.set_axisbelow(True)
        lines = [textwrap.fill(name, 40, break_long_words=False) for name in names]
        for ax in axes[::beside]:
            ax.set_yticks(range(len(names)), lines, fontsize=SMALL)
        axes[0].set_ylim(len(names) - 0.5, -0.5)
        drawn.supxlabel(label, fontsize=8.5)
        yield axes
        add_legend(drawn, "upper center", SMALL)


def training_curves(
    verdicts: Sequence[CellVerdict],
    path: Path,
    draw: Callable[[Axes, CellVerdict], None],
    label: str,
) -> None:
    """A panel per cell over the training steps, on which ``draw`` puts the cell's curves.

    Of more than ``MOST_PANELS`` cells the first are drawn.

    The premise is a dotted line; the label says what the curves show.
    """
    verdicts = verdicts[:MOST_PANELS]
    rows = ceil(len(verdicts) / _PANELS)
    with figure(path, WIDTH, 2.1 * rows + 0.4) as drawn:
        drawn.set_layout_engine("constrained")
        axes = list(drawn.subplots(rows, _PANELS, sharey=True, squeeze=False).flat)
        for ax, v in zip(axes, verdicts, strict=False):
            draw(ax, v)
            ax.axhline(PREMISE, color=FAINT, lw=0.8, ls=":", label=f"premise: {PREMISE:g}")
            count_steps(ax)
            ax.set_ylim(-0.03, 1.03)
            ax.set_title("\n".join(_broken(cell_name(v))), fontsize=SMALL)
        for ax in axes[len(verdicts) :]:
            ax.axis("off")
        drawn.supxlabel("training step", fontsize=8.5)
        drawn.supylabel(label, fontsize=8.5)
        add_legend(drawn, "upper center", SMALL)


def panels_text(cells: int) -> str:
    """Which of some cells ``training_curves`` draws; empty where it draws all."""
    return f"The first {MOST_PANELS} of {count(cells, 'cell')}. " * (cells > MOST_PANELS)


def count_steps(ax: Axes, ticks: Sequence[float] = (1.0,)) -> None:
    """Training steps to the right: logarithmic, with plain numbers at these parts of each ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=ticks))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _broken(name: str) -> list[str]:
    """A name in lines of up to 40 letters, broken between its parts."""
    lines = [""]
    for part in name.split(" · "):
        longer = f"{lines[-1]} · {part}".removeprefix(" · ")
        lines = [*lines[:-1], longer] if len(longer) <= 40 else [*lines, part]
    return [line for line in lines if line]


def draw_curve(ax: Axes, run: Run, values: Sequence[float], what: str, **style: Any) -> None:
    """A model's curve along its training, in the colour of its seed; ``what`` names its style.

    It ends in a cross where the model did not converge.
    """
    assert run.trajectory is not None
    steps, colour = run.trajectory.steps, PALETTE[run.seed % len(PALETTE)]
    ax.plot(steps, values, color=colour, **style)
    ax.plot([], [], color=FAINT, label=what, **style)
    ax.plot([], [], color=colour, lw=3, label=f"seed {run.seed}")
    if not run.converged:
        mark: Any = {"color": "white", "markeredgecolor": colour, "ms": 8, "ls": "", "zorder": 4}
        ax.plot(steps[-1:], values[-1:], "X", label=MISSED, **mark)
