"""The sections on training: who learned the task and how soon, and what came on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from arith.theory.arithmetic.decision import Decision
from arith.theory.learning.plateaus import setting_plateaus
from arith.theory.text.style import FAINT
from arith.theory.text.text import count, digits_text, reads_text
from arith.verify.judging.judge import CellVerdict, Verdict
from arith.verify.judging.learning import (
    APART,
    LEARNED,
    SOON,
    TOLERANCE,
    Unconverged,
    is_soon,
    learning_steps,
    task_leaps,
)
from arith.verify.judging.learning import unconverged as at_plateau
from arith.verify.records.runs import Run
from arith.verify.records.trajectory import GROWTH, Timing, timing
from arith.verify.reporting.blocks import Block, Figure, Heading, Items, Table, text
from arith.verify.reporting.markdown import Markdown
from arith.verify.reporting.plots import (
    CROSSED,
    MODEL,
    Mark,
    draw_curve,
    draw_rows,
    draw_training,
    panels_text,
)
from arith.verify.reporting.report import Report
from arith.verify.reporting.summary import judged

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES = ("-", "-.", ":", (0, (1, 3)))
"""Of the curves of trained lengths: that of a length is the same in every panel."""
COLUMNS = ("cell", "seed", "in domain", "plateau", "reading", "longer inputs, plateau: measured")
REACHED = 0.9
"""The share of answers that the learned function explains when a model counts as there."""
PANELS = 9
"""Cells in the figure of what happens during training."""
RIGHT = "right in domain (held-out inputs)"
FOLLOWS = "answers of f^ at the longest test length"
BEFORE, WITH, AFTER, NEVER = "before", "with", "after", "never"
ADDED = "one or two (tasks that add)"
MULTIPLIED = "one or two (tasks that multiply)"
MORE = "three or more"
Models = Sequence[tuple[CellVerdict, int | None]]
"""Each model, judged by itself, and the step at which it had learned its task."""


def unconverged(report: Report) -> list[Block]:
    """The cells without a converged model, then every model that missed the premise."""
    return [*_inconclusive(report), *_at_plateaus(report)]


def _inconclusive(report: Report) -> list[Block]:
    """A line per cell of which no model met the premise, with what was tried."""
    waiting = [v for v in report.trained if not v.converged]
    if not waiting:
        return []
    lines = []
    for v in waiting:
        runs = (f"{r.premise_text} after {r.steps} steps (seed {r.seed})" for r in v.runs)
        reached = ", ".join(runs) + (f" ({v.reason})" if v.held_out_too_few else "")
        tried = report.known.tried.get(v.name, "")
        lines.append(f"{v.name}: in-domain accuracy {reached}. {tried}".rstrip(" .") + ".")
    return [
        Heading("Inconclusive: the premise was not met"),
        Items(lines),
        _curves("In-domain accuracy along training", "inconclusive.svg", waiting),
        f"{panels_text(len(waiting))}A cross ends the curve of a model that did not converge. "
        "Dashed: the plateaus of modular tasks (below).",
    ]


def _at_plateaus(report: Report) -> list[Block]:
    """Each model that did not learn a modular task, beside the plateau at which it stands."""
    models = [
        (v, run, x)
        for v in report.verdicts
        for run in v.runs
        if (x := at_plateau(v.prediction, run)) is not None
    ]
    if not models:
        return []
    at_one = [x for _, _, x in models if x.plateau]
    clear = [x for x in at_one if x.verdict != Verdict.UNDETERMINED]
    agree = sum(x.verdict == Verdict.AGREE for x in clear)
    counted = sum(bool(x.longer) for x in clear)
    past = sum(x.is_past for _, _, x in models)
    passed = [v for v in report.verdicts if v.converged and _has_high_plateau(v)]
    on_the_way: list[Block] = [
        "Cells of which some model did learn the task, with the plateaus on the way (dashed):"
        + f" {panels_text(len(passed))}".rstrip(),
        _curves("Plateaus on the way", "plateaus.svg", passed),
    ]
    return [
        Heading("What models know that did not learn a modular task"),
        text(
            "at_plateaus",
            missed=count(len(models), "model"),
            clear=len(clear),
            tolerance=TOLERANCE,
            counted=counted,
            agree=agree,
            apart=APART,
            near=len(at_one) - len(clear),
            past=past,
            none=len(models) - len(at_one) - past,
        ),
        Table([_plateau_row(v, run, x) for v, run, x in models], COLUMNS),
        *(on_the_way if passed else []),
    ]


def _plateau_row(v: CellVerdict, run: Run, x: Unconverged) -> list[str]:
    row = [v.name, str(run.seed), run.premise_text]
    if x.plateau is None:
        return [*row, "past the last" if x.is_past else "none", "", ""]
    longer = ", ".join(
        f"{digits_text(n)} {at.least:.3f}{'' if at.least == at.most else f' to {at.most:.3f}'}: "
        f"{at.measured:.3f}{'' if at.agrees else ' (not)'}"
        for n, at in x.longer.items()
    )
    share = f"{x.plateau.accuracy} = {float(x.plateau.accuracy):.3f}"
    reads = reads_text(x.plateau.read)
    return [*row, share, reads + ", or other" * (x.verdict == Verdict.UNDETERMINED), longer]


def _has_high_plateau(v: CellVerdict) -> bool:
    """Whether the task has a plateau at which every digit but the top ones is read."""
    s = v.cell.setting
    n = max(s.train.every_length)
    return n > 2 and any(x.read == n - 1 for x in setting_plateaus(s))


def _curves(caption: str, file: str, verdicts: Sequence[CellVerdict]) -> Figure:
    """Accuracy at the trained lengths; dashed lines are the plateaus of the task."""

    def draw(ax: Axes, v: CellVerdict) -> None:
        s = v.cell.setting
        for run in v.runs:
            for n in s.train.every_length:
                style = _STYLES[(n - 1) % len(_STYLES)]
                if run.trajectory is not None and n in run.trajectory.correct:
                    what = f"right on {digits_text(n)} (trained)"
                    draw_curve(ax, run, run.trajectory.correct[n], what, lw=1.4, ls=style)
        for plateau in setting_plateaus(s):
            height = float(plateau.accuracy)
            ax.axhline(height, color=FAINT, lw=0.7, ls="--", label="plateaus of the task")

    return Figure(
        caption, file, lambda path: draw_training(path, verdicts, draw, "right in domain")
    )


def during_training(report: Report) -> list[Block]:
    """When each converged model met the premise, and when it came to the expected function."""
    timings = [(v, models) for v in report.verdicts if (models := _timings(v))]
    if not timings:
        return []
    every = [t for _, models in timings for t in models]
    counts = Counter(map(_when, every))
    delays = [t.outside / t.within for t in every if t.within and t.outside]
    middle = ". The median ratio of the two steps (f^ to premise) is "
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
        text(
            "during_training",
            models=len(every),
            before=counts[BEFORE],
            reached=REACHED,
            together=counts[WITH],
            after=counts[AFTER],
            never=counts[NEVER],
            middle=f"{middle}{median(delays):.2g}" if delays else "",
        ),
        Figure(
            "Answers during training",
            "trajectories.svg",
            lambda path: draw_training(path, drawn, _draw_answers, "share of answers"),
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
    if v.prediction.learned is None or not v.longer:
        return []
    longest = max(x.digits for x in v.longer)
    curves = [run.trajectory for run in v.converged if run.trajectory]
    return [t for x in curves if (t := timing(v.cell, x, longest, REACHED))]


def _when(t: Timing) -> str:
    if t.outside is None or t.within is None:
        return NEVER
    if t.outside < t.within / GROWTH**1.5:
        return BEFORE
    return WITH if t.outside <= t.within * GROWTH**1.5 else AFTER


def _draw_answers(ax: Axes, v: CellVerdict) -> None:
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


def how_soon(report: Report) -> list[Block]:
    """The steps until a task was learned, and what became of longer inputs, by kind of task."""
    kinds: dict[str, list[tuple[CellVerdict, int | None]]] = {ADDED: [], MULTIPLIED: [], MORE: []}
    for v in report.verdicts:
        more = task_leaps(v)
        if more is not Decision.UNDECIDED:
            few = ADDED if v.cell.setting.task.is_linear else MULTIPLIED
            kinds[MORE if more is Decision.YES else few] += learning_steps(v)
    kinds = {kind: models for kind, models in kinds.items() if models}
    if MORE not in kinds or len(kinds) == 1:
        return []
    late = kinds[MORE]
    soon = [model for kind, models in kinds.items() if kind != MORE for model in models]
    return [
        Heading("How soon"),
        text(
            "how_soon",
            early=_soon(soon),
            few=count(len(soon), "model"),
            soon=SOON,
            late_early=_soon(late),
            late=len(late),
        ),
        Figure(
            "Steps until a task is learned, by the digits it asks for at once",
            "how_soon.svg",
            lambda path: draw_rows(
                path,
                [f"{kind}: {_soon(some)} of {len(some)} soon" for kind, some in kinds.items()],
                [("", _step_marks(kinds))],
                "training steps until the task was learned, or of the whole budget",
                (SOON, f"soon: by {SOON:,} steps"),
            ),
        ),
        Table([_kind_row(kind, models) for kind, models in kinds.items()]),
        text("how_soon_legend", learned=LEARNED),
    ]


def _soon(models: Models) -> int:
    return sum(is_soon(at) for _, at in models)


def _kind_row(kind: str, models: Models) -> dict[str, str]:
    steps = [at for _, at in models if at]
    return {
        "digits at once": kind,
        "tasks": str(len({model.cell.setting.task.text() for model, _ in models})),
        "models": str(len(models)),
        "learned soon": str(_soon(models)),
        "not learned": str(len(models) - len(steps)),
        "median step": f"{median(steps):,.0f}" if steps else "",
        "agree, learned soon": _agreeing([model for model, at in models if is_soon(at)]),
        "agree, learned later": _agreeing([model for model, at in models if not is_soon(at)]),
    }


def _agreeing(models: Sequence[CellVerdict]) -> str:
    """At how many longer lengths models agree, of those judged: ``1 of 3``."""
    claims = judged(x.verdict for model in models for x in model.longer)
    return f"{claims.agree} of {claims.tested}" if claims.tested else ""


def _step_marks(kinds: Mapping[str, Models]) -> list[Mark]:
    """The step of each model, or its budget where that was spent first, in ascending order."""
    marks = []
    for row, models in enumerate(kinds.values()):
        ends = sorted((at or model.runs[0].budget, at is None) for model, at in models)
        places = row + np.linspace(0.35, -0.35, len(ends) + 2)[1:-1]
        for place, (step, is_spent) in zip(places, ends, strict=True):
            label = "not learned in its budget" if is_spent else "a model"
            marks.append(Mark(float(place), [step], label, CROSSED if is_spent else MODEL))
    return marks
