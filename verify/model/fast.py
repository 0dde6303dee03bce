"""What makes a training step fast on a CPU; plain code in ``verify.model.gpt`` would give the same.

Figures are from benchmarks/README.md, "The rules that follow" and "What was tried".
Shapes: B sequences, S queries, T keys, H heads, D head width, C model width.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

_VECTOR = 16
"""Numbers in float32 that a vector of AVX-512 holds."""


def project(
    x: Tensor, context: Tensor, query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries ``(B, S, C)`` of ``x``, keys and values ``(B, T, C)`` of ``context``.

    One matrix product for all that it can be, which is faster (benchmarks/README.md).

    Args:
        x: ``(B, S, C)``.
        context: ``(B, T, C)``, the same tensor as ``x`` where every token asks.
        query, key, value: weights, ``(C, C)``.
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


def pad_keys(k: Tensor, v: Tensor, mask: Tensor, unseen: float) -> tuple[Tensor, Tensor, Tensor]:
    """Keys and values ``(B, H, T, D)`` and mask ``(..., S, T)`` with spare keys that are not seen.

    Args:
        unseen: the mask of a key that is not seen.
    """
    spare = spare_keys(k.shape[2])
    if not spare:
        return k, v, mask
    k, v = (F.pad(y, (0, 0, 0, spare)) for y in (k, v))
    return k, v, F.pad(mask, (0, spare), value=unseen)


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
        # Arithmetic, not a comparison, for the same reason as in ``relu``.  In place, and only
        # what is used now, which stays in the cache: a fortieth of a step of pico.
        return x * (noise - self.least).clamp_(0, 1).mul_(self.scale)
