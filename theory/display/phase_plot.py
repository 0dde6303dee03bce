"""The picture of a phase diagram.

A heat map of the exact accuracy on longer inputs: the modulus (or the base) to the right, the
training length upward.  Few columns have their numbers written in.  Of many, a modulus that
generalizes and its neighbour that fails (100 and 101 in base 10) are enlarged, with the reason.

All sizes are in inches; text sizes are in points (72 to the inch).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.display.phase_cells import (
    MOST_NUMBERED,
    draw_cells,
    label_axes,
    mark_generalizing,
    write_numbers,
)
from theory.display.phase_grid import (
    Grid,
    make_grid,
    notes,
    setting_text,
    why_right,
    why_wrong,
)
from theory.display.style import COLOUR_MAP, FAINT, HATCH, UNKNOWN, draw_box, figure
from theory.prediction.outcomes import Status
from theory.studies.phase import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 8.0
"""A PNG is 1200 px wide, and on a page the text has about the size that is given here."""
_EDGE, _LEFT, _RIGHT = 0.12, 0.75, 0.25
"""Left margin of the words, and margins of the heat map."""
_ZOOM_WIDTH = 4.4
"""Width of the enlarged columns; the reason stands to their right."""
_AROUND = 4
"""Columns that are enlarged on either side of the middle of the pair."""


def plot(points: Sequence[Point], path: Path) -> None:
    """Draw a phase diagram at the largest test distance, as PNG or SVG by the suffix.

    Raises:
        InvalidInput: no points, moduli and bases that both vary, points missing from the
            grid, an unknown suffix, no matplotlib, or a file that cannot be written.
    """
    grid = make_grid(points)
    numbered = len(grid.xs) <= MOST_NUMBERED
    right = None if numbered else grid.neighbour()
    lines = notes(grid, has_numbers=numbered or right is not None)
    marked = 0 < len(grid.generalizing) < len(grid.xs)
    zoom = max(0.42 * len(grid.rows), 1.6)
    words = 0.1 + 0.17 * len(lines)
    main = max((0.5 if numbered else 0.42) * len(grid.rows), 0.6)
    bottom = words + (0.4 if right is None else zoom + 1.0)
    height = bottom + main + (1.4 if marked else 1.05)
    with figure(path, _WIDTH, height) as page:
        _heading(page, grid)
        axes = _axes(page, _LEFT, bottom, _WIDTH - _LEFT - _RIGHT, main)
        draw_cells(axes, grid)
        label_axes(axes, grid)
        mark_generalizing(axes, grid)
        if numbered:
            write_numbers(axes, grid)
        if right is not None:
            _enlarge(axes, _axes(page, _LEFT, words + 0.25, _ZOOM_WIDTH, zoom), grid, right)
            _explain(page, grid, right, words + 0.25 + zoom)
        _write(page, _EDGE, 0.1, "\n".join(lines), fontsize=7.5, va="bottom", linespacing=1.4)


def _axes(page: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    w, h = page.get_size_inches()
    return page.add_axes((left / w, bottom / h, width / w, height / h))


def _write(page: Figure, left: float, bottom: float, text: str, **style: Any) -> None:
    w, h = page.get_size_inches()
    page.text(left / w, bottom / h, text, **style)


def _heading(page: Figure, grid: Grid) -> None:
    """The question, the setting, and the legend."""
    top = page.get_size_inches()[1]
    plural = {"modulus": "moduli", "base": "bases"}[grid.axis]
    question = f"Which {plural} generalize to longer numbers?"
    _write(page, _EDGE, top - 0.12, question, fontsize=14, fontweight="bold", va="top")
    _write(page, _EDGE, top - 0.42, setting_text(grid), fontsize=9, va="top", linespacing=1.4)
    _legend(page, grid)


def _legend(page: Figure, grid: Grid) -> None:
    """The colour scale, and the meaning of hatching where there is any."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.patches import Patch

    height = page.get_size_inches()[1]
    scale = _axes(page, _WIDTH - _RIGHT - 1.6, height - 0.38, 1.6, 0.12)
    bar = page.colorbar(ScalarMappable(cmap=COLOUR_MAP), cax=scale, orientation="horizontal")
    bar.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    bar.ax.tick_params(length=2, labelsize=7.5, pad=1.5)
    bar.ax.set_title("accuracy", fontsize=8, pad=2.5)
    if any(grid.at(*cell).accuracy is None for cell in grid.cells):
        box = Patch(facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH, label=Status.UNDETERMINED)
        corner = (1 - (_RIGHT - 0.06) / _WIDTH, 1 - 0.54 / height)
        style: Any = {"loc": "upper right", "frameon": False, "fontsize": 8, "borderpad": 0}
        page.legend(handles=[box], bbox_to_anchor=corner, **style)


def _enlarge(main: Axes, axes: Axes, grid: Grid, right: int) -> None:
    """The columns around a modulus that generalizes, tied to their place in the whole map."""
    from matplotlib.patches import ConnectionPatch

    pair = (right, right + 1)
    part = grid.part(right + 1 - _AROUND, right + _AROUND)
    draw_cells(axes, part)
    label_axes(axes, part)
    write_numbers(axes, part)
    axes.set_xlabel("")
    for x, label in zip(part.xs, axes.get_xticklabels(), strict=True):
        label.set_fontweight("bold" if x in pair else "normal")
    frame: Any = {"fill": False, "edgecolor": "black", "clip_on": False}
    for x in pair:
        draw_box(axes, part.xs.index(x), 0, 1, len(part.rows), linewidth=1.8, **frame)
    start, stop = grid.xs.index(part.xs[0]), grid.xs.index(part.xs[-1]) + 1
    draw_box(main, start, 0, stop - start, len(grid.rows), linewidth=0.8, **frame)
    for x, to in ((start, 0), (stop, len(part.xs))):
        there = (to, len(part.rows))
        line = ConnectionPatch((x, 0), there, "data", "data", axesA=main, axesB=axes)
        line.set(color=FAINT, linewidth=0.6)
        main.add_artist(line)


def _explain(page: Figure, grid: Grid, right: int, top: float) -> None:
    """Why a modulus generalizes and the next one fails, beside the enlarged columns."""
    left, n = _LEFT + _ZOOM_WIDTH + 0.2, grid.rows[-1]
    for title, reason in (
        (f"{right} generalizes", why_right(grid.cells[right, n])),
        (f"{right + 1} fails", why_wrong(grid.cells[right + 1, n], grid.ahead)),
    ):
        lines = textwrap.wrap(reason, 42)
        _write(page, left, top, title, fontsize=9, fontweight="bold", va="top")
        _write(page, left, top - 0.19, "\n".join(lines), fontsize=8, va="top", linespacing=1.3)
        top -= 0.19 + 0.15 * len(lines) + 0.1
