"""Positional encodings as modules: what each adds to embeddings, to queries and keys, or to scores.

Shapes: B sequences, T tokens, S queries, H heads, D head width, C model width.  ``slots`` says at
which of the tokens the queries stand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from arith.theory.setting.layouts import INDICES, STARTS, Token
from arith.verify.model.places import Places
from arith.verify.model.random_indices import BYTES, RandomIndices
from arith.verify.plan.sizes import Size

Slots = Tensor | slice
"""Indices of tokens in the sequence; a slice costs nothing where one will do."""


class PositionalEncoding(nn.Module):
    """No positional information (NoPE, Kazemnejad et al. 2023), and the base of the others."""

    drawn_bytes = 1
    """Random bytes that each sequence is placed by, in training."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__()

    def draw(self, tokens: Tensor, noise: Tensor | None, places: Places | None) -> Tensor | None:
        """What is drawn for each of the sequences ``(B, T)``; by default its bytes.

        Args:
            noise: ``(B, drawn_bytes)`` random bytes in training, None in evaluation.
        """
        return noise

    def scores(self, drawn: Tensor | None) -> Tensor | None:
        """What is added to the scores ``(B, H, T, T)`` of all layers for what was drawn, if any."""
        return None

    def embed(self, x: Tensor, drawn: Tensor | None, places: Places | None = None) -> Tensor:
        """Token embeddings ``(B, T, C)``, with what the encoding adds to them.

        Args:
            drawn: see ``draw``.
            places: where the tokens stand if numbers have natural lengths; None where they are
                padded, and every column is a place.
        """
        return x

    def rotate(self, x: Tensor, slots: Slots) -> Tensor:
        """Queries or keys ``(B, H, S, D)`` that stand at ``slots``, as the encoding turns them."""
        return x

    def bias(self, q: Tensor, slots: Slots, keys: int, layer: int) -> Tensor | None:
        """What is added to the scores ``(B, H, S, T)`` of queries ``(B, H, S, D)``, if anything.

        Args:
            keys: how many keys T there are, from the start of the sequence.
            layer: index of the block.
        """
        return None


class LearnedVectors(PositionalEncoding):
    """The base of encodings that add learned vectors, so many of them, to the embedding."""

    def __init__(self, tokens: Sequence[Token], shape: Size, number: int) -> None:
        super().__init__(tokens, shape)
        self.table = nn.Parameter(torch.randn(number, shape.width) * 0.02)


class Learned(LearnedVectors):
    """A learned vector per position (APE)."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape, len(tokens))

    def embed(self, x: Tensor, drawn: Tensor | None, places: Places | None = None) -> Tensor:
        return x + (self.table[: x.shape[1]] if places is None else self.table[places.index])


class RandomStart(LearnedVectors):
    """The base of those whose numbers start, in training, at one of so many drawn at random.

    Args:
        last: the last number that an example has from the first start.
    """

    def __init__(self, tokens: Sequence[Token], shape: Size, last: int, starts: int) -> None:
        super().__init__(tokens, shape, last + starts)
        self.starts = starts
        # One byte where it has no remainder, else enough that none is likelier than another.
        self.drawn_bytes = 4 if 256 % starts else 1

    def draw(self, tokens: Tensor, noise: Tensor | None, places: Places | None) -> Tensor | None:
        """The start of each sequence, ``(B, 1)``, counted from the first."""
        if noise is None or self.drawn_bytes == 1:
            return None if noise is None else noise % self.starts
        number = noise[:, :1].long()
        for byte in range(1, self.drawn_bytes):
            number = 256 * number + noise[:, byte : byte + 1]
        return number % self.starts


class Shifted(RandomStart):
    """As APE, from a start drawn for each example (Kiyono et al. 2021; Huang et al. 2024)."""

    def __init__(self, tokens: Sequence[Token], shape: Size, starts: int = STARTS) -> None:
        super().__init__(tokens, shape, len(tokens) - 1, starts)
        self.index = nn.Buffer(torch.arange(len(tokens)), persistent=False)

    def embed(self, x: Tensor, drawn: Tensor | None, places: Places | None = None) -> Tensor:
        index = self.index[: x.shape[1]] if places is None else places.index
        if drawn is not None:
            index = index + drawn
        index = index.clamp(max=len(self.table) - 1)  # of what a model wrote by mistake
        return x + self.table[index]


class Randomized(LearnedVectors):
    """A learned vector per index, and random increasing indices (Ruoss et al. 2023)."""

    drawn_bytes = BYTES

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape, INDICES)
        self.indices = RandomIndices(tokens)

    def draw(self, tokens: Tensor, noise: Tensor | None, places: Places | None) -> Tensor:
        return self.indices(tokens, noise, places)

    def embed(self, x: Tensor, drawn: Tensor | None, places: Places | None = None) -> Tensor:
        return x + self.table[drawn]


class Sinusoidal(PositionalEncoding):
    """Fixed sine waves added to the embedding (Vaswani et al. 2017), at the embeddings' scale."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        angle = _angles(len(tokens), shape.width)
        table = torch.stack((angle.sin(), angle.cos()), dim=2).flatten(1)
        self.table = nn.Buffer(table * 0.02 * math.sqrt(2), persistent=False)

    def embed(self, x: Tensor, drawn: Tensor | None, places: Places | None = None) -> Tensor:
        return x + (self.table[: x.shape[1]] if places is None else self.table[places.index])


