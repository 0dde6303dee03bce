"""Spaces before the operand digits of an example, at random: those of a test are always the same.

Shapes: n examples, k operands, N digits of each; units come first.
"""

from __future__ import annotations

import numpy as np

from verify.plan.hashes import hashed, mix


def drawn_spaces(operands: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whether a space stands before each digit, ``(n, k, N)``: each with probability 1/2."""
    return rng.integers(2, size=operands.shape, dtype=np.uint8) == 1


def fixed_spaces(operands: np.ndarray) -> np.ndarray:
    """The same by a hash of the operands ``(n, k, N)``; leading zeros do not change it."""
    k, n = operands.shape[1:]
    place = np.arange(k)[:, None] + k * np.arange(n)
    with np.errstate(over="ignore"):
        step = (place + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        bits = mix(hashed(operands)[:, None, None] + step)
    return bits >> np.uint64(63) == 1
