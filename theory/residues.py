"""Exact counting of digit-built numbers modulo p.

Counts are Python integers of any size.  A distribution is held as a level that all
residues share plus what each residue has beyond it, because the numbers of an interval
fall on the residues evenly up to one: the level is huge, the rest is 0 or 1.

The only floats are inside FFTs whose results are integers and whose rounding error is
bounded below 1/4 beforehand (``_capacity``); entries too large for that are cut into
limbs first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from theory.tasks import InvalidInput

Array = npt.NDArray[Any]
"""An array of exact integers: int64, or dtype object (Python integers)."""

Row = tuple[int, Sequence[int]]
"""A digit: its position (1 = weight 1) and the sorted values that it takes."""

_SAFE = 2**62
"""Entries and intermediate sums below this stay in int64."""

_FEW = 12
"""A convolution factor with at most this many nonzero entries is added copy by copy."""


@dataclass(frozen=True, eq=False)
class Residues:
    """How many numbers fall on each residue mod p: ``counts[r] = level + extra[r]``.

    Args:
        level: the part that all residues share, >= 0, of any size.
        extra: the rest, shape ``(p,)``, >= 0; int64 when every entry fits safely,
            otherwise dtype object.
    """

    level: int
    extra: np.ndarray

    @property
    def p(self) -> int:
        """The modulus."""
        return len(self.extra)

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return self.level * self.p + _sum(self.extra)

    def count(self, r: int) -> int:
        """How many of the numbers are congruent to r."""
        return self.level + int(self.extra[r % self.p])


def interval(p: int, low: int, high: int, step: int = 1) -> Residues:
    """The numbers ``step * t``, ``low <= t < high``, mod p.

    Raises:
        InvalidInput: p below 1.
    """
    return _spread(_zero(p), step, [(low, high)])


def digit_sum(p: int, base: int, rows: Iterable[Row], step: int = 1) -> Residues:
    """The numbers ``step * sum(base**(position - 1) * digit)`` mod p.

    Args:
        rows: one ``(position, values)`` per digit; the digits are independent and each
            is uniform over its values, which may be negative.  No row: the number 0.

    Raises:
        InvalidInput: p below 1, base below 2 or a position below 1.
    """
    result = _zero(p)
    for weight, segments in _parts(base, rows):
        result = _spread(result, step * weight, segments)
    return result


def convolve(x: Residues, y: Residues) -> Residues:
    """The sums of a member of x and an independent member of y."""
    p = _common(x, y)
    level = x.level * y.level * p + x.level * _sum(y.extra) + y.level * _sum(x.extra)
    fewer, more = sorted((x.extra, y.extra), key=np.count_nonzero)
    if np.count_nonzero(fewer) <= _FEW:
        return _settled(level, _copies(fewer, more))
    return _settled(level, _cyclic_product(more, fewer, (p,)))


def zero_pairs(x: Residues, y: Residues) -> int:
    """How many pairs (a member of x, a member of y) sum to 0 mod p."""
    p = _common(x, y)
    level = x.level * y.level * p + x.level * _sum(y.extra) + y.level * _sum(x.extra)
    facing = np.roll(y.extra[::-1], 1)
    return level + int(_roomy(x.extra, p * _peak(facing)) @ facing)


def product_matches(p: int, la: Residues, ua: Residues, lb: Residues, ub: Residues) -> int:
    """How many ``(la, ua, lb, ub)`` satisfy ``(la + ua) * (lb + ub) = la * lb`` mod p.

    The members of the four distributions are independent.  The condition is
    ``la*ub + ua*lb + ua*ub = 0``.  Let ``g = gcd(ua, p)``, ``h = gcd(ub, p)``,
    ``k = gcd(g, h)``, ``g = k*g'``, ``h = k*h'``, ``ua = g*v``, ``ub = h*w``.  The
    condition forces ``la = g'*x`` and ``lb = h'*y``, and then says
    ``x/v + y/w + k = 0`` mod ``p / lcm(g, h)``, where v and w are units.  So each side
    is needed only through the distribution of one ratio per ``(g, g')``.

    Memory is of the order of p times its number of divisors; meant for p up to 10**4.
    """
    if {p} != {_common(la, ua), _common(lb, ub)}:
        raise InvalidInput(f"the four distributions must be mod {p}")
    high_a, high_b = _unit_parts(ua), _unit_parts(ub)
    if not high_a or not high_b:  # no number at all
        return 0
    sides_a = _ratios(la, high_a, high_b)
    sides_b = {
        key: _facing(r, k=key[0] // key[1]) for key, r in _ratios(lb, high_b, high_a).items()
    }
    total = 0
    for g in high_a:
        for h in high_b:
            k = math.gcd(g, h)
            total += _ratio_matches(sides_a[g, g // k], sides_b[h, h // k], g // k, h // k)
    return total


# --- exact integer arrays ---------------------------------------------------------------


def _peak(values: Array) -> int:
    return int(values.max(initial=0))


def _roomy(values: Array, factor: int) -> Array:
    """The values in a dtype that also holds ``factor`` times their maximum."""
    return values.astype(object) if _peak(values) * factor >= _SAFE else values


def _sum(values: Array) -> int:
    return int(_roomy(values, values.size).sum())


def _split(values: Array) -> tuple[int, Array]:
    """Nonnegative values as their minimum and the rest, the rest in int64 if it fits."""
    lowest = int(values.min())
    rest = values - lowest
    if rest.dtype == object and _peak(rest) < _SAFE:
        rest = rest.astype(np.int64)
    return lowest, rest


def _settled(level: int, extra: Array) -> Residues:
    lowest, rest = _split(extra)
    return Residues(level + lowest, rest)


def _scaled(values: Array, factor: int) -> Array:
    """``values * factor``, in int64 if it fits."""
    if not values.any():  # the factor itself may be too large for int64
        return values
    return _roomy(values, factor) * factor


def _common(x: Residues, y: Residues) -> int:
    if x.p != y.p:
        raise InvalidInput(f"distributions mod {x.p} and mod {y.p} do not combine")
    return x.p


# --- digits -----------------------------------------------------------------------------


def _zero(p: int) -> Residues:
    """The single number 0."""
    if p < 1:
        raise InvalidInput(f"modulus must be at least 1, not {p}")
    extra = np.zeros(p, dtype=np.int64)
    extra[0] = 1
    return _settled(0, extra)


def _segments(values: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted values as ranges ``low <= v < high`` of consecutive integers."""
    found: list[tuple[int, int]] = []
    for v in values:
        if found and found[-1][1] == v:
            found[-1] = (found[-1][0], v + 1)
        else:
            found.append((v, v + 1))
    return found


def _parts(base: int, rows: Iterable[Row]) -> list[tuple[int, list[tuple[int, int]]]]:
    """The digits as independent parts ``(weight, ranges)``: ``weight * t``, t in a range.

    A digit joins the part of the position below it when that part takes every value of
    one range of ``base**digits`` integers, so that the sums again form ranges.
    """
    if base < 2:
        raise InvalidInput(f"base must be at least 2, not {base}")
    parts: list[tuple[int, list[tuple[int, int]]]] = []
    top, size = 0, 0  # position of the last digit; base**digits of its part, 0: not full
    for position, values in sorted(rows, key=lambda row: row[0]):
        if position < 1:
            raise InvalidInput(f"digit positions start at 1, not {position}")
        ranges = _segments(values)
        if size and position == top + 1:
            weight, [(start, _)] = parts.pop()
        else:
            weight, start, size = base ** (position - 1), 0, 1
        parts.append((weight, [(start + a * size, start + b * size) for a, b in ranges]))
        full = len(ranges) == 1 and ranges[0][1] - ranges[0][0] == base
        top, size = position, size * base if full else 0
    return parts


def _spread(x: Residues, step: int, ranges: list[tuple[int, int]]) -> Residues:
    """The sums of a member of x and ``step * t``, t independent in one of the ranges.

    Along the cycles of adding ``step``, a range is some whole laps and a window.
    """
    p, ranges = x.p, [r for r in ranges if r[1] > r[0]]
    members = sum(high - low for low, high in ranges)
    cycles = math.gcd(step, p)
    length = p // cycles
    extra = x.extra
    if _sum(extra) * (len(ranges) + 1) >= _SAFE:
        extra = extra.astype(object)
    order = (np.arange(cycles)[:, None] + step % p * np.arange(length)) % p
    sums = np.zeros((cycles, length + 1), dtype=extra.dtype)
    np.cumsum(extra[order], axis=1, out=sums[:, 1:])
    spread = np.zeros((cycles, length), dtype=extra.dtype)
    for low, high in ranges:
        rest = (high - low) % length
        if rest:
            spread += np.roll(_window(sums, rest), low % length, axis=1)
    # The laps give the same to a whole cycle; what all cycles share is level, which
    # keeps the array small when step is a unit however many laps there are.
    laps = sum((high - low) // length for low, high in ranges)
    least, beyond = _split(sums[:, -1])
    spread = spread + _scaled(beyond, laps)[:, None]
    extra = np.empty(p, dtype=spread.dtype)
    extra[order] = spread
    return _settled(x.level * members + laps * least, extra)


def _window(sums: Array, size: int) -> Array:
    """Sums of the ``size`` entries up to each one, cyclically along rows.

    Args:
        sums: prefix sums with a leading 0, shape ``(rows, length + 1)``.
        size: from 1 to length.
    """
    length = sums.shape[1] - 1
    window = sums[:, 1:].copy()
    window[:, size - 1 :] -= sums[:, : length + 1 - size]
    window[:, : size - 1] += sums[:, -1:] - sums[:, length + 1 - size : length]
    return window


# --- convolutions -----------------------------------------------------------------------

_BLOCK = 8
"""How many limbs of a factor are transformed at a time (bounds the memory)."""


def _copies(few: Array, many: Array) -> Array:
    """Cyclic convolution, one shifted copy of ``many`` per nonzero entry of ``few``."""
    many = _roomy(many, _sum(few))
    result = np.zeros_like(many)
    for shift in np.flatnonzero(few):
        result = result + np.roll(many, int(shift)) * int(few[shift])
    return result


def _factors(n: int) -> list[tuple[int, int]]:
    """The primes of n with their exponents."""
    found, prime = [], 2
    while prime * prime <= n:
        exponent = 0
        while n % prime == 0:
            n, exponent = n // prime, exponent + 1
        if exponent:
            found.append((prime, exponent))
        prime += 1
    return found + ([(n, 1)] if n > 1 else [])


@lru_cache(maxsize=4096)
def _fft_length(n: int) -> int:
    """n if the FFT takes it in small steps, else a length that holds the linear product."""
    if n == 1 or _factors(n)[-1][0] <= 11:
        return n
    return min(c << (-(-(2 * n - 1) // c) - 1).bit_length() for c in (1, 3, 5, 9, 15))


def _capacity(size: int, lengths: tuple[int, ...]) -> int:
    """How large a product of entries of x and y may be for the FFT to be exact.

    One transform of N points has a relative error of at most ``rho = 16 eps log2(N)`` in
    the 2-norm: Higham, "Accuracy and Stability", theorem 24.2 has 3.4 eps per bit for
    radix 2, and plain evaluation of the radices up to 11 stays below 13 eps per bit.  The
    two forward transforms then cost at most ``2 rho |x|_2 |y|_2`` in any entry of the
    product, the inverse one ``rho |x|_1 |y|_2``; with ``size`` entries up to X and Y that
    is less than ``4 rho size**1.5 X Y``, lower orders included.  It must be below 1/4.
    """
    rho = 16 * np.finfo(float).eps * max(1.0, math.log2(math.prod(lengths)))
    return int(0.25 / (4 * rho * size**1.5))


def _cyclic_product(x: Array, y: Array, shape: tuple[int, ...]) -> Array:
    """The convolution over the group ``Z/shape[0] x Z/shape[1] x ...``, exactly.

    Args:
        x: shape ``(..., size)``, size the product of ``shape``; nonnegative.
        y: shape ``(size,)``; nonnegative.

    Returns:
        The shape of x; int64 if it fits, otherwise object.
    """
    size, lengths = math.prod(shape), tuple(_fft_length(n) for n in shape)
    peak_x, peak_y, capacity = _peak(x), _peak(y), _capacity(size, lengths)
    wide = size * peak_x * peak_y >= _SAFE
    result = np.zeros(x.shape, dtype=object if wide else np.int64)
    width = max(peak_x, peak_y, 1).bit_length()
    if peak_x * peak_y > capacity:
        width = (math.isqrt(capacity // _BLOCK) + 1).bit_length() - 1  # limbs <= isqrt
        if width < 1:
            raise InvalidInput(f"a convolution of {size} entries is too long to be exact")
    for i in range(0, peak_x.bit_length(), width * _BLOCK):
        fx = _limb_spectra(x, i, width, shape, lengths)
        for j in range(0, peak_y.bit_length(), width * _BLOCK):
            fy = _limb_spectra(y, j, width, shape, lengths)
            for k in range(len(fx) + len(fy) - 1):
                pairs = range(max(0, k - len(fy) + 1), min(k, len(fx) - 1) + 1)
                spectrum = sum(fx[a] * fy[k - a] for a in pairs)
                part = _inverse(spectrum, shape, lengths).reshape(x.shape)
                shift = i + j + k * width
                result += part.astype(object) << shift if wide else part << shift
    return result


def _limb_spectra(
    x: Array, start: int, width: int, shape: tuple[int, ...], lengths: tuple[int, ...]
) -> list[Array]:
    """Transforms of up to ``_BLOCK`` limbs of ``width`` bits from bit ``start`` on."""
    x = x.reshape(x.shape[:-1] + shape)
    stop = min(_peak(x).bit_length(), start + width * _BLOCK)
    axes = tuple(range(-len(shape), 0))
    mask = (1 << width) - 1
    limbs = (((x >> bit) & mask).astype(float) for bit in range(start, stop, width))
    return [np.fft.rfftn(limb, lengths, axes) for limb in limbs]


def _inverse(spectrum: Any, shape: tuple[int, ...], lengths: tuple[int, ...]) -> Array:
    """The integers of a spectrum, padded axes folded back to their cyclic length."""
    axes = tuple(range(-len(shape), 0))
    result: Array = np.rint(np.fft.irfftn(spectrum, lengths, axes)).astype(np.int64)
    for axis, n, length in zip(axes, shape, lengths, strict=True):
        if length > n:
            result = np.moveaxis(result, axis, -1)
            folded = result[..., :n].copy()
            folded[..., : n - 1] += result[..., n : 2 * n - 1]
            result = np.moveaxis(folded, -1, axis)
    return result


# --- ratios modulo a divisor of p -------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Ring:
    """Tables of Z/n; the units are listed as the group ``Z/shape[0] x Z/shape[1] x ...``.

    Args:
        shape: orders of the generators of the units.
        units: the units in the group's order, shape ``(phi,)``.
        inverses: the units in the order of the negated group elements, ``(phi,)``.
        multiples: ``d * units`` mod n for each divisor d of n, ``(divisors, phi)``.
        place: for each residue r a flat index with ``multiples.flat[place[r]] == r``.
    """

    shape: tuple[int, ...]
    units: Array
    inverses: Array
    multiples: Array
    place: Array


@lru_cache(maxsize=128)
def _ring(n: int) -> _Ring:
    units = inverses = np.full(1, 1 % n, dtype=np.int64)
    shape = []
    for generator, order in sorted(_generators(n), key=lambda pair: pair[1]):
        units = _with_powers(units, generator, order, n)
        inverses = _with_powers(inverses, pow(generator, -1, n), order, n)
        shape.append(order)
    multiples = np.array(_divisors(n))[:, None] * units % n
    place = np.empty(n, dtype=np.int64)
    place[multiples.ravel()] = np.arange(multiples.size)
    return _Ring(tuple(shape) or (1,), units, inverses, multiples, place)


def _with_powers(elements: Array, generator: int, order: int, n: int) -> Array:
    powers = [1]
    while len(powers) < order:
        powers.append(powers[-1] * generator % n)
    products: Array = elements[:, None] * np.array(powers) % n
    return products.ravel()


@lru_cache(maxsize=1024)
def _divisors(n: int) -> tuple[int, ...]:
    found = [1]
    for prime, exponent in _factors(n):
        found = [d * prime**e for d in found for e in range(exponent + 1)]
    return tuple(sorted(found))


def _generators(n: int) -> list[tuple[int, int]]:
    """Independent generators of the units mod n, with their orders (all above 1)."""
    found = []
    for prime, exponent in _factors(n):
        power = prime**exponent
        rest = n // power
        for root, order in _prime_power_generators(prime, exponent):
            lift = 1 + rest * ((root - 1) * pow(rest, -1, power) % power)  # 1 mod rest
            found.append((lift % n, order))
    return found


def _prime_power_generators(prime: int, exponent: int) -> list[tuple[int, int]]:
    power = prime**exponent
    if prime == 2:
        return [(g, o) for g, o in ((power - 1, min(2, power // 2)), (5, power // 4)) if o > 1]
    order = power - power // prime
    root = 2
    while root % prime == 0 or any(pow(root, order // q, power) == 1 for q, _ in _factors(order)):
        root += 1
    return [(root, order)]


def _unit_parts(high: Residues) -> dict[int, tuple[int, Array]]:
    """The members ``g * v`` of each gcd g with p, as counts ``level + extra[v]``.

    The level is taken per g, because the multiples of one g are often evenly hit while
    the others are not hit at all.  A g that does not occur is left out.  The v are in the
    order of ``_Ring.inverses`` mod p/g.
    """
    parts = {}
    for g in _divisors(high.p):
        lowest, extra = _split(high.extra[g * _ring(high.p // g).inverses % high.p])
        if high.level + lowest or extra.any():
            parts[g] = (high.level + lowest, extra)
    return parts


@dataclass(frozen=True, eq=False)
class _Ratios:
    """How many pairs have each ratio mod n: ``sum(weights[i] * rows[i])``.

    Args:
        weights: three integers of any size.
        rows: shape ``(3, n)``: constantly 1, depending on gcd(ratio, n), and the rest.
    """

    weights: tuple[int, int, int]
    rows: Array


def _ratios(
    low: Residues, high: dict[int, tuple[int, Array]], other: Iterable[int]
) -> dict[tuple[int, int], _Ratios]:
    """Per ``(g, g')``: the ratios ``(low/g') / v`` mod p/g over ``high = g*v``, g' | low.

    Args:
        high: the result of ``_unit_parts``.
        other: the gcds of the other side; g' runs over ``g / gcd(g, h)``.
    """
    p, extra = low.p, _roomy(low.extra, low.p)
    found = {}
    for g, (level, units) in high.items():
        ring, n = _ring(p // g), p // g
        parts = sorted({g // math.gcd(g, h) for h in other})
        folded = [_split(extra[::part].reshape(-1, n).sum(axis=0)) for part in parts]
        values = np.stack([rest for _, rest in folded])[:, ring.multiples]
        sums = _roomy(values, len(ring.units)).sum(axis=2, keepdims=True)
        by_gcd = np.broadcast_to(sums, values.shape)
        by_unit = _cyclic_product(values, units, ring.shape)
        members = level * len(ring.units) + _sum(units)
        for i, part in enumerate(parts):
            rows = np.stack([m.ravel()[ring.place] for m in (by_gcd[i], by_unit[i])])
            even = low.level * (g // part) + folded[i][0]
            rows = np.concatenate([np.ones((1, n), dtype=np.int64), rows])
            found[g, part] = _Ratios((even * members, level, 1), rows)
    return found


def _facing(ratios: _Ratios, k: int) -> _Ratios:
    """The same with entry r about the ratio ``-r - k``."""
    n = ratios.rows.shape[1]
    return _Ratios(ratios.weights, ratios.rows[:, (-k - np.arange(n)) % n])


def _ratio_matches(x: _Ratios, y: _Ratios, gx: int, gy: int) -> int:
    """Pairs with equal index modulo ``n_x / gy = n_y / gx``."""
    a, b = x.rows, y.rows
    # After folding: n_x / gy products, of entries at most gy and gx times larger.
    if a.shape[1] * gx * _peak(a) * _peak(b) >= _SAFE:
        a, b = a.astype(object), b.astype(object)
    if gy > 1:
        a = a.reshape(3, gy, -1).sum(axis=1)
    if gx > 1:
        b = b.reshape(3, gx, -1).sum(axis=1)
    table = (a @ b.T).tolist()
    return sum(
        u * sum(v * t for v, t in zip(y.weights, line, strict=True))
        for u, line in zip(x.weights, table, strict=True)
    )
