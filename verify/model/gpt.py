"""A small GPT on one page: pre-norm decoder blocks, attention written out, optional window.

Shapes: B sequences, T tokens, C model width, H heads, D = C / H.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from theory.setting.layouts import Token
from verify.model.positions import POSITIONS, Places, Position
from verify.plan.sizes import Size

Drop = Callable[[Tensor], Tensor]
UNSEEN = -1e9
"""Added to the scores of keys that a query does not see."""


class Dropout:
    """Dropout whose random bytes are handed in: they come from outside the compiled step.

    The CPU's Bernoulli sampler would be half of a training step.  The rate is a multiple of
    1/256, and 0 is no dropout.

    Args:
        noise: uniform random bytes, at least as many as there will be elements.
        cut: a number, how many of the 256 values of a byte drop an element.
    """

    def __init__(self, noise: Tensor, cut: Tensor) -> None:
        self.noise, self.least, self.scale = noise, cut - 1, 256 / (256 - cut)
        self.used = 0

    def __call__(self, x: Tensor) -> Tensor:
        noise = self.noise[self.used : self.used + x.numel()].view(x.shape)
        self.used += x.numel()
        # Arithmetic, not a comparison: compiled CPU code is slow to store masks.  In place, and
        # only what is used now, which stays in the cache.
        return x * (noise - self.least).clamp_(0, 1).mul_(self.scale)


def relu(x: Tensor) -> Tensor:
    """The rectifier; in compiled code as arithmetic, so that its derivative is no mask."""
    return 0.5 * (x + x.abs()) if torch.compiler.is_compiling() else F.relu(x)


def spare_keys(keys: int) -> int:
    """How many keys that nothing sees to put after so many: to a multiple of 16 where it is near.

    The scores of 63 keys in bfloat16 take three times as long as those of 64.
    """
    spare = -keys % 16
    return spare if 16 * spare <= keys else 0


class Block(nn.Module):
    """Attention and a two-layer perceptron, each on a normalized copy of the stream."""

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

    def forward(
        self, x: Tensor, position: Position, mask: Tensor, slots: Places, drop: Drop
    ) -> Tensor:
        """The stream after this block at the places ``slots``; keys come from all places."""
        y = self.norm1(x)
        here = y if slots == slice(y.shape[1]) else y[:, slots].contiguous()
        x = x[:, slots] + drop(self.attend(here, y, position, mask[slots], slots))
        return x + drop(self.down(relu(self.up(self.norm2(x)))))

    def attend(
        self, x: Tensor, context: Tensor, position: Position, mask: Tensor, slots: Places
    ) -> Tensor:
        """Attention of ``x`` (B, S, C), which stands at ``slots``, to ``context`` (B, T, C)."""
        # One product for all that it can be: small ones are all overhead.
        # The scores' scale stands in the weight, which is smaller than the queries.
        query = self.query.weight / math.sqrt(x.shape[2] / self.heads)
        if x is context:
            weights = (query, self.key.weight, self.value.weight)
            parts = F.linear(x, torch.cat(weights)).chunk(3, dim=2)
        else:
            both = F.linear(context, torch.cat((self.key.weight, self.value.weight)))
            parts = (F.linear(x, query), *both.chunk(2, dim=2))
        q, k, v = (y.unflatten(2, (self.heads, -1)).transpose(1, 2) for y in parts)
        q, k = position.rotate(q, slots), position.rotate(k, slice(k.shape[2]))
        bias = position.bias(q, slots, k.shape[2], self.layer)
        if bias is not None:
            mask = mask + bias
        if spare := spare_keys(k.shape[2]):
            k, v = (F.pad(y, (0, 0, 0, spare)) for y in (k, v))
            mask = F.pad(mask, (0, spare), value=UNSEEN)
        # Two matrix products: at these lengths they beat fused attention.
        scores = (q @ k.transpose(2, 3)).to(mask.dtype).add_(mask)
        # No dropout here: it would reward attending to several places, and blunt attention is
        # what lets digits at positions that carry nothing leak in.
        return self.out((scores.softmax(dim=3) @ v).transpose(1, 2).flatten(2))


class GPT(nn.Module):
    """A decoder-only Transformer over digit tokens.

    Args:
        shape: layers, heads and width.
        vocabulary: number of tokens.
        places: the sequence's tokens that are read, T of them (see ``theory.setting.layouts``).
        encoding: a name in ``verify.model.positions.POSITIONS``.
        window: how many tokens a query sees, itself included; 0 is the whole prefix.
        seed: of the weights.
    """

    mask: Tensor
    position: Position

    def __init__(
        self,
        shape: Size,
        vocabulary: int,
        places: Sequence[Token],
        encoding: str,
        window: int,
        seed: int,
    ) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.embedding = nn.Embedding(vocabulary, shape.width)
        self.position = POSITIONS[encoding](places, shape.width, shape.heads, shape.layers)
        self.blocks = nn.ModuleList(Block(shape, i) for i in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.head = nn.Linear(shape.width, vocabulary, bias=False)
        length = len(places)
        steps = torch.arange(length)
        offset = steps[:, None] - steps
        seen = (offset >= 0) & (offset < (window or length))
        self.register_buffer("mask", torch.zeros(length, length).masked_fill(~seen, UNSEEN), False)
        for name, p in self.named_parameters():
            if p.dim() == 2 and not name.startswith("position"):
                scale = 1 / math.sqrt(2 * shape.layers) if "out." in name or "down." in name else 1
                nn.init.normal_(p, std=0.02 * scale)

    def forward(
        self,
        tokens: Tensor,
        slots: Places | None = None,
        noise: Tensor | None = None,
        cut: Tensor | None = None,
    ) -> Tensor:
        """Logits of the next token.

        Args:
            tokens: ``(B, T)``.
            slots: the places whose next token is wanted, S of them; all of them if None.
            noise: ``noise_size`` random bytes, in training only.
            cut: the dropout rate in 256ths, in training only; None is no dropout.

        Returns:
            ``(B, S, vocabulary)``.
        """
        b, t = tokens.shape
        mask = self.mask[:t, :t]
        draws, drop = None, _keep
        if noise is not None:
            draws = noise[:b]
            if cut is not None:
                drop = Dropout(noise[b:], cut)
        x = drop(self.position.embed(self.embedding(tokens), draws))
        every = slice(t)
        for block in self.blocks[:-1]:
            x = block(x, self.position, mask, every, drop)
        # Nothing reads the last block but the head: only the wanted places need it.
        x = self.blocks[-1](x, self.position, mask, every if slots is None else slots, drop)
        return self.head(self.norm(x))

    def noise_size(self, batch: int, places: int, slots: int) -> int:
        """Random bytes that a training step on ``(batch, places)`` tokens uses."""
        streams = (2 * len(self.blocks) - 1) * places + 2 * slots
        return batch * (1 + streams * self.embedding.embedding_dim)


def _keep(x: Tensor) -> Tensor:
    return x
