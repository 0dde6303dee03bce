"""What one would train without this project: a plain nanoGPT-style model and step.

Written for this comparison after the design and the settings of Karpathy's nanoGPT (the
character-level recipe): pre-norm blocks, GELU, fused attention, learned positions, a head tied
to the embedding, dropout, AdamW; float32, eager, every token computed and trained on.

Shapes: B sequences, T tokens, C model width, H heads.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from arith.verify.data.sampling import Sampler
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import CHUNK
from arith.verify.plan.sizes import Size

BATCH = 64
DROPOUT = 0.2
_RATE, _FINAL, _WARMUP, _STEPS = 1e-3, 1e-4, 100, 5000
_BETAS, _DECAY, _CLIP = (0.9, 0.99), 0.1, 1.0
_IGNORED = -1


class PlainBlock(nn.Module):
    """Attention and a two-layer perceptron, each on a normalized copy of the stream."""

    def __init__(self, shape: Size) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.norm1, self.norm2 = (nn.LayerNorm(width, bias=False) for _ in range(2))
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor) -> Tensor:
        """The stream ``(B, T, C)`` after this block."""
        x = x + self.drop(self.out(self.attend(self.norm1(x))))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)))))

    def attend(self, x: Tensor) -> Tensor:
        """Causal attention, ``(B, T, C)``."""
        q, k, v = (
            y.unflatten(2, (self.heads, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, dim=2)
        )
        dropout = DROPOUT if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        return y.transpose(1, 2).flatten(2)


class PlainGPT(nn.Module):
    """A decoder-only Transformer over at most ``length`` tokens."""

    def __init__(self, shape: Size, vocabulary: int, length: int, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.tokens = nn.Embedding(vocabulary, shape.width)
        self.positions = nn.Embedding(length, shape.width)
        self.drop = nn.Dropout(DROPOUT)
        self.blocks = nn.Sequential(*(PlainBlock(shape) for _ in range(shape.layers)))
        self.norm = nn.LayerNorm(shape.width, bias=False)
        self.head = nn.Linear(shape.width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight
        for name, p in self.named_parameters():
            if p.dim() == 2:
                inward = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(p, std=0.02 / (math.sqrt(2 * shape.layers) if inward else 1))

    def forward(self, tokens: Tensor, slots: Tensor | None = None) -> Tensor:
        """Logits of the next token, ``(B, T, vocabulary)``, or those at ``slots`` only."""
        index = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.blocks(self.drop(self.tokens(tokens) + self.positions(index)))
        logits = self.head(self.norm(x))
        return logits if slots is None else logits[:, slots]


class PlainTraining:
    """The baseline on a cell's training examples, step by step.

    Args:
        results_only: leave all but the result digits out of the loss, so that the model learns
            what the others do; otherwise every next token counts.
        batch: examples per step.
    """

    def __init__(
        self, cell: Cell, device: str, results_only: bool, batch: int = BATCH, seed: int = 0
    ) -> None:
        fmt = cell.format
        shape, length = cell.size, len(fmt.tokens) - 1
        self.model = PlainGPT(shape, fmt.vocabulary, length, seed).to(device)
        self.sampler, self.rng = Sampler(fmt, cell.setting.train), np.random.default_rng(seed)
        self.examples: list[Tensor] = []
        self.device, self.batch = device, batch
        self.results = torch.from_numpy(fmt.result_slots).to(device) if results_only else None
        parameters = list(self.model.parameters())
        groups = [
            {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": _DECAY},
            {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(
            groups, lr=_RATE, betas=_BETAS, fused=True if device == "cuda" else None
        )
        self.steps = 0

    def step(self) -> None:
        """One optimizer step."""
        self.examples = self.examples or self.draw()
        tokens = self.examples.pop()
        for group in self.optimizer.param_groups:
            group["lr"] = _rate(self.steps)
        self.model.train()
        self.loss(tokens).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), _CLIP)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.steps += 1

    def loss(self, tokens: Tensor) -> Tensor:
        """The mean loss of the tokens that count, of a batch ``(B, T + 1)``."""
        logits, targets = self.model(tokens[:, :-1]), tokens
        if self.results is not None:
            targets = torch.full_like(tokens, _IGNORED)
            targets[:, self.results] = tokens[:, self.results]
        targets = targets[:, 1:].flatten()
        return F.cross_entropy(logits.flatten(0, 1), targets, ignore_index=_IGNORED)

    def draw(self) -> list[Tensor]:
        """A chunk of batches ``(B, T + 1)``, drawn as ours are."""
        fmt = self.sampler.format
        operands = self.sampler.sample(self.batch * CHUNK, self.rng, held_out=False)
        written = fmt.write(operands, fmt.results(operands))
        return list(torch.from_numpy(written).to(self.device).split(self.batch))


def _rate(step: int) -> float:
    """Linear warm-up, then a cosine over 5,000 steps down to a tenth, where it stays."""
    if step < _WARMUP:
        return _RATE * (step + 1) / (_WARMUP + 1)
    done = min(1.0, (step - _WARMUP) / (_STEPS - _WARMUP))
    return _FINAL + 0.5 * (1 + math.cos(math.pi * done)) * (_RATE - _FINAL)
