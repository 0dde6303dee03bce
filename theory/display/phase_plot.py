"""The picture of a phase diagram.

A heat map of the exact upward accuracy: the modulus (or the base) to the right, the
training length upward.  Few columns have their numbers written in; of many, a modulus
that generalizes and its neighbour that fails (100 and 101 in base 10) are enlarged,
with the reason.  Colours run from light to dark in one direction, so that the picture
reads the same to the colour-blind and printed in grey.

All sizes are in inches; text sizes are in points (72 to the inch).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.display.phase_cells import (
    MOST_NUMBERED,
    Map,
    digits_text,
    draw_cells,
    label_axes,
    mark_generalizing,
    power,
    write_numbers,
)
from theory.display.style import COLOUR_MAP, FAINT, HATCH, UNKNOWN, draw_box, figure
from theory.errors import InvalidInput
from theory.prediction.outcomes import Status
from theory.setting.encodings import ENCODINGS
from theory.studies.phase import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 8.0
"""A PNG is 1200 px wide, and on a page the text has about the size that is given here."""

EDGE, LEFT, RIGHT = 0.12, 0.75, 0.25
"""Left margin of the words, and margins of the heat map."""

ZOOM_WIDTH = 4.4
"""Width of the enlarged columns; the reason stands to their right."""

AROUND = 4
"""Columns on either side of the middle of the enlarged pair."""


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
    grid = _grid(points, ahead)
    numbered = len(grid.xs) <= MOST_NUMBERED
    pair = None if numbered else _neighbours(grid)
    notes = [*_numbers_note(grid)] if numbered or pair else []
    notes += _leak_note(grid)
    marked = 0 < len(grid.generalizing) < len(grid.xs)
    zoom = max(0.42 * len(grid.rows), 1.6) if pair else 0
    words = 0.1 + 0.17 * len(notes)
    main = max((0.5 if numbered else 0.42) * len(grid.rows), 0.6)
    bottom = words + (zoom + 0.6 if pair else 0) + 0.4
    height = bottom + main + (1.4 if marked else 1.05)
    with figure(path, WIDTH, height) as page:
        _heading(page, grid)
        axes = _axes(page, LEFT, bottom, WIDTH - LEFT - RIGHT, main)
        draw_cells(axes, grid)
        label_axes(axes, grid)
        mark_generalizing(axes, grid)
        if numbered:
            write_numbers(axes, grid)
        if pair:
            _enlarge(axes, _axes(page, LEFT, words + 0.25, ZOOM_WIDTH, zoom), grid, pair)
            _explain(page, grid, pair, words + 0.25 + zoom)
        text = "\n".join(notes)
        page.text(EDGE / WIDTH, 0.1 / height, text, fontsize=7.5, va="bottom", linespacing=1.4)


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


# --- the whole picture ------------------------------------------------------------------


def _axes(page: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    w, h = page.get_size_inches()
    return page.add_axes((left / w, bottom / h, width / w, height / h))


def _heading(page: Figure, grid: Map) -> None:
    """The question, the setting, and the legend."""
    point, height = grid.some, page.get_size_inches()[1]
    plural = {"modulus": "moduli", "base": "bases"}[grid.axis]
    task = point.task
    if grid.axis == "modulus":
        task = f"{task.removesuffix(str(point.modulus))}p, base {point.base}"
    encoding = point.encoding
    if encoding in ENCODINGS:
        encoding += f" ({ENCODINGS[encoding].summary})"
    text = (
        f"{task}, {encoding}, {point.layout} layout.\n"
        f"Predicted accuracy on numbers {digits_text(grid.ahead)} longer than those in training."
    )
    left = EDGE / WIDTH
    page.text(
        left,
        1 - 0.12 / height,
        f"Which {plural} generalize to longer numbers?",
        fontsize=14,
        fontweight="bold",
        va="top",
    )
    page.text(left, 1 - 0.42 / height, text, fontsize=9, va="top", linespacing=1.4)
    _legend(page, grid)


def _legend(page: Figure, grid: Map) -> None:
    """The colour scale, and the meaning of hatching where there is any."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.patches import Patch

    height = page.get_size_inches()[1]
    scale = _axes(page, WIDTH - RIGHT - 1.6, height - 0.38, 1.6, 0.12)
    bar = page.colorbar(ScalarMappable(cmap=COLOUR_MAP), cax=scale, orientation="horizontal")
    bar.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    bar.ax.tick_params(length=2, labelsize=7.5, pad=1.5)
    bar.ax.set_title("accuracy", fontsize=8, pad=2.5)
    if any(grid.at(*cell).accuracy is None for cell in grid.cells):
        page.legend(
            handles=[
                Patch(facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH, label=Status.UNDETERMINED)
            ],
            loc="upper right",
            bbox_to_anchor=(1 - (RIGHT - 0.06) / WIDTH, 1 - 0.54 / height),
            frameon=False,
            fontsize=8,
            borderpad=0,
        )


def _numbers_note(grid: Map) -> list[str]:
    """What the small numbers in the cells are."""
    point = grid.some
    if point.residual_modulus is None:
        return []
    p, base = ("p", point.base) if grid.axis == "modulus" else (point.modulus, "base")
    return [
        f"Small numbers: p′ = {p} / gcd({p}, {base}ⁿ), what n digits in training leave open. "
        "At p′ = 1 the digits above cannot change the result."
    ]


def _leak_note(grid: Map) -> list[str]:
    """Whose accuracy is drawn, where a model may fall below it."""
    encoding = ENCODINGS.get(grid.some.encoding)
    extends = any(x.extends for point in grid.cells.values() for x in point.lengths)
    if encoding is None or not encoding.own_positions or not extends:
        return []
    return [
        "The accuracy is the expected function's. Models of tasks that multiply digits, or ask for three at "
        "once, are right as often or less (rule leak)."
    ]


# --- the heat map -----------------------------------------------------------------------


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
    for here, there in ((start, 0), (stop, len(part.xs))):
        line = ConnectionPatch(
            (here, 0), (there, len(part.rows)), "data", "data", axesA=main, axesB=axes
        )
        line.set(color=FAINT, linewidth=0.6)
        main.add_artist(line)


def _explain(page: Figure, grid: Map, pair: tuple[int, int], top: float) -> None:
    """Why the pair differs, in words, beside the enlarged columns."""
    first, second = (grid.cells[p, grid.longest] for p in pair)
    left, height = (LEFT + ZOOM_WIDTH + 0.2) / WIDTH, page.get_size_inches()[1]
    for title, reason in (
        (f"{pair[0]} generalizes", _why_right(first)),
        (f"{pair[1]} fails", _why_wrong(second, grid.ahead)),
    ):
        lines = textwrap.wrap(reason, 42)
        page.text(left, top / height, title, fontsize=9, fontweight="bold", va="top")
        page.text(
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
        f"It divides {point.base}{power(k)}. With {digits_text(k)} or more in training p′ = 1: "
        "the digits above, which the model has not learned to read, cannot change the result."
    )


def _why_wrong(point: Point, ahead: int) -> str:
    value, base = point.accuracy(ahead), point.base
    assert value is not None
    if gcd(point.modulus or 1, base) == 1:
        what = f"It shares no factor with {base}. However many digits are in training,"
    else:
        what = f"It does not divide {base}{power(point.train_digits)}. What is left is"
    share = f"only {float(100 * value):.2g}%" if value else "none"
    return (
        f"{what} p′ = {point.residual_modulus}: the digits above change the result, and {share} "
        "of the answers come out right."
    )
