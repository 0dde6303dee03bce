"""Exact counts modulo n against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
import pytest
from builders.strategies import examples
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.canonical import Term
from arith.theory.arithmetic.effort import PART, budget
from arith.theory.arithmetic.residues import (
    Operand,
    Residues,
    digit_sum,
    keys_unchanged,
    product_unchanged,
    unchanged,
    zero_pairs,
)
from arith.theory.errors import NotCountable

HUGE = 10**50
DECIMAL = tuple(range(10))
MANY = examples(60)


def counts(x: Residues) -> list[int]:
    """The counts of a well-formed distribution, residue by residue."""
    assert isinstance(x.level, int) and x.level >= 0
    assert x.extra.dtype in (np.int64, object) and (x.extra >= 0).all()
    assert x.counts.tolist() == [x.count(r) for r in range(x.n)]
    return [x.count(r) for r in range(x.n)]


@st.composite
def residues(draw: st.DrawFn, n: int) -> Residues:
    """Any distribution mod n; its entries small, large, huge or mixed, its level too."""
    entry = st.sampled_from((1, 3, 2**40, 2**61, 10**60)).flatmap(lambda m: st.integers(0, m))
    extra = draw(st.lists(st.one_of(st.just(0), entry), min_size=n, max_size=n))
    dtype = np.int64 if max(extra) < 2**62 else object
    return Residues(draw(st.sampled_from((0, 0, 1, 7, HUGE))), np.array(extra, dtype=dtype))


def several(number: int, largest: int) -> st.SearchStrategy[tuple[Residues, ...]]:
    """So many distributions mod one n, n from 1 to the largest."""
    return st.integers(1, largest).flatmap(lambda n: st.tuples(*[residues(n)] * number))


def span(n: int, low: int, high: int) -> Residues:
    """The numbers from low to below high, mod n."""
    return Residues(0, (np.arange(n) == 0).astype(np.int64)).plus_span(1, low, high - low)


# --- distributions ----------------------------------------------------------------------


def digit_sets(base: int) -> st.SearchStrategy[tuple[int, ...]]:
    any_set = st.sets(st.integers(-base, base), max_size=4).map(sorted).map(tuple)
    full = st.integers(-base, base).map(lambda low: tuple(range(low, low + base)))
    return st.one_of(any_set, full, st.just(tuple(range(base))), st.just(tuple(range(1, base))))


@MANY
@given(st.data(), st.integers(1, 40), st.integers(2, 4), st.integers(-12, 12))
def test_sums_of_digits(data: st.DataObject, n: int, base: int, step: int) -> None:
    row = st.tuples(st.integers(0, 5), digit_sets(base))
    rows = sorted(data.draw(st.lists(row, max_size=5, unique_by=lambda r: r[0])))
    rows = [(step * base**i, values) for i, values in rows]
    digits = product(*(values for _, values in rows))
    found = Counter(sum(w * d for (w, _), d in zip(rows, x, strict=True)) % n for x in digits)
    assert counts(digit_sum(n, rows)) == [found[r] for r in range(n)]


@MANY
@given(several(1, largest=40), st.integers(-60, 60), st.integers(-50, 50), st.integers(0, 80))
def test_a_span_is_added_to_any_distribution(
    one: tuple[Residues, ...], weight: int, first: int, length: int
) -> None:
    [x] = one
    before, expected = counts(x), [0] * x.n
    for r, t in product(range(x.n), range(first, first + length)):
        expected[(r + weight * t) % x.n] += before[r]
    assert counts(x.plus_span(weight, first, length)) == expected
    # So many laps more hit each residue that the weight leads to equally often.
    more = counts(x.plus_span(weight, first, length + HUGE * x.n))
    lap = counts(x.plus_span(weight, 0, x.n))
    assert more == [HUGE * a + b for a, b in zip(lap, expected, strict=True)]


@pytest.mark.parametrize("n", [1, 7, 60, 9973, 10_000])
def test_full_digits_are_a_span(n: int) -> None:
    rows = [(3 * 10**i, DECIMAL) for i in range(200)] + [(3 * 10**200, (3, 4, 5))]
    found = digit_sum(n, rows)
    expected = digit_sum(n, []).plus_span(3, 3 * 10**200, 3 * 10**200)
    assert counts(found) == counts(expected)
    assert found.total == 3 * 10**200


def test_many_digits_that_form_no_span() -> None:
    # 2-adic digits {0, 2} at 300 positions are twice the full digits: huge object counts.
    twice = digit_sum(12, [(2 * 2**i, (0, 1)) for i in range(300)])
    assert counts(digit_sum(12, [(2**i, (0, 2)) for i in range(300)])) == counts(twice)


def test_no_digit_and_a_digit_without_values() -> None:
    assert counts(digit_sum(5, [])) == [1, 0, 0, 0, 0]
    assert counts(digit_sum(5, [(1, DECIMAL), (10, ()), (100, (1, 2))])) == [0] * 5


@MANY
@given(several(2, largest=40))
def test_sums_of_two_distributions(pair: tuple[Residues, ...]) -> None:
    (a, b), n = map(counts, pair), pair[0].n
    expected = [sum(a[i] * b[(r - i) % n] for i in range(n)) for r in range(n)]
    assert counts(pair[0].convolve(pair[1])) == expected
    assert zero_pairs(*pair) == expected[0]
    assert pair[0].total == sum(a)


@pytest.mark.parametrize("n", [99_991, 100_000])  # padded and cyclic transforms
@pytest.mark.parametrize("entry", [2, 2**20])  # one limb, and several
def test_long_sums_keep_every_unit(n: int, entry: int) -> None:
    rng = np.random.default_rng(n)
    x, y = (Residues(HUGE, rng.integers(0, entry, n)) for _ in range(2))
    z = x.convolve(y)
    for r in map(int, rng.integers(0, n, 5)):
        assert z.count(r) == zero_pairs(x, y.plus(-r))
    assert z.total == x.total * y.total


# --- polynomials ------------------------------------------------------------------------

Case = tuple[list[Term], int, list[Operand]]


def value(terms: Sequence[Term], x: Sequence[int]) -> int:
    return sum(c * prod(y**e for y, e in zip(x, exponents, strict=True)) for c, exponents in terms)


def pairs(operand: Operand) -> list[tuple[int, int]]:
    """What is read of each number, and the number."""

    def sums(rows: Sequence[tuple[int, Sequence[int]]]) -> list[int]:
        digits = product(*(values for _, values in rows))
        return [sum(w * d for (w, _), d in zip(rows, x, strict=True)) for x in digits]

    read, missed = sums(operand.read), sums(operand.missed)
    return [(operand.offset + s, operand.offset + s + v) for s, v in product(read, missed)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A polynomial in 1 to 3 operands, a modulus, and digits read and missed."""
    k, base = draw(st.integers(1, 3)), draw(st.sampled_from((2, 3, 10)))
    few = st.sets(st.integers(-1, base - 1), min_size=1, max_size=3).map(sorted)
    operands = []
    for _ in range(k):
        read, missed = draw(st.integers(0, 2)), draw(st.integers(0, 2))
        rows = [(base**i, draw(few)) for i in range(read + missed)]
        operands.append(Operand(rows[:read], rows[read:], draw(st.integers(0, 9))))
    powers = st.sampled_from((0, 0, 1, 1, 2))
    monomials = st.sets(st.tuples(*[powers] * k), min_size=1, max_size=4)
    if k == 2 and draw(st.booleans()):
        monomials = st.just({(1, 1), (1, 0), (0, 1)})
    terms = [(draw(st.integers(-9, 9)), e) for e in sorted(draw(monomials))]
    return terms, draw(st.integers(1, 60)), operands


