"""How pictures are drawn and written: colours, style and files.  Needs matplotlib when called.

The same picture gives the same file: an SVG has no date in it, and its marks have fixed names.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theory.errors import InvalidInput
from theory.studies.phase import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")

DPI = 150

COLOURS = "YlGnBu"
"""Light to dark in one direction (ColorBrewer; safe for the colour-blind)."""

UNKNOWN, INK, FAINT = "0.85", "0.1", "0.35"
"""Undetermined fields, text, and thin lines."""

HATCH = "////"


def draw_box(axes: Axes, x: float, y: float, width: float, height: float, **style: Any) -> None:
    """A rectangle from its lower left corner."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, height, **style))


def save(draw: Callable[[], Figure], path: Path) -> None:
    """Draw a figure in the project's style and write it, as PNG or SVG by the suffix.

    Raises:
        InvalidInput: an unknown suffix, no matplotlib, or a file that cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidInput(f"cannot draw '{path.name}': its name has to end in .png or .svg")
    try:
        from matplotlib import rc_context
    except ImportError:
        raise InvalidInput("drawing needs matplotlib: pip install matplotlib") from None
    metadata: Any = {"Date": None} if suffix == ".svg" else {}
    with rc_context(_STYLE), writing(path):
        draw().savefig(path, metadata=metadata)


_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "hatch.linewidth": 0.5,
    "savefig.dpi": DPI,
    "svg.hashsalt": "arith",
}
