"""A small GPT on one page: a decoder-only Transformer with pre-norm blocks.

Shapes: B sequences, T tokens, S of them asked for, C model width, H heads, D = C / H.  Where the
code is not the plainest it is faster on a CPU; the figures are in benchmarks/README.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from arith.theory.transformer.layouts import STARTS, Token
from arith.verify.data.numbering import Numbering
from arith.verify.model.positions import (
    Columns,
    LearnedVectors,
    Natural,
    Padded,
    Places,
    PositionalEncoding,
    RandomStart,
    Slots,
    module_of,
)
from arith.verify.model.token_noise import BYTES, mix
from arith.verify.plan.recipe import RECIPE, Recipe
from arith.verify.plan.sizes import Size

UNSEEN = -1e9
"""The mask of a key that a query does not see; 0 for the others."""
SHARP = 2.0
"""How much longer queries start, and how much faster they learn, where attention is to be sharp."""
_DEVIATION = 0.02
_VECTOR = 16
"""Numbers in float32 that a vector of AVX-512 holds."""
Drop = Callable[[Tensor], Tensor]


def _keep(x: Tensor) -> Tensor:
    return x


class Block(nn.Module):
    """Attention and a two-layer perceptron, each on a normalized copy of the residual stream."""

    def __init__(self, shape: Size, layer: int, recipe: Recipe = RECIPE) -> None:
        super().__init__()
        width = shape.width
        self.heads, self.layer = shape.heads, layer
        self.activate = F.gelu if recipe.gelu else relu
        self.norm1, self.norm2 = (nn.LayerNorm(width, bias=recipe.norm_bias) for _ in range(2))
        self.query, self.key, self.value, self.out = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.up = nn.Linear(width, shape.mlp, bias=False)
        self.down = nn.Linear(shape.mlp, width, bias=False)
        # Forward hooks of this module see and replace what keys and values are made of.
        self.context = nn.Identity()

    def forward(
        self,
        x: Tensor,
        position: PositionalEncoding,
        mask: Tensor,
        slots: Slots,
        drop: Drop,
        drop_attention: Drop = _keep,
    ) -> Tensor:
        """The residual stream ``(B, S, C)`` after this block, at ``slots`` only.

        Args:
            x: the stream before it, ``(B, T, C)``.
            mask: ``(T, T)``, or of each sequence ``(B, 1, T, T)`` or ``(B, H, T, T)``.
        """
        y = self.norm1(x)  # (B, T, C)
        asking = y if slots == slice(y.shape[1]) else y[:, slots].contiguous()  # (B, S, C)
        attended = self.attend(
            asking, self.context(y), position, mask[..., slots, :], slots, drop_attention
        )
        x = x[:, slots] + drop(attended)
        return x + drop(self.down(self.activate(self.up(self.norm2(x)))))

    def attend(
        self,
        x: Tensor,
        context: Tensor,
        position: PositionalEncoding,
        mask: Tensor,
        slots: Slots,
        drop: Drop = _keep,
    ) -> Tensor:
        """Attention ``(B, S, C)`` of ``x`` ``(B, S, C)`` to ``context`` ``(B, T, C)``.

        Args:
            mask: ``(S, T)``, or of each sequence ``(B, 1, S, T)`` or ``(B, H, S, T)``.
            slots: where ``x`` stands in the sequence.
            drop: what is done with the weights of attention.
        """
        # The scores' scale stands in the weight, which is smaller than the queries.
        query = self.query.weight / math.sqrt(x.shape[2] / self.heads)
        projected = project(x, context, query, self.key.weight, self.value.weight)
        # (B, H, S, D) and twice (B, H, T, D)
        q, k, v = (y.unflatten(2, (self.heads, -1)).transpose(1, 2) for y in projected)
        q, k = position.rotate(q, slots), position.rotate(k, slice(k.shape[2]))
        bias = position.bias(q, slots, k.shape[2], self.layer)
        if bias is not None:
            needed = (*q.shape[1:3], k.shape[2])
            if bias.shape[-3:] != needed:
                given = f"{type(position).__name__}.bias gives the shape {tuple(bias.shape)}"
                raise ValueError(f"{given}; (H, S, T) is {needed}")
            mask = mask + bias
        k, v, mask = pad_keys(k, v, mask)
        # Two matrix products: for sequences this short they are faster than fused attention.
        scores = (q @ k.transpose(2, 3)).to(mask.dtype).add_(mask)  # (B, H, S, T)
        # By most recipes there is no dropout on the weights: it would reward attending to several
        # tokens, and blunt attention is what lets digits leak in that should be ignored.
        weights = drop(scores.softmax(dim=3))
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class GPT(nn.Module):
    """A decoder-only Transformer over digit tokens.

    Args:
        shape: layers, heads and widths.
        vocabulary: the number of different tokens.
        tokens: what stands in the sequence (see ``theory.transformer.layouts``), T tokens.
        encoding: a name in ``arith.verify.model.positions.POSITIONS``.
        window: how many tokens a query sees, itself included; 0 is the whole prefix.
        seed: of the weights.
        recipe: how they start, and which noise training has.
        numbering: of examples of natural lengths; None where operands are padded.
        starts: from how many training draws, under an encoding whose numbers start at random.
    """

    def __init__(
        self,
        shape: Size,
        vocabulary: int,
        tokens: Sequence[Token],
        encoding: str,
        window: int,
        seed: int,
        recipe: Recipe = RECIPE,
        numbering: Numbering | None = None,
        starts: int = STARTS,
    ) -> None:
        super().__init__()
        torch.default_generator.manual_seed(seed)  # of the CPU alone, where weights are drawn
        self.shape, self.numbering, self.recipe = shape, numbering, recipe
        self.mixes_tokens = not recipe.dropout
        """Whether the noise of training is token noise; otherwise it is dropout."""
        self.drops = recipe.dropout or bool(recipe.dropout_first)
        self.embedding = nn.Embedding(vocabulary, shape.width)
        module = module_of(encoding)
        drawn = {"starts": starts} if issubclass(module, RandomStart) else {}
        self.position = module(tokens, shape, **drawn)
        self.blocks = nn.ModuleList(Block(shape, i, recipe) for i in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width, bias=recipe.norm_bias)
        self.head = None if recipe.tied else nn.Linear(shape.width, vocabulary, bias=False)
        self.columns = Columns(tokens)
        length = len(tokens)
        index = torch.arange(length)
        offset = index[:, None] - index
        seen = (offset >= 0) & (offset < (window or length))
        mask = torch.zeros(length, length).masked_fill(~seen, UNSEEN)
        self.mask = nn.Buffer(mask, persistent=False)
        initialize(self, shape.layers)
        if recipe.sharp:
            with torch.no_grad():
                for name, p in self.named_parameters():
                    if "query" in name:
                        p.mul_(SHARP)
        if recipe.separate:
            vectors = self.position.table if isinstance(self.position, LearnedVectors) else None
            separate(self.embedding.weight, vectors, recipe.separate)

    def forward(
        self,
        tokens: Tensor,
        slots: Slots | None = None,
        noise: Tensor | None = None,
        level: Tensor | None = None,
        noise_shares: Tensor | None = None,
    ) -> Tensor:
        """Logits of the next token, ``(B, S, vocabulary)``.

        Args:
            tokens: ``(B, T)``.
            slots: after which S of the tokens the next is asked for; None for all of them.
            noise: ``noise_size`` random bytes, in training only.
            level: of the noise, of the dropout beside token noise, and of learned noise, in
                256ths, ``(3,)``, in training only; None is no noise.
            noise_shares: of the learned noise, that each token gets, ``(T,)``; None where none is
                learned.
        """
        b, t = tokens.shape
        own = b * self.position.random_bytes
        placed_by = None if noise is None else noise[:own].view(b, -1)
        mask, every = self.mask[:t, :t], slice(t)
        places: Places = Padded(self.columns, tokens, placed_by)
        if self.numbering is not None:
            places = Natural(self.numbering, tokens, placed_by)
            mask = mask + UNSEEN * places.hidden[:, None, None, :]
        scores = self.position.scores(places)
        if scores is not None:
            mask = mask + scores
        drop: Drop = _keep
        x = self.embedding(tokens)
        if noise is not None and level is not None:
            mixing = BYTES * b * t if self.mixes_tokens else 0
            if self.drops:
                drop = Dropout(noise[own + mixing :], level[int(self.mixes_tokens)])
            if self.mixes_tokens:
                mixed_by = noise[own : own + mixing]
                learned = None if noise_shares is None else (noise_shares, level[2])
                x = mix(x, self.embedding.weight, mixed_by, level[0], self.recipe.clean, learned)
        drop_attention = drop if self.recipe.attention_dropout else _keep
        x = drop(self.position.embed(x, places))  # (B, T, C)
        *blocks, last = self.blocks
        for block in blocks:
            x = block(x, self.position, mask, every, drop, drop_attention)
        # Only the head reads the last block: it is computed at the slots alone.
        asked = every if slots is None else slots
        x = self.norm(last(x, self.position, mask, asked, drop, drop_attention))  # (B, S, C)
        return F.linear(x, self.embedding.weight) if self.head is None else self.head(x)

    def noise_size(self, batch: int, tokens: int, slots: int) -> int:
        """How many random bytes a training step on ``(batch, tokens)`` tokens uses."""
        size = self.position.random_bytes + BYTES * tokens * self.mixes_tokens
        if not self.drops:
            return batch * size
        layers = self.shape.layers
        streams = (2 * layers - 1) * tokens + 2 * slots
        size += streams * self.shape.width
        if self.recipe.attention_dropout:
            seen = tokens + spare_keys(tokens)
            size += self.shape.heads * seen * ((layers - 1) * tokens + slots)
        return batch * size


def project(
    x: Tensor, context: Tensor, query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries ``(B, S, C)`` of ``x``, keys and values ``(B, T, C)`` of ``context``.

    One matrix product for all that it can be, which is faster (benchmarks/README.md).

    Args:
        x: ``(B, S, C)``.
        context: ``(B, T, C)``, the same tensor as ``x`` where every token asks.
        query: its weights, ``(C, C)``; ``key`` and ``value`` alike.
    """
    if x is context:
        q, k, v = F.linear(x, torch.cat((query, key, value))).chunk(3, dim=2)
        return q, k, v
    k, v = F.linear(context, torch.cat((key, value))).chunk(2, dim=2)
    return F.linear(x, query), k, v


