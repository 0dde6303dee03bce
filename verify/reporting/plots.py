"""The figures of reports: rows of marks, curves along training, encodings, claims."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from arith.theory.setting.training import default_model
from arith.theory.text.style import (
    FAINT,
    HATCH,
    INK,
    PALE,
    PALETTE,
    UNKNOWN,
    add_legend,
    draw_box,
    figure,
)
from arith.theory.text.text import count
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict
from arith.verify.judging.standards import interval
from arith.verify.plan.premise import PREMISE
from arith.verify.records.runs import Run
from arith.verify.reporting.summary import TESTED

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
_MOST_UPRIGHT = 9
"""More columns than this have slanted names."""
MODEL: dict[str, Any] = {"marker": "o", "ls": "", "color": PALETTE[0], "ms": 5, "alpha": 0.7}
CROSSED: dict[str, Any] = MODEL | {"marker": "X", "color": PALETTE[1]}
"""Models as marks: those that learned their task, and the others."""
_CLAIMS = "theory claims something of longer inputs"
_FRAMES: dict[Verdict, tuple[str, dict[str, Any]]] = {
    Verdict.AGREE: (" =", {"edgecolor": PALETTE[2], "label": f"=: {_CLAIMS}, and agrees"}),
    Verdict.DIVERGE: (" ≠", {"edgecolor": PALETTE[1], "ls": "--", "label": "≠: it diverges"}),
}
"""Of a claim on longer inputs: its sign and its frame."""
_DOTS: dict[Verdict, dict[str, Any]] = {
    Verdict.AGREE: {"color": PALETTE[0], "marker": "o", "label": "agrees"},
    Verdict.DIVERGE: {"color": PALETTE[1], "marker": "D", "label": "diverges"},
    Verdict.UNDETERMINED: {"color": FAINT, "marker": ".", "label": "no claim"},
}


@dataclass(frozen=True)
class Mark:
    """What stands in a row of a figure, from left to right, and what it is."""

    row: float
    values: Sequence[float]
    label: str | None
    style: Mapping[str, Any]


Shade = tuple[float | None, Verdict]
"""An accuracy, None where no model converged, and what became of the claim on it."""


def cell_name(v: CellVerdict) -> str:
    """The cell in a few words, with its model where that is not the usual one."""
    usual = v.cell.model == default_model(v.cell.setting.task)
    return v.cell.label() if usual else v.name


def draw_rows(
    path: Path,
    names: Sequence[str],
    panels: Sequence[tuple[str, Sequence[Mark]]],
    label: str,
    soon: tuple[float, str] | None = None,
) -> None:
    """Panels beside each other, each with its title and the same rows; many go on below.

    Args:
        label: of what goes from left to right.
        soon: where that is training steps, not shares: those that are marked, and why.
    """
    inches = 0.34 if soon is None else 0.8
    place, why = soon or (1.0, None)
    down = ceil(len(panels) / _MOST_BESIDE)
    beside = ceil(len(panels) / down)
    with figure(path, WIDTH, (inches * len(names) + 0.6) * down + 0.3) as drawn:
        drawn.set_layout_engine("constrained")
        axes = list(drawn.subplots(down, beside, sharey=True, squeeze=False).flat)
        for ax in axes[len(panels) :]:
            ax.axis("off")
        for ax, (title, marks) in zip(axes, panels, strict=False):
            for mark in marks:
                places = [mark.row] * len(mark.values)
                ax.plot(mark.values, places, label=mark.label, **mark.style)
            _without_labels(ax)
            ax.axvline(place, color=FAINT, lw=0.8, ls=":", label=why)
            ax.set_title(title, fontsize=8.5)
            ax.grid(axis="y", color=PALE)
            ax.set_axisbelow(True)
            if soon is None:
                ax.set_xlim(-0.08, 1.08)
                ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            else:
                _count_steps(ax, (1, 2, 5))
        lines = [textwrap.fill(name, 40, break_long_words=False) for name in names]
        for ax in axes[::beside]:
            ax.set_yticks(range(len(names)), lines, fontsize=SMALL)
        axes[0].set_ylim(len(names) - 0.5, -0.5)
        drawn.supxlabel(label, fontsize=8.5)
        add_legend(drawn, "upper center", SMALL)


def draw_training(
    path: Path,
    verdicts: Sequence[CellVerdict],
    draw: Callable[[Axes, CellVerdict], None],
    label: str,
) -> None:
    """A panel per cell over the training steps, on which ``draw`` puts the cell's curves.

    Of more than ``MOST_PANELS`` cells the first are drawn.  The premise is a dotted line.

    Args:
        label: what the curves show.
    """
    verdicts = verdicts[:MOST_PANELS]
    rows = ceil(len(verdicts) / _PANELS)
    with figure(path, WIDTH, 2.1 * rows + 0.4) as drawn:
        drawn.set_layout_engine("constrained")
        axes = list(drawn.subplots(rows, _PANELS, sharey=True, squeeze=False).flat)
        for ax, v in zip(axes, verdicts, strict=False):
            draw(ax, v)
            _without_labels(ax)
            ax.axhline(PREMISE, color=FAINT, lw=0.8, ls=":", label=f"premise: {PREMISE:g}")
            _count_steps(ax)
            ax.set_ylim(-0.03, 1.03)
            ax.set_title("\n".join(_broken(cell_name(v))), fontsize=SMALL)
        for ax in axes[len(verdicts) :]:
            ax.axis("off")
        drawn.supxlabel("training step", fontsize=8.5)
        drawn.supylabel(label, fontsize=8.5)
        add_legend(drawn, "upper center", SMALL)


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


def panels_text(cells: int) -> str:
    """Which of some cells ``draw_training`` draws; empty where it draws all."""
    return f"The first {MOST_PANELS} of {count(cells, 'cell')}. " * (cells > MOST_PANELS)


def _without_labels(ax: Axes) -> None:
    """Keep matplotlib from looking, for long, where labels would fit that a panel does not have."""
    ax.xaxis.set_label_coords(0.5, 0)
    ax.yaxis.set_label_coords(0, 0.5)


def _count_steps(ax: Axes, ticks: Sequence[float] = (1.0,)) -> None:
    """Training steps to the right: logarithmic, with plain numbers at these parts of each ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=ticks))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _broken(name: str) -> list[str]:
    """A name in lines of up to 40 letters, broken between its parts."""
    first, *parts = name.split(" · ")
    lines = [first]
    for part in parts:
        longer = f"{lines[-1]} · {part}"
        lines = [*lines[:-1], longer] if len(longer) <= 40 else [*lines, part]
    return lines


