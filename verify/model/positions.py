"""Positional encodings: what each adds to embeddings, to queries and keys, or to scores.

An encoding is a class with one method: ``embed``, ``rotate``, ``bias`` or ``scores``.

Shapes: B sequences, T tokens, S queries, H heads, D head width, C model width.  ``slots`` says at
which of the tokens the queries stand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from arith.theory.errors import InvalidInput, Registry, look_up
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import INDICES, STARTS, Token
from arith.verify.data.numbering import Numbering
from arith.verify.plan.sizes import Size

Slots = Tensor | slice
"""Indices of tokens in the sequence; a slice costs nothing where one will do."""
_DRAWS, _SEED = 1024, 0
"""Random indices in evaluation: draws that are made once for all models, and their seed."""
_THRESHOLD = 512
"""Of FIRE, in tokens."""


class Columns(nn.Module):
    """What stands in each column of examples of padded operands."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__()
        unnumbered = ("space", "blank")
        numbers = torch.tensor([-1 if t.kind in unnumbered else t.position or -1 for t in tokens])
        self.numbers = nn.Buffer(numbers, persistent=False)
        is_operand = torch.tensor([token.kind == "operand" for token in tokens])
        self.is_operand = nn.Buffer(is_operand, persistent=False)


class Padded:
    """Where the tokens ``(B, T)`` of some sequences stand, if every column is a place.

    Args:
        noise: the random bytes that each is placed by, ``(B, random_bytes)``, in training; else
            None.
    """

    shares_landmark = True
    """Whether landmarks have no number, and may share a vector of their own."""

    def __init__(self, columns: Columns, tokens: Tensor, noise: Tensor | None = None) -> None:
        self.columns, self.tokens, self.noise = columns, tokens, noise

    @property
    def index(self) -> Tensor:
        """How many tokens stand before each, ``(T,)``."""
        return torch.arange(self.tokens.shape[1], device=self.tokens.device)

    @property
    def number(self) -> Tensor:
        """The number of each digit within its number, from 1; -1 of others; ``(T,)``."""
        return self.columns.numbers[: self.tokens.shape[1]]

    @property
    def question(self) -> Tensor:
        """Which tokens are of the operands, ``(T,)``."""
        return self.columns.is_operand[: self.tokens.shape[1]]

    @property
    def room(self) -> Tensor:
        """How many tokens an example has, ``(B,)``."""
        return self.tokens.new_full((len(self.tokens),), len(self.columns.numbers))

    def rows(self, table: Tensor) -> Tensor:
        """The row of a table for each token, by its index."""
        return table[: self.tokens.shape[1]]


class Natural:
    """What stands where in sequences of natural lengths, told from the tokens themselves."""

    shares_landmark = False

    def __init__(self, how: Numbering, tokens: Tensor, noise: Tensor | None = None) -> None:
        self.how, self.tokens, self.noise = how, tokens, noise

    @cached_property
    def hidden(self) -> Tensor:
        """Which tokens are padding, ``(B, T)``."""
        return self.tokens == self.how.end + 1

    @cached_property
    def index(self) -> Tensor:
        """How many tokens of its example stand before each, ``(B, T)``."""
        return ((~self.hidden).long().cumsum(1) - 1).clamp(min=0)

    @cached_property
    def asked(self) -> Tensor:
        """Which tokens a model writes in the interleaved layout, ``(B, T)``."""
        after_sign = (self.tokens == self.how.end - 1).long().cumsum(1)  # '=' is the last landmark
        is_over = after_sign - (self.tokens == self.how.end - 1).long() > 0
        column = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        is_beside = (column % self.how.together == 0) & (column > 0) & (after_sign == 0)
        return (is_beside | is_over) & ~self.hidden

    @cached_property
    def question(self) -> Tensor:
        """Which tokens are of the operands, before ``=``, whatever a model writes; ``(B, T)``."""
        column = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        is_given = column % self.how.together > 0 if self.how.together else column >= 0
        is_sign = (self.tokens == self.how.end - 1) & is_given
        return is_given & (is_sign.long().cumsum(1) == 0) & ~self.hidden

    @cached_property
    def room(self) -> Tensor:
        """How many tokens stand before the end if the result is as long as it can be, ``(B,)``.

        It is known from the operands, before any of the result is written.
        """
        how, is_digit = self.how, self.question & (self.tokens < self.how.base)
        if how.together:
            longest = is_digit.long().sum(1) // (how.together - 1)
            begun = 2 + longest * how.together
        else:
            part = self._part(self.question & ~is_digit & (self.tokens < how.end))
            each = [(is_digit & (part == j + 1)).long().sum(1) for j in range(how.operands)]
            longest = torch.stack(each).amax(0)
            begun = 1 + self.question.long().sum(1)
        return begun + _on(self.tokens.device, how.after)[longest.clamp(min=1) - 1]

    @cached_property
    def number(self) -> Tensor:
        """The number of each digit or marker within its number, from 1; -1 of others; ``(B, T)``.

        Where it is a weight the landmarks have 0, so that the first digit of a result is found as
        every other is: one above what was written last (Cho et al. 2024).
        """
        tokens, how = self.tokens, self.how
        is_digit = tokens < how.base
        is_landmark = (tokens >= how.base) & (tokens < how.end)
        part = self._part(is_landmark)
        # same[b, t, s]: token s is a digit of the same part of the example as token t.
        same = (part[:, :, None] == part[:, None, :]) & is_digit[:, None, :]
        t = tokens.shape[1]
        before = torch.ones(t, t, dtype=torch.bool, device=tokens.device).tril(-1)
        number = (same & before).sum(2) + 1
        if how.from_end:
            number = torch.where(part <= how.operands, (same & ~before).sum(2), number)
        others = torch.where(is_landmark & how.by_weight, 0, -1)
        numbered = is_digit | (tokens > how.end + 1)
        for token in how.unnumbered:
            numbered &= tokens != token
        return torch.where(numbered, number, others)

    def _part(self, is_landmark: Tensor) -> Tensor:
        """Of which number each token is, ``(B, T)``, by the landmarks before it; 1 is the first."""
        return is_landmark.long().cumsum(1) + (not self.how.bos)

    def rows(self, table: Tensor) -> Tensor:
        """The row of a table for each token, by its index."""
        return table[self.index]


