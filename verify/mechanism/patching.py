"""Activation patching: through which layer a digit that should be ignored leaks into the answer.

Where the support rule says that a position is ignored, nothing makes a model leave its token
unused: it is the same digit in every training example, so that a block can rest attention on it,
or work there on what it has read elsewhere (Darcet et al. 2023, arXiv 2309.16588, find background
patches of images used like that).  Another digit then disturbs this work.

To see where, one layer at a time is patched: at the ignored tokens its keys and values are those
of the equivalent trained input.  The first layer sees the digits, a later one what stands at their
tokens by then: the digit, and what was worked out there.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

import torch
from torch import Tensor

from arith.verify.mechanism.equivalents import pairs, predicted_support
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import ignored_slots
from arith.verify.plan.cells import Cell

SAMPLES = 1000
"""Inputs per length; a share is then known to about 0.02."""


@dataclass(frozen=True)
class Leaks:
    """How many answers follow ``f^``, and how many would if a layer saw no ignored digit.

    An answer is judged given its own right digits so far: those of ``f^`` are written.

    Args:
        samples: inputs answered.
        unpatched: the share of answers that are ``f^``.
        patched: by block, the share when that block is patched.
    """

    samples: int
    unpatched: float
    patched: tuple[float, ...]


@torch.no_grad()
def leaks(model: GPT, cell: Cell, digits: int, samples: int = SAMPLES) -> Leaks:
    """Measure a trained model at one length (InvalidInput: as ``pairs`` does)."""
    model.eval()
    fmt, device = cell.format, next(model.parameters()).device
    long, short = pairs(cell, digits, samples)
    result = fmt.results(short)
    tokens, trained = (torch.from_numpy(fmt.write(x, result)).to(device) for x in (long, short))
    slots = torch.from_numpy(fmt.result_slots).to(device)
    ignored = torch.from_numpy(ignored_slots(cell, predicted_support(cell))).to(device)[:, None]

    def share() -> float:
        said = model(tokens[:, :-1]).argmax(2)[:, slots - 1]
        return float((said == tokens[:, slots]).all(1).float().mean())

    contexts = [block.get_submodule("context") for block in model.blocks]
    clean: list[Tensor] = []
    with ExitStack() as hooks:
        for context in contexts:
            hook = context.register_forward_hook(lambda _, x, y: clean.append(y))
            hooks.enter_context(hook)
        model(trained[:, :-1])
    patched = []
    for context, instead in zip(contexts, clean, strict=True):
        with context.register_forward_hook(
            lambda _, x, y, instead=instead: torch.where(ignored, instead, y)
        ):
            patched.append(share())
    return Leaks(len(long), share(), tuple(patched))
