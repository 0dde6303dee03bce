"""Exact counts modulo p against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from builders.distributions import HUGE, counts, several
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.counting.residues import (
    Residues,
    convolve,
    digit_sum,
    interval,
    scale,
    unchanged,
    zero_pairs,
)
from arith.theory.errors import TooMuchWork
from arith.theory.numbers.effort import PART, budget

DECIMAL = tuple(range(10))


def tally(p: int, numbers: Iterable[int]) -> list[int]:
    found = Counter(n % p for n in numbers)
    return [found[r] for r in range(p)]


# --- intervals and digits ---------------------------------------------------------------


@given(st.integers(1, 40), st.integers(-200, 200), st.integers(-5, 150), st.integers(-100, 100))
def test_interval(p: int, low: int, size: int, step: int) -> None:
    numbers = (step * t for t in range(low, low + size))
    assert counts(scale(interval(p, low, low + size), step)) == tally(p, numbers)


@given(st.integers(1, 40), st.integers(-50, 50), st.integers(0, 80), st.integers(-60, 60))
def test_interval_of_huge_size(p: int, low: int, size: int, step: int) -> None:
    laps = tally(p, (step * t for t in range(p)))
    rest = counts(scale(interval(p, low, low + size), step))
    expected = [HUGE * a + b for a, b in zip(laps, rest, strict=True)]
    assert counts(scale(interval(p, low, low + size + HUGE * p), step)) == expected


def digit_sets(base: int) -> st.SearchStrategy[tuple[int, ...]]:
    any_set = st.sets(st.integers(-base, base), max_size=4).map(sorted).map(tuple)
    full = st.integers(-base, base).map(lambda low: tuple(range(low, low + base)))
    return st.one_of(any_set, full, st.just(tuple(range(base))), st.just(tuple(range(1, base))))


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
    assert counts(found) == counts(scale(interval(p, 3 * 10**200, 6 * 10**200), 3))
    assert found.total == 3 * 10**200


def test_many_digits_that_form_no_range() -> None:
    # 2-adic digits {0, 2} at 300 positions are twice the full digits: huge object counts.
    rows = [(i, (0, 2)) for i in range(1, 301)]
    assert counts(digit_sum(12, 2, rows)) == counts(scale(interval(12, 0, 2**300), 2))


def test_no_digit_is_the_number_zero() -> None:
    assert counts(digit_sum(5, 10, [])) == [1, 0, 0, 0, 0]
    assert counts(digit_sum(1, 10, [])) == [1]


def test_a_digit_without_values_leaves_nothing() -> None:
    assert counts(digit_sum(5, 10, [(1, DECIMAL), (2, ()), (3, (1, 2))])) == [0] * 5


# --- sums -------------------------------------------------------------------------------


def brute_convolve(x: Residues, y: Residues) -> list[int]:
    a, b, p = counts(x), counts(y), x.p
    return [sum(a[i] * b[(r - i) % p] for i in range(p)) for r in range(p)]


@given(several(2, largest=40))
def test_convolve_and_zero_pairs(pair: tuple[Residues, ...]) -> None:
    expected = brute_convolve(*pair)
    assert counts(convolve(*pair)) == expected
    assert zero_pairs(*pair) == expected[0]
    assert convolve(*pair).total == pair[0].total * pair[1].total


@given(several(1, largest=40), st.integers(-50, 50) | st.just(HUGE))
def test_scale(one: tuple[Residues, ...], factor: int) -> None:
    [x] = one
    expected = [0] * x.p
    for r, n in enumerate(counts(x)):
        expected[r * factor % x.p] += n
    assert counts(scale(x, factor)) == expected


@given(several(2, largest=30), st.integers(1, 9))
def test_unchanged(pair: tuple[Residues, ...], divisor: int) -> None:
    a, b, p = *map(counts, pair), pair[0].p
    keys = np.stack([np.arange(p) // divisor, np.arange(p) % divisor])
    expected = [
        sum(a[v] * b[u] for v, u in product(range(p), repeat=2) if key[v] == key[(v + u) % p])
        for key in keys
    ]
    assert unchanged(*pair, keys) == expected


def test_too_many_comparisons_are_refused() -> None:
    x = interval(40_000, 0, 40_000)
    with pytest.raises(TooMuchWork), budget(PART):
        unchanged(x, x, np.arange(40_000)[None])
    few = interval(40_000, 0, 7)
    assert unchanged(x, few, np.arange(40_000)[None] // 10) == [
        sum((10 - u) * 4000 for u in range(7))
    ]


@pytest.mark.parametrize("p", [99_991, 100_000])  # padded and cyclic transforms
@pytest.mark.parametrize("entry", [2, 2**20])  # one limb, and several
def test_long_convolutions_keep_every_unit(p: int, entry: int) -> None:
    rng = np.random.default_rng(p)
    x, y = (Residues(HUGE, rng.integers(0, entry, p)) for _ in range(2))
    z = convolve(x, y)
    for r in map(int, rng.integers(0, p, 5)):
        assert z.count(r) == zero_pairs(x, Residues(y.level, np.roll(y.extra, -r)))
    assert z.total == x.total * y.total
