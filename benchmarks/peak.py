"""The fastest matrix product of this machine: what a training step could reach at most."""

from __future__ import annotations

from functools import partial

import torch

from benchmarks.timing import clock, in_turns

_SQUARE = {"cpu": (512, 1024, 2048), "cuda": (2048, 4096, 8192)}
_TALL = ((4096, 128, 512), (4096, 384, 1536), (4096, 1536, 384))
"""Products of training: 64 sequences of 64 tokens through the perceptrons of micro and mini."""
_BLOCK = 0.1


def peak(dtype: torch.dtype, device: str, rounds: int) -> float:
    """Operations a second, the best of several shapes and of ``rounds`` turns each."""
    shapes = [(n, n, n) for n in _SQUARE[device]] + list(_TALL)
    best = 0.0
    for m, k, n in shapes:
        x, w = (torch.randn(size, device=device).to(dtype) for size in ((m, k), (k, n)))
        seconds = in_turns({"product": partial(torch.matmul, x, w)}, rounds, _BLOCK, clock(device))
        best = max(best, 2 * m * k * n / min(seconds["product"]))
    return best
