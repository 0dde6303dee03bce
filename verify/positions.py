"""Positional encodings as modules: what each adds to embeddings, to queries and keys, or to scores.

Shapes: B sequences, T tokens, H heads, D head width, C model width.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Position(nn.Module):
    """No positional information (NoPE, Kazemnejad et al. 2023), and the base of the others."""

    def __init__(self, length: int, width: int, heads: int) -> None:
        super().__init__()
        self.length, self.width, self.heads = length, width, heads

    def embed(self, x: Tensor) -> Tensor:
        """Token embeddings ``(B, T, C)``, with what the encoding adds to them."""
        return x

    def rotate(self, x: Tensor) -> Tensor:
        """Queries or keys ``(B, H, T, D)``, as the encoding turns them."""
        return x

    def bias(self, q: Tensor, layer: int) -> Tensor | None:
        """What is added to the scores ``(B, H, T, T)`` of queries ``(B, H, T, D)``, if anything."""
        return None


class Learned(Position):
    """A learned vector per position, added to the embedding (APE)."""

    def __init__(self, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__(length, width, heads)
        self.table = nn.Parameter(torch.randn(length, width) * 0.02)

    def embed(self, x: Tensor) -> Tensor:
        return x + self.table[: x.shape[1]]


class Sinusoidal(Position):
    """Fixed sine waves added to the embedding (Vaswani et al. 2017), at the embeddings' scale."""

    def __init__(self, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__(length, width, heads)
        angle = _angles(length, width)
        table = torch.stack((angle.sin(), angle.cos()), dim=2).reshape(length, width)
        self.register_buffer("table", table * 0.02 * math.sqrt(2), persistent=False)

    def embed(self, x: Tensor) -> Tensor:
        return x + self.table[: x.shape[1]]


class Rotary(Position):
    """Queries and keys rotated by their position, so scores depend on the offset (Su et al. 2021)."""

    def __init__(self, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__(length, width, heads)
        angle = _angles(length, width // heads)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def rotate(self, x: Tensor) -> Tensor:
        cos, sin = self.cos[: x.shape[2]], self.sin[: x.shape[2]]
        first, second = x.chunk(2, dim=3)
        return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=3)


class RelativeKeys(Position):
    """A learned key per offset, layer and head, dotted with the query (Shaw et al. 2018)."""

    def __init__(self, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__(length, width, heads)
        self.keys = nn.Parameter(torch.randn(layers, length, width // heads) * 0.02)
        self.register_buffer("offset", _offsets(length), persistent=False)

    def bias(self, q: Tensor, layer: int) -> Tensor:
        t = q.shape[2]
        by_offset = q @ self.keys[layer, :t].T
        index = self.offset[:t, :t].expand(*q.shape[:2], t, t)
        return by_offset.gather(3, index)


class OffsetBias(Position):
    """A learned bias per offset and head, shared by the layers (T5, Raffel et al. 2020).

    One bias per offset: at these lengths every offset has a bucket of its own.
    """

    def __init__(self, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__(length, width, heads)
        self.table = nn.Parameter(torch.zeros(heads, length))
        self.register_buffer("offset", _offsets(length), persistent=False)

    def bias(self, q: Tensor, layer: int) -> Tensor:
        t = q.shape[2]
        return self.table[:, self.offset[:t, :t]]


class LinearBias(Position):
    """A fixed penalty proportional to the offset, one slope per head (ALiBi, Press et al. 2022)."""

    def __init__(self, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__(length, width, heads)
        slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)
        self.register_buffer("table", -slopes[:, None, None] * _offsets(length), persistent=False)

    def bias(self, q: Tensor, layer: int) -> Tensor:
        t = q.shape[2]
        return self.table[:, :t, :t]


class NoPosition(Position):
    """NoPE: the causal mask is the only source of order."""

    def __init__(self, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__(length, width, heads)


def _angles(length: int, width: int) -> Tensor:
    rates = 10000.0 ** (-torch.arange(0, width, 2) / width)
    return torch.arange(length)[:, None] * rates


def _offsets(length: int) -> Tensor:
    """``offsets[t, s] = t - s``, and 0 where the key is in the future."""
    steps = torch.arange(length)
    return (steps[:, None] - steps).clamp(min=0)


POSITIONS: dict[str, type[Position]] = {
    "ape": Learned,
    "sinusoidal": Sinusoidal,
    "rpe": RelativeKeys,
    "t5": OffsetBias,
    "rope": Rotary,
    "alibi": LinearBias,
    "nope": NoPosition,
}
"""The module of every encoding in ``theory.encodings``."""