class Rotary(PositionalEncoding):
    """Queries and keys rotated by their index: scores depend on the offset (Su et al. 2021)."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        angle = _angles(len(tokens), shape.width // shape.heads)
        self.cos = nn.Buffer(angle.cos(), persistent=False)
        self.sin = nn.Buffer(angle.sin(), persistent=False)

    def rotate(self, x: Tensor, slots: Slots) -> Tensor:
        cos, sin = self.cos[slots], self.sin[slots]
        # Converted once: every product of two types would convert by itself.  With the scale in
        # the weight this saves a twelfth of a step (benchmarks/README.md).
        first, second = x.to(cos.dtype).chunk(2, dim=3)
        return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=3)


class RelativeKeys(PositionalEncoding):
    """A learned key per offset, layer and head, dotted with the query (Shaw et al. 2018)."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        size = (shape.layers, shape.heads, len(tokens), shape.width // shape.heads)
        self.keys = nn.Parameter(torch.randn(size) * 0.02)
        self.offset = nn.Buffer(_offsets(len(tokens)), persistent=False)

    def bias(self, q: Tensor, slots: Slots, keys: int, layer: int) -> Tensor:
        # A key per pair of tokens and one product; to gather the scores of offsets would cost a
        # twentieth of a step (benchmarks/README.md).
        by_pair = self.keys[layer][:, self.offset[slots, :keys]]  # (H, S, T, D)
        return torch.einsum("bhsd,hstd->bhst", q, by_pair)


class OffsetBias(PositionalEncoding):
    """A learned bias per offset and head, shared by the layers (T5, Raffel et al. 2020).

    Every offset has its own; theirs share one from 16 on (16 to 18, 19 and 20, ...).
    """

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        self.table = nn.Parameter(torch.zeros(shape.heads, len(tokens)))
        self.offset = nn.Buffer(_offsets(len(tokens)), persistent=False)

    def bias(self, q: Tensor, slots: Slots, keys: int, layer: int) -> Tensor:
        return self.table[:, self.offset[slots, :keys]]


class FunctionBias(PositionalEncoding):
    """A learned function of the offset's logarithm (FIRE, Li et al. 2024).

    FIRE divides by the logarithm of the query's index or of a threshold, whichever is
    larger; here that is always the threshold, and threshold and scale are not learned.
    """

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        self.function, self.ratio = _fire(_offsets(len(tokens)), shape)

    def bias(self, q: Tensor, slots: Slots, keys: int, layer: int) -> Tensor:
        return self.function(self.ratio[slots, :keys, None]).permute(2, 0, 1)


