"""Exact counts of products modulo p against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from builders.distributions import HUGE, counts, several
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.counting.residue_products import product_matches
from arith.theory.counting.residues import Residues, interval, scale


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


@given(several(4, largest=12))
def test_product_matches(four: tuple[Residues, ...]) -> None:
    assert product_matches(*four) == brute_matches(*four)


@given(several(4, largest=10), st.integers(1, 12))
def test_product_matches_of_steps(four: tuple[Residues, ...], step: int) -> None:
    a, b, c, d = map(counts, four)
    p = four[0].p
    assert product_matches(*four, step) == sum(
        a[i] * b[j] * c[k] * d[m]
        for i, j, k, m in product(range(p), repeat=4)
        if ((i + step * j) * (k + step * m) - i * k) % (p * step) == 0
    )


@pytest.mark.parametrize("p", range(5, 13))
@pytest.mark.parametrize("largest", [2**28, 2**61, 10**60])
def test_product_matches_of_dense_large_counts(p: int, largest: int) -> None:
    # Near the limits of int64, where sums and products no longer fit.
    four = [
        Residues(0, np.array([(largest - i * j % 7) * (i > 0) for i in range(p)]))
        for j in range(1, 5)
    ]
    assert product_matches(*four) == brute_matches(*four)


@pytest.mark.parametrize("p", [60, 64, 72, 81, 97, 105, 125])
@pytest.mark.parametrize("seed", range(3))
def test_product_matches_at_larger_moduli(p: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    four = [Residues(int(rng.integers(0, 3)), rng.integers(0, 2 + seed, p)) for _ in range(4)]
    assert product_matches(*four) == cubic_matches(*four)


@pytest.mark.parametrize("p", [60, 96, 100, 101, 121, 126, 130])
def test_product_matches_of_digits(p: int) -> None:
    # Lower digits against the digits above them: intervals, and multiples of 10**k.
    for k in (1, 2):
        low = interval(p, 0, 10**k)
        high = scale(interval(p, 10 ** (3 - k), 10 ** (4 - k)), 10**k)
        below = scale(interval(p, 0, 10 ** (3 - k)), 10**k)
        assert product_matches(low, high, low, below) == cubic_matches(low, high, low, below)


@pytest.mark.parametrize("p", [1, 2, 30, 9973, 9240])
def test_numbers_without_upper_part_always_match(p: int) -> None:
    nothing, low = scale(interval(p, 0, HUGE), p), interval(p, 3, HUGE)
    assert nothing.count(0) == HUGE
    assert product_matches(low, nothing, low, nothing) == low.total**2 * HUGE**2


@pytest.mark.parametrize("p", [9973, 10_000])
def test_the_two_operands_can_be_exchanged(p: int) -> None:
    la, ua = interval(p, 0, 10**80 + 1234), scale(interval(p, 10**9, 10**90), 10**3)
    lb, ub = interval(p, 0, 10**81), scale(interval(p, 0, 10**70), 10**2)
    assert product_matches(la, ua, lb, ub) == product_matches(lb, ub, la, ua)


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
    assert product_matches(flat, flat, flat, flat) == HUGE**4 * uniform_matches(p)
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
    assert product_matches(la, ua, lb, ub) == expected
    assert product_matches(lb, ub, la, ua) == expected
