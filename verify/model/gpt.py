"""A small GPT on one page: a decoder-only Transformer with pre-norm blocks.

Shapes: B sequences, T tokens, S of them asked for, C model width, H heads, D = C / H.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from arith.theory.setting.layouts import STARTS, Token
from arith.verify.model.fast import Dropout, pad_keys, project, relu, spare_keys
from arith.verify.model.initialization import initialize, separate, sharpen
from arith.verify.model.places import Places
from arith.verify.model.positions import (
    POSITIONS,
    LearnedVectors,
    PositionalEncoding,
    RandomStart,
    Slots,
)
from arith.verify.model.token_noise import BYTES, mix
from arith.verify.plan.numbering import Numbering
from arith.verify.plan.recipe import RECIPE, Recipe
from arith.verify.plan.sizes import Size

UNSEEN = -1e9
"""The mask of a key that a query does not see; 0 for the others."""
Drop = Callable[[Tensor], Tensor]


def _keep(x: Tensor) -> Tensor:
    return x


class Block(nn.Module):
    """Attention and a two-layer perceptron, each on a normalized copy of the residual stream."""

    def __init__(self, shape: Size, layer: int) -> None:
        super().__init__()
        width = shape.width
        self.heads, self.layer = shape.heads, layer
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
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
        return x + drop(self.down(relu(self.up(self.norm2(x)))))

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
            mask = mask + bias
        k, v, mask = pad_keys(k, v, mask, UNSEEN)
        # Two matrix products: for sequences this short they are faster than fused attention.
        scores = (q @ k.transpose(2, 3)).to(mask.dtype).add_(mask)  # (B, H, S, T)
        # By most recipes there is no dropout on the weights: it would reward attending to several
        # tokens, and blunt attention is what lets digits leak in that should be ignored.
        weights = drop(scores.softmax(dim=3))
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class GPT(nn.Module):
    """A decoder-only Transformer over digit tokens.

    Args:
        shape: layers, heads and width.
        vocabulary: the number of different tokens.
        tokens: what stands in the sequence (see ``theory.setting.layouts``), T tokens.
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
        torch.manual_seed(seed)
        self.numbering = numbering
        self.mixes_tokens = not recipe.dropout
        """Whether the noise of training is token noise; otherwise it is dropout."""
        self.clean = recipe.clean
        self.drops = recipe.dropout or bool(recipe.dropout_first)
        self.drops_attention = recipe.attention_dropout
        self.embedding = nn.Embedding(vocabulary, shape.width)
        module = POSITIONS[encoding]
        drawn = {"starts": starts} if issubclass(module, RandomStart) else {}
        self.position = module(tokens, shape, **drawn)
        self.heads = shape.heads
        self.blocks = nn.ModuleList(Block(shape, i) for i in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.head = None if recipe.tied else nn.Linear(shape.width, vocabulary, bias=False)
        length = len(tokens)
        index = torch.arange(length)
        offset = index[:, None] - index
        seen = (offset >= 0) & (offset < (window or length))
        mask = torch.zeros(length, length).masked_fill(~seen, UNSEEN)
        self.mask = nn.Buffer(mask, persistent=False)
        initialize(self, shape.layers)
        if recipe.sharp:
            sharpen(p for name, p in self.named_parameters() if "query" in name)
        if recipe.separate:
            vectors = self.position.table if isinstance(self.position, LearnedVectors) else None
            separate(self.embedding.weight, vectors, recipe.separate)

    def forward(
        self,
        tokens: Tensor,
        slots: Slots | None = None,
        noise: Tensor | None = None,
        level: Tensor | None = None,
        borne: Tensor | None = None,
    ) -> Tensor:
        """Logits of the next token, ``(B, S, vocabulary)``.

        Args:
            tokens: ``(B, T)``.
            slots: after which S of the tokens the next is asked for; None for all of them.
            noise: ``noise_size`` random bytes, in training only.
            level: of the noise, of the dropout beside token noise, and of learned noise, in
                256ths, ``(3,)``, in training only; None is no noise.
            borne: the share of learned noise that each token gets, ``(T,)``; None where none is
                learned.
        """
        b, t = tokens.shape
        mask, every = self.mask[:t, :t], slice(t)
        places = None
        if self.numbering is not None:
            places = Places(self.numbering, tokens)
            mask = mask + UNSEEN * places.hidden[:, None, None, :]
        own = b * self.position.drawn_bytes
        placed_by = None if noise is None else noise[:own].view(b, -1)
        drawn = self.position.draw(tokens, placed_by, places)
        scores = self.position.scores(drawn)
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
                learned = None if borne is None else (borne, level[2])
                x = mix(x, self.embedding.weight, mixed_by, level[0], self.clean, learned)
        drop_attention = drop if self.drops_attention else _keep
        x = drop(self.position.embed(x, drawn, places))  # (B, T, C)
        *blocks, last = self.blocks
        for block in blocks:
            x = block(x, self.position, mask, every, drop, drop_attention)
        # Only the head reads the last block: it is computed at the slots alone.
        asked = every if slots is None else slots
        x = self.norm(last(x, self.position, mask, asked, drop, drop_attention))  # (B, S, C)
        return F.linear(x, self.embedding.weight) if self.head is None else self.head(x)

    def noise_size(self, batch: int, tokens: int, slots: int) -> int:
        """How many random bytes a training step on ``(batch, tokens)`` tokens uses."""
        size = self.position.drawn_bytes + BYTES * tokens * self.mixes_tokens
        if not self.drops:
            return batch * size
        layers = len(self.blocks)
        streams = (2 * layers - 1) * tokens + 2 * slots
        size += streams * self.embedding.embedding_dim
        if self.drops_attention:
            seen = tokens + spare_keys(tokens)
            size += self.heads * seen * ((layers - 1) * tokens + slots)
        return batch * size
