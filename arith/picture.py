"""Figures that a notebook shows by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from math import ceil

from matplotlib.figure import Figure

from arith.theory.text.length_plot import draw_lengths
from arith.theory.text.style import add_legend, styled
from arith.theory.errors import InvalidInput
from arith.verify.judging.judge import CellVerdict
from arith.verify.reporting.measured import of_runs

_WIDTH, _HEIGHT = 5.6, 3.2
"""Of a panel, in inches."""
_COLUMNS = 2
"""Panels beside each other."""


class Picture(Figure):
    """A figure of matplotlib, which a notebook draws without ``pyplot``."""

    def _repr_png_(self) -> bytes:
        written = BytesIO()
        with styled():
            self.savefig(written, dpi=110)
        return written.getvalue()


def picture(verdicts: Sequence[CellVerdict]) -> Picture:
    """Predicted and measured accuracy by length, a panel per cell (InvalidInput: no cell)."""
    if not verdicts:
        raise InvalidInput("no cell is trained: there is nothing to draw")
    columns = min(len(verdicts), _COLUMNS)
    rows = ceil(len(verdicts) / columns)
    with styled():
        drawn = Picture(figsize=(_WIDTH * columns, _HEIGHT * rows), layout="constrained")
        for i, v in enumerate(verdicts, 1):
            ax = drawn.add_subplot(rows, columns, i)
            draw_lengths(ax, v.prediction, of_runs(v.runs, v.cell.setting))
            ax.set_title(v.name, fontsize=8.5)
        add_legend(drawn)
    return drawn
