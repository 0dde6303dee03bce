"""Positional encodings as modules: what each adds to embeddings, to queries and keys, or to scores.

Shapes: B sequences, T tokens, S queries, H heads, D head width, C model width.  Queries may
stand at some of the places only; ``slots`` says at which, as an index of the places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from theory.setting.layouts import Token

Places = Tensor | slice
"""Some places of a sequence, as an index: a slice costs nothing where one will do."""


class Position(nn.Module):
    """No positional information (NoPE, Kazemnejad et al. 2023), and the base of the others."""

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__()

    def embed(self, x: Tensor, draws: Tensor | None) -> Tensor:
        """Token embeddings ``(B, T, C)``, with what the encoding adds to them.

        Args:
            draws: a random byte per sequence in training, None in evaluation.
        """
        return x

    def rotate(self, x: Tensor, slots: Places) -> Tensor:
        """Queries or keys ``(B, H, S, D)`` that stand at ``slots``, as the encoding turns them."""
        return x

    def bias(self, q: Tensor, slots: Places, keys: int, layer: int) -> Tensor | None:
        """What is added to the scores ``(B, H, S, T)`` of queries ``(B, H, S, D)``, if anything.

        Args:
            keys: how many places T the keys stand at.
            layer: index of the block.
        """
        return None


class Learned(Position):
    """A learned vector per position, added to the embedding (APE)."""

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__(places, width, heads, layers)
        length = len(places)
        self.table = nn.Parameter(torch.randn(length, width) * 0.02)

    def embed(self, x: Tensor, draws: Tensor | None) -> Tensor:
        return x + self.table[: x.shape[1]]


class Sinusoidal(Position):
    """Fixed sine waves added to the embedding (Vaswani et al. 2017), at the embeddings' scale."""

    table: Tensor

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__(places, width, heads, layers)
        length = len(places)
        angle = _angles(length, width)
        table = torch.stack((angle.sin(), angle.cos()), dim=2).reshape(length, width)
        self.register_buffer("table", table * 0.02 * math.sqrt(2), persistent=False)

    def embed(self, x: Tensor, draws: Tensor | None) -> Tensor:
        return x + self.table[: x.shape[1]]


class Rotary(Position):
    """Queries and keys rotated by their position, so scores depend on the offset (Su et al. 2021)."""

    cos: Tensor
    sin: Tensor

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__(places, width, heads, layers)
        length = len(places)
        angle = _angles(length, width // heads)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def rotate(self, x: Tensor, slots: Places) -> Tensor:
        cos, sin = self.cos[slots], self.sin[slots]
        # Converted once: every product of two types would convert by itself.
        first, second = x.to(cos.dtype).chunk(2, dim=3)
        return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=3)


class RelativeKeys(Position):
    """A learned key per offset, layer and head, dotted with the query (Shaw et al. 2018)."""

    offset: Tensor

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__(places, width, heads, layers)
        length = len(places)
        self.keys = nn.Parameter(torch.randn(layers, heads, length, width // heads) * 0.02)
        self.register_buffer("offset", _offsets(length), persistent=False)

    def bias(self, q: Tensor, slots: Places, keys: int, layer: int) -> Tensor:
        # A key per pair of places: one product, where scores per offset would have to be gathered.
        by_place = self.keys[layer][:, self.offset[slots, :keys]]
        return torch.einsum("bhsd,hstd->bhst", q, by_place)


class OffsetBias(Position):
    """A learned bias per offset and head, shared by the layers (T5, Raffel et al. 2020).

    One bias per offset: at these lengths every offset has a bucket of its own.
    """

    offset: Tensor

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__(places, width, heads, layers)
        length = len(places)
        self.table = nn.Parameter(torch.zeros(heads, length))
        self.register_buffer("offset", _offsets(length), persistent=False)

    def bias(self, q: Tensor, slots: Places, keys: int, layer: int) -> Tensor:
        return self.table[:, self.offset[slots, :keys]]


class FunctionBias(Position):
    """A learned function of the offset's logarithm (FIRE, Li et al. 2024).

    FIRE divides by the logarithm of the query's place or of a threshold, whichever is
    larger; at these lengths that is the threshold.
    """

    THRESHOLD = 512
    ratio: Tensor

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__(places, width, heads, layers)
        self.function = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, heads))
        ratio = torch.log1p(_offsets(len(places)).float()) / math.log1p(self.THRESHOLD)
        self.register_buffer("ratio", ratio, persistent=False)

    def bias(self, q: Tensor, slots: Places, keys: int, layer: int) -> Tensor:
        return self.function(self.ratio[slots, :keys, None]).permute(2, 0, 1)


class Significance(Position):
    """A learned vector per digit weight, from a start drawn anew for each training example.

    Position coupling (Cho et al. 2024): digits of equal weight share a position; the anchors
    share one of their own.
    """

    STARTS = 32
    """Starts to draw from (a divisor of 256); in evaluation the first is used."""
    anchors_have_one = True

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__(places, width, heads, layers)
        weight = torch.tensor([p.position for p in places])
        self.table = nn.Parameter(torch.randn(int(weight.max()) + self.STARTS, width) * 0.02)
        self.register_buffer("weight", weight, persistent=False)

    weight: Tensor

    def embed(self, x: Tensor, draws: Tensor | None) -> Tensor:
        weight = self.weight[: x.shape[1]].expand(x.shape[0], -1)
        if draws is not None:
            weight = weight + draws[:, None] % self.STARTS
        is_digit = self.weight[: x.shape[1], None] > 0
        anchor = self.table[0] if self.anchors_have_one else torch.zeros_like(self.table[0])
        return x + torch.where(is_digit, self.table[weight], anchor)


class Abacus(Significance):
    """The same numbering within each number, and nothing at the anchors (McLeish et al. 2024)."""

    anchors_have_one = False


class LinearBias(Position):
    """A fixed penalty proportional to the offset, one slope per head (ALiBi, Press et al. 2022)."""

    table: Tensor

    def __init__(self, places: Sequence[Token], width: int, heads: int, layers: int) -> None:
        super().__init__(places, width, heads, layers)
        length = len(places)
        slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)
        self.register_buffer("table", -slopes[:, None, None] * _offsets(length), persistent=False)

    def bias(self, q: Tensor, slots: Places, keys: int, layer: int) -> Tensor:
        return self.table[:, slots, :keys]


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
    "fire": FunctionBias,
    "abacus": Abacus,
    "coupled": Significance,
    "nope": Position,
}
"""The module of every encoding in ``theory.setting.encodings``."""
