"""What addition is trained on: other domains, priming, few pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from theory.display.style import PALETTE
from verify.judging.judge import CellVerdict, Verdict, count_verdicts
from verify.reporting.figures import named_rows
from verify.reporting.report import Report
from verify.reporting.tables import count

ORDER = 60


def section(report: Report) -> list[str]:
    """How many claims about changed training sets agree."""
    varied = report.trained_of("data")
    if not varied:
        return []
    counts = count_verdicts(varied)
    agree = counts[Verdict.AGREE]
    _draw(varied, report.folder / "data.svg")
    return [
        "## Training data",
        f"Of the {agree + counts[Verdict.DIVERGE]} test lengths at which the theory makes a "
        f"claim for a changed training set, {agree} agree.",
        "![Predicted and measured accuracy by training set](data.svg)",
    ]


def _draw(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Predicted and measured accuracy, a panel per test length and a row per training set."""
    lengths = sorted({n for v in verdicts for n in v.cell.setting.test_lengths})
    names = [v.cell.label().replace(" · APE · aligned", "") for v in verdicts]
    label = "accuracy: predicted (bar), measured (dot)"
    with named_rows(path, names, label, [count(n, "digit") for n in lengths]) as axes:
        for row, v in enumerate(verdicts):
            for x in v.lengths:
                ax, expected = axes[lengths.index(x.digits)], x.prediction.accuracy
                ax.set_xlim(-0.08, 1.08)
                ax.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
                if expected is not None:
                    ax.plot([float(expected)], [row], "|", color=PALETTE[1], ms=14, mew=2.5)
                if x.accuracy is not None:
                    ax.plot([x.accuracy.low, x.accuracy.high], [row, row], color=PALETTE[0], lw=1)
                    ax.plot([x.accuracy.value], [row], "o", color=PALETTE[0], ms=4)
