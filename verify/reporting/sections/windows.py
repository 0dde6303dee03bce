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


def section(report: Report) -> list[str]:
    """How many cells were right on longer inputs, of those predicted to be and of the others."""
    scanned = [v for v in report.trained_of("windows") if v.converged]
    if not scanned:
        return []
    right: dict[str, list[bool]] = {}
    for v in scanned:
        kind = "predicted" if _generalizes(v) else f"in the {v.cell.setting.layout.name} layout"
        right.setdefault(kind, []).append(min(_longer(v)) >= RIGHT)
    predicted = right.pop("predicted", [])
    others = ", ".join(f"{sum(cells)} of {len(cells)} {kind}" for kind, cells in right.items())
    _draw(scanned, report.folder / "windows.svg")
    return [
        "## Windows",
        f"Of {len(predicted)} cells that are predicted to extend addition upward, {sum(predicted)} "
        f"were right on at least {RIGHT:.0%} of the longer inputs. Of those without a claim (a "
        "landmark in view, or an encoding that cannot single out an offset), "
        f"{others or 'none was trained'}.",
        "![Upward accuracy by window](windows.svg)",
    ]


def _generalizes(v: CellVerdict) -> bool:
    return v.prediction.verdict(Direction.UPWARD) == Status.GENERALIZES


def _longer(v: CellVerdict) -> list[float]:
    """The measured accuracy at each longer length."""
    return [x.accuracy.value for x in v.longer if x.accuracy is not None]


def _draw(verdicts: Sequence[CellVerdict], path: Path) -> None:
    """Mean accuracy at the longer lengths by encoding, layout and window.

    A framed field is one where the theory says that it generalizes.
    """
    settings = [v.cell.setting for v in verdicts]
    places = {(s.layout.name, s.window) for s in settings}
    columns = sorted(places, key=lambda place: (place[0], place[1] or np.inf))
    rows = list(dict.fromkeys(s.encoding.name for s in settings))
    with figure(path, WIDTH, 0.42 * len(rows) + 1.4) as drawn:
        drawn.set_layout_engine("constrained")
        ax = drawn.subplots()
        accuracy = np.full((len(rows), len(columns)), np.nan)
        for v, s in zip(verdicts, settings, strict=True):
            i, j = rows.index(s.encoding.name), columns.index((s.layout.name, s.window))
            accuracy[i, j] = value = fmean(_longer(v))
            colour = "white" if value > 0.6 else INK
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color=colour)
            if _generalizes(v):
                style = {"fill": False, "edgecolor": PALETTE[1], "lw": 1.6}
                draw_box(ax, j - 0.47, i - 0.45, 0.94, 0.9, **style)
        ax.imshow(accuracy, vmin=0, vmax=1, cmap="Blues", aspect="auto")
        names = [f"{layout}\n{f'W={window}' if window else 'all'}" for layout, window in columns]
        ax.set_xticks(range(len(columns)), names)
        ax.set_yticks(range(len(rows)), [name.upper() for name in rows])
        ax.set_xlabel("tokens that a query sees (framed: predicted to generalize)")
