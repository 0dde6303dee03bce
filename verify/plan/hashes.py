"""Hashes of operands: what is decided once for an input, whatever the model.

Shapes: n operand tuples, k operands, N digits of each; units come first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def hashed(operands: np.ndarray, alike: Sequence[Sequence[int]] = ()) -> np.ndarray:
    """A hash of 64 bits of operand digits ``(n, k, N)``, ``(n,)``; leading zeros do not change it.

    Args:
        alike: operands in groups within which their order does not change the hash.
    """
    digits = operands.astype(np.uint64)
    numbers = np.zeros(operands.shape[:2], dtype=np.uint64)
    state = np.zeros(len(operands), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for i in reversed(range(operands.shape[2])):
            numbers = numbers * np.uint64(0x9E3779B97F4A7C15) + digits[:, :, i]
        for group in alike:
            numbers[:, list(group)] = np.sort(numbers[:, list(group)], axis=1)
        for j, number in enumerate(numbers.T):
            state = mix(state * np.uint64(0xD1342543DE82EF95) + number + np.uint64(j + 1))
    return state


def mix(z: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64 (Steele et al. 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
