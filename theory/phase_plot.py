"""The picture of a phase diagram.  The only module of the theory that needs matplotlib.

A heat map of the exact upward accuracy: the modulus (or the base) to the right, the
training length upward.  Few columns have their numbers written in; of many, a modulus
that generalizes and its neighbour that fails (100 and 101 in base 10) are enlarged,
with the reason.  Colours run from light to dark in one direction, so that the picture
reads the same to the colour-blind and printed in grey.

All sizes are in inches; text sizes are in points (72 to the inch).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.encodings import ENCODINGS
from theory.phase import Point, writing
from theory.predict import GENERALIZES, UNDETERMINED, LengthPrediction
from theory.tasks import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")

WIDTH, DPI = 8.0, 150
"""A PNG is 1200 px wide, and on a page the text has about the size that is given here."""

EDGE, LEFT, RIGHT = 0.12, 0.75, 0.25
"""Left margin of the words, and margins of the heat map."""

ZOOM_WIDTH = 4.4
"""Width of the enlarged columns; the reason stands to their right."""

COLOURS = "YlGnBu"
"""Light to dark in one direction (ColorBrewer; safe for the colour-blind)."""

UNKNOWN, INK, FAINT, MARK = "0.85", "0.1", "0.35", "#08306b"
"""Undetermined cells, text, thin lines, and what generalizes."""

HATCH = "////"

MOST_NUMBERED = 40
"""Up to this many columns each cell has its numbers written in it."""

ROOMY = 0.4
"""From this width on a cell takes more than bare numbers."""

AROUND = 4
"""Columns on either side of the middle of the enlarged pair."""

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
        return [x for x in self.xs if self.cells[x, self.longest].verdict == GENERALIZES]

    def at(self, x: int, n: int) -> LengthPrediction:
        """The prediction that a cell shows."""
        return self.cells[x, n].at(self.ahead)

    def part(self, xs: Sequence[int]) -> Map:
        """The columns of the given values."""
        cells = {(x, n): self.cells[x, n] for x in xs for n in self.rows}
        return Map(self.axis, tuple(xs), self.rows, cells, self.ahead)


def plot(points: Sequence[Point], path: Path, ahead: int | None = None) -> None:
    """Draw a phase diagram, as PNG or SVG by the suffix.

    Args:
        ahead: the test distance to draw; None is the largest one.  There the accuracy has
            settled at what the residual modulus leaves (about ``1/p'`` for addition); one
            digit ahead it still depends on what single digits can add up to.

    Raises:
        InvalidInput: no points, moduli and bases that both vary, points missing from the
            grid, an unknown suffix, no matplotlib, or a file that cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidInput(f"cannot draw '{path.name}': its name has to end in .png or .svg")
    grid = _grid(points, ahead)
    # Without a date the same points give the same file.
    metadata: Any = {"Date": None} if suffix == ".svg" else {}
    with _style(), writing(path):
        _figure(grid).savefig(path, metadata=metadata)


def _grid(points: Sequence[Point], ahead: int | None) -> Map:
    if not points:
        raise InvalidInput("there are no points to draw")
    moduli, bases = {p.modulus for p in points}, {p.base for p in points}
    if len(moduli) > 1 and len(bases) > 1:
        raise InvalidInput("a picture shows a range of moduli or a range of bases, not both")
    over_bases = len(bases) > 1 or None in moduli
    cells = {(p.base if over_bases else p.modulus or 0, p.train_digits): p for p in points}
    xs, rows = sorted({x for x, _ in cells}), sorted({n for _, n in cells})
    if len(cells) < len(xs) * len(rows):
        raise InvalidInput("every modulus (or base) needs a point at every training length")
    chosen = max(points[0].ahead) if ahead is None else ahead
    for point in points:
        point.at(chosen)  # refuses a distance that was not asked for
    return Map("base" if over_bases else "modulus", tuple(xs), tuple(rows), cells, chosen)


@contextmanager
def _style() -> Iterator[None]:
    """Settings of matplotlib, for this picture only."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise InvalidInput("drawing needs matplotlib: pip install matplotlib") from None
    settings: Any = {
        "font.family": "DejaVu Sans",
        "font.size": 8.5,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.linewidth": 0.6,
        "xtick.color": INK,
        "ytick.color": INK,
        "hatch.linewidth": 0.5,
        "savefig.dpi": DPI,
        "svg.hashsalt": "arith",
    }
    with rc_context(settings):
        yield


# --- the whole picture ------------------------------------------------------------------


def _figure(grid: Map) -> Figure:
    """The parts from the bottom up: the enlarged pair or a note, the heat map, the heading."""
    from matplotlib.figure import Figure

    numbered = len(grid.xs) <= MOST_NUMBERED
    pair = None if numbered else _neighbours(grid)
    note = _note(grid) if numbered or pair else ""
    marked = 0 < len(grid.generalizing) < len(grid.xs)
    zoom = max(0.42 * len(grid.rows), 1.6) if pair else 0
    below = (0.3 if note else 0.1) + (zoom + 0.6 if pair else 0)
    main = max((0.5 if numbered else 0.42) * len(grid.rows), 0.6)
    bottom = below + 0.4
    height = bottom + main + (1.4 if marked else 1.05)
    figure = Figure(figsize=(WIDTH, height))
    _heading(figure, grid)
    axes = _axes(figure, LEFT, bottom, WIDTH - LEFT - RIGHT, main)
    _heat_map(axes, grid)
    _label(axes, grid)
    _mark_generalizing(axes, grid)
    if numbered:
        _numbers(axes, grid)
    if pair:
        _enlarge(axes, _axes(figure, LEFT, 0.55, ZOOM_WIDTH, zoom), grid, pair)
        _explain(figure, grid, pair, 0.55 + zoom)
    figure.text(EDGE / WIDTH, 0.1 / height, note, fontsize=7.5, va="bottom")
    return figure


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    w, h = figure.get_size_inches()
    return figure.add_axes((left / w, bottom / h, width / w, height / h))


def _size(axes: Axes) -> tuple[float, float]:
    """Width and height of axes."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    place, (w, h) = axes.get_position(), figure.get_size_inches()
    return float(place.width * w), float(place.height * h)


def _heading(figure: Figure, grid: Map) -> None:
    """The question, the setting, and the legend."""
    point, height = grid.some, figure.get_size_inches()[1]
    plural = {"modulus": "moduli", "base": "bases"}[grid.axis]
    task = point.task
    if grid.axis == "modulus":
        task = f"{task.removesuffix(str(point.modulus))}p, base {point.base}"
    encoding = point.encoding
    if encoding in ENCODINGS:
        encoding += f" ({ENCODINGS[encoding].summary})"
    text = (
        f"{task}, {encoding}, {point.layout} layout.\n"
        f"Predicted accuracy on numbers {_digits(grid.ahead)} longer than those in training."
    )
    left = EDGE / WIDTH
    figure.text(
        left,
        1 - 0.12 / height,
        f"Which {plural} generalize to longer numbers?",
        fontsize=14,
        fontweight="bold",
        va="top",
    )
    figure.text(left, 1 - 0.42 / height, text, fontsize=9, va="top", linespacing=1.4)
    _legend(figure, grid)


def _digits(count: int) -> str:
    return "1 digit" if count == 1 else f"{count} digits"


def _legend(figure: Figure, grid: Map) -> None:
    """The colour scale, and the meaning of hatching where there is any."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.patches import Patch

    height = figure.get_size_inches()[1]
    scale = _axes(figure, WIDTH - RIGHT - 1.6, height - 0.38, 1.6, 0.12)
    bar = figure.colorbar(ScalarMappable(cmap=COLOURS), cax=scale, orientation="horizontal")
    bar.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    bar.ax.tick_params(length=2, labelsize=7.5, pad=1.5)
    bar.ax.set_title("accuracy", fontsize=8, pad=2.5)
    if any(grid.at(*cell).accuracy is None for cell in grid.cells):
        figure.legend(
            handles=[Patch(facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH, label=UNDETERMINED)],
            loc="upper right",
            bbox_to_anchor=(1 - (RIGHT - 0.06) / WIDTH, 1 - 0.54 / height),
            frameon=False,
            fontsize=8,
            borderpad=0,
        )


def _note(grid: Map) -> str:
    """What the small numbers in the cells are."""
    point = grid.some
    if point.residual_modulus is None:
        return ""
    p, base = ("p", point.base) if grid.axis == "modulus" else (point.modulus, "base")
    return (
        f"Small numbers: p′ = {p} / gcd({p}, {base}ⁿ), what n digits in training leave open. "
        "At p′ = 1 the digits above cannot change the result."
    )


# --- the heat map -----------------------------------------------------------------------


def _heat_map(axes: Axes, grid: Map) -> None:
    """One strip per training length; undetermined cells are hatched."""
    columns, strips = len(grid.xs), len(grid.rows)
    axes.pcolormesh(
        range(columns + 1),
        range(strips + 1),
        [[_colour_value(grid.at(x, n)) for x in grid.xs] for n in grid.rows],
        cmap=COLOURS,
        vmin=0,
        vmax=1,
        # Without an edge in their own colour, viewers of SVG show seams between cells.
        edgecolors="face",
        linewidth=0.1,
    )
    for y, n in enumerate(grid.rows):
        for start, stop in _unknown_runs(grid, n):
            _box(axes, start, y, stop - start, 1, facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH)
    for y in range(1, strips):
        axes.axhline(y, color="white", linewidth=2)
    axes.set_xlim(0, columns)
    axes.set_ylim(0, strips)


def _colour_value(prediction: LengthPrediction) -> float:
    return float("nan") if prediction.accuracy is None else float(prediction.accuracy)


def _box(axes: Axes, x: float, y: float, width: float, height: float, **style: Any) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, height, **style))


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


def _label(axes: Axes, grid: Map) -> None:
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
    short = _size(axes)[1] < 1.2
    axes.set_ylabel("digits in\ntraining" if short else "digits in training")


def _tick_step(grid: Map) -> int:
    if len(grid.xs) <= MOST_NUMBERED:
        return 1
    steps = (m * 10**e for e in range(len(str(grid.xs[-1])) + 1) for m in (1, 2, 5))
    return next(s for s in steps if sum(x % s == 0 for x in grid.xs) <= 12)


def _mark_generalizing(axes: Axes, grid: Map) -> None:
    """A line of words above the map, and marks above the columns that generalize."""
    found, top = grid.generalizing, len(grid.rows)
    inch = top / _size(axes)[1]
    trained = f"trained on {_digits(grid.longest)}"
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
        return f" (p = {grid.some.modulus} divides base{_power(grid.longest)})"
    return f" (p divides {grid.some.base}{_power(grid.longest)})"


def _power(exponent: int) -> str:
    return str(exponent).translate(_SUPERSCRIPTS)


def _marks(axes: Axes, grid: Map, found: Sequence[int], inch: float) -> None:
    """A tick above each column, tied to its label, where there is room for one."""
    top, columns = len(grid.rows), len(grid.xs)
    centres = [grid.xs.index(x) + 0.5 for x in found]
    gap = 0.125 * columns / _size(axes)[0]  # a label turned on its side
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


def _numbers(axes: Axes, grid: Map) -> None:
    """The accuracy and, below it, the residual modulus, written into each cell."""
    width, height = _size(axes)
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


def _neighbours(grid: Map) -> tuple[int, int] | None:
    """Two moduli side by side of which the first generalizes and the second does not.

    The square of the base is preferred: 100 and 101 in base 10.
    """
    if grid.axis != "modulus":
        return None
    found = [
        x
        for x in grid.generalizing
        if grid.cells[x, grid.longest].base_aligned is not None
        and (x + 1, grid.longest) in grid.cells
        and grid.at(x + 1, grid.longest).accuracy not in (None, 1)
    ]
    if not found:
        return None
    square = grid.some.base**2
    first = square if square in found else found[-1]
    return first, first + 1


def _enlarge(main: Axes, axes: Axes, grid: Map, pair: tuple[int, int]) -> None:
    """The columns around a pair, with numbers, tied to their place in the whole map."""
    from matplotlib.patches import ConnectionPatch

    part = grid.part([x for x in grid.xs if pair[1] - AROUND <= x < pair[1] + AROUND])
    _heat_map(axes, part)
    _label(axes, part)
    _numbers(axes, part)
    axes.set_xlabel("")
    for x, label in zip(part.xs, axes.get_xticklabels(), strict=True):
        label.set_fontweight("bold" if x in pair else "normal")
    frame: Any = {"fill": False, "edgecolor": "black", "clip_on": False}
    for x in pair:
        _box(axes, part.xs.index(x), 0, 1, len(part.rows), linewidth=1.8, **frame)
    start, stop = grid.xs.index(part.xs[0]), grid.xs.index(part.xs[-1]) + 1
    _box(main, start, 0, stop - start, len(grid.rows), linewidth=0.8, **frame)
    for here, there in ((start, 0), (stop, len(part.xs))):
        line = ConnectionPatch(
            (here, 0), (there, len(part.rows)), "data", "data", axesA=main, axesB=axes
        )
        line.set(color=FAINT, linewidth=0.6)
        main.add_artist(line)


def _explain(figure: Figure, grid: Map, pair: tuple[int, int], top: float) -> None:
    """Why the pair differs, in words, beside the enlarged columns."""
    first, second = (grid.cells[p, grid.longest] for p in pair)
    left, height = (LEFT + ZOOM_WIDTH + 0.2) / WIDTH, figure.get_size_inches()[1]
    for title, reason in (
        (f"{pair[0]} generalizes", _why_right(first)),
        (f"{pair[1]} fails", _why_wrong(second, grid.ahead)),
    ):
        lines = textwrap.wrap(reason, 42)
        figure.text(left, top / height, title, fontsize=9, fontweight="bold", va="top")
        figure.text(
            left,
            (top - 0.19) / height,
            "\n".join(lines),
            fontsize=8,
            va="top",
            linespacing=1.3,
        )
        top -= 0.19 + 0.15 * len(lines) + 0.1


def _why_right(point: Point) -> str:
    k = point.base_aligned
    assert k is not None
    return (
        f"It divides {point.base}{_power(k)}. With {_digits(k)} or more in training p′ = 1: "
        "the digits above, which the model has not learned to read, cannot change the result."
    )


def _why_wrong(point: Point, ahead: int) -> str:
    value, base = point.accuracy(ahead), point.base
    assert value is not None
    if gcd(point.modulus or 1, base) == 1:
        what = f"It shares no factor with {base}. However many digits are in training,"
    else:
        what = f"It does not divide {base}{_power(point.train_digits)}. What is left is"
    share = f"only {float(100 * value):.2g}%" if value else "none"
    return (
        f"{what} p′ = {point.residual_modulus}: the digits above change the result, and {share} "
        "of the answers come out right."
    )
