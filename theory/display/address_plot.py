"""The picture of ``docs/recipes.md``: where one query has its two digits, and one digit later.

It is drawn by ``python -m arith.theory.display.address_plot docs/recipes.svg``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.display.style import FAINT, PALETTE, draw_box, figure
from arith.theory.inference.addresses import RESULT, AddressObservation, Need, Shape
from arith.theory.inference.views import indices
from arith.theory.setting.domains import Domain
from arith.theory.setting.encodings import ENCODINGS, Encoding
from arith.theory.setting.layouts import Layout, Token, layout
from arith.theory.setting.settings import Setting
from arith.theory.setting.tasks import named_task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRAINED = (1, 2)
"""The digits of the longest operand, in the training that the picture speaks of."""
SUMS = ((34, 58), (134, 258))
"""A sum of a trained length, and one with a digit more."""
ASKED = 2
"""The result digit whose query is drawn."""
_SHOWN, _NEVER = PALETTE[0], PALETTE[1]
_WIDTH, _TOP, _ROW = 8.4, 0.95, 0.86
"""Of the picture, of what stands above its rows, and of a row, in inches."""
_LEFT, _STEP = (1.75, 4.75), 0.195
"""Where the sums begin, and the distance of two tokens, in inches."""
_HEIGHT = (0.5, 0.28)
"""Of the arrows to a and b, in inches."""


@dataclass(frozen=True)
class Arrow:
    """From the query of the asked digit to an operand digit of the same weight.

    Args:
        query: the index of the token that asks.
        key: the index of the digit.
        address: where it stands as seen from the query, in words.
        shown: whether training shows that address for this digit.
    """

    query: int
    key: int
    address: str
    shown: bool


@dataclass(frozen=True)
class Row:
    """How sums are written, and how places are told apart.

    Args:
        address: what an address is there, in words.
    """

    name: str
    layout: Layout
    address: str
    encoding: Encoding = ENCODINGS["rpe"]

    @cached_property
    def observed(self) -> AddressObservation:
        """What training on sums of natural length shows."""
        train = Domain(TRAINED, "longest")
        return AddressObservation(
            Setting(named_task("add"), 10, self.encoding, self.layout, train, padding="none")
        )

    def arrows(self, numbers: tuple[int, ...]) -> list[Arrow]:
        """The arrows of a sum of these numbers."""
        arrow = self._interleaved if self.layout.interleaved else self._natural
        return [arrow(self.shape(numbers), Need(j, 0)) for j in range(len(numbers))]

    def _natural(self, one: Shape, need: Need) -> Arrow:
        observed = self.observed
        query, key = one.query(ASKED), one.index(need.operand, ASKED)
        if observed.by_content:
            return Arrow(query, key, f"[{ASKED}]", observed.last_number >= ASKED)
        [address] = observed.addresses(one, need, ASKED)
        text = f"{address:+}" if observed.by_significance else str(address)
        return Arrow(query, key, text, address in observed.shown_addresses[need])

    def _interleaved(self, one: Shape, need: Need) -> Arrow:
        """The digits of one weight stand together, so the offset is that of every trained sum."""
        query, key = self._offset_ends(max(one.widths), need)
        trained = {q - k for q, k in (self._offset_ends(n, need) for n in TRAINED if n >= ASKED)}
        return Arrow(query, key, str(query - key), query - key in trained)

    def _offset_ends(self, digits: int, need: Need) -> tuple[int, int]:
        """The index of the query, and that of a digit that it needs."""
        index = indices(self.layout.tokens((digits, digits), digits + 1))
        return index[RESULT, ASKED] - 1, index[need.operand, ASKED]

    def tokens(self, numbers: tuple[int, ...]) -> tuple[Token, ...]:
        """The tokens that stand there when the digit is asked for, but for the first, ``<bos>``."""
        one = self.shape(numbers)
        end = self.arrows(numbers)[0].query + 1
        return self.layout.tokens(one.widths, one.result)[1:end]

    def shape(self, numbers: tuple[int, ...]) -> Shape:
        """The shape of a sum of these numbers."""
        return Shape(self.layout, tuple(len(str(x)) for x in numbers), len(str(sum(numbers))), 1)


ROWS = (
    Row("plain", layout("plain"), "the offset"),
    Row("result reversed", layout("reversed"), "the offset"),
    Row("all reversed", layout("aligned"), "the offset"),
    Row("carries written", layout("scratchpad"), "the offset\n(carries in brackets)"),
    Row("index hints", layout("hinted"), "the marker before it"),
    Row(
        "position coupling",
        layout("aligned"),
        "the difference\nof numbers (small)",
        ENCODINGS["coupled"],
    ),
    Row("interleaved", layout("interleaved"), "the offset"),
)
"""The rows of the picture, from the top."""


def plot_addresses(path: Path) -> None:
    """Draw the picture (InvalidInput: no such file can be written)."""
    height = _TOP + _ROW * len(ROWS)
    with figure(path, _WIDTH, height) as page:
        ax = page.add_axes((0, 0, 1, 1))
        ax.set(xlim=(0, _WIDTH), ylim=(0, height))
        ax.axis("off")
        _draw_heading(ax, height)
        for i, row in enumerate(ROWS):
            draw_row(ax, row, height - _TOP - _ROW * (i + 1) + 0.22)


def _draw_heading(ax: Axes, top: float) -> None:
    """The answer, what the colours say, and the two sums."""
    said = "Where result digit 2 looks for its two digits, and what a digit more changes"
    ax.text(0.1, top - 0.2, said, fontsize=10.5, fontweight="bold", va="center")
    for x, shown, words in (
        (0.1, True, "an address that training showed"),
        (2.75, False, "an address that training never showed"),
    ):
        ax.plot([x, x + 0.3], [top - 0.46] * 2, **_line(shown))
        ax.text(x + 0.38, top - 0.46, words, color=_colour(shown), va="center")
    lengths = (f"{ASKED} digits, as in training", "one digit more")
    for left, (a, b), words in zip(_LEFT, SUMS, lengths, strict=True):
        ax.text(left, top - 0.76, f"{a} + {b}: {words}", fontweight="bold", va="center")


def draw_row(ax: Axes, row: Row, y: float) -> None:
    """One way to write and to tell places apart: its name, and both sums at a height."""
    ax.text(0.1, y + 0.1, row.name, fontweight="bold", va="bottom")
    ax.text(0.1, y + 0.06, f"address: {row.address}", color=FAINT, fontsize=7.5, va="top")
    for left, numbers in zip(_LEFT, SUMS, strict=True):
        _draw_tokens(ax, row, numbers, left, y)
        for arrow, height in zip(row.arrows(numbers), _HEIGHT, strict=True):
            near = arrow.query - arrow.key < 2
            _draw_arrow(ax, arrow, left, y + 0.11, 0.75 * height if near else height)


def _place(left: float, index: int) -> float:
    return left + _STEP * (index - 0.5)


def _draw_tokens(ax: Axes, row: Row, numbers: tuple[int, ...], left: float, y: float) -> None:
    """What is written when the digit is asked for, a frame around it, and numbers below."""
    written = (*numbers, sum(numbers))
    tokens = row.tokens(numbers)
    for index, token in enumerate(tokens, 1):
        digit = str(written[token.operand])[-token.position]
        below = 10 ** max(token.position - 1, 0)
        carry = sum(x % below for x in numbers) // below
        besides = {"landmark": token.symbol, "marker": f"[{token.position}]", "carry": f"({carry})"}
        text, faint = besides.get(token.kind, digit), token.kind in ("marker", "carry")
        style: Any = {"color": FAINT, "fontsize": 7.5} if faint else {"fontsize": 9.5}
        ax.text(_place(left, index), y, text, ha="center", va="center", **style)
        if row.encoding.by_weight:
            style = {"ha": "center", "va": "center", "color": FAINT, "fontsize": 6.5}
            ax.text(_place(left, index), y - 0.17, str(token.position), **style)
    asked = _place(left, len(tokens) + 1)
    draw_box(ax, asked - 0.08, y - 0.1, 0.16, 0.2, facecolor="none", edgecolor=FAINT, lw=0.8)
    ax.text(asked, y, "?", ha="center", va="center", fontsize=9.5)


def _draw_arrow(ax: Axes, arrow: Arrow, left: float, y: float, height: float) -> None:
    """An arc from the query to the digit, its address on top."""
    start, end = _place(left, arrow.query), _place(left, arrow.key)
    style: Any = {"arrowstyle": "->", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 8}
    style |= _line(arrow.shown)
    if arrow.query == arrow.key:  # the query stands at the digit itself
        start_y = y + height
    else:
        start_y = y
        style["connectionstyle"] = f"arc3,rad={2 * height / (start - end)}"
    ax.annotate("", (end, y), (start, start_y), arrowprops=style)
    box: Any = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    words: Any = {"ha": "center", "va": "center", "color": _colour(arrow.shown), "bbox": box}
    ax.text((start + end) / 2, y + height, arrow.address, fontweight="bold", **words)


def _colour(shown: bool) -> str:
    return _SHOWN if shown else _NEVER


def _line(shown: bool) -> dict[str, Any]:
    """Solid or dashed, so that it can be told without colours."""
    return {"color": _colour(shown), "lw": 1.4, "ls": "-" if shown else (0, (3, 1.5))}


if __name__ == "__main__":
    plot_addresses(Path(sys.argv[1]))
