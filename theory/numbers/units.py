"""The integers modulo n as multiples of units, and the units as a product of cyclic groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from theory.numbers.integer_arrays import Array, prime_powers


@dataclass(frozen=True, eq=False)
class Units:
    """Tables of the units mod n, listed as the group ``Z/shape[0] x Z/shape[1] x ...``.

    Args:
        shape: orders of the generators of the units.
        elements: the units in the group's order, shape ``(phi,)``.
        inverses: the units in the order of the negated group elements, ``(phi,)``.
        divisors: of n, ascending.
        multiples: ``d * elements`` mod n for each divisor d of n, ``(divisors, phi)``.
        index: for each residue r one with ``multiples.ravel()[index[r]] == r``, ``(n,)``.
    """

    shape: tuple[int, ...]
    elements: Array
    inverses: Array
    divisors: tuple[int, ...]
    multiples: Array
    index: Array


@lru_cache(maxsize=128)
def units(n: int) -> Units:
    """The tables of the units mod n."""
    elements = inverses = np.full(1, 1 % n, dtype=np.int64)
    generators = sorted(_generators(n), key=lambda pair: pair[1])
    for generator, order in generators:
        elements = _with_powers(elements, generator, order, n)
        inverses = _with_powers(inverses, pow(generator, -1, n), order, n)
    divisors = tuple(d for d in range(1, n + 1) if n % d == 0)
    multiples = np.array(divisors)[:, None] * elements % n
    index = np.empty(n, dtype=np.int64)
    index[multiples.ravel()] = np.arange(multiples.size)
    shape = tuple(order for _, order in generators) or (1,)
    return Units(shape, elements, inverses, divisors, multiples, index)


def _with_powers(elements: Array, generator: int, order: int, n: int) -> Array:
    """The elements times each power of a generator, shape ``(len(elements) * order,)``."""
    powers = np.array([pow(generator, k, n) for k in range(order)])
    products: Array = elements[:, None] * powers % n
    return products.ravel()


def _generators(n: int) -> list[tuple[int, int]]:
    """Independent generators of the units mod n, with their orders (all above 1)."""
    generators = []
    for prime, exponent in prime_powers(n):
        power = prime**exponent
        rest = n // power
        for root, order in _prime_power_generators(prime, exponent):
            lift = 1 + rest * ((root - 1) * pow(rest, -1, power) % power)  # 1 mod rest
            generators.append((lift % n, order))
    return generators


def _prime_power_generators(prime: int, exponent: int) -> list[tuple[int, int]]:
    """The same modulo a power of a prime: -1 and 5 for 2, else a primitive root."""
    power = prime**exponent
    if prime == 2:
        return [(g, o) for g, o in ((power - 1, min(2, power // 2)), (5, power // 4)) if o > 1]
    order = power - power // prime
    root = 2
    while root % prime == 0 or any(
        pow(root, order // q, power) == 1 for q, _ in prime_powers(order)
    ):
        root += 1
    return [(root, order)]
