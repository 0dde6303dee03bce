"""A phase diagram as a picture and as a table.

The picture is a heat map of the accuracy on longer inputs: the modulus (or the base) to the right,
the training length upward.  Few columns have their numbers written in.
"""

from __future__ import annotations

import csv
import textwrap
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.display.answer import UNCLAIMED
from arith.theory.display.files import writing
from arith.theory.display.style import CENTRED, INK, UNKNOWN, figure, heat_map
from arith.theory.display.text import digits_text
from arith.theory.numbers.exact_text import exact_text, text_and_float
from arith.theory.prediction.outcomes import Claim
from arith.theory.setting.directions import Direction
from arith.theory.setting.properties import base_aligned
from arith.theory.studies.phase import PhaseDiagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NUMBERED = 40
"""Up to this many columns each cell has its numbers written in it."""
_MOST_LISTED = 20
"""Up to so many columns are listed in words."""
_WIDTH = 8.0
"""Of the picture in inches; 6/7 of it are the map."""
_ROOMY = 0.4
"""From this width on, in inches, a cell takes more than bare numbers."""
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def plot_phases(d: PhaseDiagram, path: Path) -> None:
    """Draw a phase diagram at the longest test length, as PNG or SVG by the suffix."""
    title = textwrap.fill(headline(d), 76)
    about, note = (_wrapped(*x) for x in ((_about(d), 110), (_note(d), 138)))
    lines = f"{title}{about}{note}".count("\n") + 2
    height = max(0.5 * len(d.rows), 0.8) + 0.9 + 0.19 * lines
    with figure(path, _WIDTH, height) as page:
        page.set_layout_engine("constrained")
        page.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        page.supxlabel(note, x=0.01, ha="left", fontsize=8)
        ax = page.add_subplot()
        ax.set_title(about, loc="left", fontsize=8.5, pad=12)
        mesh = _draw(ax, d)
        if len(d.open) < len(d.xs):
            bar = page.colorbar(mesh, ax=ax, aspect=10, pad=0.01, ticks=[0, 0.5, 1])
            bar.set_label("accuracy", fontsize=8)


def _wrapped(lines: Iterable[str], letters: int) -> str:
    return "\n".join(textwrap.fill(line, letters) for line in lines)


# --- words ------------------------------------------------------------------------------


def headline(d: PhaseDiagram) -> str:
    """How many columns generalize, and of how many nothing is said, in a sentence."""
    n, columns = digits_text(d.rows[-1]), f"{len(d.xs)} {'bases' if d.axis == 'base' else 'moduli'}"
    if len(d.open) == len(d.xs):
        where = f"No claim {_ahead(d)} up for any of {columns}"
        return f"{where}: training on {n} leaves the answer open"
    said = f"Trained on {n}, {len(d.generalizing)} of {columns} generalize to longer numbers"
    return f"{said}; no claim for {len(d.open)}" if d.open else said


def _ahead(d: PhaseDiagram) -> str:
    x, n = next(iter(d.cells))
    return digits_text(d.at(x, n).digits - n)


def _about(d: PhaseDiagram) -> list[str]:
    """What is predicted of which settings, and which of them generalize."""
    s, right = next(iter(d.cells.values())).setting, d.generalizing
    task = s.task.text()
    if d.axis == "modulus":
        task = f"{task.removesuffix(str(s.task.modulus))}p, base {s.base}"
    lines = [
        f"{task}, {s.encoding.label} ({s.encoding.summary}), {s.seen_text}.",
        f"Predicted accuracy on numbers {_ahead(d)} longer than those in training.",
    ]
    if 0 < len(right) < len(d.xs):
        n, because = d.rows[-1], ""
        if all(d.residual_modulus(x, n) == 1 for x in right):
            p, b = ("p", s.base) if d.axis == "modulus" else (s.task.modulus, "base")
            because = f" ({p} divides {b}{str(n).translate(_SUPERSCRIPTS)})"
        lines.append(f"▼ generalize{because}: {_listed(right)}")
    return lines


def _note(d: PhaseDiagram) -> list[str]:
    """What hatching means, and the small numbers in cells, where there are any."""
    unknown = [x for cell in d.cells if (x := d.at(*cell)).accuracy is None]
    bounds = sum(x.claim != Claim.NONE for x in unknown)
    counts = {UNCLAIMED: len(unknown) - bounds, "only a bound": bounds}
    said = " and ".join(f"{what} in {number}" for what, number in counts.items() if number)
    lines = [f"Hatched: {said} of {len(d.cells)} cells."] if said else []
    s = next(iter(d.cells.values())).setting
    if len(d.xs) <= MOST_NUMBERED and s.task.modulus is not None and len(unknown) < len(d.cells):
        p, b = ("p", s.base) if d.axis == "modulus" else (s.task.modulus, "base")
        what = f"Small numbers: p′ = {p} / gcd({p}, {b}ⁿ), what n digits in training leave open"
        lines.append(f"{what}. At p′ = 1 the digits above cannot change the result.")
    return lines


