"""Figures that a notebook shows by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from matplotlib.figure import Figure

from theory.display.style import styled
from theory.errors import InvalidInput
from verify.judging.judge import CellVerdict
from verify.reporting.by_length import draw_by_length, size


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
    with styled():
        drawn = Picture(figsize=size(len(verdicts)))
        draw_by_length(drawn, verdicts)
    return drawn
