"""How a model's weights start."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

_DEVIATION = 0.02
SHARP = 2.0
"""How much longer queries start, and how much faster they learn, where attention is to be sharp."""


def initialize(model: nn.Module, layers: int) -> None:
    """Draw the weights of a model from torch's random numbers, as GPT-2 does."""
    for name, p in model.named_parameters():
        if p.dim() == 2 and not name.startswith("position"):
            ends_block = "out." in name or "down." in name
            scale = 1 / math.sqrt(2 * layers) if ends_block else 1
            nn.init.normal_(p, std=_DEVIATION * scale)


@torch.no_grad()
def sharpen(queries: Iterable[Tensor]) -> None:
    """Let the weights of queries start twice as long, so that attention is sharper."""
    for query in queries:
        query.mul_(SHARP)


@torch.no_grad()
def separate(tokens: Tensor, positions: Tensor | None, length: float) -> None:
    """Let the vectors of tokens and positions be rows of one random orthogonal matrix.

    So a query can tell a place from what stands there, as the proofs of arXiv 2407.17963 assume,
    which write both as one-hot vectors.  With more rows than columns they are nearly so, and
    shorter.

    Args:
        tokens: ``(V, C)``, each of length 1 then.
        positions: ``(P, C)``, if there are any.
        length: of a position's vector.
    """
    number, width = tokens.shape
    rows = torch.empty(number + (0 if positions is None else len(positions)), width)
    nn.init.orthogonal_(rows)
    tokens.copy_(rows[:number])
    if positions is not None:
        positions.copy_(length * rows[number:])
