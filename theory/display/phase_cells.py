"""The cells of a phase diagram's picture: strips of colour, their marks, labels and numbers.

All sizes are in inches; text sizes are in points (72 to the inch).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theory.display.style import COLOUR_MAP, FAINT, HATCH, INK, UNKNOWN, draw_box
from theory.prediction.lengths import LengthPrediction
from theory.prediction.outcomes import Status
from theory.studies.phase import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARK = "#08306b"
"""What generalizes."""

ROOMY = 0.4
"""From this width on a cell takes more than bare numbers."""

MOST_NUMBERED = 40
"""Up to this many columns each cell has its numbers written in it."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Map:
    """The points as a grid.

    Args:
        axis: what runs to the right: ``modulus`` or ``base``.
        xs: its values, in ascending order.
        rows: the training lengths, in ascending order.
        cells: the point of each ``(x, n)``.
        ahead: the test distance whose accuracy is drawn.
    """

    axis: str
    xs: tuple[int, ...]
    rows: tuple[int, ...]
    cells: dict[tuple[int, int], Point]
    ahead: int

    @property
    def some(self) -> Point:
        """A point, for what all have in common."""
        return self.cells[self.xs[0], self.rows[0]]

    @property
    def longest(self) -> int:
        """The longest training length."""
        return self.rows[-1]

    @property
    def generalizing(self) -> list[int]:
        """The values that generalize when trained on the longest training length."""
        return [x for x in self.xs if self.cells[x, self.longest].verdict == Status.GENERALIZES]

    def at(self, x: int, n: int) -> LengthPrediction:
        """The prediction that a cell shows."""
        return self.cells[x, n].at(self.ahead)

    def part(self, xs: Sequence[int]) -> Map:
        """The columns of the given values."""
        cells = {(x, n): self.cells[x, n] for x in xs for n in self.rows}
        return Map(self.axis, tuple(xs), self.rows, cells, self.ahead)


