"""Exact counts modulo p against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.residues import (
    Residues,
    _cyclic_product,
    _ring,
    convolve,
    digit_sum,
    interval,
    product_matches,
    zero_pairs,
)
from theory.tasks import InvalidInput

HUGE = 10**50
DECIMAL = tuple(range(10))


def counts(x: Residues) -> list[int]:
    assert isinstance(x.level, int)
    assert x.level >= 0
    assert x.extra.dtype in (np.int64, object)
    assert (x.extra >= 0).all()
    return [x.count(r) for r in range(x.p)]


def tally(p: int, numbers: Iterable[int]) -> list[int]:
    found = Counter(n % p for n in numbers)
    return [found[r] for r in range(p)]


@st.composite
def residues(draw: st.DrawFn, p: int) -> Residues:
    """Any distribution mod p; its entries small, large, huge or mixed, its level too."""
    entry = st.sampled_from((1, 3, 2**40, 2**61, 10**60)).flatmap(lambda m: st.integers(0, m))
    extra = draw(st.lists(st.one_of(st.just(0), entry), min_size=p, max_size=p))
    dtype = np.int64 if max(extra) < 2**62 else object
    return Residues(draw(st.sampled_from((0, 0, 1, 7, HUGE))), np.array(extra, dtype=dtype))


def several(number: int, largest: int) -> st.SearchStrategy[tuple[Residues, ...]]:
    return st.integers(1, largest).flatmap(lambda p: st.tuples(*[residues(p)] * number))


# --- intervals and digits ---------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(-200, 200), st.integers(-5, 150), st.integers(-100, 100))
def test_interval(p: int, low: int, size: int, step: int) -> None:
    numbers = (step * t for t in range(low, low + size))
    assert counts(interval(p, low, low + size, step)) == tally(p, numbers)


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(-50, 50), st.integers(0, 80), st.integers(-60, 60))
def test_interval_of_huge_size(p: int, low: int, size: int, step: int) -> None:
    laps = tally(p, (step * t for t in range(p)))
    rest = counts(interval(p, low, low + size, step))
    expected = [HUGE * a + b for a, b in zip(laps, rest, strict=True)]
    assert counts(interval(p, low, low + size + HUGE * p, step)) == expected


def digit_sets(base: int) -> st.SearchStrategy[tuple[int, ...]]:
    any_set = st.sets(st.integers(-base, base), max_size=4).map(sorted).map(tuple)
    full = st.integers(-base, base).map(lambda low: tuple(range(low, low + base)))
    return st.one_of(any_set, full, st.just(tuple(range(base))), st.just(tuple(range(1, base))))


@settings(max_examples=200, deadline=None)
@given(st.data(), st.integers(1, 40), st.integers(2, 4), st.integers(-12, 12))
def test_digit_sum(data: st.DataObject, p: int, base: int, step: int) -> None:
    row = st.tuples(st.integers(1, 6), digit_sets(base))
    rows = data.draw(st.lists(row, max_size=5, unique_by=lambda r: r[0]))
    weights = [step * base ** (position - 1) for position, _ in rows]
    numbers = (
        sum(w * d for w, d in zip(weights, digits, strict=True))
        for digits in product(*(values for _, values in rows))
    )
    assert counts(digit_sum(p, base, rows, step)) == tally(p, numbers)


@pytest.mark.parametrize("p", [1, 7, 60, 9973, 10_000])
def test_full_digits_are_an_interval(p: int) -> None:
    rows = [(i, DECIMAL) for i in range(1, 201)] + [(201, (3, 4, 5))]
    found = digit_sum(p, 10, rows, step=3)
    assert counts(found) == counts(interval(p, 3 * 10**200, 6 * 10**200, step=3))
    assert found.total == 3 * 10**200


def test_many_digits_that_form_no_range() -> None:
    # 2-adic digits {0, 2} at 300 positions are twice the full digits: huge object counts.
    rows = [(i, (0, 2)) for i in range(1, 301)]
    assert counts(digit_sum(12, 2, rows)) == counts(interval(12, 0, 2**300, step=2))


def test_no_digit_is_the_number_zero() -> None:
    assert counts(digit_sum(5, 10, [])) == [1, 0, 0, 0, 0]
    assert counts(digit_sum(1, 10, [])) == [1]


def test_a_digit_without_values_leaves_nothing() -> None:
    assert counts(digit_sum(5, 10, [(1, DECIMAL), (2, ()), (3, (1, 2))])) == [0] * 5


def test_nonsense_is_refused() -> None:
    with pytest.raises(InvalidInput, match="modulus"):
        interval(0, 0, 5)
    with pytest.raises(InvalidInput, match="base"):
        digit_sum(5, 1, [(1, (0,))])
    with pytest.raises(InvalidInput, match="position"):
        digit_sum(5, 10, [(0, (0,))])
    with pytest.raises(InvalidInput, match="mod 5 and mod 7"):
        convolve(interval(5, 0, 5), interval(7, 0, 5))
    with pytest.raises(InvalidInput, match="mod 7"):
        product_matches(7, *[interval(5, 0, 5)] * 4)


# --- sums -------------------------------------------------------------------------------


def brute_convolve(x: Residues, y: Residues) -> list[int]:
    a, b, p = counts(x), counts(y), x.p
    return [sum(a[i] * b[(r - i) % p] for i in range(p)) for r in range(p)]


@settings(max_examples=150, deadline=None)
@given(several(2, largest=40))
def test_convolve_and_zero_pairs(pair: tuple[Residues, ...]) -> None:
    expected = brute_convolve(*pair)
    assert counts(convolve(*pair)) == expected
    assert zero_pairs(*pair) == expected[0]
    assert convolve(*pair).total == pair[0].total * pair[1].total


@pytest.mark.parametrize("p", [99_991, 100_000])  # padded and cyclic transforms
@pytest.mark.parametrize("entry", [2, 2**20])  # one limb, and several
def test_long_convolutions_keep_every_unit(p: int, entry: int) -> None:
    rng = np.random.default_rng(p)
    x, y = (Residues(HUGE, rng.integers(0, entry, p)) for _ in range(2))
    z = convolve(x, y)
    for r in map(int, rng.integers(0, p, 5)):
        assert z.count(r) == zero_pairs(x, Residues(y.level, np.roll(y.extra, -r)))
    assert z.total == x.total * y.total


@settings(deadline=None)
@given(st.data(), st.lists(st.integers(1, 29), min_size=1, max_size=2).map(tuple))
def test_products_over_groups(data: st.DataObject, shape: tuple[int, ...]) -> None:
    size = int(np.prod(shape))
    largest = data.draw(st.sampled_from((1, 10**6, 10**30)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = rng.integers(0, 2**30, (2, size)).astype(object) * largest // 2**30
    y = rng.integers(0, 2**30, size).astype(object) * largest // 2**30
    found = _cyclic_product(x, y, shape)
    places = list(np.ndindex(*shape))
    target = data.draw(st.sampled_from(places))
    for line in range(2):
        expected = sum(
            x[line, i] * y[np.ravel_multi_index(np.subtract(target, place) % shape, shape)]
            for i, place in enumerate(places)
        )
        assert found[line, np.ravel_multi_index(target, shape)] == expected


# --- products ---------------------------------------------------------------------------


def brute_matches(la: Residues, ua: Residues, lb: Residues, ub: Residues) -> int:
    p = la.p
    a, b, c, d = map(counts, (la, ua, lb, ub))
    return sum(
        a[i] * b[j] * c[k] * d[m]
        for i, j, k, m in product(range(p), repeat=4)
        if (i + j) * (k + m) % p == i * k % p
    )


def cubic_matches(la: Residues, ua: Residues, lb: Residues, ub: Residues) -> int:
    """Over all (ua, la + ua) at once: the residue of ua*lb must meet -(la + ua)*ub."""
    p, r = la.p, np.arange(la.p)
    times = np.zeros((p, p, p), dtype=np.int64)  # times[u, x, u * x] = 1
    times[r[:, None], r, r[:, None] * r % p] = 1
    a, b, c, d = (np.array(counts(x), dtype=np.int64) for x in (la, ua, lb, ub))
    lows = np.einsum("x,uxr->ur", c, times)
    highs = np.einsum("x,uxr->ur", d, times)[:, -r % p]
    pairs = b[:, None] * a[(r - r[:, None]) % p]  # pairs[ua, la + ua]
    return int((pairs * (lows @ highs.T)).sum())


@settings(max_examples=100, deadline=None)
@given(several(4, largest=12))
def test_product_matches(four: tuple[Residues, ...]) -> None:
    assert product_matches(four[0].p, *four) == brute_matches(*four)


@pytest.mark.parametrize("p", range(5, 13))
@pytest.mark.parametrize("largest", [2**28, 2**61, 10**60])
def test_product_matches_of_dense_large_counts(p: int, largest: int) -> None:
    # Near the limits of int64, where sums and products no longer fit.
    four = [
        Residues(0, np.array([(largest - i * j % 7) * (i > 0) for i in range(p)]))
        for j in range(1, 5)
    ]
    assert product_matches(p, *four) == brute_matches(*four)


@pytest.mark.parametrize("p", [60, 64, 72, 81, 97, 105, 125])
@pytest.mark.parametrize("seed", range(3))
def test_product_matches_at_larger_moduli(p: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    four = [Residues(int(rng.integers(0, 3)), rng.integers(0, 2 + seed, p)) for _ in range(4)]
    assert product_matches(p, *four) == cubic_matches(*four)


@pytest.mark.parametrize("p", [60, 96, 100, 101, 121, 126, 130])
def test_product_matches_of_digits(p: int) -> None:
    # Lower digits against the digits above them: intervals, and multiples of 10**k.
    for k in (1, 2):
        low = interval(p, 0, 10**k)
        high = interval(p, 10 ** (3 - k), 10 ** (4 - k), step=10**k)
        below = interval(p, 0, 10 ** (3 - k), step=10**k)
        assert product_matches(p, low, high, low, below) == cubic_matches(low, high, low, below)


@pytest.mark.parametrize("p", [1, 2, 30, 9973, 9240])
def test_numbers_without_upper_part_always_match(p: int) -> None:
    nothing, low = interval(p, 0, HUGE, step=p), interval(p, 3, HUGE)
    assert nothing.count(0) == HUGE
    assert product_matches(p, low, nothing, low, nothing) == low.total**2 * HUGE**2


@pytest.mark.parametrize("p", [9973, 10_000])
def test_the_two_operands_can_be_exchanged(p: int) -> None:
    la, ua = interval(p, 0, 10**80 + 1234), interval(p, 10**9, 10**90, step=10**3)
    lb, ub = interval(p, 0, 10**81), interval(p, 0, 10**70, step=10**2)
    assert product_matches(p, la, ua, lb, ub) == product_matches(p, lb, ub, la, ua)


def uniform_matches(p: int) -> int:
    """Quadruples with equal products, mod p: ``sum of N(c)**2``, N(c) = #{xy = c}."""
    # N(c) depends on gcd(c, p) alone: x with gcd d takes part when d | c, d times.
    number = Counter(np.gcd(np.arange(p), p).tolist())
    ways = {g: sum(d * n for d, n in number.items() if g % d == 0) for g in number}
    return sum(n * ways[g] ** 2 for g, n in number.items())


