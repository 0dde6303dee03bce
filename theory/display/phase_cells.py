"""The cells of a phase diagram's picture: strips of colour, their marks, labels and numbers.

All sizes are in inches; text sizes are in points (72 to the inch).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

from theory.display.phase_grid import Grid, generalizing_text
from theory.display.style import COLOUR_MAP, FAINT, HATCH, INK, UNKNOWN, draw_box

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NUMBERED = 40
"""Up to this many columns each cell has its numbers written in it."""
_MARK = "#08306b"
"""The colour of what generalizes."""
_ROOMY = 0.4
"""From this width on a cell takes more than bare numbers."""


def axes_size(axes: Axes) -> tuple[float, float]:
    """Width and height of axes."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    place, (w, h) = axes.get_position(), figure.get_size_inches()
    return float(place.width * w), float(place.height * h)


def draw_cells(axes: Axes, grid: Grid) -> None:
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


def label_axes(axes: Axes, grid: Grid) -> None:
    """Names and ticks of both axes."""
    step = _tick_step(grid)
    shown = [(i + 0.5, x) for i, x in enumerate(grid.xs) if x % step == 0]
    axes.set_xticks([i for i, _ in shown], labels=[str(x) for _, x in shown])
    axes.set_yticks([y + 0.5 for y in range(len(grid.rows))], labels=[str(n) for n in grid.rows])
    axes.tick_params(length=2.5, pad=2)
    axes.tick_params(axis="y", length=0, pad=4)
    # On white, so that the lines to the enlarged columns pass behind it.
    white = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    axes.set_xlabel("modulus p" if grid.axis == "modulus" else "base", labelpad=2, bbox=white)
    is_short = axes_size(axes)[1] < 1.2
    axes.set_ylabel("digits in\ntraining" if is_short else "digits in training")


def _tick_step(grid: Grid) -> int:
    if len(grid.xs) <= MOST_NUMBERED:
        return 1
    steps = (m * 10**e for e in range(len(str(grid.xs[-1])) + 1) for m in (1, 2, 5))
    return next(s for s in steps if sum(x % s == 0 for x in grid.xs) <= 12)


def mark_generalizing(axes: Axes, grid: Grid) -> None:
    """A line of words above the map, and marks above the columns that generalize."""
    top, some = len(grid.rows), 0 < len(grid.generalizing) < len(grid.xs)
    inch = top / axes_size(axes)[1]
    above = top + (0.46 if some else 0.06) * inch
    axes.text(0, above, generalizing_text(grid), fontsize=8, color=_MARK, va="bottom")
    if not some:
        return
    found = grid.generalizing
    centres = [grid.xs.index(x) + 0.5 for x in found]
    gap = 0.125 * len(grid.xs) / axes_size(axes)[0]  # a label turned on its side
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


def write_numbers(axes: Axes, grid: Grid) -> None:
    """The accuracy and, below it, the residual modulus, written into each cell."""
    width, height = axes_size(axes)
    cell, inch = width / len(grid.xs), len(grid.rows) / height
    for i, x in enumerate(grid.xs):
        for y, n in enumerate(grid.rows):
            shown, left = grid.at(x, n), grid.cells[x, n].residual_modulus
            style: Any = {"ha": "center", "va": "center", "color": INK}
            if shown.accuracy is None:
                if shown.at_most == 1 or cell < _ROOMY:
                    continue
                text, left = f"≤ {_decimal(shown.at_most, cell)}", None
                style["bbox"] = {"facecolor": UNKNOWN, "edgecolor": "none", "pad": 0.8}
            else:
                text = _decimal(shown.accuracy, cell)
                style["color"] = "white" if shown.accuracy > Fraction(1, 2) else INK
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
    if width < 0.3:
        text = f"{float(value):.2f}".removeprefix("0")
        return {".00": "≈0", "1.00": "≈1"}.get(text, text)
    if value < Fraction(1, 1000):
        return "≈0"
    text = f"{float(value):.2g}"
    return "≈1" if text == "1" else text