def draw_encodings(
    path: Path, rows: Mapping[str, Mapping[str, Shade]], columns: Mapping[str, str]
) -> None:
    """A row for each question, a column for each encoding: the accuracy one digit up in its shade.

    Args:
        columns: the encodings with their names; the others are not drawn.
    """
    many = len(columns) > _MOST_UPRIGHT
    width = max(WIDTH, 3.0 + 0.52 * len(columns))
    with figure(path, width, 0.29 * len(rows) + (1.6 if many else 1.2)) as drawn:
        drawn.set_layout_engine("constrained")
        ax = drawn.subplots()
        for i, cells in enumerate(rows.values()):
            for j, name in enumerate(columns):
                if name in cells:
                    _draw_shade(ax, i, j, cells[name])
        ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
        ax.set_xticks(range(len(columns)), list(columns.values()), fontsize=SMALL)
        ax.xaxis.tick_top()
        if many:
            for text in ax.get_xticklabels():
                text.set(rotation=40, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(len(rows)), list(rows), fontsize=SMALL)
        ax.tick_params(length=0)
        what = "accuracy on inputs one digit longer"
        ax.set_xlabel(f"{what} (frame: claims on all longer inputs; white: not trained)")
        add_legend(drawn, "lower center", SMALL)


def _draw_shade(ax: Axes, i: int, j: int, shade: Shade) -> None:
    """An accuracy; a frame and a sign where theory claims something of it."""
    from matplotlib import colormaps

    place = j - 0.47, i - 0.43, 0.94, 0.86
    accuracy, verdict = shade
    if accuracy is None:
        draw_box(ax, *place, facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH, lw=0, label=MISSED)
        return
    draw_box(ax, *place, color=colormaps["Blues"](0.85 * accuracy), lw=0)
    sign, frame = _FRAMES.get(verdict, ("", {}))
    if frame:
        draw_box(ax, j - 0.45, i - 0.4, 0.9, 0.8, fill=False, lw=2.2, **frame)
    ink: Any = {"color": "white" if accuracy > 0.6 else INK, "fontsize": SMALL}
    ax.text(j, i, f"{accuracy:.2f}{sign}", ha="center", va="center", **ink)


