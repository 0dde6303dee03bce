"""Pictures of the full report: trajectories, the window scan, the training data.

SVG with text as text and no date, so that the same evidence gives the same file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.learning.plateaus import plateaus
from theory.setting.directions import Direction
from verify.judging.judge import CellVerdict
from verify.judging.known_divergences import name
from verify.plan.recipe import PREMISE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 3
_INK, _FAINT = "#222222", "#999999"
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's, which the colour-blind can tell apart."""


def trajectories(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Accuracy in domain, and answers equal to the learned function out of it, along training.

    A panel per cell, a line per test length and seed.

    Args:
        verdicts: of cells with a learned function and recorded trajectories.
    """
    rows = ceil(len(verdicts) / _COLUMNS)
    with _figure(8, 2.1 * rows + 0.3, path) as figure:
        axes = figure.subplots(rows, _COLUMNS, sharey=True, squeeze=False)
        for ax, v in zip(axes.flat, verdicts, strict=False):
            _curves(ax, v)
        for ax in axes.flat[len(verdicts) :]:
            ax.axis("off")
        for ax in axes[-1]:
            ax.set_xlabel("training step")
        for row in axes:
            row[0].set_ylabel("share of answers")
        figure.tight_layout()


def _curves(ax: Axes, v: CellVerdict) -> None:
    for run in v.converged:
        curve = run.trajectory
        if curve is None or curve.learned is None:
            continue
        first = run is v.converged[0]
        for i, n in enumerate(v.cell.setting.test_lengths):
            trained = v.cell.setting.is_premise(n)
            values = curve.correct[n] if trained else curve.learned[n]
            label = f"{n} digit{'s' if n > 1 else ''}, {'in domain' if trained else 'as f^'}"
            colour, width = (_INK, 2.0) if trained else (_COLOURS[i % len(_COLOURS)], 1.0)
            ax.plot(curve.steps, values, color=colour, lw=width, label=label if first else None)
    ax.axhline(PREMISE, color=_FAINT, lw=0.6, ls=":")
    ax.set_xscale("log")
    ax.set_ylim(-0.03, 1.03)
    ax.set_title(v.cell.label(), fontsize=7)
    ax.legend(fontsize=5, loc="upper left", frameon=False)


def in_domain(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Accuracy at the trained lengths along training, a panel per cell, a line per length and seed.

    Dashed lines are the plateaus of modular tasks (``theory.learning.plateaus``).
    """
    rows = ceil(len(verdicts) / _COLUMNS)
    with _figure(8, 1.8 * rows + 0.3, path) as figure:
        axes = figure.subplots(rows, _COLUMNS, sharex=True, sharey=True, squeeze=False)
        for ax, v in zip(axes.flat, verdicts, strict=False):
            lengths = v.cell.setting.train.every_length
            for run in v.runs:
                curve = run.trajectory
                for i, n in enumerate(lengths if curve is not None else ()):
                    if curve is not None and n in curve.correct:
                        colour = _COLOURS[i % len(_COLOURS)]
                        label = f"{n} digits" if run is v.runs[0] else None
                        ax.plot(curve.steps, curve.correct[n], color=colour, lw=1, label=label)
            ax.axhline(PREMISE, color=_FAINT, lw=0.6, ls=":")
            s = v.cell.setting
            for plateau in plateaus(s.task, s.base, s.train):
                ax.axhline(float(plateau.accuracy), color=_COLOURS[1], lw=0.6, ls="--")
            ax.set_xscale("log")
            ax.set_ylim(-0.03, 1.03)
            ax.set_title(name(v), fontsize=6.5)
            if len(lengths) > 1:
                ax.legend(fontsize=5, loc="upper left", frameon=False)
        for ax in axes.flat[len(verdicts) :]:
            ax.axis("off")
        figure.supxlabel("training step", fontsize=8)
        figure.supylabel("right in domain", fontsize=8)
        figure.tight_layout()


def windows(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Upward accuracy (mean of the longer lengths) by encoding, layout and window.

    A framed field is one where the theory says that it generalizes.
    """
    settings = [v.cell.setting for v in verdicts]
    columns = sorted(
        {(s.layout.name, s.window) for s in settings}, key=lambda c: (c[0], c[1] or 10**6)
    )
    rows = list(dict.fromkeys(s.encoding.name for s in settings))
    values = np.full((len(rows), len(columns)), np.nan)
    framed = []
    for v in verdicts:
        s = v.cell.setting
        at = rows.index(s.encoding.name), columns.index((s.layout.name, s.window))
        measured = [x.accuracy.value for x in _upward(v) if x.accuracy is not None]
        if measured:
            values[at] = sum(measured) / len(measured)
        if v.prediction.verdict(Direction.UPWARD) == "generalizes":
            framed.append(at)
    with _figure(8, 0.42 * len(rows) + 1.4, path) as figure:
        ax = figure.subplots()
        ax.imshow(values, vmin=0, vmax=1, cmap="Blues", aspect="auto")
        for (i, j), value in np.ndenumerate(values):
            text = "-" if np.isnan(value) else f"{value:.2f}"
            colour = "white" if value > 0.6 else _INK
            ax.text(j, i, text, ha="center", va="center", fontsize=7, color=colour)
        for i, j in framed:
            box = {"fill": False, "edgecolor": _COLOURS[1], "lw": 1.6}
            ax.add_patch(_rectangle((j - 0.47, i - 0.45), 0.94, 0.9, **box))
        ax.set_xticks(range(len(columns)), [f"W={w}" if w else "all" for _, w in columns])
        ax.set_yticks(range(len(rows)), [name.upper() for name in rows])
        for layout in dict.fromkeys(name for name, _ in columns):
            span = [j for j, (name, _) in enumerate(columns) if name == layout]
            middle = sum(span) / len(span)
            ax.text(middle, -0.75, layout, ha="center", va="bottom", fontsize=8)
            if span[0]:
                ax.axvline(span[0] - 0.5, color="white", lw=4)
        ax.set_xlabel("tokens that a query sees (framed: predicted to generalize)")
        ax.tick_params(length=0)
        figure.tight_layout()


def data(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Predicted and measured accuracy by test length, a row per training set."""
    with _figure(8, 0.34 * len(verdicts) + 1.1, path) as figure:
        lengths = sorted({n for v in verdicts for n in v.cell.setting.test_lengths})
        axes = figure.subplots(1, len(lengths), sharey=True, squeeze=False)[0]
        names = [v.cell.label().replace(" · APE · aligned", "") for v in verdicts]
        for ax, n in zip(axes, lengths, strict=True):
            for y, v in enumerate(verdicts):
                _predicted_and_measured(ax, y, v, n)
            ax.set_xlim(-0.08, 1.08)
            ax.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
            ax.set_title(f"{n} digit{'s' if n > 1 else ''}", fontsize=8)
            ax.grid(axis="y", color="#eeeeee")
            ax.set_axisbelow(True)
        axes[0].set_yticks(range(len(names)), names, fontsize=6.5)
        axes[0].invert_yaxis()
        figure.supxlabel("accuracy: predicted (bar), measured (dot)", fontsize=8)
        figure.tight_layout()


def _predicted_and_measured(ax: Axes, y: int, v: CellVerdict, digits: int) -> None:
    for x in v.lengths:
        if x.prediction.digits != digits:
            continue
        if x.prediction.accuracy is not None:
            at = float(x.prediction.accuracy)
            ax.plot([at, at], [y - 0.32, y + 0.32], color=_COLOURS[1], lw=2.5)
        if x.accuracy is not None:
            ax.plot([x.accuracy.low, x.accuracy.high], [y, y], color=_COLOURS[0], lw=1)
            ax.plot([x.accuracy.value], [y], "o", color=_COLOURS[0], ms=4)


def leaking(followed: Mapping[str, Mapping[str, Sequence[float]]], path: Path) -> None:
    """Answers that follow the learned function by task and variant, a panel per longer length.

    Args:
        followed: by task and variant, the shares at the longer lengths, as many for each.
    """
    variants = list(dict.fromkeys(x for found in followed.values() for x in found))
    lengths = len(next(iter(next(iter(followed.values())).values())))
    with _figure(8, 0.34 * len(followed) + 1.3, path) as figure:
        axes = figure.subplots(1, lengths, sharey=True, squeeze=False)[0]
        for n, ax in enumerate(axes):
            for i, variant in enumerate(variants):
                rows = [y for y, found in enumerate(followed.values()) if variant in found]
                values = [found[variant][n] for found in followed.values() if variant in found]
                places = [y + 0.15 * (i - (len(variants) - 1) / 2) for y in rows]
                ax.plot(values, places, "o", color=_COLOURS[i], ms=5, label=variant)
            ax.set_xlim(-0.03, 1.03)
            ax.set_title(f"{n + 1} digit{'s' if n else ''} more than trained", fontsize=8)
            ax.grid(axis="y", color="#eeeeee")
            ax.set_axisbelow(True)
        axes[0].set_yticks(range(len(followed)), list(followed), fontsize=7)
        axes[0].set_ylim(len(followed) - 0.5, -0.5)
        labels = axes[0].get_legend_handles_labels()
        figure.legend(*labels, ncols=len(variants), fontsize=7, frameon=False, loc="upper center")
        figure.supxlabel("share of the answers that follow f^", fontsize=8)
        figure.tight_layout(rect=(0, 0, 1, 0.96))


def how_soon(kinds: Mapping[str, Sequence[tuple[int | None, int]]], path: Path) -> None:
    """Steps until models learned their task, a row per kind of task.

    Args:
        kinds: by the digits that tasks ask for, of each model the step, None if it never came, and its
            budget.
    """
    with _figure(8, 0.8 * len(kinds) + 1.0, path) as figure:
        ax = figure.subplots()
        for came, mark, label in ((True, "o", "learned"), (False, "x", "not within its budget")):
            points = [
                (at or budget, row + 0.3 * ((7 * i % 13) / 6 - 1))  # next to each other in a row
                for row, models in enumerate(kinds.values())
                for i, (at, budget) in enumerate(x for x in models if (x[0] is not None) is came)
            ]
            steps, places = zip(*points, strict=True) if points else ((), ())
            ax.plot(steps, places, mark, color=_COLOURS[not came], ms=4, alpha=0.7, label=label)
        ax.set_xscale("log")
        ax.set_yticks(range(len(kinds)), list(kinds), fontsize=8)
        ax.invert_yaxis()
        ax.set_xlabel("steps", fontsize=8)
        ax.set_ylabel("digits at once", fontsize=8)
        ax.grid(axis="x", color="#eeeeee")
        ax.set_axisbelow(True)
        ax.legend(fontsize=7, frameon=False, loc="upper right")
        figure.tight_layout()


def leaks(names: Sequence[str], shares: Sequence[Sequence[float]], path: Path) -> None:
    """Answers that follow the learned function, a row per model.

    Args:
        shares: of each model, as it is, then with one layer mended, layer by layer.
    """
    with _figure(8, 0.3 * len(names) + 1.0, path) as figure:
        ax = figure.subplots()
        most = max(map(len, shares))
        for i in range(most):
            rows = [y for y, of_model in enumerate(shares) if i < len(of_model)]
            values = [shares[y][i] for y in rows]
            style: Any = {"color": _COLOURS[i - 1], "ms": 7 - i} if i else {"color": _INK, "ms": 8}
            label = f"layer {i} mended" if i else "as it is"
            mark = "o" if i else "|"
            ax.plot(values, rows, mark, markeredgewidth=0 if i else 2, label=label, **style)
        for y, of_model in enumerate(shares):
            ax.plot([min(of_model), max(of_model)], [y, y], color=_FAINT, lw=0.8, zorder=0)
        ax.set_yticks(range(len(names)), names, fontsize=6.5)
        ax.invert_yaxis()
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel("share of the answers to the longest inputs that follow f^")
        style = {"fontsize": 6.5, "frameon": False, "ncols": most, "borderaxespad": 0.2}
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), **style)
        figure.tight_layout()


def _upward(v: CellVerdict) -> list[Any]:
    return [x for x in v.lengths if x.prediction.direction == Direction.UPWARD]


def _rectangle(*arguments: Any, **options: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(*arguments, **options)


@contextmanager
def _figure(width: float, height: float, path: Path) -> Iterator[Figure]:
    """A figure of that many inches, written as SVG at the end."""
    import matplotlib

    style: Any = {"font.size": 8, "svg.hashsalt": "arith", "svg.fonttype": "none"}
    with matplotlib.rc_context(style):
        from matplotlib.figure import Figure

        figure = Figure((width, height))
        yield figure
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
