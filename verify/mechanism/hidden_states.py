"""States: whether a long input falls, inside the model, onto the short input that it acts like.

E (arXiv 2308.08268, *equivalence generalization*) sees a model that was trained on n digits
answer longer inputs as it answers their low digits, and looks at its hidden states by PCA.
Which input is equivalent is said by the support rule (``theory.inference.support``): the one in which the
digits at ignored positions are those that training showed.

Shapes: n inputs, k operands, N digits of each, M result digits (units first), L blocks, model
width C.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from theory.display.style import FAINT, INK, figure
from theory.errors import InvalidInput
from theory.inference.support import Support
from theory.prediction.predict import predict
from verify.model.gpt import GPT
from verify.model.measure import answers
from verify.plan.cells import Cell
from verify.plan.sequences import Sampler

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SAMPLES = 300
"""Inputs whose states are compared."""
_TRIES = 20
"""So many inputs are drawn for each one wanted: some have no equivalent that was trained."""
_SEED, _BATCH = 20240717, 500


@torch.no_grad()
def hidden(
    model: GPT, cell: Cell, operands: np.ndarray, result: np.ndarray | None = None
) -> np.ndarray:
    """The stream at the places that predict the result digits, after the embedding and each block.

    Args:
        operands: digits ``(n, k, N)``.
        result: the result digits ``(n, M)`` that are written in the sequence; None for the
            model's own greedy answers, which are what it sees when it answers.

    Returns:
        states ``(n, L + 1, M, C)``: ``[:, 0]`` is the embedding, ``[:, :, r]`` the place that
        predicts result digit r + 1.
    """
    model.eval()
    form, device = cell.format, model.mask.device
    written = form.write(operands, answers(model, cell, operands) if result is None else result)
    slots = torch.from_numpy(form.result_slots - 1).to(device)
    stream: list[Tensor] = []
    *blocks, last = model.blocks
    hooks = [model.blocks[0].register_forward_pre_hook(lambda _, x: stream.append(x[0][:, slots]))]
    for block in blocks:
        hooks.append(block.register_forward_hook(lambda _, x, y: stream.append(y[:, slots])))
    # The last block makes the wanted places only.
    hooks.append(last.register_forward_hook(lambda _, x, y: stream.append(y)))
    states = []
    try:
        for tokens in torch.split(torch.from_numpy(written).to(device), _BATCH):
            stream.clear()
            model(tokens[:, :-1], slots)
            states.append(torch.stack(stream, dim=1).cpu().numpy())
    finally:
        for hook in hooks:
            hook.remove()
    return np.concatenate(states)


def predicted_support(cell: Cell) -> Support:
    """What the learned function reads, and which positions it ignores.

    Raises:
        InvalidInput: no learned function is predicted that ignores positions.
    """
    learned = predict(cell.setting).learned
    if learned is None:
        raise InvalidInput(f"no positions are predicted to be ignored by {cell.label()}")
    return learned.support


def equivalents(cell: Cell, operands: np.ndarray) -> np.ndarray:
    """The inputs that the learned function cannot tell from these: digits ``(n, k, N)`` of both.

    For ``D_n`` they are ``(a mod B**n, b mod B**n)``.

    Raises:
        InvalidInput: no learned function is predicted that ignores positions.
    """
    support, reduced = predicted_support(cell), operands.copy()
    for j, i in np.ndindex(*operands.shape[1:]):
        constant = support.constant((j, i + 1))
        if constant is not None:
            reduced[:, j, i] = constant
    return reduced


def pairs(cell: Cell, digits: int, samples: int = SAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of one length and their equivalents, digits ``(n, k, N)`` each, n <= samples.

    Only inputs whose equivalents are in the training domain.

    Raises:
        InvalidInput: there are none, or a length that the cell does not write.
    """
    form, train = cell.format, cell.setting.train
    if not 1 <= digits <= form.digits:
        raise InvalidInput(f"digits must be between 1 and {form.digits}, not {digits}")
    rng = np.random.default_rng([_SEED, digits])
    drawn = Sampler(form, cell.setting.test(digits)).sample(_TRIES * samples, rng)
    reduced = equivalents(cell, drawn)
    values = zip(*form.values(reduced), strict=True)
    trained = np.array([train.contains(tuple(map(int, x)), form.base) for x in values])
    defined = (form.results(reduced) >= 0).all(1)
    kept = np.flatnonzero(trained & defined)[:samples]
    if not len(kept):
        raise InvalidInput(f"no input of {digits} digit(s) is equivalent to one in {train.text()}")
    return drawn[kept], reduced[kept]