def left_out_line(d: PhaseDiagram) -> str | None:
    """A sentence on the moduli (or bases) that are left out, if there are any."""
    if not d.left_out:
        return None
    why = "left out, for the setting makes no sense there (arith predict says why)"
    return f"{why}: {_listed(d.left_out)}; {len(d.left_out)} in all"


def _listed(xs: Iterable[int]) -> str:
    """``4, 100``; of many the first ones."""
    each = [*map(str, xs)]
    return ", ".join([*each[:_MOST_LISTED], *["..."] * (len(each) > _MOST_LISTED)])


# --- picture ----------------------------------------------------------------------------


def _draw(ax: Axes, d: PhaseDiagram) -> Any:
    """A strip per training length; where no accuracy is claimed it is hatched."""
    columns, strips, width = len(d.xs), len(d.rows), _WIDTH * 6 / 7 / len(d.xs)
    shown = [[d.at(x, n).accuracy for x in d.xs] for n in d.rows]
    mesh = heat_map(ax, [[float("nan") if a is None else float(a) for a in row] for row in shown])
    for y in range(1, strips):
        ax.axhline(y, color="white", linewidth=2)
    is_numbered = columns <= MOST_NUMBERED
    at = [i for i, x in enumerate(d.xs) if is_numbered or x % _tick_step(d.xs) == 0]
    size = _fit(f"{d.xs[-1]} ", width, 8.5) if is_numbered else 8.5
    ax.set_xticks([i + 0.5 for i in at], [str(d.xs[i]) for i in at], fontsize=size)
    ax.set_yticks([y + 0.5 for y in range(strips)], [str(n) for n in d.rows])
    ax.set_xlabel("modulus p" if d.axis == "modulus" else "base", labelpad=1)
    ax.set_ylabel("digits in\ntraining")
    ax.tick_params(axis="y", length=0)
    marks = [d.xs.index(x) + 0.5 for x in d.generalizing]
    ax.plot(marks, [strips + 0.09] * len(marks), "v", color=INK, ms=3.5, clip_on=False)
    ax.set_ylim(0, strips)
    if is_numbered:
        for x, n in d.cells:
            _write_numbers(ax, d, x, n, width)
    if len(d.open) == columns:
        box = {"fc": "white", "ec": "none", "pad": 3}
        ax.text(columns / 2, strips - 0.5, f"open: {UNCLAIMED}", bbox=box, **CENTRED)
    return mesh


def _tick_step(xs: list[int]) -> int:
    """The least of 1, 2, 5, 10, ... that leaves a dozen ticks."""
    steps = (m * 10**e for e in range(len(str(xs[-1])) + 1) for m in (1, 2, 5))
    found: int = next(s for s in steps if sum(x % s == 0 for x in xs) <= 12)
    return found


def _write_numbers(ax: Axes, d: PhaseDiagram, x: int, n: int, width: float) -> None:
    """The accuracy and, below it, the residual modulus, written into a cell of so many inches."""
    shown, left = d.at(x, n), d.residual_modulus(x, n)
    style: Any = CENTRED | {"color": INK, "in_layout": False}
    if shown.accuracy is not None:
        text = _decimal(shown.accuracy, width)
        style["color"] = "white" if shown.accuracy > Fraction(1, 2) else INK
    elif shown.claim != Claim.NONE and width >= _ROOMY:
        sign, bound = ("≤", shown.at_most) if shown.at_most < 1 else ("≥", shown.at_least)
        text, left = f"{sign} {_decimal(bound, width)}", None
        style["bbox"] = {"facecolor": UNKNOWN, "edgecolor": "none", "pad": 0.8}
    else:
        return
    i, y = d.xs.index(x) + 0.5, d.rows.index(n)
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


# --- table ------------------------------------------------------------------------------


def write_csv(d: PhaseDiagram, path: Path) -> None:
    """A file with a line per cell: each accuracy exactly, as a float, and by its bounds."""
    rows = [_row(d, x, n) for x, n in d.cells]
    with writing(path), path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _row(d: PhaseDiagram, x: int, n: int) -> dict[str, object]:
    found, s = d.cells[x, n], d.cells[x, n].setting
    p = s.task.full_modulus
    row: dict[str, object] = {
        "task": s.task.text(),
        "modulus": s.task.modulus,
        "base": s.base,
        "encoding": s.encoding.name,
        "layout": s.layout.name,
        "window": s.window,
        "layers": s.layers,
        "train_digits": n,
        "verdict": found.verdict(Direction.UPWARD),
        "residual_modulus": d.residual_modulus(x, n),
        "base_aligned": None if p is None else base_aligned(p, s.base),
    }
    for at in found.lengths:
        name = f"accuracy_plus_{at.digits - n}"
        row |= text_and_float(name, at.accuracy)
        row[f"{name}_at_most"] = exact_text(at.at_most)
        row[f"{name}_at_least"] = exact_text(at.at_least)
    return row
