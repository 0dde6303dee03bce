"""The picture of a phase diagram.

A heat map of the accuracy on longer inputs: the modulus (or the base) to the right, the training
length upward.  Few columns have their numbers written in.  Of many, a modulus that generalizes and
its neighbour that fails (100 and 101 in base 10) are enlarged, with the reason.

All sizes are in inches; text sizes are in points (72 to the inch).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.display.phase_grid import Grid, why_right, why_wrong
from theory.display.style import COLOUR_MAP, FAINT, HATCH, INK, UNKNOWN, draw_box, figure
from theory.prediction.outcomes import Status
from theory.studies.phase import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_NUMBERED = 40
"""Up to this many columns each cell has its numbers written in it."""
_MARK = "#08306b"
"""The colour of what generalizes."""
_ROOMY = 0.4
"""From this width on a cell takes more than bare numbers."""
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
        InvalidInput: the points fill no grid, or no such file can be written.
    """
    grid = Grid.of(points)
    numbered = len(grid.xs) <= MOST_NUMBERED
    right = None if numbered else grid.neighbour()
    below = grid.note() if numbered or right is not None else ""
    marked = 0 < len(grid.generalizing) < len(grid.xs)
    zoom = max(0.42 * len(grid.rows), 1.6)
    words = 0.1 + 0.17 * bool(below)
    main = max((0.5 if numbered else 0.42) * len(grid.rows), 0.6)
    bottom = words + (0.4 if right is None else zoom + 1.0)
    height = bottom + main + (1.4 if marked else 1.05)
    with figure(path, _WIDTH, height) as page:
        _heading(page, grid)
        axes = _axes(page, _LEFT, bottom, _WIDTH - _LEFT - _RIGHT, main)
        _draw_cells(axes, grid)
        _label_axes(axes, grid)
        _mark_generalizing(axes, grid, marked)
        if numbered:
            _write_numbers(axes, grid)
        if right is not None:
            _enlarge(axes, _axes(page, _LEFT, words + 0.25, _ZOOM_WIDTH, zoom), grid, right)
            _explain(page, grid, right, words + 0.25 + zoom)
        _write(page, _EDGE, 0.1, below, fontsize=7.5, va="bottom", linespacing=1.4)