Places = Padded | Natural


@cache
def _on(device: torch.device, numbers: tuple[int, ...]) -> Tensor:
    """Numbers as a tensor, copied to a device once: a step that is recorded there copies none."""
    return torch.tensor(numbers, device=device)


class PositionalEncoding(nn.Module):
    """No positional information (NoPE, Kazemnejad et al. 2023), and the base of the others."""

    random_bytes = 1
    """How many each sequence is placed by, in training."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__()

    def embed(self, x: Tensor, places: Places) -> Tensor:
        """Token embeddings ``(B, T, C)``, with what the encoding adds to them."""
        return x

    def rotate(self, x: Tensor, slots: Slots) -> Tensor:
        """Queries or keys ``(B, H, S, D)`` that stand at ``slots``, as the encoding turns them."""
        return x

    def scores(self, places: Places) -> Tensor | None:
        """What is added to the scores ``(B, H, T, T)`` of all layers, if anything."""
        return None

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

    def embed(self, x: Tensor, places: Places) -> Tensor:
        return x + places.rows(self.table)


class Sinusoidal(PositionalEncoding):
    """Fixed sine waves added to the embedding (Vaswani et al. 2017), at the embeddings' scale."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        angle = _angles(len(tokens), shape.width)
        table = torch.stack((angle.sin(), angle.cos()), dim=2).flatten(1)[:, : shape.width]
        self.table = nn.Buffer(table * 0.02 * math.sqrt(2), persistent=False)

    def embed(self, x: Tensor, places: Places) -> Tensor:
        return x + places.rows(self.table)


class RandomStart(LearnedVectors):
    """The base of those whose numbers start, in training, at one of so many drawn at random.

    Args:
        last: the last number that an example has from the first start.
    """

    def __init__(self, tokens: Sequence[Token], shape: Size, last: int, starts: int) -> None:
        super().__init__(tokens, shape, last + starts)
        self.starts = starts
        # One byte where it has no remainder, else enough that none is likelier than another.
        self.random_bytes = 4 if 256 % starts else 1

    def start(self, noise: Tensor) -> Tensor:
        """Where the numbers of each sequence start, ``(B, 1)``, by its random bytes."""
        drawn, *more = noise.split(1, dim=1)
        for byte in more:
            drawn = 256 * drawn.long() + byte
        return drawn % self.starts

    def vectors(self, number: Tensor, places: Places) -> Tensor:
        """The vector of each token, ``(B, T, C)``, by its number from the first start."""
        if places.noise is not None:
            number = number + self.start(places.noise)
        return self.table[number.clamp(max=len(self.table) - 1)]  # of what a model wrote by mistake


class Shifted(RandomStart):
    """As APE, from a start drawn for each example (Kiyono et al. 2021; Huang et al. 2024)."""

    def __init__(self, tokens: Sequence[Token], shape: Size, starts: int = STARTS) -> None:
        super().__init__(tokens, shape, len(tokens) - 1, starts)

    def embed(self, x: Tensor, places: Places) -> Tensor:
        return x + self.vectors(places.index, places)


class Significance(RandomStart):
    """A learned vector per significance of a digit, from a start drawn for each training example.

    Position coupling (Cho et al. 2024): digits of equal significance share a position; the
    landmarks share one of their own.
    """

    landmarks_share_a_vector = True

    def __init__(self, tokens: Sequence[Token], shape: Size, starts: int = STARTS) -> None:
        super().__init__(tokens, shape, max(token.position for token in tokens), starts)

    def embed(self, x: Tensor, places: Places) -> Tensor:
        number = places.number.expand(x.shape[0], -1)
        # Of natural lengths landmarks have a number, if they have a vector; a space has none.
        first, shared = self.table[0], self.landmarks_share_a_vector and places.shares_landmark
        landmark = first if shared else torch.zeros_like(first)
        vectors = self.vectors(number.clamp(min=0), places)
        return x + torch.where(number[..., None] >= 0, vectors, landmark)