def draw_claims(path: Path, verdicts: Sequence[CellVerdict]) -> None:
    """What was measured at each length, beside what is claimed: the lowest claims first.

    Lengths without a claim come last.  A dot has the intervals of its models.
    """
    found = [(v, x) for v in verdicts for x in v.lengths if x.accuracy and x.verdict in _DOTS]
    found.sort(key=lambda at: (at[1].verdict not in TESTED, _claimed(at[1]), _measured(at[1])))
    with figure(path, WIDTH, 3.2) as drawn:
        drawn.set_layout_engine("constrained")
        ax = drawn.subplots()
        claims = [_claimed(x) for _, x in found if x.verdict in TESTED]
        ax.step(range(len(claims)), claims, where="mid", color=FAINT, lw=1, label="claimed")
        for verdict, style in _DOTS.items():
            some = [(i, v, x) for i, (v, x) in enumerate(found) if x.verdict == verdict]
            places = [i for i, *_ in some]
            ends = [[interval(m) for m in v.judged(x)] for _, v, x in some]
            low = [min(e.low for e in of) for of in ends]
            high = [max(e.high for e in of) for of in ends]
            ax.vlines(places, low, high, color=style["color"], lw=0.8)
            if some:
                ax.plot(places, [_measured(x) for *_, x in some], ls="", ms=3, **style)
        what = "test lengths outside of training, by what is claimed of them"
        ax.set(ylim=(-0.03, 1.03), xticks=[], ylabel="accuracy", xlabel=what)
        add_legend(drawn, "upper center", SMALL)


def _claimed(x: LengthVerdict) -> float:
    """The accuracy that is claimed, or its bound; 0 where nothing is."""
    claim = x.prediction
    if x.verdict not in TESTED:
        return 0.0
    bound = claim.at_most if claim.at_most < 1 else claim.at_least
    return float(bound if claim.accuracy is None else claim.accuracy)


def _measured(x: LengthVerdict) -> float:
    return x.accuracy.value if x.accuracy else 0.0


def draw_reliability(path: Path, said: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """What was measured where so much was said: a mark for each tenth, larger for more answers.

    Args:
        said: by its kind, what was said of each answer, and what was measured.
    """
    with figure(path, WIDTH, 3.4) as drawn:
        drawn.set_layout_engine("constrained")
        ax = drawn.subplots()
        ax.plot((0, 1), (0, 1), color=FAINT, lw=1, ls="--", label="as said")
        for (kind, pairs), color, marker in zip(said.items(), PALETTE, "oDs", strict=False):
            tenths: dict[int, list[tuple[float, float]]] = {}
            for x, y in sorted(pairs):
                tenths.setdefault(min(int(10 * x), 9), []).append((x, y))
            style: Any = {"ls": "", "marker": marker, "color": color, "alpha": 0.8}
            ax.plot([], [], ms=6, label=kind, **style)
            for some in tenths.values():
                x, y = (fmean(values) for values in zip(*some, strict=True))
                ax.plot(x, y, ms=2 + 1.5 * log10(len(some)) ** 2, **style)
        what = "said, mean of each tenth; a larger mark: more answers"
        ax.set(xlim=(-0.05, 1.05), ylim=(-0.08, 1.08), xlabel=what, ylabel="measured, mean")
        add_legend(drawn, "upper center", SMALL)
