"""Figures that a notebook shows by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from math import ceil

from matplotlib.figure import Figure

from arith.theory.prediction.predict import Prediction
from arith.theory.text.length_plot import Measured, draw_lengths
from arith.theory.text.style import add_legend, styled

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


def drawn(panels: Sequence[tuple[str, Prediction, Sequence[Measured]]]) -> Picture:
    """Panels beside each other, each with a title, a prediction and what models got right."""
    columns = min(len(panels), _COLUMNS)
    rows = ceil(len(panels) / columns)
    with styled():
        page = Picture(figsize=(_WIDTH * columns, _HEIGHT * rows), layout="constrained")
        for i, (title, prediction, models) in enumerate(panels, 1):
            ax = page.add_subplot(rows, columns, i)
            draw_lengths(ax, prediction, models)
            ax.set_title(title, fontsize=8.5)
        add_legend(page)
    return page
