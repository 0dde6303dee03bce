"""What addition is trained on: other domains, priming, few pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.display.style import FAINT, HATCH, PALETTE, UNKNOWN, draw_box
from arith.theory.display.text import count
from arith.theory.prediction.outcomes import Claim
from arith.verify.judging.judge import CellVerdict, LengthVerdict
from arith.verify.reporting.blocks import Block, Figure, Heading
from arith.verify.reporting.figures import MISSED, named_rows
from arith.verify.reporting.report import Report
from arith.verify.reporting.totals import totals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDER = 60


def section(report: Report) -> list[Block]:
    """How many claims about changed training sets agree."""
    varied = report.trained_of("data")
    if not varied:
        return []
    claims = totals(varied).claims
    return [
        Heading("Training data"),
        f"Of {count(claims.tested, 'test length')} at which the theory makes a claim for a changed "
        f"training set, {claims.agree} agree.",
        Figure(
            "Predicted and measured accuracy by training set",
            "data.svg",
            lambda path: _draw(varied, path),
        ),
    ]


def _draw(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Predicted and measured accuracy, a panel per test length and a row per training set."""
    lengths = sorted({n for v in verdicts for n in v.cell.setting.test_lengths})
    names = [v.cell.label().replace(" · APE · aligned", "") for v in verdicts]
    titles = [count(n, "digit") for n in lengths]
    with named_rows(path, names, "accuracy, by test length", titles) as axes:
        for ax in axes:
            ax.set_xlim(-0.08, 1.08)
            ax.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        for row, v in enumerate(verdicts):
            for x in v.lengths:
                _draw_claim(axes[lengths.index(x.digits)], row, x)
                _draw_measured(axes[lengths.index(x.digits)], row, v, x)


def _draw_claim(ax: Axes, row: int, x: LengthVerdict) -> None:
    """A bar at the accuracy, a band within bounds, or a hatched field where nothing is claimed."""
    claim = x.prediction.claim
    least, most = float(x.prediction.at_least), float(x.prediction.at_most)
    if claim == Claim.EXACT:
        value = float(x.prediction.accuracy or 0)
        ax.plot([value], [row], "|", color=PALETTE[1], ms=14, mew=2.5, label="predicted")
        return
    label = "predicted: within the frame"
    style: Any = {"facecolor": "none", "edgecolor": PALETTE[1], "lw": 1}
    if claim == Claim.NONE:
        label = "open: no claim"
        style = {"facecolor": UNKNOWN, "edgecolor": FAINT, "hatch": HATCH, "lw": 0}
    draw_box(ax, least - 0.04, row - 0.3, most - least + 0.08, 0.6, label=label, **style)


def _draw_measured(ax: Axes, row: int, v: CellVerdict, x: LengthVerdict) -> None:
    """The converged models of a cell pooled, with their interval; crosses where none converged."""
    measured = v.measured(x.digits)
    if measured is None:
        return
    ax.plot([measured.low, measured.high], [row, row], color=PALETTE[0], lw=1)
    mark, what = ("o", "measured") if v.converged else ("X", f"measured, {MISSED}")
    ax.plot([measured.value], [row], mark, color=PALETTE[0], ms=4.5, label=what)
