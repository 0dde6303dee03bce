"""How a model's weights start."""

from __future__ import annotations

import math

from torch import nn

_DEVIATION = 0.02


def initialize(model: nn.Module, layers: int) -> None:
    """Draw the weights of a model from torch's random numbers, as GPT-2 does."""
    for name, p in model.named_parameters():
        if p.dim() == 2 and not name.startswith("position"):
            ends_block = "out." in name or "down." in name
            scale = 1 / math.sqrt(2 * layers) if ends_block else 1
            nn.init.normal_(p, std=_DEVIATION * scale)