class Abacus(Significance):
    """Digits numbered within each number, and nothing at the landmarks (McLeish et al. 2024)."""

    landmarks_share_a_vector = False


class Rotary(PositionalEncoding):
    """Queries and keys rotated by their index: scores depend on the offset (Su et al. 2021)."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        angle = _angles(len(tokens), shape.head_width)
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
        size = (shape.layers, shape.heads, len(tokens), shape.head_width)
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


class LinearBias(PositionalEncoding):
    """A fixed penalty proportional to the offset, one slope per head (ALiBi, Press et al. 2022)."""

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        slopes = 2.0 ** (-8.0 * torch.arange(1, shape.heads + 1) / shape.heads)
        table = -slopes[:, None, None] * _offsets(len(tokens))
        self.table = nn.Buffer(table, persistent=False)

    def bias(self, q: Tensor, slots: Slots, keys: int, layer: int) -> Tensor:
        return self.table[:, slots, :keys]


class RandomIndices(nn.Module):
    """Increasing indices that are drawn for each example (Ruoss et al. 2023).

    Each of the T tokens of an example has an index of a sorted random subset of 0, 1, ..., R - 1.
    T counts the longest result that the operands can have, so that no index tells how long it is.

    In training they are drawn anew each time.  In evaluation they are one of ``_DRAWS`` draws, and
    the operands say which: they change neither with the batch nor while a result is written.
    """

    def __init__(self) -> None:
        super().__init__()
        rng = np.random.default_rng(_SEED)
        orders = rng.permuted(np.tile(np.arange(INDICES), (_DRAWS, 1)), axis=1)
        weights = rng.integers(1, 2**31, INDICES)
        self.orders = nn.Buffer(torch.from_numpy(orders), persistent=False)
        self.weights = nn.Buffer(torch.from_numpy(weights), persistent=False)

    def forward(self, places: Places) -> Tensor:
        """The indices ``(B, T)`` of tokens; those behind the end have the last."""
        every = torch.arange(INDICES, device=places.tokens.device)
        if places.noise is None:
            keys = self.orders[self._draw(places)]
        else:
            high, low = places.noise.view(-1, 2, INDICES).long().unbind(1)
            keys = (256 * high + low) * INDICES + every  # no two are equal
        largest = keys.sort(1).values.gather(1, places.room[:, None] - 1)
        drawn = torch.where(keys <= largest, every, INDICES - 1).sort(1).values
        return drawn.gather(1, places.index.expand(places.tokens.shape))

    def _draw(self, places: Places) -> Tensor:
        """Which of the draws an example has, ``(B,)``, by its operands."""
        of_question = places.question.expand(places.tokens.shape)
        rank = (of_question.long().cumsum(1) - 1).clamp(min=0)
        return ((places.tokens + 1) * self.weights[rank] * of_question).sum(1) % _DRAWS


class Randomized(LearnedVectors):
    """A learned vector per index, and random increasing indices (Ruoss et al. 2023)."""

    random_bytes = 2 * INDICES

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape, INDICES)
        self.indices = RandomIndices()

    def embed(self, x: Tensor, places: Places) -> Tensor:
        return x + self.table[self.indices(places)]


class RandomizedFunctionBias(PositionalEncoding):
    """FIRE's function of the offset of random increasing indices (Zhou et al. 2024)."""

    random_bytes = 2 * INDICES

    def __init__(self, tokens: Sequence[Token], shape: Size) -> None:
        super().__init__(tokens, shape)
        self.indices = RandomIndices()
        self.function, self.ratio = _fire(torch.arange(INDICES), shape)

    def scores(self, places: Places) -> Tensor:
        drawn = self.indices(places)
        offset = (drawn[:, :, None] - drawn[:, None]).clamp(min=0)
        by_offset = self.function(self.ratio[:, None])  # (R, H)
        return F.embedding(offset, by_offset).permute(0, 3, 1, 2)


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


POSITIONS: Registry[type[PositionalEncoding]] = Registry(
    {
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
)
"""The module of every encoding in ``theory.transformer.encodings``."""


_METHODS = ("embed", "rotate", "bias", "scores")
"""What an encoding may have of its own."""


def module_of(encoding: str) -> type[PositionalEncoding]:
    """The module of the encoding of that name.

    Raises:
        InvalidInput: it has none, or one that tells no positions apart where the encoding does.
    """
    module = look_up("module of an encoding (in POSITIONS)", encoding, POSITIONS)
    own = [x for x in _METHODS if getattr(module, x, None) != getattr(PositionalEncoding, x)]
    known = ENCODINGS.get(encoding)
    if known and known.reference != "none" and not (issubclass(module, PositionalEncoding) and own):
        raise InvalidInput(
            f"{module.__name__}, the module of {encoding}, adds no positions: it is a "
            f"PositionalEncoding with one of the methods {', '.join(_METHODS)}; an encoding "
            "without positions has the reference 'none'"
        )
    return module
