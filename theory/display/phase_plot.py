"""The picture of a phase diagram.

A heat map of the accuracy on longer inputs: the modulus (or the base) to the right, the training
length upward.  Few columns have their numbers written in.  Of many, a modulus that generalizes and
its neighbour that fails (100 and 101 in base 10) are enlarged, with the reason.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.display.answer import UNCLAIMED
from arith.theory.display.phase_grid import Grid, why
from arith.theory.display.style import COLOUR_MAP, FAINT, HATCH, INK, UNKNOWN, draw_box, figure
from arith.theory.prediction.outcomes import Claim
from arith.theory.studies.phase import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NUMBERED = 40
"""Up to this many columns each cell has its numbers written in it."""
_WIDTH = 8.0
"""Of the picture, in inches: of a map of numbers 6/7 of it, of an enlarged one 4/9."""
_ROOMY = 0.4
"""From this width on, in inches, a cell takes more than bare numbers."""
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
    texts = [grid.headline()], grid.about(), grid.note(numbered or right is not None)
    title, about, note = map(_wrapped, texts, (76, 110, 138))
    map_height = max(0.5 * len(grid.rows), 0.8)
    height = map_height + (0 if right is None else max(map_height, 1.7) + 0.3) + 0.9
    height += 0.19 * (f"{title}{about}{note}".count("\n") + 2)
    with figure(path, _WIDTH, height) as page:
        page.set_layout_engine("constrained")
        page.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        page.supxlabel(note, x=0.01, ha="left", fontsize=8)
        axes = list(page.subplots(1 if right is None else 2, 1, squeeze=False).flat)
        axes[0].set_title(about, loc="left", fontsize=8.5, pad=12)
        mesh = _draw(axes[0], grid, _WIDTH * 6 / 7 if numbered else None)
        if len(grid.open) < len(grid.xs):
            bar = page.colorbar(mesh, ax=axes[0], aspect=10, pad=0.01, ticks=[0, 0.5, 1])
            bar.set_label("accuracy", fontsize=8)
        if right is not None:
            _enlarge(axes[0], axes[1], grid, right)


def _wrapped(lines: Iterable[str], letters: int) -> str:
    return "\n".join(textwrap.fill(line, letters) for line in lines)


def _draw(ax: Axes, grid: Grid, inches: float | None) -> Any:
    """A strip per training length; where no accuracy is claimed it is hatched.

    Args:
        inches: the width of the map, where its numbers are to be written in.
    """
    columns, strips = len(grid.xs), len(grid.rows)
    shown = [[grid.at(x, n).accuracy for x in grid.xs] for n in grid.rows]
    values = [[float("nan") if a is None else float(a) for a in row] for row in shown]
    ax.patch.set(facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH)  # seen where there is no value
    # Without an edge in their own colour, viewers of SVG show seams between cells.
    style: Any = {"cmap": COLOUR_MAP, "vmin": 0, "vmax": 1, "edgecolors": "face", "linewidth": 0.1}
    mesh = ax.pcolormesh(range(columns + 1), range(strips + 1), values, **style)
    for y in range(1, strips):
        ax.axhline(y, color="white", linewidth=2)
    step = 1 if inches else _tick_step(grid.xs)
    at = [i for i, x in enumerate(grid.xs) if x % step == 0]
    size = _fit(f"{grid.xs[-1]} ", inches / columns, 8.5) if inches else 8.5
    ax.set_xticks([i + 0.5 for i in at], [str(grid.xs[i]) for i in at], fontsize=size)
    ax.set_yticks([y + 0.5 for y in range(strips)], [str(n) for n in grid.rows])
    ax.set_xlabel("modulus p" if grid.axis == "modulus" else "base", labelpad=1)
    ax.set_ylabel("digits in\ntraining")
    ax.tick_params(axis="y", length=0)
    marks = [grid.xs.index(x) + 0.5 for x in grid.right]
    ax.plot(marks, [strips + 0.09] * len(marks), "v", color=INK, ms=3.5, clip_on=False)
    ax.set_ylim(0, strips)
    if inches:
        _write_numbers(ax, grid, inches / columns)
    if len(grid.open) == columns:
        style = {"ha": "center", "va": "center", "bbox": {"fc": "white", "ec": "none", "pad": 3}}
        ax.text(columns / 2, strips - 0.5, f"open: {UNCLAIMED}", **style)
    return mesh


def _tick_step(xs: Sequence[int]) -> int:
    steps: Iterator[int] = (m * 10**e for e in range(len(str(xs[-1])) + 1) for m in (1, 2, 5))
    return next(s for s in steps if sum(x % s == 0 for x in xs) <= 12)


def _enlarge(whole: Axes, ax: Axes, grid: Grid, right: int) -> None:
    """The columns around a modulus that generalizes, framed in the map, and the reason beside."""
    around = range(right + 1 - _AROUND, right + _AROUND + 1)
    part = Grid.of([point for (x, _), point in grid.cells.items() if x in around])
    _draw(ax, part, 0.44 * _WIDTH)
    ax.set_xlim(0, len(part.xs) * 1.8)
    ax.set_xlabel("")
    ax.spines[:].set_visible(False)
    ax.patch.set_visible(False)
    frame: Any = {"fill": False, "edgecolor": "black", "clip_on": False}
    draw_box(whole, grid.xs.index(part.xs[0]), 0, len(part.xs), len(grid.rows), lw=1.2, **frame)
    for i, x in enumerate((right, right + 1)):
        draw_box(ax, part.xs.index(x), 0, 1, len(part.rows), lw=1.8, **frame)
        title, reason = why(grid.cells[x, grid.rows[-1]])
        place: Any = {"xycoords": "axes fraction", "va": "top", "in_layout": False}
        ax.annotate(title, (0.58, 1 - 0.52 * i), fontsize=9, fontweight="bold", **place)
        words = f"\n{textwrap.fill(reason, 44)}"
        ax.annotate(words, (0.58, 1 - 0.52 * i), fontsize=8, linespacing=1.3, **place)


def _write_numbers(ax: Axes, grid: Grid, width: float) -> None:
    """The accuracy and, below it, the residual modulus, written into cells of so many inches."""
    for (x, n), point in grid.cells.items():
        shown, left = grid.at(x, n), point.residual_modulus
        style: Any = {"ha": "center", "va": "center", "color": INK, "in_layout": False}
        if shown.accuracy is not None:
            text = _decimal(shown.accuracy, width)
            style["color"] = "white" if shown.accuracy > Fraction(1, 2) else INK
        elif shown.claim != Claim.NONE and width >= _ROOMY:
            sign, bound = ("≤", shown.at_most) if shown.at_most < 1 else ("≥", shown.at_least)
            text, left = f"{sign} {_decimal(bound, width)}", None
            style["bbox"] = {"facecolor": UNKNOWN, "edgecolor": "none", "pad": 0.8}
        else:
            continue
        i, y = grid.xs.index(x) + 0.5, grid.rows.index(n)
        up = 0.5 if left is None else 0.64
        ax.text(i, y + up, text, fontsize=_fit(text, width, 9), **style)
        if left is not None:
            small = f"p′ = {left}" if width > _ROOMY else str(left)
            ax.text(i, y + 0.28, small, fontsize=_fit(small, width, 7), **style)


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
