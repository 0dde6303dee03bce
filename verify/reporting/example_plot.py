"""Pictures of the book: examples as a model sees them, and counts as a grid.

Which digits are read, ignored or out of sight is what the theory observes of a setting; these
functions lay it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.counting.learned import LearnedFunction
from arith.theory.generalization.theorems import observe
from arith.theory.observation.views import indices, receptive_field
from arith.theory.observation.views import tokens as example_tokens
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.settings import Setting
from arith.theory.text.style import CENTRED, FAINT, INK, PALE, PALETTE, UNKNOWN, draw_box, figure
from arith.theory.text.text import claim_in_table
from arith.theory.transformer.encodings import Encoding
from arith.theory.transformer.layouts import RESULT, Token

if TYPE_CHECKING:
    from matplotlib.axes import Axes

READ, IGNORED, APART, SIGN, OUTSIDE = "read", "ignored", "apart", "sign", "outside"
QUERY, ASKED = "query", "asked"
MEANING = {
    READ: "read",
    IGNORED: "ignored: always the same in training",
    APART: "shown, but never together",
    OUTSIDE: "out of sight",
}
"""What the colours of tokens say."""
STEP, SIZE = 0.27, 0.23
"""From token to token, and the width of a token, in inches."""
_COLOURS = {READ: "#CFE6F4", QUERY: "#7FB9DE", IGNORED: UNKNOWN, APART: "#F0D3E2"}


@dataclass(frozen=True)
class Mark:
    """A token of an example: its text, and how the asked query takes it."""

    text: str
    kind: str


def marks(setting: Setting, numbers: Sequence[int], asked: int) -> list[Mark]:
    """The tokens of a padded example up to the query of a result digit, and that digit, ``?``.

    Args:
        numbers: the operands, no longer than the setting's tests.
        asked: the position of the result digit that is asked for.
    """
    tokens = example_tokens(setting)
    index, base = indices(tokens), setting.base
    query = index[RESULT, asked] - 1
    in_sight = receptive_field(setting) or len(tokens)
    observed = observe(setting)
    shown = observed.support
    apart = {
        i
        for i in range(1, shown.width + 1)
        if not any(
            all(x // base ** (i - 1) % base in box.values(j, i) for j, x in enumerate(numbers))
            for box in shown.boxes
        )
    }
    numbers = [*numbers, setting.task.evaluate(*numbers)]
    found = []
    for s, token in enumerate(tokens[: query + 1]):
        if token.kind == "landmark":
            found.append(Mark(token.symbol, SIGN if query - s < in_sight else OUTSIDE))
            continue
        place = (token.operand, token.position)
        kind = READ
        if query - s >= in_sight:
            kind = OUTSIDE
        elif token.operand != RESULT and token.position in apart:
            kind = APART
        elif token.operand != RESULT and observed.keeps and shown.constant(place) is not None:
            kind = IGNORED
        found.append(Mark(str(numbers[token.operand] // base ** (token.position - 1) % base), kind))
    return [*found, Mark("?", ASKED)]


def draw_marks(ax: Axes, found: Sequence[Mark], x: float, y: float) -> float:
    """Draw tokens in a line from a place in inches; the place after the last."""
    for mark in found:
        plain = mark.kind in (SIGN, OUTSIDE)
        edge = INK if mark.kind in (QUERY, ASKED) else "none" if plain else FAINT
        style: Any = {"facecolor": _COLOURS.get(mark.kind, "white"), "edgecolor": edge, "lw": 0.7}
        wide = len(mark.text) > 1
        draw_box(ax, x, y - 0.13, SIZE, 0.26, **style)
        faint = mark.kind in (IGNORED, OUTSIDE)
        words = CENTRED | {"color": FAINT if faint else INK, "fontsize": 6 if wide else 9.5}
        ax.text(x + SIZE / 2, y, mark.text, **words)
        if mark.kind == IGNORED:
            ax.plot([x + 0.03, x + SIZE - 0.03], [y - 0.1, y + 0.1], color=FAINT, lw=0.9)
        x += STEP
    return x


def draw_meaning(ax: Axes, kinds: Sequence[str], x: float, y: float) -> None:
    """The legend of tokens, in a line."""
    for kind in kinds:
        draw_marks(ax, [Mark("0", kind)], x, y)
        ax.text(x + STEP + 0.03, y, MEANING[kind], va="center", fontsize=7.5)
        x += STEP + 0.25 + 0.062 * len(MEANING[kind])


def page_axes(page: Any, width: float, height: float, low: float = 0.0) -> Axes:
    """Axes over the upper part of a page, in inches, with nothing drawn of themselves."""
    top = page.get_figheight()
    axes: Axes = page.add_axes((0, low / top, 1, height / top))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")
    return axes


def plot_lesson(path: Path, predictions: Sequence[Prediction], numbers: Sequence[int]) -> None:
    """One input that is longer than the trained ones, as models of several tasks see it."""
    width, row = 8.2, 0.98
    height = 0.95 + row * len(predictions)
    digits = max(len(str(x)) for x in numbers)
    trained = predictions[0].setting.train.every_length[-1]
    with figure(path, width, height) as page:
        ax = page_axes(page, width, height)
        title = f"Trained on {trained}-digit numbers. Asked: " + " + ".join(map(str, numbers))
        ax.text(0.15, height - 0.22, title, fontsize=11, fontweight="bold", va="center")
        draw_meaning(ax, (READ, IGNORED), 0.15, height - 0.6)
        for i, prediction in enumerate(predictions):
            y = height - 1.1 - row * i
            ax.plot([0.15, width - 0.15], [y + 0.22] * 2, color=PALE, lw=1)
            _draw_task(ax, prediction, numbers, digits, y - 0.05)


def _draw_task(
    ax: Axes, prediction: Prediction, numbers: Sequence[int], digits: int, y: float
) -> None:
    """A row: the task, the input as it is seen, and what comes out."""
    setting, learned = prediction.setting, prediction.learned
    assert isinstance(learned, LearnedFunction)
    found = marks(setting, numbers, setting.result_digits)  # the first that is written
    ax.text(0.15, y, setting.task.text(), fontsize=10, fontweight="bold", va="center")
    draw_marks(ax, found[1:], 1.75, y)
    right, answer = setting.task.evaluate(*numbers), learned.evaluate(*numbers)
    colour = PALETTE[2] if right == answer else PALETTE[1]
    seen = " + ".join(str(learned.support.reduce(j, x)) for j, x in enumerate(numbers))
    modulus = f", mod {setting.task.modulus}" if setting.task.modulus else ""
    said = f"the model computes {seen}{modulus}:"
    ax.text(1.75, y - 0.36, said, va="center")
    ax.text(4.35, y - 0.36, f"{answer}", color=colour, fontweight="bold", va="center", fontsize=10)
    verdict = "right" if right == answer else f"wrong, it is {right}"
    ax.text(4.75, y - 0.36, verdict, color=colour, va="center")
    [at] = [x for x in prediction.lengths if x.digits == digits]
    ax.text(6.25, y - 0.02, f"predicted share of {digits}-digit", fontsize=7.5, va="center")
    ax.text(6.25, y - 0.17, "inputs that come out right:", fontsize=7.5, va="center")
    big: Any = {"fontsize": 11, "fontweight": "bold", "va": "center", "color": colour}
    ax.text(6.25, y - 0.4, claim_in_table(at), **big)


def plot_views(
    path: Path, setting: Setting, numbers: Sequence[int], rows: Sequence[tuple[Encoding, int, str]]
) -> None:
    """What one query is told of each token before it, by encoding.

    Args:
        rows: an encoding, a window (0 is none), and what its addresses are, in words.
    """
    tokens = example_tokens(setting)
    asked = 2
    query = indices(tokens)[RESULT, asked] - 1
    width, row = 5.4, 0.62
    height = 0.8 + row * len(rows)
    with figure(path, width, height) as page:
        ax = page_axes(page, width, height)
        said = "What the query of the tens, the dark token 2, is told"
        ax.text(0.15, height - 0.22, said, fontsize=10.5, fontweight="bold", va="center")
        for i, (encoding, window, words) in enumerate(rows):
            y = height - 0.62 - row * i
            ax.text(0.15, y, encoding.label, fontweight="bold", va="center")
            ax.text(0.15, y - 0.2, words, color=FAINT, fontsize=7.5, va="center")
            found = marks(setting, numbers, asked)
            near = window or len(tokens)
            seen = [
                Mark(x.text, QUERY if s == query else x.kind if x.kind in (ASKED, SIGN) else READ)
                if query - s < near
                else Mark(x.text, OUTSIDE)
                for s, x in enumerate(found)
            ]
            draw_marks(ax, seen, 2.7, y)
            for s in range(max(0, query - near + 1), query + 1):
                told = address_text(encoding, tokens, query, s)
                place = CENTRED | {"color": PALETTE[0], "fontsize": 7}
                ax.text(2.7 + STEP * s + SIZE / 2, y - 0.2, told, **place)


def address_text(encoding: Encoding, tokens: Sequence[Token], query: int, key: int) -> str:
    """The address of a token, as the encoding gives it to a query."""
    if encoding.reference == "absolute":
        return str(key)
    if encoding.reference == "significance":
        if not tokens[key].position:
            return "-"  # a sign has no place
        return f"{tokens[key].position - tokens[query].position:+d}".replace("+0", "0")
    return str(query - key) if encoding.reference == "relative" else ""


def plot_carries(path: Path, prediction: Prediction, digits: int) -> Fraction:
    """The digits that a model ignores, as a grid: where its answer is right all the same.

    Returns:
        The share of the pairs that are right, as counted in the picture.
    """
    setting, learned = prediction.setting, prediction.learned
    assert isinstance(learned, LearnedFunction)
    base, n = setting.base, digits - 1
    pairs = [x for x in product(range(base), repeat=2) if any(x)]
    high = {x: tuple(d * base**n for d in x) for x in pairs}
    right = {x for x in pairs if setting.task.evaluate(*high[x]) == learned.evaluate(*high[x])}
    size, left = 0.26, 0.9
    width, height = left + size * base + 2.9, size * base + 0.95
    with figure(path, width, height) as page:
        ax = page_axes(page, width, height)
        title = f"{setting.task.text()}, trained on {n} digits, asked {digits}"
        ax.text(0.15, height - 0.2, title, fontsize=10.5, fontweight="bold", va="center")
        for a, c in product(range(base), repeat=2):
            x, y = left + size * c, 0.5 + size * (base - 1 - a)
            colour = PALETTE[2] if (a, c) in right else "white"
            style: Any = {"facecolor": colour if (a, c) in high else UNKNOWN, "edgecolor": FAINT}
            draw_box(ax, x, y, size, size, lw=0.5, **style)
            if (a, c) in right:
                ax.text(x + size / 2, y + size / 2, str(a + c), color="white", **CENTRED)
        for i in range(base):
            ax.text(left - 0.15, 0.5 + size * (base - 0.5 - i), str(i), **CENTRED)
            ax.text(left + size * (i + 0.5), 0.38, str(i), **CENTRED)
        ax.text(0.4, 0.5 + size * base / 2, "A", fontweight="bold", **CENTRED)
        ax.text(left + size * base / 2, 0.16, "C", fontweight="bold", **CENTRED)
        told = [
            "A and C: the digits that are ignored",
            "green: f^ is right, A + C written in",
            "white: f^ is wrong",
            "grey: no number has three digits",
            f"green: {len(right)} of {len(pairs)} pairs",
        ]
        for i, line in enumerate(told):
            bold = "bold" if i == len(told) - 1 else "normal"
            ax.text(left + size * base + 0.2, 2.6 - 0.28 * i, line, fontweight=bold, va="center")
    return Fraction(len(right), len(pairs))