class RandomizedFunctionBias(PositionalEncoding):
    """The same function of the offset of random increasing indices (Zhou et al. 2024)."""

    drawn_bytes = BYTES

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        self.indices = RandomIndices(tokens)
        self.function, self.ratio = _fire(torch.arange(INDICES), shape)

    def draw(self, tokens: Tensor, noise: Tensor | None, places: Places | None) -> Tensor:
        return self.indices(tokens, noise, places)

    def scores(self, drawn: Tensor | None) -> Tensor | None:
        assert drawn is not None
        offset = (drawn[:, :, None] - drawn[:, None]).clamp(min=0)
        by_offset = self.function(self.ratio[:, None])  # (R, H)
        return F.embedding(offset, by_offset).permute(0, 3, 1, 2)


class Significance(RandomStart):
    """A learned vector per significance of a digit, from a start drawn for each training example.

    Position coupling (Cho et al. 2024): digits of equal significance share a position; the
    landmarks share one of their own.
    """

    landmarks_share_a_vector = True

    def __init__(self, tokens: Sequence[Token], shape: Size, starts: int = STARTS) -> None:
        positions = [token.position for token in tokens]
        super().__init__(tokens, shape, max(positions), starts)
        self.significance = nn.Buffer(torch.tensor(positions), persistent=False)

    def embed(self, x: Tensor, drawn: Tensor | None, places: Places | None = None) -> Tensor:
        if places is None:
            significance = self.significance[: x.shape[1]]
            is_numbered = significance[:, None] > 0
        else:
            significance, is_numbered = places.number, places.number[..., None] >= 0
        index = significance.expand(x.shape[0], -1).clamp(min=0)
        if drawn is not None:
            index = index + drawn
        index = index.clamp(max=len(self.table) - 1)  # of what a model wrote by mistake
        # Of natural lengths landmarks have a number, if they have a vector; a space has none.
        first, shared = self.table[0], self.landmarks_share_a_vector and places is None
        landmark = first if shared else torch.zeros_like(first)
        return x + torch.where(is_numbered, self.table[index], landmark)


class Abacus(Significance):
    """The same numbering within each number, and nothing at the landmarks (McLeish et al. 2024)."""

    landmarks_share_a_vector = False


class LinearBias(PositionalEncoding):
    """A fixed penalty proportional to the offset, one slope per head (ALiBi, Press et al. 2022)."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        slopes = 2.0 ** (-8.0 * torch.arange(1, shape.heads + 1) / shape.heads)
        table = -slopes[:, None, None] * _offsets(len(tokens))
        self.table = nn.Buffer(table, persistent=False)

    def bias(self, q: Tensor, slots: Slots, keys: int, layer: int) -> Tensor:
        return self.table[:, slots, :keys]


_THRESHOLD = 512


def _fire(offsets: Tensor, shape: Size) -> tuple[nn.Sequential, nn.Buffer]:
    """FIRE's function of a ratio, a score per head; and the ratio of each offset."""
    function = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, shape.heads))
    return function, nn.Buffer(torch.log1p(offsets) / math.log1p(_THRESHOLD), persistent=False)


def _angles(length: int, width: int) -> Tensor:
    """``angles[t, i] = t / 10000 ** (2 * i / width)``, ``(length, width / 2)``."""
    rates = 10000.0 ** (-torch.arange(0, width, 2) / width)
    return torch.arange(length)[:, None] * rates


def _offsets(length: int) -> Tensor:
    """``offsets[t, s] = t - s``, and 0 where the key is in the future."""
    index = torch.arange(length)
    return (index[:, None] - index).clamp(min=0)


POSITIONS: dict[str, type[PositionalEncoding]] = {
    "ape": Learned,
    "shifted": Shifted,
    "randomized": Randomized,
    "sinusoidal": Sinusoidal,
    "rpe": RelativeKeys,
    "t5": OffsetBias,
    "rope": Rotary,
    "alibi": LinearBias,
    "fire": FunctionBias,
    "randomized-fire": RandomizedFunctionBias,
    "abacus": Abacus,
    "coupled": Significance,
    "nope": PositionalEncoding,
}
"""The module of every encoding in ``theory.setting.encodings``."""
