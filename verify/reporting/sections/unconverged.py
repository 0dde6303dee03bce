"""The models that missed the premise: how far they came, and what they know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arith.theory.display.style import FAINT
from arith.theory.display.text import count, digits_text, reads_text
from arith.theory.learning.plateaus import setting_plateaus
from arith.verify.judging.judge import CellVerdict, Verdict
from arith.verify.judging.unconverged import APART, TOLERANCE, Unconverged, unconverged
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import Block, Figure, Heading, Items, Table
from arith.verify.reporting.figures import draw_curve, panels_text, training_curves
from arith.verify.reporting.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDER = 10
_STYLES = ("-", "-.", ":", (0, (1, 3)))
"""Of the curves of trained lengths: that of a length is the same in every panel."""
COLUMNS = ("cell", "seed", "in domain", "plateau", "reading", "longer inputs, plateau: measured")


def section(report: Report) -> list[Block]:
    """The cells without a converged model, then every model that missed the premise."""
    return [*_inconclusive(report), *_at_plateaus(report)]


def _inconclusive(report: Report) -> list[Block]:
    """A line per cell of which no model met the premise, with what was tried."""
    waiting = [v for v in report.trained if not v.converged]
    if not waiting:
        return []
    lines = []
    for v in waiting:
        reached = [f"{r.premise_text} after {r.steps} steps (seed {r.seed})" for r in v.runs]
        few = f" ({v.reason})" if v.held_out_too_few else ""
        tried = report.known.tried.get(v.name, "")
        reach = f"{', '.join(reached)}{few}"
        lines.append(f"{v.name}: in-domain accuracy {reach}. {tried}".rstrip(" .") + ".")
    return [
        Heading("Inconclusive: the premise was not met"),
        Items(lines),
        Figure(
            "In-domain accuracy along training",
            "inconclusive.svg",
            lambda path: training_curves(waiting, path, _draw, "right in domain"),
        ),
        f"{panels_text(len(waiting))}A cross ends the curve of a model that did not converge. "
        "Dashed: the plateaus of modular tasks (below).",
    ]


def _at_plateaus(report: Report) -> list[Block]:
    """Each model that did not learn a modular task, beside the plateau at which it stands."""
    models = [
        (v, run, x)
        for v in report.verdicts
        for run in v.runs
        if (x := unconverged(v.prediction, run)) is not None
    ]
    if not models:
        return []
    at_one = [x for _, _, x in models if x.plateau]
    clear = [x for x in at_one if x.verdict != Verdict.UNDETERMINED]
    agree = sum(x.verdict == Verdict.AGREE for x in clear)
    counted = sum(bool(x.longer) for x in clear)
    past = sum(x.is_past for _, _, x in models)
    return [
        Heading("What models know that did not learn a modular task"),
        f"{count(len(models), 'model')} of modular tasks missed the premise. {len(clear)} of them "
        f"are right in domain on the share of a plateau (give or take {TOLERANCE}) that stands "
        f"apart from the others. At longer lengths this was counted for {counted} of these, and "
        f"{agree} are at the plateau wherever it was. Near a plateau that is less than {APART} "
        f"from another: {len(at_one) - len(clear)}; past the last plateau: {past}; at none: "
        f"{len(models) - len(at_one) - past}. A plateau is the accuracy of the most frequent "
        "result given the lowest digits of the operands, counted exactly.",
        Table([_row(v, run, x) for v, run, x in models], COLUMNS),
        *_past_plateaus(report),
    ]


def _row(v: CellVerdict, run: Run, x: Unconverged) -> list[str]:
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


def _past_plateaus(report: Report) -> list[Block]:
    """The cells with a converged model that came past a plateau on the way."""
    passed = [v for v in report.verdicts if v.converged and _has_high_plateau(v)]
    if not passed:
        return []
    return [
        "Cells of which some model did learn the task, with the plateaus on the way (dashed):"
        + f" {panels_text(len(passed))}".rstrip(),
        Figure(
            "Plateaus on the way",
            "plateaus.svg",
            lambda path: training_curves(passed, path, _draw, "right in domain"),
        ),
    ]


def _has_high_plateau(v: CellVerdict) -> bool:
    """Whether the task has a plateau at which every digit but the top ones is read."""
    s = v.cell.setting
    n = max(s.train.every_length)
    return n > 2 and any(x.read == n - 1 for x in setting_plateaus(s))


def _draw(ax: Axes, v: CellVerdict) -> None:
    """Accuracy at the trained lengths; dashed lines are the plateaus of the task."""
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
