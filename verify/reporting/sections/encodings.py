"""Encodings beside each other: what the same training makes of longer inputs under each."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.display.style import (
    FAINT,
    HATCH,
    INK,
    PALETTE,
    UNKNOWN,
    add_legend,
    draw_box,
    figure,
)
from arith.theory.display.text import count
from arith.theory.setting.encodings import ENCODINGS
from arith.verify.judging.intervals import Interval
from arith.verify.judging.judge import CellVerdict, Verdict, worst
from arith.verify.reporting.blocks import Block, Figure, Heading
from arith.verify.reporting.figures import MISSED, SMALL, WIDTH, cell_name
from arith.verify.reporting.report import Report
from arith.verify.reporting.totals import judged

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDER = 50
RIGHT = 0.95
"""The accuracy from which longer inputs count as right."""
MOST_DRAWN = 60
"""Rows in the picture: of more it shows the first."""
_MOST_UPRIGHT = 9
"""More columns than this have slanted names."""
_LABELS, _COLUMN = 3.0, 0.52
"""Inches of the names of rows, and of a column at least."""
_FRAMES: dict[Verdict, tuple[str, str, str, str]] = {
    Verdict.AGREE: (
        " =",
        PALETTE[2],
        "-",
        "=: theory claims something of longer inputs, and agrees",
    ),
    Verdict.DIVERGE: (" ≠", PALETTE[1], "--", "≠: it diverges"),
}
"""Of a claim on longer inputs: its sign, colour, line, and what they say."""
Asked = Mapping[str, Mapping[str, CellVerdict]]
"""What was asked, in words, with the cell of each encoding that it was asked of."""


def section(report: Report) -> list[Block]:
    """How many claims agree off APE, and how the cells without a claim came out."""
    asked: dict[str, dict[str, CellVerdict]] = {}
    for v in report.trained:
        encoding = v.cell.setting.encoding
        question = cell_name(v).replace(f" · {encoding.label} ·", " ·")
        if _is_known(v) or not v.converged:
            asked.setdefault(question, {})[encoding.name] = v
    asked = {q: cells for q, cells in asked.items() if sum(map(_is_known, cells.values())) > 1}
    others = [v for cells in asked.values() for name, v in cells.items() if name != "ape"]
    others = [v for v in others if _is_known(v)]
    if not others:
        return []
    claims = judged(map(_outcome, others))
    silent = [v for v in others if _outcome(v) == Verdict.UNDETERMINED]
    right = sum(all(x.accuracy.value >= RIGHT for x in v.longer if x.accuracy) for v in silent)
    return [
        Heading("Encodings"),
        "Encodings other than APE, where a task, layout and window were tried under several. "
        f"{claims.agree} of {count(claims.tested, 'cell')} with a tested claim on longer inputs "
        "agree. "
        f"{right} of {count(len(silent), 'cell')} without a claim are right on at least "
        f"{RIGHT:.0%} of all longer inputs.",
        Figure(
            "Accuracy on inputs one digit longer, by encoding",
            "encodings.svg",
            lambda path: _draw(dict(islice(asked.items(), MOST_DRAWN)), path),
        ),
        *(
            [f"The first {MOST_DRAWN} of {count(len(asked), 'row')}."]
            if len(asked) > MOST_DRAWN
            else []
        ),
    ]


def _outcome(v: CellVerdict) -> Verdict:
    """The worst verdict on longer inputs."""
    return worst(x.verdict for x in v.longer)


def _next(v: CellVerdict) -> Interval | None:
    """The accuracy of the converged models on inputs one digit longer, if it was measured."""
    return v.measured(max(v.cell.setting.train.every_length) + 1) if v.converged else None


def _is_known(v: CellVerdict) -> bool:
    return _next(v) is not None


def _draw(asked: Asked, path: Path) -> None:
    """The accuracy one digit up: a row for each question, a column for each encoding."""
    columns = [name for name in ENCODINGS if any(name in cells for cells in asked.values())]
    many = len(columns) > _MOST_UPRIGHT
    width = max(WIDTH, _LABELS + _COLUMN * len(columns))
    with figure(path, width, 0.29 * len(asked) + (1.6 if many else 1.2)) as drawn:
        drawn.set_layout_engine("constrained")
        ax = drawn.subplots()
        for i, cells in enumerate(asked.values()):
            for j, name in enumerate(columns):
                if name in cells:
                    _draw_cell(ax, i, j, cells[name])
        ax.set_xlim(-0.5, len(columns) - 0.5)
        ax.set_ylim(len(asked) - 0.5, -0.5)
        ax.set_xticks(range(len(columns)), [ENCODINGS[x].label for x in columns], fontsize=SMALL)
        ax.xaxis.tick_top()
        if many:
            for label in ax.get_xticklabels():
                label.set(rotation=40, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(len(asked)), list(asked), fontsize=SMALL)
        ax.tick_params(length=0)
        ax.set_xlabel(
            "accuracy on inputs one digit longer (frame: claims on all longer inputs; white: not "
            "trained)"
        )
        add_legend(drawn, "lower center", SMALL)


def _draw_cell(ax: Axes, i: int, j: int, v: CellVerdict) -> None:
    """The accuracy in its shade; a frame and a sign where theory claims something of it."""
    from matplotlib import colormaps

    accuracy, outcome = _next(v), _outcome(v)
    if accuracy is None:
        style: Any = {"facecolor": UNKNOWN, "edgecolor": FAINT, "hatch": HATCH, "lw": 0}
        draw_box(ax, j - 0.47, i - 0.43, 0.94, 0.86, label=MISSED, **style)
        return
    value = accuracy.value
    draw_box(ax, j - 0.47, i - 0.43, 0.94, 0.86, color=colormaps["Blues"](0.85 * value), lw=0)
    sign = ""
    if outcome in _FRAMES:
        sign, colour, line, label = _FRAMES[outcome]
        frame: Any = {"fill": False, "lw": 2.2, "edgecolor": colour, "ls": line, "label": label}
        draw_box(ax, j - 0.45, i - 0.4, 0.9, 0.8, **frame)
    ink: Any = {"color": "white" if value > 0.6 else INK, "fontsize": SMALL}
    ax.text(j, i, f"{value:.2f}{sign}", ha="center", va="center", **ink)
