"""Pictures of what is inside a model: hidden states by PCA."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arith.theory.text.style import INK, UNKNOWN, figure
from arith.verify.data.sampling import Sampler
from arith.verify.mechanism.equivalence import SAMPLES, hidden, pairs
from arith.verify.model.gpt import GPT
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLEAR = 0.5
"""From this share of trained states near the mean of their digit on, a picture shows groups."""
Group = tuple[np.ndarray, ...]
"""States ``(n, C)`` or points ``(n, 2)``, and the digit of each ``(n,)``."""


def principal(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States ``(n, C)`` on their first two principal components ``(n, 2)``.

    The second value is each component's share of the variance, ``(2,)``.
    """
    centred = states - states.mean(0)
    _, scales, directions = np.linalg.svd(centred, full_matrices=False)
    largest = np.abs(directions[:2]).argmax(1)
    signs = np.sign(directions[[0, 1], largest])  # a direction and its opposite are the same
    variance = np.square(scales)
    return centred @ (directions[:2].T * signs), variance[:2] / (variance.sum() or 1)


def draw_states(
    model: GPT, cell: Cell, digits: int, result_digit: int, path: Path, samples: int = SAMPLES
) -> None:
    """Draw the last states before one result digit (1 = units) by PCA, as ``draw_groups`` does.

    Inputs of the training domain have their true digit there, those of ``digits`` that of ``f^``;
    both are written with those digits.  Errors are those of ``pairs`` and ``figure``.
    """
    fmt = cell.format
    long, equivalent = pairs(cell, digits, samples)
    rng = np.random.default_rng([EVALUATION_SEED, digits, 2])
    number = max(2, len(long))  # one half is compared with the other
    short = Sampler(fmt, cell.setting.train).sample(number, rng)
    results = [fmt.results(short), fmt.results(equivalent)]
    trained, longer = (
        (hidden(model, cell, x, result)[:, -1, result_digit - 1], result[:, result_digit - 1])
        for x, result in zip((short, long), results, strict=True)
    )
    title = f"{cell.label()}: states before result digit {result_digit}"
    draw_groups(trained, longer, title, f"{digits} digits (digit of f^)", path)


def draw_groups(trained: Group, longer: Group, title: str, name: str, path: Path) -> None:
    """Draw states on their first two components, with how far each digit's are a group.

    Where the trained ones are no groups there, the shares stand in place of the picture.

    Args:
        trained: states ``(n, C)`` and their digits ``(n,)``.
        longer: the same of longer inputs, which are called ``name``.
    """
    points, variance = principal(np.concatenate([trained[0], longer[0]]))
    half = len(trained[0])
    plane = [(points[:half], trained[1]), (points[half:], longer[1])]
    [seen, seen_longer], whole = _shares(*plane), _shares(trained, longer)
    explained = f"The two components have {variance.sum():.0%} of the variance"
    if seen < CLEAR:
        said = f"{explained}: too little to show a group for each digit. In numbers:"
    else:
        said = (
            f"{explained}. Nearest to their own digit's mean in them: {seen:.0%} of the trained "
            f"inputs, {seen_longer:.0%} of the longer ones."
        )
    with figure(path, 6.8, 4.6 if seen >= CLEAR else 2.4) as page:
        page.set_layout_engine("constrained")
        heading = textwrap.fill(title, 66)
        page.suptitle(heading, x=0.01, ha="left", fontsize=10, fontweight="bold")
        axes = page.add_subplot()
        width = 92 if seen >= CLEAR else 66  # the names of bars take room
        axes.set_title(textwrap.fill(said, width), fontsize=8.5, loc="left")
        if seen >= CLEAR:
            _scatter(axes, plane[0], plane[1], name)
            axes.set_xlabel(f"first component ({variance[0]:.0%} of the variance)")
            axes.set_ylabel(f"second component ({variance[1]:.0%})")
            page.legend(
                title="a colour for each digit", loc="outside lower center", ncols=2, frameon=False
            )
        else:
            _bars(axes, {"two components": [seen, seen_longer], "all of the state": whole}, name)


def _shares(trained: Group, longer: Group) -> list[float]:
    """The shares near the mean of their digit; of trained states by the means of the other half."""
    first, second = (tuple(x[i::2] for x in trained) for i in (0, 1))
    own = (near_their_digit(*first, *second) + near_their_digit(*second, *first)) / 2
    return [own, near_their_digit(*longer, *trained)]


def near_their_digit(
    states: np.ndarray, digits: np.ndarray, known: np.ndarray, known_digits: np.ndarray
) -> float:
    """The share of states ``(n, C)`` nearest to the mean of the known states of their digit.

    1 where the states of each digit are a group of their own; about one in the number of digits
    where they are not.

    Args:
        digits: of the states, ``(n,)``.
        known: the states ``(m, C)`` that the means are of, with their digits ``(m,)``.
    """
    names = np.unique(known_digits)
    means = np.stack([known[known_digits == d].mean(0) for d in names])
    nearest = np.square(states[:, None] - means).sum(2).argmin(1)
    return float((names[nearest] == digits).mean())


def _scatter(axes: Axes, trained: Group, longer: Group, name: str) -> None:
    """Dots for trained inputs and rings for longer ones, each digit written at its dots' mean."""
    from matplotlib import colormaps

    (points, digits), (long_points, long_digits) = trained, longer
    known = np.unique(np.concatenate([digits, long_digits]))
    scale = colormaps["tab10" if len(known) <= 10 else "viridis"]
    colours: Any = {
        d: scale(i if len(known) <= 10 else i / len(known)) for i, d in enumerate(known)
    }
    axes.scatter(points[:, 0], points[:, 1], s=9, color=[colours[d] for d in digits], lw=0)
    edges: Any = [colours[d] for d in long_digits]
    ring: Any = {"s": 34, "facecolors": "none", "lw": 0.9}
    axes.scatter(long_points[:, 0], long_points[:, 1], edgecolors=edges, **ring)
    axes.scatter([], [], s=9, color=INK, label="trained (true digit)")
    axes.scatter([], [], edgecolors=INK, label=name, **ring)
    box: Any = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
    for d in np.unique(digits):
        x, y = points[digits == d].mean(0)
        axes.text(x, y, str(d), ha="center", va="center", fontweight="bold", bbox=box)
    axes.set(aspect="equal", adjustable="datalim", xticks=[], yticks=[])


def _bars(axes: Axes, shares: Mapping[str, Sequence[float]], name: str) -> None:
    """A bar per share, with its number."""
    names = [f"{where}, {whose}" for where in shares for whose in ("trained", name)]
    values = [share for both in shares.values() for share in both]
    axes.barh(names, values, color=UNKNOWN)
    for y, value in enumerate(values):
        axes.text(value + 0.01, y, f"{value:.0%}", va="center")
    axes.invert_yaxis()
    axes.set_xlim(0, 1.1)
    axes.set_xlabel("share of states nearest to the mean of their own digit")