@pytest.mark.parametrize("p", [1, 12, 201, 5040, 8192, 9973, 10_000])
def test_uniform_numbers(p: int) -> None:
    # (la, la + ua) and (lb, lb + ub) are then independent and uniform too.
    flat = interval(p, 0, HUGE * p)
    assert flat.level == HUGE
    assert not flat.extra.any()
    assert product_matches(p, flat, flat, flat, flat) == HUGE**4 * uniform_matches(p)
    if p == 9973:  # the closed form of a prime
        assert uniform_matches(p) == (p - 1) * (p - 1) ** 2 + (2 * p - 1) ** 2


@pytest.mark.parametrize("p", [9240, 9973, 10_000])
def test_product_matches_at_large_moduli(p: int) -> None:
    rng = np.random.default_rng(p)
    few = rng.choice(np.gcd.outer(np.arange(1, p), [p]).ravel() * rng.integers(1, p, p - 1), 30)
    la, ua = (Residues(0, np.bincount(part % p, minlength=p)) for part in (few[:15], few[15:]))
    lb, ub = (Residues(2, rng.integers(0, 3, p)) for _ in range(2))
    r = np.arange(p)
    expected = 0
    for i, j in product(*(np.flatnonzero(x.extra).tolist() for x in (la, ua))):
        # ua*lb meets -(la + ua)*ub
        x = np.bincount(j * r % p, weights=lb.level + lb.extra, minlength=p)
        y = np.bincount(-(i + j) * r % p, weights=ub.level + ub.extra, minlength=p)
        expected += la.count(i) * ua.count(j) * int(x @ y)  # integers far below 2**53
    assert product_matches(p, la, ua, lb, ub) == expected
    assert product_matches(p, lb, ub, la, ua) == expected


@pytest.mark.parametrize("n", [1, 2, 4, 8, 9, 16, 30, 49, 60, 168, 1155])
def test_unit_tables(n: int) -> None:
    ring = _ring(n)
    assert sorted(ring.units) == [u for u in range(n) if np.gcd(u, n) == 1]
    assert (ring.multiples.ravel()[ring.place] == np.arange(n)).all()
    assert (ring.units * ring.inverses % n == 1 % n).all()
