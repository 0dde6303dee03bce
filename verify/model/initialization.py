"""How a model's weights start.

Shapes: T positions, V tokens of the vocabulary, C model width.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

_DEVIATION = 0.02


def initialize(model: nn.Module, layers: int) -> None:
    """Draw the weights of a model from torch's random numbers, as GPT-2 does."""
    for name, p in model.named_parameters():
        if p.dim() == 2 and not name.startswith("position"):
            ends_block = "out." in name or "down." in name
            scale = 1 / math.sqrt(2 * layers) if ends_block else 1
            nn.init.normal_(p, std=_DEVIATION * scale)


@torch.no_grad()
def separate(tokens: Tensor, positions: Tensor | None, position_scale: float) -> None:
    """Make the vectors of tokens ``(V, C)`` and of positions ``(T, C)`` orthogonal.

    Nothing that is said of a token can then be mistaken for a position: the one-hot pair of digit
    and position that the published proofs assume, turned.

    Args:
        positions: None where an encoding adds none.
        position_scale: the length of the positions' vectors; those of tokens have length 1.
    """
    vectors, width = len(tokens) + (0 if positions is None else len(positions)), tokens.shape[1]
    rows = torch.linalg.qr(torch.randn(max(vectors, width), width))[0][:vectors]
    # More vectors than dimensions: as far apart as they can be on average, and of length about 1.
    rows *= max(1.0, math.sqrt(vectors / width))
    tokens.copy_(rows[: len(tokens)])
    if positions is not None:
        positions.copy_(rows[len(tokens) :] * position_scale)
