"""The one style of all figures, and how a figure becomes a file.

The same figure gives the same file: an SVG has no date in it, its marks have fixed names, and its
text stays text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arith.theory.errors import InvalidInput
from arith.theory.text.files import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

_COLOUR_MAP = "YlGnBu"
"""For shares from 0 to 1: light to dark (ColorBrewer), the same in grey and to the colour-blind."""
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""For kinds: Okabe and Ito's colours, which the colour-blind can tell apart."""
INK, FAINT, PALE, UNKNOWN = "0.1", "0.35", "0.93", "0.85"
"""Text; thin lines; the lines of a grid; fields of which nothing is known."""
HATCH = "////"
"""Drawn over fields of which nothing is known."""
HATCHED: Any = {"facecolor": UNKNOWN, "edgecolor": FAINT, "hatch": HATCH}
CENTRED: Any = {"ha": "center", "va": "center"}
_ROOM = 0.24
"""From this size on, in inches, a number has room in a cell."""
_SUFFIXES = (".png", ".svg")
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.titley": 1.0,  # else matplotlib looks for ticks above each panel, which takes long
    "xtick.color": INK,
    "ytick.color": INK,
    "hatch.linewidth": 0.5,
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name with two dollar signs is no formula
    "svg.hashsalt": "arith",
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw and write in the style of all figures (InvalidInput: no matplotlib)."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise InvalidInput("drawing needs matplotlib: pip install matplotlib") from None
    with rc_context(_STYLE):
        yield


def check_suffix(path: Path) -> str:
    """The suffix of a picture's name (InvalidInput: neither .png nor .svg)."""
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise InvalidInput(f"cannot draw '{path.name}': its name has to end in .png or .svg")
    return suffix


@contextmanager
def figure(path: Path, width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches, written at the end as PNG or SVG, by the suffix of its path.

    Raises:
        InvalidInput: an unknown suffix, no matplotlib, or a file that cannot be written.
    """
    suffix = check_suffix(path)
    with styled():
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        is_svg = suffix == ".svg"
        drawn = Figure(figsize=(width, height), dpi=72 if is_svg else 150)
        yield drawn
        # A canvas draws once; ``Figure.savefig`` draws a figure with a layout twice.
        canvas: Any = (FigureCanvasSVG if is_svg else FigureCanvasAgg)(drawn)
        with writing(path):
            if is_svg:
                canvas.print_svg(path, metadata={"Date": None})
            else:
                canvas.print_png(path)


def draw_box(axes: Axes, x: float, y: float, width: float, height: float, **style: Any) -> None:
    """A rectangle from its lower left corner; the limits of the axes stay."""
    from matplotlib.patches import Rectangle

    axes.add_artist(Rectangle((x, y), width, height, **style))


def heat_map(axes: Axes, shares: np.ndarray, cell_size: float) -> QuadMesh:
    """Shares ``(rows, columns)`` as colours, the first row below; NaN is hatched.

    Args:
        cell_size: in inches; where there is room for it the share is written into its cell.
    """
    axes.patch.set(**HATCHED)  # seen where a share is NaN
    style: Any = {"edgecolors": "face", "linewidth": 0.1}  # else viewers of SVG show seams
    mesh = axes.pcolormesh(shares, cmap=_COLOUR_MAP, vmin=0, vmax=1, **style)
    if cell_size >= _ROOM:
        text: Any = CENTRED | {"fontsize": 20 * cell_size, "va": "center_baseline"}
        for y, x in np.argwhere(~np.isnan(shares)):
            colour = "white" if shares[y, x] > 0.5 else INK
            axes.text(x + 0.5, y + 0.5, _few_characters(shares[y, x]), color=colour, **text)
    return mesh


def _few_characters(share: float) -> str:
    """A share to two places, never rounded to 0 or 1."""
    if share in (0, 1):
        return str(int(share))
    return f"{min(max(share, 0.01), 0.99):.2f}".removeprefix("0")


def add_legend(page: Figure, where: str = "lower left", size: float = 8.5) -> None:
    """One legend for all panels, outside of them, each label once; the figure grows by its height.

    Args:
        size: of the letters, in points.
    """
    found: dict[str, Any] = {}
    for ax in page.axes:
        handles, labels = ax.get_legend_handles_labels()
        for label, handle in zip(labels, handles, strict=True):
            found.setdefault(label, handle)
    if not found:
        return
    widest = max(map(len, found))
    columns = int(72 * page.get_figwidth() / (40 + 0.57 * size * widest))
    columns = min(len(found), max(1, columns))
    page.set_figheight(page.get_figheight() + 0.18 * -(-len(found) // columns))
    style: Any = {"loc": f"outside {where}", "fontsize": size, "frameon": False}
    page.legend(list(found.values()), list(found), ncols=columns, **style)
