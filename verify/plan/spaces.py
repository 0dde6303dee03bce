"""Spaces before the operand digits of examples, at random: those of a test are always the same.

Shapes: n examples, k operands, N digits of each.
"""

from __future__ import annotations

import numpy as np

SEED = 20231124
"""Of the spaces in tests."""


def drawn_spaces(operands: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whether a space stands before each digit, ``(n, k, N)``: each with probability 1/2."""
    return rng.integers(2, size=operands.shape, dtype=np.uint8) == 1


def fixed_spaces(operands: np.ndarray) -> np.ndarray:
    """The same in a test: by the row, so that operands that come twice have other spaces."""
    return drawn_spaces(operands, np.random.default_rng(SEED))
