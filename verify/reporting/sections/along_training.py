"""Does the behaviour out of domain come before, with or after the premise?"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from arith.theory.display.markdown import Markdown
from arith.verify.judging.judge import CellVerdict
from arith.verify.records.trajectory import GROWTH, Timing, timing
from arith.verify.reporting.blocks import Block, Figure, Heading, Table
from arith.verify.reporting.figures import draw_curve, training_curves
from arith.verify.reporting.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDER = 40
REACHED = 0.9
"""The share of answers that the learned function explains when a model counts as there."""
PANELS = 9
"""Cells in the figure."""
RIGHT = "right in domain (held-out inputs)"
FOLLOWS = "answers of f^ at the longest test length"
BEFORE, WITH, AFTER, NEVER = "before", "with", "after", "never"


def section(report: Report) -> list[Block]:
    """When each converged model met the premise, and when it came to the expected function."""
    timings = [(v, models) for v in report.verdicts if (models := _timings(v))]
    if not timings:
        return []
    every = [t for _, models in timings for t in models]
    counts = Counter(map(_when, every))
    delays = [t.outside / t.within for t in every if t.within and t.outside]
    middle = ""
    if delays:
        middle = f". The median ratio of the two steps (f^ to premise) is {median(delays):.2g}"
    rows = [
        {
            "cell": v.name,
            "premise (step)": ", ".join(str(t.within or "-") for t in models),
            "expected function (step)": ", ".join(str(t.outside or "-") for t in models),
            "f^ comes": ", ".join(map(_when, models)),
        }
        for v, models in timings
    ]
    # Those drawn are the first cell of each task, and then the others.
    first = {v.cell.setting.task.text(): v for v, _ in reversed(timings)}.values()
    drawn = sorted((v for v, _ in timings), key=lambda v: v not in first)[:PANELS]
    return [
        Heading("During training"),
        f"Of {len(every)} converged models the agreement with the expected function f^ was "
        f"measured during training. {counts[BEFORE]} of them gave the answers of f^ (to "
        f"{REACHED:.0%} of the inputs of the longest test length) before meeting the premise, "
        f"{counts[WITH]} with it, {counts[AFTER]} later; {counts[NEVER]} did not{middle}.",
        Figure(
            "Answers during training",
            "trajectories.svg",
            lambda path: training_curves(drawn, path, _draw, "share of answers"),
        ),
        Markdown(
            f"The first {PANELS} cells, one of each task before others. "
            * (len(timings) > PANELS)
            + f"Each measurement comes at about {GROWTH} times the steps of the one before; "
            "*with*: the two are at most one measurement apart."
        ),
        Table(rows),
    ]


def _timings(v: CellVerdict) -> list[Timing]:
    """When each converged model of a cell got there, at the longest test length out of domain."""
    trained = any(v.cell.setting.is_premise(n) for n in v.cell.setting.test_lengths)
    if v.prediction.learned is None or not v.longer or not trained:
        return []
    longest = max(x.digits for x in v.longer)
    curves = [run.trajectory for run in v.converged]
    followed = [curve for curve in curves if curve and curve.learned is not None]
    return [timing(v.cell, curve, longest, REACHED) for curve in followed]


def _when(t: Timing) -> str:
    if t.outside is None or t.within is None:
        return NEVER
    if t.outside < t.within / GROWTH**1.5:
        return BEFORE
    return WITH if t.outside <= t.within * GROWTH**1.5 else AFTER


def _draw(ax: Axes, v: CellVerdict) -> None:
    """Two curves per model: right in domain, and equal to f^ at the longest test length."""
    longest = max(x.digits for x in v.longer)
    trained = [n for n in v.cell.setting.test_lengths if v.cell.setting.is_premise(n)]
    for run in v.runs:
        curve = run.trajectory
        if curve is None or curve.learned is None:
            continue
        for n in trained:
            draw_curve(ax, run, curve.correct[n], RIGHT, lw=2.0)
        draw_curve(ax, run, curve.learned[longest], FOLLOWS, lw=1.2, ls="--")
