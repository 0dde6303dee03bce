"""The picture of one prediction: accuracy by test length, with what trained models got right."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.display.answer import INPUTS, UNCLAIMED, answer_title, cut
from arith.theory.display.style import (
    FAINT,
    HATCH,
    PALE,
    PALETTE,
    UNKNOWN,
    add_legend,
    draw_box,
    figure,
)
from arith.theory.display.text import claim_word
from arith.theory.numbers.shares import share_text
from arith.theory.prediction.outcomes import Claim
from arith.theory.setting.directions import Direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from arith.theory.prediction.lengths import LengthPrediction
    from arith.theory.prediction.predict import Prediction

MOST_WORDED = 12
"""Up to so many lengths each has its words below it."""
_MOST_NAMED = 8
"""Up to so many models each has a line of its own in the legend."""
_PREDICTED, _RANGE = PALETTE[1], "#EFB48F"
_SEEDS = (PALETTE[0], *PALETTE[2:])
"""Colours of models: not that of the prediction."""
_OPEN = f"open: {UNCLAIMED}"
_WIDTH = 8.0
_LINE = 88
"""Letters in a line of the title."""


@dataclass(frozen=True)
class Measured:
    """What one trained model got right.

    Args:
        name: of the model: ``seed 0``.
        converged: whether it met the premise; predictions are of such models alone.
        accuracy: by test length, the value and the ends of its confidence interval.
    """

    name: str
    converged: bool
    accuracy: Mapping[int, tuple[float, float, float]]


def plot_lengths(prediction: Prediction, path: Path, models: Sequence[Measured] = ()) -> None:
    """Draw what is predicted at each test length, and what models got right there.

    Raises:
        InvalidInput: the path does not end in .png or .svg, or cannot be written.
    """
    title = textwrap.wrap(answer_title(prediction), _LINE)
    s = prediction.setting
    about = textwrap.wrap(s.text().replace(s.task.text(), cut(s.task.text())), _LINE + 16)
    with figure(path, _WIDTH, 3.4 + 0.17 * len([*title, *about])) as page:
        page.set_layout_engine("constrained")
        page.suptitle("\n".join(title), x=0.01, ha="left", fontsize=10.5, fontweight="bold")
        ax = page.add_subplot()
        ax.set_title("\n".join(about), loc="left", fontsize=8.5)
        draw_lengths(ax, prediction, models)
        add_legend(page)


def draw_lengths(ax: Axes, prediction: Prediction, models: Sequence[Measured]) -> None:
    """The picture without its titles: a column per test length, its accuracy upward."""
    lengths = prediction.lengths
    ax.set_xlim(-0.5, len(lengths) - 0.5)
    ax.set_ylim(-0.05, 1.05)
    ax.grid(axis="y", color=PALE)
    ax.set_axisbelow(True)
    ax.set_ylabel("accuracy")
    whose = {"every": "each operand", "total": "the operands together"}
    ax.set_xlabel(f"digits of {whose.get(prediction.setting.test_kind, 'the longest operand')}")
    step = 1 if len(lengths) <= MOST_WORDED else -(-len(lengths) // 20)
    ax.set_xticks(
        range(0, len(lengths), step),
        [_words(prediction, x, len(lengths)) for x in lengths[::step]],
    )
    ax.tick_params(length=0)
    _draw_open(ax, prediction)
    for i, x in enumerate(lengths):
        _draw_length(ax, prediction, x, i)
    for i, model in enumerate(models):
        _draw_model(ax, prediction, model, i, len(models))


def _words(prediction: Prediction, x: LengthPrediction, columns: int) -> str:
    """What stands below a column: its length, how it compares with training, what is claimed."""
    if columns > MOST_WORDED:
        return str(x.digits)
    said = claim_word(prediction, x).replace("at most", "≤").replace("at least", "≥")
    if x.accuracy is not None:
        said = share_text(x.accuracy) + (f"\n± {share_text(x.unseen, 2)}" if x.unseen else "")
    return f"{x.digits}\n{INPUTS[x.direction]}\n{said}"


def _draw_length(ax: Axes, prediction: Prediction, x: LengthPrediction, i: int) -> None:
    """What is claimed at a length: a line at the accuracy with its range, or below a bound."""
    if x.direction == Direction.IN_DOMAIN:
        draw_box(ax, i - 0.5, -0.05, 1, 1.1, color=PALE, lw=0, zorder=0, label="trained")
    claim, least, most = x.claim, float(x.at_least), float(x.at_most)
    line: Any = {"color": _PREDICTED, "lw": 1.8, "solid_capstyle": "butt"}
    across = [i - 0.42, i + 0.42]
    if claim == Claim.EXACT:
        value = float(x.accuracy or 0)
        if x.unseen:
            what = "±: what training leaves open"
            draw_box(ax, i - 0.42, least, 0.84, most - least, color=_RANGE, lw=0, label=what)
        ax.plot(across, [value, value], label="predicted, of converged models", **line)
    elif claim != Claim.NONE:
        style: Any = {"facecolor": "none", "edgecolor": _RANGE, "hatch": "...", "lw": 0}
        draw_box(ax, i - 0.42, least, 0.84, most - least, **style)
    if least and claim not in (Claim.EXACT, Claim.NONE):
        ax.plot(across, [least, least], label="predicted: at least this", **(line | {"ls": ":"}))
    if claim == Claim.AT_MOST:
        ax.plot(across, [most, most], label="predicted: at most this (↓)", **(line | {"ls": "--"}))
        arrow: Any = {"arrowstyle": "->", "color": _PREDICTED, "lw": 1.5}
        ax.annotate("", (i + 0.34, max(most - 0.12, 0)), (i + 0.34, most), arrowprops=arrow)


def _draw_open(ax: Axes, prediction: Prediction) -> None:
    """Lengths of which nothing is claimed: hatched, and said so, neighbours together."""
    kinds = enumerate(x.claim for x in prediction.lengths)
    for claim, group in groupby(kinds, key=lambda x: x[1]):
        places = [i for i, _ in group]
        if claim != Claim.NONE:
            continue
        style: Any = {"facecolor": UNKNOWN, "edgecolor": FAINT, "hatch": HATCH, "lw": 0}
        draw_box(ax, places[0] - 0.5, -0.05, len(places), 1.1, zorder=0.5, label=_OPEN, **style)
        box: Any = {"facecolor": "white", "edgecolor": "none", "pad": 2}
        turned = 90 if len(places) / len(prediction.lengths) < 0.2 else 0
        middle = (places[0] + places[-1]) / 2
        ax.text(middle, 0.3, _OPEN, rotation=turned, ha="center", va="center", bbox=box)


def _draw_model(ax: Axes, prediction: Prediction, model: Measured, i: int, of: int) -> None:
    """A model's accuracies: discs if it converged, else crosses; models stand beside each other."""
    aside = (i - (of - 1) / 2) * min(0.16, 0.7 / of)
    colour = _SEEDS[i % len(_SEEDS)]
    known = [(j, x.digits) for j, x in enumerate(prediction.lengths) if x.digits in model.accuracy]
    label = f"measured, {'converged' if model.converged else 'not converged'}"
    if of <= _MOST_NAMED:
        label = f"{model.name}: {label}"
    for j, digits in known:
        _, low, high = model.accuracy[digits]
        ax.plot([j + aside] * 2, [low, high], color=colour, lw=1.2)
    ax.plot(
        [j + aside for j, _ in known],
        [model.accuracy[digits][0] for _, digits in known],
        "o" if model.converged else "X",
        color=colour if model.converged else "white",
        markeredgecolor=colour,
        ms=6 if model.converged else 8,
        label=label,
        zorder=4,
    )
