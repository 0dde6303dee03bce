"""The picture of ``docs/recipes.md``: where one query has its two digits, and one digit later.

It is drawn by ``python -m arith.verify.reporting.address_plot docs/recipes.svg``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arith.theory.text.style import CENTRED, FAINT, PALETTE, draw_box, figure
from arith.theory.transformer.encodings import ENCODINGS, Encoding
from arith.theory.transformer.layouts import Layout, Token, layout
from arith.verify.reporting.example_plot import address_text, page_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUMS = ((34, 58), (134, 258))
"""A sum of a trained length, and one with a digit more."""
TRAINED_TO = 2
"""The digits of the longest numbers that training has."""
ASKED = 2
"""The result digit whose query is drawn."""
_WIDTH, _TOP, _ROW = 8.4, 0.95, 0.86
"""Of the picture, of what stands above its rows, and of a row, in inches."""
_LEFT, _STEP = (1.75, 4.75), 0.195
"""Where the sums begin, and the distance of two tokens, in inches."""
_HEIGHT = (0.5, 0.28)
"""Of the arrows to a and b, in inches."""


class Arrow(NamedTuple):
    """From the token that asks to an operand digit of the same weight, by their indices.

    Args:
        address: where the digit stands as seen from the query.
        shown: whether training on shorter sums shows that address for this digit.
    """

    query: int
    key: int
    address: str
    shown: bool


@dataclass(frozen=True)
class Row:
    """A way to write sums, and the encoding; a digit is found by a marker where there is one.

    Args:
        means: what an address is there, in words.
    """

    name: str
    layout: Layout
    means: str = "the offset"
    encoding: Encoding = ENCODINGS["rpe"]

    def tokens(self, numbers: tuple[int, ...]) -> tuple[Token, ...]:
        """The tokens of a sum."""
        widths = [len(str(x)) for x in numbers]
        if self.layout.interleaved:
            widths = [max(widths)] * len(widths)
        return self.layout.tokens(widths, len(str(sum(numbers))))

    def seen(self, numbers: tuple[int, ...]) -> dict[int, tuple[int, int, str]]:
        """By operand, the query, the digit that it needs, and its address; fewer in short sums."""
        tokens, found = self.tokens(numbers), {}
        at = {(t.kind, t.operand): i for i, t in enumerate(tokens) if t.position == ASKED}
        query = at.get(("result", -1), 0) - 1
        for j in range(len(numbers)):
            if query >= 0 and (key := at.get(("operand", j))) is not None:
                told = address_text(self.encoding, tokens, query, key)
                found[j] = query, key, f"[{ASKED}]" if self.layout.hinted else told
        return found

    def arrows(self, numbers: tuple[int, ...], trained_to: int = TRAINED_TO) -> list[Arrow]:
        """The arrows of a sum of these numbers, after training on up to so many digits."""
        lengths = product(range(1, trained_to + 1), repeat=2)
        ends = [tuple(10**n - x for n in pair) for pair in lengths for x in (10, 1)]
        trained = [self.seen(x) for x in ends]
        return [
            Arrow(*found, shown=found[-1] in {x[j][-1] for x in trained if j in x})
            for j, found in self.seen(numbers).items()
        ]


ROWS = (
    Row("plain", layout("plain")),
    Row("reversed", layout("reversed")),
    Row("aligned", layout("aligned")),
    Row("carries written", layout("scratchpad"), "the offset\n(carries in brackets)"),
    Row("index hints", layout("hinted"), "the marker before it"),
    Row(
        "position coupling",
        layout("aligned"),
        "the difference\nof numbers (small)",
        ENCODINGS["coupled"],
    ),
    Row("interleaved", layout("interleaved")),
)
"""The rows of the picture, from the top."""


def plot_addresses(path: Path) -> None:
    """Draw the picture (InvalidInput: no such file can be written)."""
    top = _TOP + _ROW * len(ROWS)
    with figure(path, _WIDTH, top) as page:
        ax = page_axes(page, _WIDTH, top)
        said = "Where the query of the tens looks for its two digits, and what a digit more changes"
        ax.text(0.1, top - 0.2, said, fontsize=10.5, fontweight="bold", va="center")
        for x, shown, how in ((0.1, True, "showed"), (2.75, False, "never showed")):
            words = f"an address that training {how}"
            ax.plot([x, x + 0.3], [top - 0.46] * 2, **_line(shown))
            ax.text(x + 0.38, top - 0.46, words, color=_line(shown)["color"], va="center")
        lengths = (f"{ASKED} digits, as in training", "one digit more")
        for left, (a, b), words in zip(_LEFT, SUMS, lengths, strict=True):
            ax.text(left, top - 0.76, f"{a} + {b}: {words}", fontweight="bold", va="center")
        for i, row in enumerate(ROWS, 1):
            draw_row(ax, row, top - _TOP - _ROW * i + 0.22)


def draw_row(ax: Axes, row: Row, y: float) -> None:
    """One way to write and to tell places apart: its name, and both sums at a height."""
    ax.text(0.1, y + 0.1, row.name, fontweight="bold", va="bottom")
    ax.text(0.1, y + 0.06, f"address: {row.means}", color=FAINT, fontsize=7.5, va="top")
    for left, numbers in zip(_LEFT, SUMS, strict=True):
        draw_sum(ax, row, numbers, left, y)


def draw_sum(
    ax: Axes,
    row: Row,
    numbers: tuple[int, ...],
    left: float,
    y: float,
    trained_to: int = TRAINED_TO,
) -> None:
    """What a query sees of one sum, and where it needs its digits, at a height."""
    arrows = row.arrows(numbers, trained_to)
    written = row.tokens(numbers)[1 : arrows[0].query + 1]  # <bos> is left out
    _draw_tokens(ax, row, numbers, written, left, y)
    for arrow, height in zip(arrows, _HEIGHT, strict=True):
        near = arrow.query - arrow.key < 2
        _draw_arrow(ax, arrow, left, y + 0.11, 0.75 * height if near else height)


def _draw_tokens(
    ax: Axes, row: Row, numbers: tuple[int, ...], tokens: tuple[Token, ...], left: float, y: float
) -> None:
    """What is written when the digit is asked for, a frame around it, and numbers below."""
    for index, token in enumerate(tokens, 1):
        digit = str((*numbers, sum(numbers))[token.operand])[-token.position]
        below = 10 ** max(token.position - 1, 0)
        carry = sum(x % below for x in numbers) // below
        besides = {"landmark": token.symbol, "marker": f"[{token.position}]", "carry": f"({carry})"}
        faint = token.kind in ("marker", "carry")
        style = CENTRED | ({"color": FAINT, "fontsize": 7.5} if faint else {"fontsize": 9.5})
        ax.text(_place(left, index), y, besides.get(token.kind, digit), **style)
        if row.encoding.reference == "significance":
            small = CENTRED | {"color": FAINT, "fontsize": 6.5}
            ax.text(_place(left, index), y - 0.17, str(token.position), **small)
    asked = _place(left, len(tokens) + 1)
    draw_box(ax, asked - 0.08, y - 0.1, 0.16, 0.2, facecolor="none", edgecolor=FAINT, lw=0.8)
    ax.text(asked, y, "?", fontsize=9.5, **CENTRED)


def _place(left: float, index: int) -> float:
    return left + _STEP * (index - 0.5)


def _draw_arrow(ax: Axes, arrow: Arrow, left: float, y: float, height: float) -> None:
    """An arc from the query to the digit, its address on top."""
    start, end = _place(left, arrow.query), _place(left, arrow.key)
    style: Any = {"arrowstyle": "->", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 8}
    style |= _line(arrow.shown)
    above = start == end  # the query stands at the digit itself
    if not above:
        style["connectionstyle"] = f"arc3,rad={2 * height / (start - end)}"
    ax.annotate("", (end, y), (start, y + height * above), arrowprops=style)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    words = CENTRED | {"color": style["color"], "bbox": box, "fontweight": "bold"}
    ax.text((start + end) / 2, y + height, arrow.address, **words)


def _line(shown: bool) -> dict[str, Any]:
    """Solid or dashed, so that it can be told without colours."""
    return {"color": PALETTE[not shown], "lw": 1.4, "ls": "-" if shown else (0, (3, 1.5))}


if __name__ == "__main__":
    plot_addresses(Path(sys.argv[1]))
