"""Influence: how often changing one digit of an operand changes each digit of the answer.

The mechanism of a model, seen from outside.  The published learned function ``f(a mod B**n,
b mod B**n)`` (P, arXiv 2407.17963) is blind above position n, and a carry of the task goes
upward only: a model that computes what is predicted has the same influences, digit by digit.

Shapes: n operand tuples, k operands, N digits of each, M result digits; units first.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.display.style import COLOUR_MAP, FAINT, HATCH, INK, UNKNOWN, draw_box, figure
from theory.errors import InvalidInput
from theory.prediction.predict import predict
from verify.model.gpt import GPT
from verify.model.measure import answers
from verify.plan.cells import Cell
from verify.plan.sequences import Sampler

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Answer = Callable[[np.ndarray], np.ndarray]
"""Who answers: operand digits ``(n, k, N)`` to result digits ``(n, M)``, -1 where there is none."""

SAMPLES = 500
"""Operand tuples per length; a share is then known to about 0.02."""
_SEED = 20240717


def by_model(model: GPT, cell: Cell) -> Answer:
    """A trained model, by its greedy answers."""
    return lambda operands: answers(model, cell, operands)


def by_truth(cell: Cell) -> Answer:
    """The task itself, ``f``."""
    return cell.format.results


def by_learned(cell: Cell) -> Answer:
    """The function that is predicted to be learned: ``f^``, or ``f`` where its rule goes on.

    Raises:
        InvalidInput: none is predicted.
    """
    prediction, form = predict(cell.setting), cell.format
    if prediction.continues:
        return by_truth(cell)
    learned = prediction.learned
    if learned is None:
        raise InvalidInput(f"no expected function is predicted for {cell.label()}")
    return lambda operands: form.to_digits(learned.evaluate(*form.values(operands)))


def influence(
    answer: Answer,
    cell: Cell,
    digits: int,
    samples: int = SAMPLES,
    others: Sequence[Answer] = (),
) -> np.ndarray:
    """How often changing one operand digit changes each digit of the answer.

    Operand tuples are drawn from the test domain of one length.  In each, one digit at a time
    (leading zeros are digits too) becomes another one, uniformly; that may make the tuple
    shorter.  Everybody who answers is asked about the same tuples.

    A changed tuple on which the task is not defined (``sub``: a < b) is left out, and so is one
    to which ``answer`` or one of ``others`` has no answer: the share is that of the rest.

    Args:
        others: who has to have an answer too.  The learned function of ``sub`` has none where
            the low digits of a are less than those of b: to compare a model with it, ask both
            about the same tuples.

    Returns:
        shares ``(k, digits, M)``: ``[j, i, r]`` is how often result digit r + 1 changes with
        digit i + 1 of operand j; NaN where every changed tuple is left out.

    Raises:
        InvalidInput: a length that the cell does not write.
    """
    form = cell.format
    if not 1 <= digits <= form.digits:
        raise InvalidInput(f"digits must be between 1 and {form.digits}, not {digits}")
    rng = np.random.default_rng([_SEED, digits])
    drawn = Sampler(form, cell.setting.test(digits)).sample(samples, rng)
    before, asked = answer(drawn), _answered(others, drawn)
    shares = np.full((form.task.operands, digits, form.result_width), np.nan)
    for j, i in np.ndindex(*shares.shape[:2]):
        changed = drawn.copy()
        changed[:, j, i] = (drawn[:, j, i] + rng.integers(1, form.base, samples)) % form.base
        kept = asked & _answered((form.results, *others), changed)
        was, now = before[kept], answer(changed[kept])
        both = (was >= 0).all(1) & (now >= 0).all(1)
        if both.any():
            shares[j, i] = (was[both] != now[both]).mean(0)
    return shares


def _answered(everybody: Sequence[Answer], operands: np.ndarray) -> np.ndarray:
    """Whether everybody has an answer to each operand tuple, ``(n,)``."""
    good = np.ones(len(operands), dtype=bool)
    for answer in everybody:
        good &= (answer(operands) >= 0).all(1)
    return good


@dataclass(frozen=True)
class Disagreement:
    """How far measured influences are from predicted ones.

    Args:
        largest: the largest absolute difference.
        mean: the mean absolute difference.
    """

    largest: float
    mean: float


def disagreement(measured: np.ndarray, predicted: np.ndarray) -> Disagreement:
    """Compare two arrays of influences where both are known.

    Raises:
        InvalidInput: they differ in shape, or are nowhere both known.
    """
    if measured.shape != predicted.shape:
        raise InvalidInput(
            f"influences of shapes {measured.shape} and {predicted.shape} do not compare"
        )
    distance = np.abs(measured - predicted)
    known = distance[~np.isnan(distance)]
    if not known.size:
        raise InvalidInput("there is no influence that both know")
    return Disagreement(float(known.max()), float(known.mean()))


# --- the picture ------------------------------------------------------------------------

_ROOM, _LARGEST, _SMALLEST, _NUMBERED = 7.5, 0.4, 0.12, 0.24
"""Inches: width of all cells together, the sides of a cell, and of one that has its number."""
_LEFT, _BETWEEN, _RIGHT, _BOTTOM, _LINE, _LETTER = 0.62, 0.2, 0.72, 0.5, 0.18, 0.096
"""Inches: margins, and the height and width of a letter of the title."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def plot(
    influences: Mapping[str, np.ndarray], title: str, path: Path, names: Sequence[str] = "abcd"
) -> None:
    """Draw influences ``(k, N', M)`` as heat maps side by side, as PNG or SVG by the suffix.

    A row is a digit that is changed, a column a digit of the answer, units first; influences
    that are not known are hatched.

    Args:
        influences: by the name of who answered, such as ``model`` and ``learned function``.
        names: of the operands.

    Raises:
        InvalidInput: no influences, shapes that differ, an unknown suffix, no matplotlib, or
            a file that cannot be written.
    """
    if not influences:
        raise InvalidInput("there are no influences to draw")
    shapes = {array.shape for array in influences.values()}
    if len(shapes) > 1:
        raise InvalidInput(f"influences of different shapes: {sorted(shapes)}")
    [(k, n, m)] = shapes
    side = min(max(_ROOM / (len(influences) * m), _SMALLEST), _LARGEST)
    width = _LEFT + len(influences) * (_panel_width(m, side) + _BETWEEN) + _RIGHT
    lines = textwrap.wrap(title, int((width - 0.2) / _LETTER))
    height = _BOTTOM + k * n * side + 0.35 + _LINE * len(lines)
    with figure(path, width, height) as page:
        place = (0.1 / width, 1 - 0.08 / height)
        page.text(*place, "\n".join(lines), fontsize=10, fontweight="bold", va="top")
        _panels(page, influences, side, names)


