"""Exact integer arrays of any size: combinations, operand tuples, cyclic convolutions.

An array is int64 while its entries and the sums made of them fit, otherwise dtype object (Python
integers).  The only floats are inside FFTs whose results are integers and whose rounding error is
bounded below 1/4 beforehand (``_capacity``); entries too large for that are cut into limbs first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arith.theory.errors import NotCountable

Array = npt.NDArray[Any]
"""An array of exact integers: int64, or dtype object (Python integers)."""

SAFE = 2**62
"""Entries and intermediate sums below this stay in int64."""


def exact_dtype(largest: int) -> np.dtype:
    """A dtype for integers up to that."""
    return np.dtype(np.int64 if largest < SAFE else object)


def peak(values: Array) -> int:
    """The largest entry, 0 if there is none."""
    return int(values.max(initial=0))


def roomy(values: Array, factor: int) -> Array:
    """Nonnegative values in a dtype that also holds ``factor`` times their maximum."""
    return values.astype(object) if peak(values) * factor >= SAFE else values


# --- combinations ----------------------------------------------------------------------


def combinations(axes: Sequence[Sequence[int] | Array]) -> Array:
    """Every combination of one value from each of k axes, as columns ``(k, combinations)``.

    The last axis varies fastest.
    """
    sizes = [len(axis) for axis in axes]
    rows = [np.repeat(axis, math.prod(sizes[k + 1 :])) for k, axis in enumerate(axes)]
    return np.stack([np.resize(row, math.prod(sizes)) for row in rows])


def operand_tuples(
    digits: Sequence[Sequence[Sequence[int]]], base: int, dtype: npt.DTypeLike = np.int64
) -> Array:
    """Every operand tuple whose digits are among those given, shape ``(operands, tuples)``.

    Args:
        digits: ``digits[j][i]`` are the values of the digit of operand j with weight ``base**i``.
    """
    return combinations([numbers(row, base, dtype) for row in digits])


def numbers(digits: Sequence[Sequence[int]], base: int, dtype: npt.DTypeLike) -> Array:
    """Every number whose digits, from the units, are among those given, ``(numbers,)``."""
    axes = [np.array([d * base**i for d in ds], dtype) for i, ds in enumerate(digits)]
    total: Array = combinations(axes).sum(axis=0)
    return total


# --- convolutions -----------------------------------------------------------------------


def _capacity(size: int, length: int) -> int:
    """How large a product of entries of x and y may be for the FFT to be exact.

    A transform of N = 2**k points has a relative error of at most ``rho = 16 eps k`` in the 2-norm
    (Higham, "Accuracy and Stability", theorem 24.2, has 3.4 eps per bit for radix 2, and larger
    radices stay below 13).  The two forward transforms then cost at most ``2 rho |x|_2 |y|_2`` in
    any entry of the product, the inverse one ``rho |x|_1 |y|_2``; with ``size`` entries up to X and
    Y that is less than ``4 rho size**1.5 X Y``, lower orders included.  It must be below 1/4.
    """
    rho = 16 * np.finfo(float).eps * max(1.0, math.log2(length))
    return int(0.25 / (4 * rho * size**1.5))


def cyclic_product(x: Array, y: Array) -> Array:
    """The cyclic convolution along the last axis, exactly.

    Args:
        x: shape ``(..., size)``, nonnegative.
        y: likewise; broadcast against x.

    Returns:
        The shape of both; int64 if it fits, otherwise object.

    Raises:
        NotCountable: the size is beyond what floats can do exactly (about 10**8).
    """
    size = x.shape[-1]
    length = 1 << (2 * size - 1).bit_length()
    peak_x, peak_y, capacity = peak(x), peak(y), _capacity(size, length)
    width = max(peak_x, peak_y, 1).bit_length()  # of a limb, in bits
    if peak_x * peak_y > capacity:
        width = (math.isqrt(capacity) + 1).bit_length() - 1
    if not width:
        raise NotCountable(f"a convolution of {size} entries is too long to be exact")

    def limb_spectra(values: Array) -> Iterator[tuple[int, Array]]:
        for bit in range(0, peak(values).bit_length(), width):
            limb = values >> bit & (1 << width) - 1
            yield bit, np.fft.rfft(limb.astype(float), length)

    sums: dict[int, Any] = defaultdict(int)
    spectra = list(limb_spectra(y))
    for i, limb_x in limb_spectra(x):
        for j, limb_y in spectra:
            linear = np.rint(np.fft.irfft(limb_x * limb_y, length)).astype(np.int64)
            sums[i + j] += linear[..., :size] + linear[..., size : 2 * size]
    dtype = exact_dtype(size * peak_x * peak_y)
    result = np.zeros(np.broadcast_shapes(x.shape, y.shape), dtype)
    for shift, part in sums.items():
        result += part.astype(dtype) << shift
    return result
