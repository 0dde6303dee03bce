"""Every combination of independent values, and every operand tuple of independent digits."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from theory.numbers.integer_arrays import Array


def combinations(axes: Sequence[npt.ArrayLike]) -> Array:
    """Every combination of one value from each axis.

    Args:
        axes: k sequences of values, of lengths ``n_1, ..., n_k``.

    Returns:
        Shape ``(k, n_1 * ... * n_k)``, a combination per column.  The last axis varies fastest.
    """
    arrays = [np.asarray(axis) for axis in axes]
    size, rows, repeats = prod(map(len, arrays)), [], 1
    for values in reversed(arrays):
        rows.append(np.resize(np.repeat(values, repeats), size))
        repeats *= len(values)
    return np.stack(rows[::-1])


def operand_tuples(
    digits: Sequence[Sequence[Sequence[int]]], base: int, dtype: npt.DTypeLike = np.int64
) -> Array:
    """Every operand tuple whose digits are among those given.

    Args:
        digits: ``digits[j][i]`` are the values of the digit of operand j with weight ``base**i``.

    Returns:
        Shape ``(operands, tuples)``.
    """
    operands = []
    for row in digits:
        weighted = [np.array([d * base**i for d in ds], dtype) for i, ds in enumerate(row)]
        operands.append(combinations(weighted).sum(axis=0))
    return combinations(operands)
