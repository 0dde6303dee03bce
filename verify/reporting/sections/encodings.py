"""Encodings beside each other: what the same training makes of longer inputs under each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from theory.display.style import INK, PALETTE, UNKNOWN, draw_box, figure
from theory.setting.encodings import ENCODINGS
from verify.judging.intervals import Interval
from verify.judging.judge import CellVerdict, Verdict, worst
from verify.reporting.figures import WIDTH
from verify.reporting.report import Report
from verify.reporting.tables import count

ORDER = 50
RIGHT = 0.95
"""The accuracy from which longer inputs count as right."""
Asked = Mapping[str, Mapping[str, CellVerdict]]
"""What was asked, in words, with the cell of each encoding that it was asked of."""


def section(report: Report) -> list[str]:
    """How many claims agree off APE, and how the cells without a claim came out."""
    asked: dict[str, dict[str, CellVerdict]] = {}
    for v in report.trained:
        if _next(v) is not None:
            encoding = v.cell.setting.encoding.name
            question = v.name.replace(f" · {encoding.upper()} ·", " ·")
            asked.setdefault(question, {})[encoding] = v
    asked = {question: cells for question, cells in asked.items() if len(cells) > 1}
    others = [v for cells in asked.values() for name, v in cells.items() if name != "ape"]
    if not others:
        return []
    counts = Counter(map(_outcome, others))
    agree, diverge = counts[Verdict.AGREE], counts[Verdict.DIVERGE]
    silent = [v for v in others if _outcome(v) == Verdict.UNDETERMINED]
    right = sum(all(x.accuracy.value >= RIGHT for x in v.longer if x.accuracy) for v in silent)
    _draw(asked, report.folder / "encodings.svg")
    return [
        "## Encodings",
        "Cells off APE whose task, layout and window were tried under several encodings. With a "
        f"tested claim on longer inputs: {agree} of {count(agree + diverge, 'cell')} agree. "
        f"Without one: {right} of {count(len(silent), 'cell')} were right on at least "
        f"{RIGHT:.0%} of all longer inputs.",
        "![Accuracy on inputs one digit longer, by encoding](encodings.svg)",
    ]


def _outcome(v: CellVerdict) -> Verdict:
    """The worst verdict on longer inputs."""
    return worst(x.verdict for x in v.longer)


def _next(v: CellVerdict) -> Interval | None:
    """The accuracy of the converged models on inputs one digit longer, if it was measured."""
    return v.measured(max(v.cell.setting.train.every_length) + 1) if v.converged else None


def _draw(asked: Asked, path: Path) -> None:
    """The accuracy one digit up: a row for each question, a column for each encoding.

    A frame says that theory claims something of longer inputs, its colour whether that agrees.
    """
    from matplotlib import colormaps

    shades, frames = colormaps["Blues"], {Verdict.AGREE: PALETTE[2], Verdict.DIVERGE: PALETTE[1]}
    columns = [name for name in ENCODINGS if any(name in cells for cells in asked.values())]
    with figure(path, WIDTH, 0.26 * len(asked) + 1.1) as drawn:
        drawn.set_layout_engine("constrained")
        ax = drawn.subplots()
        for i, cells in enumerate(asked.values()):
            for j, name in enumerate(columns):
                v = cells.get(name)
                if v is None or (accuracy := _next(v)) is None:
                    continue
                value = accuracy.value
                draw_box(ax, j - 0.47, i - 0.43, 0.94, 0.86, color=shades(0.85 * value), lw=0)
                colour = "white" if value > 0.6 else INK
                ax.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color=colour)
                if (outcome := _outcome(v)) in frames:
                    style = {"fill": False, "edgecolor": frames[outcome], "lw": 1.8}
                    draw_box(ax, j - 0.45, i - 0.4, 0.9, 0.8, **style)
        ax.set_xlim(-0.5, len(columns) - 0.5)
        ax.set_ylim(len(asked) - 0.5, -0.5)
        ax.set_facecolor(UNKNOWN)
        ax.set_xticks(range(len(columns)), [name.upper() for name in columns], fontsize=7)
        ax.xaxis.tick_top()
        ax.set_yticks(range(len(asked)), list(asked), fontsize=6.5)
        ax.tick_params(length=0)
        ax.set_xlabel(
            "share of inputs one digit longer that are right; framed: theory claims something of "
            "longer\ninputs (green: it agrees, orange: it diverges); "
            "grey: not trained, or not converged",
            fontsize=7.5,
        )
