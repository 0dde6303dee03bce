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

from theory.errors import NotCountable

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


def prime_powers(n: int) -> list[tuple[int, int]]:
    """The primes of n with their exponents."""
    powers, prime = [], 2
    while prime * prime <= n:
        exponent = 0
        while n % prime == 0:
            n, exponent = n // prime, exponent + 1
        if exponent:
            powers.append((prime, exponent))
        prime += 1
    return powers + ([(n, 1)] if n > 1 else [])


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
    weighted = [
        [np.array([d * base**i for d in ds], dtype) for i, ds in enumerate(row)] for row in digits
    ]
    return combinations([combinations(axes).sum(axis=0) for axes in weighted])


# --- convolutions -----------------------------------------------------------------------


def _fft_length(n: int) -> int:
    """n if the FFT takes it in small steps, else a length that holds the linear product."""
    if all(prime <= 11 for prime, _ in prime_powers(n)):
        return n
    return min(c << (-(-2 * n // c) - 1).bit_length() for c in (1, 3, 5, 9, 15))


def _capacity(size: int, lengths: tuple[int, ...]) -> int:
    """How large a product of entries of x and y may be for the FFT to be exact.

    One transform of N points has a relative error of at most ``rho = 16 eps log2(N)`` in the
    2-norm: Higham, "Accuracy and Stability", theorem 24.2 has 3.4 eps per bit for radix 2, and
    plain evaluation of the radices up to 11 stays below 13 eps per bit.  The two forward
    transforms then cost at most ``2 rho |x|_2 |y|_2`` in any entry of the product, the inverse one
    ``rho |x|_1 |y|_2``; with ``size`` entries up to X and Y that is less than
    ``4 rho size**1.5 X Y``, lower orders included.  It must be below 1/4.
    """
    rho = 16 * np.finfo(float).eps * max(1.0, math.log2(math.prod(lengths)))
    return int(0.25 / (4 * rho * size**1.5))


def cyclic_product(x: Array, y: Array, shape: tuple[int, ...]) -> Array:
    """The convolution over the group ``Z/shape[0] x Z/shape[1] x ...``, exactly.

    Args:
        x: shape ``(..., size)``, size the product of ``shape``; nonnegative.
        y: likewise; broadcast against x.

    Returns:
        The shape of both; int64 if it fits, otherwise object.

    Raises:
        NotCountable: the size is beyond what floats can do exactly (about 10**8).
    """
    size, lengths = math.prod(shape), tuple(map(_fft_length, shape))
    axes = tuple(range(-len(shape), 0))
    peak_x, peak_y, capacity = peak(x), peak(y), _capacity(size, lengths)
    width = max(peak_x, peak_y, 1).bit_length()  # of a limb, in bits
    if peak_x * peak_y > capacity:
        width = (math.isqrt(capacity) + 1).bit_length() - 1
    if not width:
        raise NotCountable(f"a convolution of {size} entries is too long to be exact")

    def limb_spectra(values: Array) -> Iterator[tuple[int, Array]]:
        grid = values.reshape(*values.shape[:-1], *shape)
        for bit in range(0, peak(values).bit_length(), width):
            limb = grid >> bit & (1 << width) - 1
            yield bit, np.fft.rfftn(limb.astype(float), lengths, axes)

    sums: dict[int, Any] = defaultdict(int)
    spectra = list(limb_spectra(y))
    for i, limb_x in limb_spectra(x):
        for j, limb_y in spectra:
            sums[i + j] += _inverse(limb_x * limb_y, shape, lengths)
    dtype = exact_dtype(size * peak_x * peak_y)
    result = np.zeros(np.broadcast_shapes(x.shape, y.shape), dtype)
    for shift, part in sums.items():
        result += part.reshape(result.shape).astype(dtype) << shift
    return result


def _inverse(spectrum: Array, shape: tuple[int, ...], lengths: tuple[int, ...]) -> Array:
    """The integers of a spectrum, padded axes folded back to their cyclic length."""
    axes = tuple(range(-len(shape), 0))
    result: Array = np.rint(np.fft.irfftn(spectrum, lengths, axes)).astype(np.int64)
    for axis, n, length in zip(axes, shape, lengths, strict=True):
        if length > n:
            low, high, _ = np.split(result, [n, 2 * n], axis)
            result = low + high
    return result
