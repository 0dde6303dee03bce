"""A phase diagram as a picture and as a table.

The picture is a heat map of the accuracy on longer inputs: the modulus (or the base) to the right,
the training length upward.
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.exact_text import exact_text, text_and_float
from arith.theory.arithmetic.properties import base_aligned
from arith.theory.generalization.outcomes import Claim
from arith.theory.setting.requests import setting_columns
from arith.theory.studies.phase import PhaseDiagram
from arith.theory.text.answer import UNCLAIMED
from arith.theory.text.files import writing
from arith.theory.text.style import CENTRED, INK, figure, heat_map
from arith.theory.text.text import digits_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _STRIP = 8.0, 0.5
"""Of the picture, of which 6/7 are the map, and of the strip of a training length, in inches."""
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def plot_phases(d: PhaseDiagram, path: Path) -> None:
    """Draw a phase diagram at the longest test length, as PNG or SVG by the suffix."""
    title = textwrap.fill(headline(d), 76)
    about, note = "\n".join(textwrap.fill(line, 110) for line in _about(d)), _note(d)
    height = max(_STRIP * len(d.rows), 0.8) + 1.3 + 0.19 * f"{title}{about}".count("\n")
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
    (_, first), found = next(iter(d.cells.items()))
    s, right = found.setting, d.generalizing
    train = re.sub(rf"D_{first}\b", "D_n", s.train.text())
    trained = "" if train == "D_n" else f", trained on {train}"
    task = s.task.text()
    if d.axis == "modulus":
        task = task.replace(f"mod {s.task.asked_modulus}", "mod p") + f", base {s.digit_base}"
    lines = [
        f"{task}, {s.encoding.label} ({s.encoding.summary}), {s.seen_text}{trained}.",
        f"Predicted accuracy on numbers {_ahead(d)} longer than those in training.",
    ]
    if 0 < len(right) < len(d.xs):
        n, because = d.rows[-1], ""
        if right == [x for x in d.xs if d.residual_modulus(x, n) == 1]:
            p, b = ("p", s.digit_base) if d.axis == "modulus" else (s.task.modulus, "base")
            because = f" ({p} divides {b}{str(n).translate(_SUPERSCRIPTS)})"
        lines.append(f"▼ generalize{because}: {listed(right)}")
    return lines


def _note(d: PhaseDiagram) -> str:
    """What hatching means, where there is any."""
    unknown = [x for cell in d.cells if (x := d.at(*cell)).accuracy is None]
    bounds = sum(x.claim != Claim.NONE for x in unknown)
    counts = {UNCLAIMED: len(unknown) - bounds, "only a bound": bounds}
    said = " and ".join(f"{what} in {number}" for what, number in counts.items() if number)
    return f"Hatched: {said} of {len(d.cells)} cells." if said else ""


def map_lines(d: PhaseDiagram) -> list[str]:
    """What the picture shows: how many columns generalize, and all of them."""
    listed = ", ".join(map(str, d.generalizing))
    return [f"{headline(d)}.", *([f"They are {listed}."] if listed else [])]


def left_out_line(d: PhaseDiagram) -> str | None:
    """A sentence on the moduli (or bases) that are left out, if there are any."""
    if not d.left_out:
        return None
    why = "left out, for the setting makes no sense there (arith predict says why)"
    return f"{why}: {listed(d.left_out)}; {len(d.left_out)} in all"


def listed(xs: Sequence[int], most: int = 20) -> str:
    """``4, 100``; of more than so many the first ones."""
    return ", ".join([*map(str, xs[:most]), *["..."] * (len(xs) > most)])


# --- picture ----------------------------------------------------------------------------


def _draw(ax: Axes, d: PhaseDiagram) -> Any:
    """A strip per training length; where no accuracy is claimed it is hatched."""
    columns, strips, width = len(d.xs), len(d.rows), _WIDTH * 6 / 7 / len(d.xs)
    shown = [[d.at(x, n).accuracy for x in d.xs] for n in d.rows]
    mesh = heat_map(ax, np.array(shown, dtype=float), min(width, _STRIP))
    for y in range(1, strips):
        ax.axhline(y, color="white", linewidth=2)
    step = _tick_step(d.xs)
    at = [i for i, x in enumerate(d.xs) if x % step == 0]
    ax.set_xticks([i + 0.5 for i in at], [str(d.xs[i]) for i in at])
    ax.set_yticks([y + 0.5 for y in range(strips)], [str(n) for n in d.rows])
    ax.set_xlabel("modulus p" if d.axis == "modulus" else "base", labelpad=1)
    ax.set_ylabel("digits in\ntraining")
    ax.tick_params(axis="y", length=0)
    marks = [d.xs.index(x) + 0.5 for x in d.generalizing]
    ax.plot(marks, [strips + 0.09] * len(marks), "v", color=INK, ms=3.5, clip_on=False)
    ax.set_ylim(0, strips)
    if len(d.open) == columns:
        box = {"fc": "white", "ec": "none", "pad": 3}
        ax.text(columns / 2, strips - 0.5, f"open: {UNCLAIMED}", bbox=box, **CENTRED)
    return mesh


def _tick_step(xs: list[int]) -> int:
    """The least of 1, 2, 5, 10, ... that leaves two dozen ticks."""
    steps = (m * 10**e for e in range(len(str(xs[-1])) + 1) for m in (1, 2, 5))
    found: int = next(s for s in steps if sum(x % s == 0 for x in xs) <= 24)
    return found


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
    p = s.task.modulus
    row: dict[str, object] = {
        **setting_columns(s),
        "task": s.task.text(),
        "verdict": found.verdict(Direction.UPWARD),
        "residual_modulus": d.residual_modulus(x, n),
        "base_aligned": None if p is None else base_aligned(p, s.digit_base),
    }
    for at in found.lengths:
        name = f"accuracy_plus_{at.digits - n}"
        row |= text_and_float(name, at.accuracy)
        row[f"{name}_at_most"] = exact_text(at.at_most)
        row[f"{name}_at_least"] = exact_text(at.at_least)
    return row
