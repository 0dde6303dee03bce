"""The picture of one prediction: accuracy by test length, with what trained models got right."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.shares import share_text
from arith.theory.generalization.outcomes import Claim
from arith.theory.text.answer import INPUTS, UNCLAIMED, answer_title, cut
from arith.theory.text.style import (
    CENTRED,
    HATCHED,
    PALE,
    PALETTE,
    add_legend,
    draw_box,
    figure,
)
from arith.theory.text.text import claim_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from arith.theory.generalization.lengths import LengthPrediction
    from arith.theory.prediction.forecast import Forecast
    from arith.theory.prediction.predict import Prediction

MOST_WORDED = 12
"""Up to so many lengths each has its words below it."""
_MOST_NAMED = 8
"""Up to so many models each has a colour, and a line of its own in the legend."""
_PREDICTED, _RANGE = PALETTE[1], "#EFB48F"
_SEEDS = (PALETTE[0], *PALETTE[2:])
"""Colours of models: not that of the prediction."""
_THIN = 0.03
"""A range of an exact accuracy that is no wider is hidden by its line; the words below give it."""
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
    whose = {"every": "each operand", "total": "the operands together"}
    whom = whose.get(prediction.setting.test_kind, "the longest operand")
    ax.set(xlim=(-0.5, len(lengths) - 0.5), ylim=(-0.05, 1.05), axisbelow=True)
    ax.set(ylabel="accuracy", xlabel=f"digits of {whom}")
    ax.grid(axis="y", color=PALE)
    many = len(lengths) > MOST_WORDED
    step = -(-len(lengths) // 20) if many else 1
    names = [str(x.digits) if many else _words(prediction, x) for x in lengths[::step]]
    ax.set_xticks(range(0, len(lengths), step), names)
    ax.tick_params(length=0)
    if not many:  # what the last words of each column are
        beside: Any = {"xycoords": "axes fraction", "textcoords": "offset points"}
        ax.annotate("\n\nclaim", (0, 0), (-4, -3), ha="right", va="top", **beside)
    _draw_open(ax, lengths)
    for i, x in enumerate(lengths):
        _draw_length(ax, x, i)
        if x.is_open and (expected := prediction.forecasts.get(x.digits)):
            _draw_forecast(ax, expected, i - (0.44 if models else 0.3))  # beside the models
    for i, model in enumerate(models):
        _draw_model(ax, lengths, model, i, len(models))


def _words(prediction: Prediction, x: LengthPrediction) -> str:
    """What stands below a column: its length, how it compares with training, what is claimed."""
    said = claim_word(prediction, x).replace("at most", "≤").replace("at least", "≥")
    said = said.replace(" if stable", "\nif stable")
    if x.accuracy is not None:
        said = share_text(x.accuracy) + (f"\n± {share_text(x.unseen, 2)}" if x.unseen else "")
        said += "\nif stable" * x.requires_measured_stability
    return f"{x.digits}\n{INPUTS[x.direction]}\n{said}"


def _draw_length(ax: Axes, x: LengthPrediction, i: int) -> None:
    """What is claimed at a length: a line at the accuracy with its range, or at a bound."""
    if x.direction == Direction.IN_DOMAIN:
        draw_box(ax, i - 0.5, -0.05, 1, 1.1, color=PALE, lw=0, zorder=0, label="trained")
    if x.claim == Claim.NONE:
        return
    least, most, exact = float(x.at_least), float(x.at_most), x.claim == Claim.EXACT
    if exact and most - least > _THIN:
        field: Any = {"color": _RANGE, "label": "±: what training leaves open"}
        draw_box(ax, i - 0.42, least, 0.84, most - least, lw=0, **field)
    elif not exact:
        field = {"facecolor": "none", "edgecolor": _RANGE, "hatch": "..."}
        draw_box(ax, i - 0.42, least, 0.84, most - least, lw=0, **field)
    lines = [(float(x.accuracy or 0), "-", "predicted, of converged models")] * exact
    lines += [(least, ":", "predicted: at least this")] * (not exact and least > 0)
    lines += [(most, "--", "predicted: at most this (↓)")] * (x.claim == Claim.AT_MOST)
    for y, dashes, label in lines:
        style: Any = {"color": _PREDICTED, "lw": 1.8, "solid_capstyle": "butt", "ls": dashes}
        ax.plot([i - 0.42, i + 0.42], [y, y], label=label, **style)
    if x.claim == Claim.AT_MOST:
        arrow: Any = {"arrowstyle": "->", "color": _PREDICTED, "lw": 1.5}
        ax.annotate("", (i + 0.34, max(most - 0.12, 0)), (i + 0.34, most), arrowprops=arrow)


def _draw_forecast(ax: Axes, x: Forecast, at: float) -> None:
    """What models of arith's recipes are expected to get right where the answer is open."""
    if x.near:
        style: Any = {"color": _RANGE, "lw": 5, "solid_capstyle": "butt", "marker": "_", "ms": 11}
        ax.plot([at] * 2, [x.low, x.high], label="forecast, not a claim", mew=4, **style)


def _draw_open(ax: Axes, lengths: Sequence[LengthPrediction]) -> None:
    """Lengths of which nothing is claimed: hatched, and said so, neighbours together."""
    for claim, group in groupby(enumerate(lengths), key=lambda x: x[1].claim):
        if claim != Claim.NONE:
            continue
        places = [i for i, _ in group]
        field: Any = HATCHED | {"lw": 0, "zorder": 0.5, "label": UNCLAIMED}
        draw_box(ax, places[0] - 0.5, -0.05, len(places), 1.1, **field)
        turned = 90 if len(places) / len(lengths) < 0.2 else 0
        words: Any = CENTRED | {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 2}}
        ax.text((places[0] + places[-1]) / 2, 0.3, UNCLAIMED, rotation=turned, **words)


def _draw_model(
    ax: Axes, lengths: Sequence[LengthPrediction], model: Measured, i: int, of: int
) -> None:
    """A model's accuracies: discs if it converged, else crosses; models stand beside each other."""
    aside = (i - (of - 1) / 2) * min(0.16, 0.7 / of)
    met, is_named = model.converged, of <= _MOST_NAMED
    colour = _SEEDS[i % len(_SEEDS)] if is_named else _SEEDS[0]
    label = f"{model.name}: " * is_named + f"measured, {'converged' if met else 'not converged'}"
    known = [(j + aside, x.digits) for j, x in enumerate(lengths) if x.digits in model.accuracy]
    for place, digits in known:
        ax.plot([place] * 2, model.accuracy[digits][1:], color=colour, lw=1.2)
    style: Any = {"marker": "o" if met else "X", "ms": 6 if met else 8, "ls": "", "zorder": 4}
    style |= {"color": colour if met else "white", "markeredgecolor": colour, "label": label}
    ax.plot([x for x, _ in known], [model.accuracy[digits][0] for _, digits in known], **style)
