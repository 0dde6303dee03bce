"""Hidden states: whether the model itself takes a long input for the short one it is equivalent to.

Xu et al. (2023, arXiv 2308.08268) compare the hidden states of both by PCA; here their distance
is measured, layer by layer.

Shapes: n inputs, k operands, N digits of each, M result digits (units first), L blocks, width C.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from math import nan

import numpy as np
import torch
from torch import Tensor

from arith.verify.mechanism.equivalents import pairs
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import BATCH
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED
from arith.verify.plan.sampling import Sampler

SAMPLES = 300
"""Inputs whose states are compared."""


@torch.no_grad()
def hidden(model: GPT, cell: Cell, operands: np.ndarray, result: np.ndarray) -> np.ndarray:
    """The residual stream where the result digits are predicted: embedding, then each block.

    Args:
        operands: digits ``(n, k, N)``.
        result: the result digits ``(n, M)`` that are written in the sequence.

    Returns:
        states ``(n, L + 1, M, C)``: ``[:, 0]`` is the embedding, ``[:, :, r]`` the token that
        is followed by result digit r + 1.
    """
    model.eval()
    fmt, device = cell.format, next(model.parameters()).device
    slots = torch.from_numpy(fmt.result_slots - 1).to(device)
    written = torch.from_numpy(fmt.write(operands, result)).to(device)
    stream: list[Tensor] = []
    states = []
    with ExitStack() as hooks:
        for module in (*model.blocks, model.norm):
            hooks.enter_context(module.register_forward_pre_hook(lambda _, x: stream.append(x[0])))
        for tokens in written.split(BATCH):
            stream.clear()
            model(tokens[:, :-1], slots)
            *before, last = stream  # the last block is computed at the slots alone
            layers = [*(x[:, slots] for x in before), last]
            states.append(torch.stack(layers, dim=1).cpu().numpy())
    return np.concatenate(states)


@dataclass(frozen=True)
class Equivalence:
    """How far inputs of a length are from what they are equivalent to, inside the model.

    Distances are Euclidean, over all tokens that are followed by a result digit: the median over
    the inputs, by layer (embedding first).

    Args:
        samples: inputs compared.
        equivalent: distances to the equivalent short input.
        unrelated: distances to a random input of the training domain.
    """

    samples: int
    equivalent: tuple[float, ...]
    unrelated: tuple[float, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        """By layer, ``equivalent / unrelated``: 0 is the same state, 1 an unrelated one.

        NaN where unrelated inputs have the same state, as at the embedding of most layouts:
        no operand has reached the tokens of the result there.
        """
        both = zip(self.equivalent, self.unrelated, strict=True)
        return tuple(near / far if far else nan for near, far in both)


def equivalence(model: GPT, cell: Cell, digits: int, samples: int = SAMPLES) -> Equivalence:
    """Compare states of inputs with those of their equivalents (see ``pairs``) and of others.

    All three are written with the same result digits, those that ``f^`` says of the input: the
    states then differ by the operands only.  Written with their own, even a model that has not
    been trained would look as if it took an input for its equivalent.
    """
    fmt = cell.format
    long, short = pairs(cell, digits, samples)
    rng = np.random.default_rng([EVALUATION_SEED, digits, 1])
    others = Sampler(fmt, cell.setting.train).sample(len(long), rng)
    result = fmt.results(short)
    of_long, of_short, of_others = (hidden(model, cell, x, result) for x in (long, short, others))
    return Equivalence(len(long), _distance(of_long, of_short), _distance(of_long, of_others))


def _distance(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """The median distance by layer of states ``(n, L + 1, M, C)``."""
    distances = np.sqrt(np.square(x - y, dtype=np.float64).sum((2, 3)))
    return tuple(np.median(distances, axis=0).tolist())


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