@examples(100)
@given(cases(), st.integers(1, 5))
def test_polynomials_keep_their_value_as_often_as_enumerated(case: Case, divisor: int) -> None:
    terms, n, operands = case
    every = [
        tuple(value(terms, x) % n for x in zip(*chosen, strict=True))
        for chosen in product(*map(pairs, operands))
    ]
    assert unchanged(*case) == sum(x == y for x, y in every)
    assert keys_unchanged(*case, lambda r: [r // divisor, r % divisor]) == [
        sum(x // divisor == y // divisor for x, y in every),
        sum(x % divisor == y % divisor for x, y in every),
    ]


def numbers(n: int, m: int) -> Operand:
    """Numbers of m decimal digits, n of them read."""
    rows = [(10**i, DECIMAL) for i in range(m - 1)] + [(10 ** (m - 1), DECIMAL[1:])]
    return Operand(rows[:n], rows[n:])


@pytest.mark.parametrize("p", [20, 21])
def test_products_by_ratios_and_by_the_table(p: int) -> None:
    a, b = numbers(2, 100), numbers(3, 80)
    by_table = keys_unchanged([(1, (1, 1))], p, [a, b], lambda r: [r])
    assert [unchanged([(1, (1, 1))], p, [a, b])] == by_table


def test_what_is_too_large_is_refused() -> None:
    x = numbers(3, 9)
    for terms, n in ([(1, (2, 2))], 201), ([(1, (3, 0))], 10**5 + 3), ([(1, (1, 0))], 10**9 + 7):
        with pytest.raises(NotCountable, match="too"), budget(PART):
            unchanged(terms, n, [x, x])
    with pytest.raises(NotCountable, match="too"), budget(PART):
        keys_unchanged([(1, (1, 0))], 99_991, [x, x], lambda r: [r])


# --- products ---------------------------------------------------------------------------

Four = tuple[Residues, ...]


def brute_product(four: Four) -> int:
    n, (a, b, c, d) = four[0].n, map(counts, four)
    return sum(
        a[i] * b[j] * c[k] * d[m]
        for i, j, k, m in product(range(n), repeat=4)
        if (i + j) * (k + m) % n == i * k % n
    )


def cubic_product(four: Four) -> int:
    """Over all (v_a, s_a + v_a) at once: the residue of v_a s_b must meet -(s_a + v_a) v_b."""
    n, r = four[0].n, np.arange(four[0].n)
    times = np.zeros((n, n, n), dtype=np.int64)  # times[u, x, u * x] = 1
    times[r[:, None], r, r[:, None] * r % n] = 1
    a, b, c, d = (np.array(counts(x), dtype=np.int64) for x in four)
    lows = np.einsum("x,uxr->ur", c, times)
    highs = np.einsum("x,uxr->ur", d, times)[:, -r % n]
    both = b[:, None] * a[(r - r[:, None]) % n]  # both[v_a, s_a + v_a]
    return int((both * (lows @ highs.T)).sum())


@examples(40)
@given(several(4, largest=12))
def test_products(four: Four) -> None:
    assert product_unchanged(*four) == brute_product(four)


@pytest.mark.parametrize("largest", [2**28, 2**61, 10**60])
def test_products_of_dense_large_counts(largest: int) -> None:
    # Near the limits of int64, where sums and products no longer fit.
    for n in range(5, 11):
        entries = [[(largest - i * j % 7) * (i > 0) for i in range(n)] for j in range(1, 5)]
        four = tuple(Residues(0, np.array(x)) for x in entries)
        assert product_unchanged(*four) == brute_product(four)


@pytest.mark.parametrize("n", [60, 64, 72, 81, 97, 105, 125])
def test_products_at_larger_moduli(n: int) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        four = [Residues(int(rng.integers(0, 3)), rng.integers(0, 2 + seed, n)) for _ in range(4)]
        assert product_unchanged(*four) == cubic_product(tuple(four))


def test_the_two_operands_can_be_exchanged() -> None:
    for n in (9973, 10_000):
        a, b = numbers(4, 81).parts(n), numbers(3, 70).parts(n)
        assert product_unchanged(*a, *b) == product_unchanged(*b, *a)


def uniform_products(n: int) -> int:
    """Quadruples with equal products, mod n: ``sum of N(c)**2``, N(c) = #{xy = c}."""
    # N(c) depends on gcd(c, n) alone: x with gcd d takes part when d | c, d times.
    number = Counter(np.gcd(np.arange(n), n).tolist())
    ways = {g: sum(d * m for d, m in number.items() if g % d == 0) for g in number}
    return sum(m * ways[g] ** 2 for g, m in number.items())


@pytest.mark.parametrize("n", [1, 12, 201, 5040, 8192, 9973, 10_000])
def test_uniform_numbers(n: int) -> None:
    # (s_a, s_a + v_a) and (s_b, s_b + v_b) are then independent and uniform too.
    flat = span(n, 0, HUGE * n)
    assert flat.level == HUGE and not flat.extra.any()
    assert product_unchanged(flat, flat, flat, flat) == HUGE**4 * uniform_products(n)
    if n == 9973:  # the closed form of a prime
        assert uniform_products(n) == (n - 1) * (n - 1) ** 2 + (2 * n - 1) ** 2
    nothing, low = span(n, 0, 1), span(n, 3, HUGE)  # no upper part: it always matches
    assert product_unchanged(low, nothing, low, nothing) == low.total**2


@pytest.mark.parametrize("n", [9240, 9973, 10_000])
def test_products_at_large_moduli(n: int) -> None:
    rng = np.random.default_rng(n)
    few = rng.choice(np.gcd.outer(np.arange(1, n), [n]).ravel() * rng.integers(1, n, n - 1), 30)
    la, ua = (Residues(0, np.bincount(part % n, minlength=n)) for part in (few[:15], few[15:]))
    lb, ub = (Residues(2, rng.integers(0, 3, n)) for _ in range(2))
    r = np.arange(n)
    expected = 0
    for i, j in product(*(np.flatnonzero(x.extra).tolist() for x in (la, ua))):
        # v_a s_b meets -(s_a + v_a) v_b
        x = np.bincount(j * r % n, weights=lb.level + lb.extra, minlength=n)
        y = np.bincount(-(i + j) * r % n, weights=ub.level + ub.extra, minlength=n)
        expected += la.count(i) * ua.count(j) * int(x @ y)  # integers far below 2**53
    assert product_unchanged(la, ua, lb, ub) == expected
    assert product_unchanged(lb, ub, la, ua) == expected