@dataclass(frozen=True)
class Equivalence:
    """How far inputs of one length are from what they are equivalent to, inside the model.

    Distances are Euclidean, over all places that predict a result digit; medians over inputs.

    Args:
        digits: the length.
        samples: inputs compared.
        equivalent: by layer (embedding first), the distance to the equivalent short input.
        unrelated: by layer, the distance to a random input of the training domain.
    """

    digits: int
    samples: int
    equivalent: tuple[float, ...]
    unrelated: tuple[float, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """By layer, ``equivalent / unrelated``: 0 is the same state, 1 an unrelated one.

        NaN where unrelated inputs have the same state, as at the embedding of most layouts:
        no operand has reached the places of the result there.
        """
        both = zip(self.equivalent, self.unrelated, strict=True)
        return tuple(near / far if far else float("nan") for near, far in both)


def equivalence(model: GPT, cell: Cell, digits: int, samples: int = SAMPLES) -> Equivalence:
    """Compare states of inputs with those of their equivalents (see ``pairs``) and of others.

    All three are written with the same result digits, those that ``f^`` says of the input: the
    states then differ by the operands only.  Written with their own, unrelated inputs would be
    far apart for the digits that they are written with, and even a model that has not been
    trained would look as if it took an input for its equivalent.

    Raises:
        InvalidInput: no learned function, or no input with an equivalent (see ``pairs``).
    """
    form = cell.format
    long, short = pairs(cell, digits, samples)
    rng = np.random.default_rng([_SEED, digits, 1])
    others = Sampler(form, cell.setting.train).sample(len(long), rng)
    result = form.results(short)
    here, there, elsewhere = (hidden(model, cell, x, result) for x in (long, short, others))
    near, far = _distance(here, there), _distance(here, elsewhere)
    return Equivalence(digits, len(long), near, far)


def _distance(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """The median distance by layer of states ``(n, L + 1, M, C)``."""
    distances = np.sqrt(np.square(x - y, dtype=np.float64).sum((2, 3)))
    return tuple(np.median(distances, axis=0).tolist())


# --- the picture ------------------------------------------------------------------------


def principal(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States ``(n, C)`` on their first two principal components.

    Returns:
        coordinates ``(n, 2)``, and the share of the variance of each component ``(2,)``.
    """
    centred = states - states.mean(0)
    _, scales, directions = np.linalg.svd(centred, full_matrices=False)
    largest = np.abs(directions[:2]).argmax(1)
    signs = np.sign(directions[[0, 1], largest])  # a direction and its opposite are the same
    variance = np.square(scales)
    return centred @ (directions[:2].T * signs), variance[:2] / (variance.sum() or 1)


def plot(
    model: GPT, cell: Cell, digits: int, place: int, path: Path, samples: int = SAMPLES
) -> None:
    """Draw the last states at one result place by PCA, as PNG or SVG by the suffix.

    Inputs of the training domain are dots in the colour of their true digit there, longer
    inputs are rings in that of the digit that ``f^`` says; both are written with those digits.

    Args:
        digits: the length of the longer inputs.
        place: the result digit, 1 = units.

    Raises:
        InvalidInput: a place that the result does not have, no input with an equivalent (see
            ``pairs``), an unknown suffix, no matplotlib, or a file that cannot be written.
    """
    form = cell.format
    if not 1 <= place <= form.result_width:
        raise InvalidInput(f"result digits are 1 to {form.result_width}, not {place}")
    long, equivalent = pairs(cell, digits, samples)
    rng = np.random.default_rng([_SEED, digits, 2])
    short = Sampler(form, cell.setting.train).sample(len(long), rng)
    results = [form.results(short), form.results(equivalent)]
    states = [
        hidden(model, cell, x, y)[:, -1, place - 1]
        for x, y in zip((short, long), results, strict=True)
    ]
    points, shares = principal(np.concatenate(states))
    shown = np.concatenate([result[:, place - 1] for result in results])
    names = ("trained (true digit)", f"{digits} digits (digit of f^)")
    title = f"{cell.label()}: result digit {place}"
    with figure(path, 6.2, 4.4) as page:
        _draw(page, points, shares, shown, names, title)


def _draw(
    page: Figure,
    points: np.ndarray,
    shares: np.ndarray,
    digits: np.ndarray,
    names: tuple[str, str],
    title: str,
) -> None:
    """The points, the first half of them short inputs, and what they are.

    Args:
        points: ``(n, 2)``.
        shares: of the variance, ``(2,)``.
        digits: the digit of each point ``(n,)``, which is its colour.
        names: of the short and of the long inputs.
    """
    axes = page.add_axes((0.06, 0.09, 0.68, 0.81))
    axes.set_aspect("equal", "datalim")  # so that distances can be compared
    colours = _colours(digits)
    half = len(points) // 2
    dots = np.array([colours[d] for d in digits.tolist()])
    (x, y), (long_x, long_y) = points[:half].T, points[half:].T
    axes.scatter(x, y, s=9, c=dots[:half], linewidths=0)
    rings: Any = dots[half:]
    axes.scatter(long_x, long_y, s=34, facecolors="none", edgecolors=rings, linewidths=0.9)
    axes.set_title(textwrap.fill(title, 60), fontsize=10, fontweight="bold", loc="left")
    axes.set_xlabel(f"first component ({shares[0]:.0%} of the variance)")
    axes.set_ylabel(f"second component ({shares[1]:.0%})")
    axes.set_xticks([])
    axes.set_yticks([])
    _legend(axes, colours, names)


def _colours(digits: np.ndarray) -> dict[int, tuple[float, ...]]:
    """A colour for each digit that occurs: distinct ones where they are few, else a scale."""
    from matplotlib import colormaps

    found = np.unique(digits).tolist()
    if max(found) < 10:
        return {d: colormaps["tab10"](d) for d in found}
    return {d: colormaps["viridis"](d / max(found)) for d in found}


def _legend(axes: Axes, colours: dict[int, tuple[float, ...]], names: tuple[str, str]) -> None:
    """Marks and colours, to the right of the axes."""
    from matplotlib.lines import Line2D

    def mark(label: str, colour: object, size: float, filled: bool) -> Line2D:
        line = Line2D([], [], linestyle="", marker="o", markersize=size, label=label)
        line.set(color=colour, markerfacecolor=colour if filled else "none")
        return line

    kinds = [mark(names[0], INK, 3, True), mark(names[1], INK, 6, False)]
    step = -(-len(colours) // 12)
    swatches = [mark(str(d), colours[d], 6, True) for d in list(colours)[::step]]
    style: Any = {"frameon": False, "loc": "upper left", "borderaxespad": 0.0, "fontsize": 8}
    first = axes.legend(handles=kinds, bbox_to_anchor=(1.02, 1), handletextpad=0.2, **style)
    axes.add_artist(first)
    axes.legend(
        handles=swatches,
        bbox_to_anchor=(1.02, 0.86),
        title="digit",
        title_fontsize=8,
        handletextpad=0.2,
        **style,
    )
    for spine in axes.spines.values():
        spine.set_edgecolor(FAINT)