def axes_size(axes: Axes) -> tuple[float, float]:
    """Width and height of axes."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    place, (w, h) = axes.get_position(), figure.get_size_inches()
    return float(place.width * w), float(place.height * h)


def draw_cells(axes: Axes, grid: Map) -> None:
    """One strip per training length; undetermined cells are hatched."""
    columns, strips = len(grid.xs), len(grid.rows)
    axes.pcolormesh(
        range(columns + 1),
        range(strips + 1),
        [[_colour_value(grid.at(x, n)) for x in grid.xs] for n in grid.rows],
        cmap=COLOUR_MAP,
        vmin=0,
        vmax=1,
        # Without an edge in their own colour, viewers of SVG show seams between cells.
        edgecolors="face",
        linewidth=0.1,
    )
    for y, n in enumerate(grid.rows):
        for start, stop in _unknown_runs(grid, n):
            draw_box(
                axes, start, y, stop - start, 1, facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH
            )
    for y in range(1, strips):
        axes.axhline(y, color="white", linewidth=2)
    axes.set_xlim(0, columns)
    axes.set_ylim(0, strips)


def _colour_value(prediction: LengthPrediction) -> float:
    return float("nan") if prediction.accuracy is None else float(prediction.accuracy)


def _unknown_runs(grid: Map, n: int) -> list[tuple[int, int]]:
    """The undetermined cells of a row, as ranges of columns."""
    runs: list[tuple[int, int]] = []
    for i, x in enumerate(grid.xs):
        if grid.at(x, n).accuracy is None:
            if runs and runs[-1][1] == i:
                runs[-1] = (runs[-1][0], i + 1)
            else:
                runs.append((i, i + 1))
    return runs


def label_axes(axes: Axes, grid: Map) -> None:
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
    short = axes_size(axes)[1] < 1.2
    axes.set_ylabel("digits in\ntraining" if short else "digits in training")


def _tick_step(grid: Map) -> int:
    if len(grid.xs) <= MOST_NUMBERED:
        return 1
    steps = (m * 10**e for e in range(len(str(grid.xs[-1])) + 1) for m in (1, 2, 5))
    return next(s for s in steps if sum(x % s == 0 for x in grid.xs) <= 12)


def mark_generalizing(axes: Axes, grid: Map) -> None:
    """A line of words above the map, and marks above the columns that generalize."""
    found, top = grid.generalizing, len(grid.rows)
    inch = top / axes_size(axes)[1]
    trained = f"trained on {digits_text(grid.longest)}"
    if 0 < len(found) < len(grid.xs):
        text, above = f"Predicted to generalize when {trained}{_because(grid)}:", 0.46
        _marks(axes, grid, found, inch)
    else:
        which = "All are" if found else "None is"
        text, above = f"{which} predicted to generalize when {trained}.", 0.06
    axes.text(0, top + above * inch, text, fontsize=8, color=MARK, va="bottom")


def _because(grid: Map) -> str:
    """The common reason of all that generalize, where they have one."""
    points = [grid.cells[x, grid.longest] for x in grid.generalizing]
    if not all(p.base_aligned is not None and p.base_aligned <= grid.longest for p in points):
        return ""
    if grid.axis == "base":
        return f" (p = {grid.some.modulus} divides base{power(grid.longest)})"
    return f" (p divides {grid.some.base}{power(grid.longest)})"


def power(exponent: int) -> str:
    return str(exponent).translate(_SUPERSCRIPTS)


def _marks(axes: Axes, grid: Map, found: Sequence[int], inch: float) -> None:
    """A tick above each column, tied to its label, where there is room for one."""
    top, columns = len(grid.rows), len(grid.xs)
    centres = [grid.xs.index(x) + 0.5 for x in found]
    gap = 0.125 * columns / axes_size(axes)[0]  # a label turned on its side
    for x, centre, place in zip(found, centres, _spread(centres, gap, columns), strict=True):
        line = [(centre, 0.0), (centre, 0.05)]
        if place is not None:
            line.append((place, 0.15))
            axes.text(
                place,
                top + 0.18 * inch,
                str(x),
                rotation=90,
                ha="center",
                va="bottom",
                fontsize=8,
                color=MARK,
            )
        across, up = zip(*line, strict=True)
        axes.plot(across, [top + u * inch for u in up], color=MARK, lw=0.8, clip_on=False)


def _spread(centres: Sequence[float], gap: float, end: float) -> list[float | None]:
    """Places for labels, in order and at least ``gap`` apart, near their centres.

    Where they do not all fit between 0 and ``end``, labels that would overlap are left out.
    """
    places: list[float | None] = []
    room, last = gap * len(centres) <= end, -gap / 2
    for rank, centre in enumerate(centres):
        if room:
            after = gap * (len(centres) - rank - 1)
            last = min(max(centre, last + gap), end - after)
            places.append(last)
        elif centre >= last + gap:
            last = centre
            places.append(last)
        else:
            places.append(None)
    return places


def write_numbers(axes: Axes, grid: Map) -> None:
    """The accuracy and, below it, the residual modulus, written into each cell."""
    width, height = axes_size(axes)
    cell, inch = width / len(grid.xs), len(grid.rows) / height
    for i, x in enumerate(grid.xs):
        for y, n in enumerate(grid.rows):
            shown, left = grid.at(x, n), grid.cells[x, n].residual_modulus
            style: Any = {"ha": "center", "va": "center", "color": INK}
            if shown.accuracy is None:
                if shown.at_most == 1 or cell < ROOMY:
                    continue
                text, left = f"≤ {_decimal(shown.at_most, cell)}", None
                style["bbox"] = {"facecolor": UNKNOWN, "edgecolor": "none", "pad": 0.8}
            else:
                text = _decimal(shown.accuracy, cell)
                style["color"] = "white" if shown.accuracy > Fraction(1, 2) else INK
            lift = 0 if left is None else 0.07
            place = (i + 0.5, y + 0.5 + lift * inch)
            axes.text(*place, text, fontsize=_fit(text, cell, 9), **style)
            if left is not None:
                small = f"p′ = {left}" if cell > ROOMY else str(left)
                place = (i + 0.5, y + 0.5 - 0.11 * inch)
                axes.text(*place, small, fontsize=_fit(small, cell, 6.5), **style)


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


# --- the enlarged pair ------------------------------------------------------------------


def digits_text(count: int) -> str:
    return "1 digit" if count == 1 else f"{count} digits"