def _panel_width(columns: int, side: float) -> float:
    return max(columns * side, 1.1)


def _panels(
    page: Figure, influences: Mapping[str, np.ndarray], side: float, names: Sequence[str]
) -> None:
    """The panels from left to right, then the scale."""
    from matplotlib.cm import ScalarMappable

    [(k, n, m)] = {array.shape for array in influences.values()}
    width, height = page.get_size_inches()
    panel = _panel_width(m, side)
    left, bottom, up = _LEFT, _BOTTOM / height, k * n * side / height
    for name, array in influences.items():
        axes = page.add_axes((left / width, bottom, panel / width, up))
        _panel(axes, array, side)
        axes.set_title(name, fontsize=9, pad=4)
        rows = [f"{names[j]}{i + 1}".translate(_SUBSCRIPTS) for j in range(k) for i in range(n)]
        shown = rows if left == _LEFT else [""] * (k * n)
        axes.set_yticks(np.arange(k * n) + 0.5, labels=shown)
        left += panel + _BETWEEN
    page.axes[0].set_ylabel("changed digit", labelpad=3)
    middle = (_LEFT + left - _BETWEEN) / 2
    page.text(middle / width, 0.1 / height, "result digit (1 = units)", ha="center", va="bottom")
    scale = page.add_axes(((left + 0.02) / width, bottom, 0.1 / width, up))
    bar = page.colorbar(ScalarMappable(cmap=COLOUR_MAP), cax=scale)
    bar.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    bar.ax.tick_params(length=2, labelsize=7.5, pad=1.5)
    bar.set_label("share that changes", fontsize=8, labelpad=5)


def _panel(axes: Axes, array: np.ndarray, side: float) -> None:
    """One heat map: the operands below each other, their digits downward from the units."""
    k, n, m = array.shape
    values = array.reshape(k * n, m)
    axes.pcolormesh(
        values,
        cmap=COLOUR_MAP,
        vmin=0,
        vmax=1,
        edgecolors="face",  # else viewers of SVG show seams
        linewidth=0.1,
    )
    axes.invert_yaxis()
    for j in range(1, k):
        axes.axhline(j * n, color="white", linewidth=2)
    step = 1 if side >= 0.18 else 2
    axes.set_xticks(np.arange(0, m, step) + 0.5, labels=[str(r + 1) for r in range(0, m, step)])
    axes.tick_params(length=0, pad=3)
    for (y, x), value in np.ndenumerate(values):
        if np.isnan(value):
            draw_box(axes, x, y, 1, 1, facecolor=UNKNOWN, edgecolor=FAINT, hatch=HATCH)
        elif side >= _NUMBERED:
            colour = "white" if value > 0.5 else INK
            style: Any = {"ha": "center", "va": "center_baseline", "color": colour}
            axes.text(x + 0.5, y + 0.5, _number(value), fontsize=20 * side, **style)


def _number(share: float) -> str:
    """A share in few characters, never rounded to 0 or 1."""
    if share in (0, 1):
        return str(int(share))
    return f"{min(max(share, 0.01), 0.99):.2f}".removeprefix("0")
