"""What addition is trained on: other domains, priming, few pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from theory.display.style import PALETTE, figure
from verify.judging.judge import CellVerdict, LengthVerdict, Verdict, count_verdicts
from verify.reporting.figures import WIDTH, name_rows
from verify.reporting.numbers import count
from verify.reporting.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDER = 60


def section(report: Report) -> str:
    """How many claims about changed training sets agree."""
    varied = report.trained_of("data")
    if not varied:
        return ""
    found = count_verdicts(varied)
    agree = found[Verdict.AGREE]
    _draw(varied, report.folder / "data.svg")
    return "\n\n".join(
        [
            "## Training data",
            f"Of the {agree + found[Verdict.DIVERGE]} test lengths at which the theory makes a "
            f"claim for a changed training set, {agree} agree.",
            "![Predicted and measured accuracy by training set](data.svg)",
        ]
    )


def _draw(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Predicted and measured accuracy, a panel per test length and a row per training set."""
    lengths = sorted({n for v in verdicts for n in v.cell.setting.test_lengths})
    with figure(path, WIDTH, 0.34 * len(verdicts) + 1.1) as drawn:
        drawn.set_layout_engine("tight")
        axes = drawn.subplots(1, len(lengths), sharey=True, squeeze=False)[0]
        for ax, n in zip(axes, lengths, strict=True):
            for y, v in enumerate(verdicts):
                for x in (x for x in v.lengths if x.digits == n):
                    _draw_length(ax, y, x)
            name_rows(ax, [v.cell.label().replace(" · APE · aligned", "") for v in verdicts])
            ax.set_xlim(-0.08, 1.08)
            ax.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
            ax.set_title(count(n, "digit"), fontsize=8)
        drawn.supxlabel("accuracy: predicted (bar), measured (dot)", fontsize=8)


def _draw_length(ax: Axes, y: int, x: LengthVerdict) -> None:
    if x.prediction.accuracy is not None:
        at = float(x.prediction.accuracy)
        ax.plot([at, at], [y - 0.32, y + 0.32], color=PALETTE[1], lw=2.5)
    if x.accuracy is not None:
        ax.plot([x.accuracy.low, x.accuracy.high], [y, y], color=PALETTE[0], lw=1)
        ax.plot([x.accuracy.value], [y], "o", color=PALETTE[0], ms=4)