def _axes(page: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    w, h = page.get_size_inches()
    return page.add_axes((left / w, bottom / h, width / w, height / h))


def _write(page: Figure, left: float, bottom: float, text: str, **style: Any) -> None:
    w, h = page.get_size_inches()
    page.text(left / w, bottom / h, text, **style)


def _size(axes: Axes) -> tuple[float, float]:
    return axes.bbox.width / axes.figure.dpi, axes.bbox.height / axes.figure.dpi


def _heading(page: Figure, grid: Grid) -> None:
    """The question, the setting, the scale of colours, and the meaning of hatching if any."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.patches import Patch

    top = page.get_size_inches()[1]
    plural = {"modulus": "moduli", "base": "bases"}[grid.axis]
    question = f"Which {plural} generalize to longer numbers?"
    _write(page, _EDGE, top - 0.12, question, fontsize=14, fontweight="bold", va="top")
    _write(page, _EDGE, top - 0.42, grid.setting_text(), fontsize=9, va="top", linespacing=1.4)
    scale = _axes(page, _WIDTH - _RIGHT - 1.6, top - 0.38, 1.6, 0.12)
    bar = page.colorbar(ScalarMappable(cmap=COLOUR_MAP), cax=scale, orientation="horizontal")
    bar.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    bar.ax.tick_params(length=2, labelsize=7.5, pad=1.5)
    bar.ax.set_title("accuracy", fontsize=8, pad=2.5)
    if any(grid.at(*cell).accuracy is None for cell in grid.cells):
        box = Patch(facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH, label=Status.UNDETERMINED)
        corner = (1 - (_RIGHT - 0.06) / _WIDTH, 1 - 0.54 / top)
        style: Any = {"loc": "upper right", "frameon": False, "fontsize": 8, "borderpad": 0}
        page.legend(handles=[box], bbox_to_anchor=corner, **style)


def _enlarge(main: Axes, axes: Axes, grid: Grid, right: int) -> None:
    """The columns around a modulus that generalizes, tied to their place in the whole map."""
    from matplotlib.patches import ConnectionPatch

    pair = (right, right + 1)
    around = range(right + 1 - _AROUND, right + _AROUND + 1)
    part = Grid(grid.axis, {k: point for k, point in grid.cells.items() if k[0] in around})
    _draw_cells(axes, part)
    _label_axes(axes, part)
    _write_numbers(axes, part)
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


def _draw_cells(axes: Axes, grid: Grid) -> None:
    """One strip per training length; undetermined cells are hatched."""
    columns, strips = len(grid.xs), len(grid.rows)
    shown = [[grid.at(x, n).accuracy for x in grid.xs] for n in grid.rows]
    values = [[float("nan") if a is None else float(a) for a in row] for row in shown]
    # Without an edge in their own colour, viewers of SVG show seams between cells.
    style: Any = {"cmap": COLOUR_MAP, "vmin": 0, "vmax": 1, "edgecolors": "face", "linewidth": 0.1}
    axes.pcolormesh(range(columns + 1), range(strips + 1), values, **style)
    style = {"facecolor": UNKNOWN, "edgecolor": FAINT, "hatch": HATCH}
    for y, row in enumerate(shown):
        for is_unknown, group in groupby(enumerate(row), lambda cell: cell[1] is None):
            run = [x for x, _ in group]
            if is_unknown:
                draw_box(axes, run[0], y, len(run), 1, **style)
    for y in range(1, strips):
        axes.axhline(y, color="white", linewidth=2)
    axes.set_xlim(0, columns)
    axes.set_ylim(0, strips)


def _label_axes(axes: Axes, grid: Grid) -> None:
    step = _tick_step(grid)
    shown = {i + 0.5: str(x) for i, x in enumerate(grid.xs) if x % step == 0}
    axes.set_xticks(list(shown), labels=list(shown.values()))
    axes.set_yticks([y + 0.5 for y in range(len(grid.rows))], labels=[str(n) for n in grid.rows])
    axes.tick_params(length=2.5, pad=2)
    axes.tick_params(axis="y", length=0, pad=4)
    # On white, so that the lines to the enlarged columns pass behind it.
    white = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    axes.set_xlabel("modulus p" if grid.axis == "modulus" else "base", labelpad=2, bbox=white)
    is_short = _size(axes)[1] < 1.2
    axes.set_ylabel("digits in\ntraining" if is_short else "digits in training")


def _tick_step(grid: Grid) -> int:
    if len(grid.xs) <= MOST_NUMBERED:
        return 1
    steps = (m * 10**e for e in range(len(str(grid.xs[-1])) + 1) for m in (1, 2, 5))
    return next(s for s in steps if sum(x % s == 0 for x in grid.xs) <= 12)


def _mark_generalizing(axes: Axes, grid: Grid, marked: bool) -> None:
    """A line of words above the map, and marks above the columns that generalize."""
    top, found = len(grid.rows), grid.generalizing
    inch = top / _size(axes)[1]
    above = top + (0.46 if marked else 0.06) * inch
    axes.text(0, above, grid.generalizing_text(), fontsize=8, color=_MARK, va="bottom")
    if not marked:
        return
    centres = [grid.xs.index(x) + 0.5 for x in found]
    gap = 0.125 * len(grid.xs) / _size(axes)[0]  # a label turned on its side
    style: Any = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": 8, "color": _MARK}
    for x, centre, place in zip(found, centres, _spread(centres, gap, len(grid.xs)), strict=True):
        across, up = [centre, centre], [top, top + 0.05 * inch]
        if place is not None:
            across, up = [*across, place], [*up, top + 0.15 * inch]
            axes.text(place, top + 0.18 * inch, str(x), **style)
        axes.plot(across, up, color=_MARK, lw=0.8, clip_on=False)


def _spread(centres: Sequence[float], gap: float, end: float) -> list[float | None]:
    """Places for labels, in order and at least ``gap`` apart, near their centres.

    Where they do not all fit between 0 and ``end``, labels that would overlap are left out.
    """
    places: list[float | None] = []
    all_fit, last = gap * len(centres) <= end, -gap / 2
    for left, centre in zip(range(len(centres) - 1, -1, -1), centres, strict=True):
        is_free = centre >= last + gap
        if all_fit or is_free:
            last = min(max(centre, last + gap), end - gap * left) if all_fit else centre
        places.append(last if all_fit or is_free else None)
    return places


def _write_numbers(axes: Axes, grid: Grid) -> None:
    """The accuracy and, below it, the residual modulus, written into each cell."""
    width, height = _size(axes)
    cell, inch = width / len(grid.xs), len(grid.rows) / height
    for i, x in enumerate(grid.xs):
        for y, n in enumerate(grid.rows):
            shown, left = grid.at(x, n), grid.cells[x, n].residual_modulus
            style: Any = {"ha": "center", "va": "center", "color": INK}
            if shown.accuracy is not None:
                text = _decimal(shown.accuracy, cell)
                style["color"] = "white" if shown.accuracy > Fraction(1, 2) else INK
            elif shown.at_most < 1 and cell >= _ROOMY:
                text, left = f"≤ {_decimal(shown.at_most, cell)}", None
                style["bbox"] = {"facecolor": UNKNOWN, "edgecolor": "none", "pad": 0.8}
            else:
                continue
            middle = y + 0.5 + (0 if left is None else 0.07) * inch
            axes.text(i + 0.5, middle, text, fontsize=_fit(text, cell, 9), **style)
            if left is not None:
                small = f"p′ = {left}" if cell > _ROOMY else str(left)
                size = _fit(small, cell, 6.5)
                axes.text(i + 0.5, y + 0.5 - 0.11 * inch, small, fontsize=size, **style)


def _fit(text: str, width: float, largest: float) -> float:
    """The size at which a text fits into a width; characters are about 0.64 of it wide."""
    return min(largest, 72 * width / (0.64 * len(text)))


def _decimal(value: Fraction, width: float) -> str:
    """A probability in few characters, never rounded to 0 or 1."""
    if value in (0, 1):
        return str(value)
    text = f"{float(value):.2f}".removeprefix("0") if width < 0.3 else f"{float(value):.2g}"
    if text == ".00" or (width >= 0.3 and value < Fraction(1, 1000)):
        return "≈0"
    return "≈1" if text in ("1.00", "1") else text