def spare_keys(keys: int) -> int:
    """How many keys to add up to a multiple of 16; none where it is far, unless keys are few.

    The scores of 63 keys in bfloat16 take longer than those of 64, and softmax over fewer numbers
    than fill a vector of AVX-512 several times as long as over 16 (benchmarks/README.md).
    """
    spare = -keys % _VECTOR
    return spare if keys < _VECTOR or 16 * spare <= keys else 0


def pad_keys(k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Keys and values ``(B, H, T, D)`` and mask ``(..., S, T)`` with spare, unseen keys."""
    spare = spare_keys(k.shape[2])
    if not spare:
        return k, v, mask
    k, v = (F.pad(y, (0, 0, 0, spare)) for y in (k, v))
    return k, v, F.pad(mask, (0, spare), value=UNSEEN)


def relu(x: Tensor) -> Tensor:
    """The rectifier; in compiled code as arithmetic, so that its derivative is no mask.

    Storing masks takes most of a compiled step (benchmarks/README.md).
    """
    return 0.5 * (x + x.abs()) if torch.compiler.is_compiling() else F.relu(x)


class Dropout:
    """Dropout by random bytes that are made outside the step, one for each element.

    PyTorch's own sampler would take much of a training step.  The rate is a multiple of 1/256,
    and 0 is no dropout.

    Args:
        noise: uniform random bytes, at least as many as there will be elements.
        rate: how many of the 256 values of a byte drop an element, a number.
    """

    def __init__(self, noise: Tensor, rate: Tensor) -> None:
        self.noise, self.least, self.scale = noise, rate - 1, 256 / (256 - rate)
        self.used = 0

    def __call__(self, x: Tensor) -> Tensor:
        """``x`` with some elements dropped, and the others scaled up."""
        noise = self.noise[self.used : self.used + x.numel()].view(x.shape)
        self.used += x.numel()
        # Arithmetic, not a comparison, for the same reason as in ``relu``.  In place as vmap can,
        # and only what is used now, which stays in the cache: a fortieth of a step of pico.
        return x * (noise - self.least).clamp(0, 1).mul_(self.scale)


def initialize(model: nn.Module, layers: int) -> None:
    """Draw the weights of a model from torch's random numbers, as GPT-2 does."""
    for name, p in model.named_parameters():
        if p.dim() == 2 and not name.startswith("position"):
            ends_block = "out." in name or "down." in name
            scale = 1 / math.sqrt(2 * layers) if ends_block else 1
            nn.init.normal_(p, std=_DEVIATION * scale)


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
