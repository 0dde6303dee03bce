"""How far a query may see before addition no longer extends to longer inputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from theory.display.style import INK, PALETTE, draw_box, figure
from theory.prediction.outcomes import Status
from theory.setting.directions import Direction
from verify.judging.judge import CellVerdict
from verify.reporting.figures import WIDTH
from verify.reporting.report import Report

ORDER = 50
RIGHT = 0.95
"""The accuracy from which longer inputs count as right."""


def section(report: Report) -> str:
    """How many cells were right on longer inputs, of those predicted to be and of the others."""
    scanned = [v for v in report.trained_of("windows") if v.converged]
    if not scanned:
        return ""
    predicted = [v for v in scanned if _generalizes(v)]
    unclaimed: dict[str, list[CellVerdict]] = {}
    for v in scanned:
        if not _generalizes(v):
            unclaimed.setdefault(v.cell.setting.layout.name, []).append(v)
    others = ", ".join(
        f"{_right(found)} of {len(found)} in the {layout} layout"
        for layout, found in unclaimed.items()
    )
    _draw(scanned, report.folder / "windows.svg")
    return "\n\n".join(
        [
            "## Windows",
            f"Of {len(predicted)} cells that are predicted to extend addition upward, "
            f"{_right(predicted)} were right on at least {RIGHT:.0%} of the longer inputs. Of those "
            "without a claim (a landmark in view, or an encoding that cannot single out an "
            f"offset), {others or 'none was trained'}.",
            "![Upward accuracy by window](windows.svg)",
        ]
    )


def _generalizes(v: CellVerdict) -> bool:
    return v.prediction.verdict(Direction.UPWARD) == Status.GENERALIZES


def _longer(v: CellVerdict) -> list[float]:
    """The measured accuracy at each longer length."""
    return [x.accuracy.value for x in v.longer if x.accuracy is not None]


def _right(verdicts: Sequence[CellVerdict]) -> int:
    return sum(min(_longer(v)) >= RIGHT for v in verdicts)


def _draw(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Mean accuracy at the longer lengths by encoding, layout and window.

    A framed field is one where the theory says that it generalizes.
    """
    settings = [v.cell.setting for v in verdicts]
    places = {(s.layout.name, s.window) for s in settings}
    columns = sorted(places, key=lambda place: (place[0], place[1] or np.inf))
    rows = list(dict.fromkeys(s.encoding.name for s in settings))
    accuracy = np.full((len(rows), len(columns)), np.nan)
    with figure(path, WIDTH, 0.42 * len(rows) + 1.4) as drawn:
        drawn.set_layout_engine("tight")
        ax = drawn.subplots()
        for v, s in zip(verdicts, settings, strict=True):
            i, j = rows.index(s.encoding.name), columns.index((s.layout.name, s.window))
            accuracy[i, j] = fmean(_longer(v))
            if _generalizes(v):
                style = {"fill": False, "edgecolor": PALETTE[1], "lw": 1.6}
                draw_box(ax, j - 0.47, i - 0.45, 0.94, 0.9, **style)
        ax.imshow(accuracy, vmin=0, vmax=1, cmap="Blues", aspect="auto")
        for (i, j), value in np.ndenumerate(accuracy):
            text = "-" if np.isnan(value) else f"{value:.2f}"
            colour = "white" if value > 0.6 else INK
            ax.text(j, i, text, ha="center", va="center", fontsize=7, color=colour)
        ax.set_xticks(range(len(columns)), [f"W={w}" if w else "all" for _, w in columns])
        ax.set_yticks(range(len(rows)), [name.upper() for name in rows])
        for layout in dict.fromkeys(name for name, _ in columns):
            span = [j for j, (name, _) in enumerate(columns) if name == layout]
            ax.text(fmean(span), -0.75, layout, ha="center", va="bottom", fontsize=8)
            if span[0]:
                ax.axvline(span[0] - 0.5, color="white", lw=4)
        ax.set_xlabel("tokens that a query sees (framed: predicted to generalize)")
        ax.tick_params(length=0)
