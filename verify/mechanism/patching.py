"""Leaks: through which layer a digit that should be ignored gets into the answer.

Where the support rule says that a position is ignored, nothing makes a model leave the place
empty: that place always holds the same digit in training, so that a block can rest attention on
it, or work there on what it has read elsewhere (background patches of images are used like that:
Darcet et al. 2023, arXiv 2309.16588).  Another digit at the place then disturbs the work.  To see
where, each layer in turn is shown, at the ignored places, the keys and values of the equivalent
trained input (see ``verify.mechanism.hidden_states``), and everything else is left as it is.  The first layer sees
the digits; a later one sees what stands at their places by then, which is the digit, and what
was worked out there.

Shapes: n inputs, k operands, N digits of each, T tokens, L blocks, C model width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import MethodType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from verify.mechanism.hidden_states import pairs, predicted_support
from verify.model.gpt import GPT, Block
from verify.plan.cells import Cell

SAMPLES = 1000
"""Inputs per length; a share is then known to about 0.02."""


@dataclass(frozen=True)
class Leaks:
    """How many answers follow ``f^``, and how many would if a layer saw no ignored digit.

    An answer is judged given its own right digits so far: those of ``f^`` are written.

    Args:
        samples: inputs answered.
        as_it_is: the share of answers that are ``f^``.
        mended: by block, the share when that block's keys and values at ignored places are
            those of the equivalent trained input.
    """

    samples: int
    as_it_is: float
    mended: tuple[float, ...]


@torch.no_grad()
def leaks(model: GPT, cell: Cell, digits: int, samples: int = SAMPLES) -> Leaks:
    """Measure a trained model at one length.

    Raises:
        InvalidInput: no learned function, or no input with an equivalent (see ``pairs``).
    """
    model.eval()
    form, device = cell.format, model.mask.device
    long, short = pairs(cell, digits, samples)
    result = form.results(short)
    here, there = (torch.from_numpy(form.write(x, result)).to(device) for x in (long, short))
    slots = torch.from_numpy(form.result_slots).to(device)
    ignored = torch.from_numpy(ignored_places(cell)).to(device)

    def follows() -> float:
        said = model(here[:, :-1]).argmax(2)[:, slots - 1]
        return float((said == here[:, slots]).all(1).float().mean())

    clean: list[Tensor] = []

    def note(_: int, context: Tensor) -> Tensor:
        clean.append(context)
        return context

    with _attending(model, note):
        model(there[:, :-1])
    mended = []
    for layer in range(len(model.blocks)):

        def seen(i: int, context: Tensor, layer: int = layer) -> Tensor:
            return torch.where(ignored[:, None], clean[i], context) if i == layer else context

        with _attending(model, seen):
            mended.append(follows())
    return Leaks(len(long), follows(), tuple(mended))


def ignored_places(cell: Cell) -> np.ndarray:
    """Which of the places that are read hold an operand digit that is ignored, ``(T - 1,)``.

    Raises:
        InvalidInput: no learned function is predicted.
    """
    constant = predicted_support(cell).constant
    return np.array(
        [
            t.kind == "operand" and constant((t.operand, t.position)) is not None
            for t in cell.format.tokens[:-1]
        ]
    )


@contextmanager
def _attending(model: GPT, seen: Callable[[int, Tensor], Tensor]) -> Iterator[None]:
    """Let every block attend to ``seen(block number, what it would attend to)``."""

    def attend(block: Any, x: Tensor, context: Tensor, *rest: Any) -> Tensor:
        return Block.attend(block, x, seen(block.layer, context), *rest)

    blocks: list[Any] = list(model.blocks)
    for block in blocks:
        block.attend = MethodType(attend, block)
    try:
        yield
    finally:
        for block in blocks:
            del block.attend
