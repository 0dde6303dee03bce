"""Exact counts of polynomials modulo p against brute force."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

import numpy as np
import pytest
from builders.distributions import HUGE, counts, residues
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.counting.residue_polynomials import (
    Operand,
    polynomial_matches,
    polynomial_unchanged,
)
from arith.theory.counting.residue_products import product_matches
from arith.theory.counting.residues import Residues, interval, scale
from arith.theory.errors import NotCountable
from arith.theory.numbers.effort import PART, budget
from arith.theory.setting.tasks import Term

Case = tuple[list[Term], int, int, list[Operand]]


def polynomial(terms: Sequence[Term], x: Sequence[int]) -> int:
    return sum(c * prod(y**e for y, e in zip(x, exponents, strict=True)) for c, exponents in terms)


def brute(case: Case, same: Callable[[int, int], bool]) -> int:
    """The choices on which the values of what is whole and of what is seen are the same."""
    terms, p, step, operands = case
    tables = [counts(x) for operand in operands for x in (operand.seen, operand.moved)]
    total = 0
    for choice in product(range(p // step), repeat=len(tables)):
        seen, moved = choice[::2], choice[1::2]
        whole = [s + step * v for s, v in zip(seen, moved, strict=True)]
        if same(polynomial(terms, whole) % p, polynomial(terms, seen) % p):
            total += prod(table[r] for table, r in zip(tables, choice, strict=True))
    return total


@st.composite
def cases(draw: st.DrawFn, most_steps: int) -> Case:
    """A polynomial in 1 to 4 operands, a modulus, a divisor of it, and distributions."""
    k = draw(st.integers(1, 4))
    q = draw(st.integers(1, (30, 10, 5, 3)[k - 1]))
    step = draw(st.integers(1, most_steps))
    term = st.tuples(st.integers(-9, 9), st.tuples(*[st.sampled_from((0, 0, 1, 1, 2))] * k))
    terms = draw(st.lists(term, min_size=1, max_size=4))
    operands = [Operand(draw(residues(q)), draw(residues(q))) for _ in range(k)]
    return terms, q * step, step, operands


@given(cases(6))
def test_polynomial_matches(case: Case) -> None:
    assert polynomial_matches(*case) == brute(case, lambda x, y: x == y)


@given(cases(1), st.integers(1, 5))
def test_polynomial_unchanged(case: Case, divisor: int) -> None:
    terms, p, _, operands = case
    if not any(any(e) for _, e in terms):
        terms.append((1, (1,) * len(operands)))
    keys = np.stack([np.arange(p) // divisor, np.arange(p) % divisor])
    assert polynomial_unchanged(terms, p, operands, keys) == [
        brute(case, lambda x, y: x // divisor == y // divisor),
        brute(case, lambda x, y: x % divisor == y % divisor),
    ]


def digits(p: int, n: int, m: int) -> Operand:
    """Numbers of m digits, n of them seen."""
    return Operand(
        interval(p, 0, 10**n), scale(interval(p, 10 ** (m - n - 1), 10 ** (m - n)), 10**n)
    )


@pytest.mark.parametrize("p", [50, 101, 144, 199])
def test_products_in_two_ways(p: int) -> None:
    a, b = digits(p, 2, 100), digits(p, 3, 80)
    expected = product_matches(a.seen, a.moved, b.seen, b.moved)
    assert polynomial_matches([(1, (1, 1))], p, 1, [a, b]) == expected


def flat(p: int) -> Residues:
    return interval(p, 0, HUGE * p)


@pytest.mark.parametrize("p", [97, 199, 401])
def test_an_independent_uniform_term_leaves_one_in_p(p: int) -> None:
    a, b, c = digits(p, 1, 50), digits(p, 2, 60), Operand(interval(p, 0, 10), flat(p))
    found = polynomial_matches([(1, (1, 1, 0)), (3, (0, 0, 1))], p, 1, [a, b, c])
    assert found * p == a.total * b.total * c.total


def test_squares_modulo_a_large_prime() -> None:
    p = 9973  # s**2 = t**2 for t = s and for t = -s
    found = polynomial_matches([(4, (2,))], p, 1, [Operand(flat(p), flat(p))])
    assert found == (2 * p - 1) * HUGE**2


def test_an_operand_that_does_not_matter() -> None:
    x = Operand(interval(7, 0, 5), interval(7, 0, 6))
    assert polynomial_matches([(7, (2, 1)), (1, (1, 0))], 7, 1, [x, x]) == 5 * 30
    assert polynomial_matches([(3, (0, 0))], 7, 1, [x, x]) == 30 * 30


def test_no_number_at_all() -> None:
    x, nothing = Operand(flat(5), flat(5)), Operand(interval(5, 0, 0), flat(5))
    keys = np.arange(5)[None]
    for terms in ([(1, (1, 1))], [(1, (2, 0)), (1, (0, 1))]):
        assert polynomial_matches(terms, 5, 1, [x, nothing]) == 0
        assert polynomial_unchanged(terms, 5, [x, nothing], keys) == [0]


@pytest.mark.parametrize(
    ("terms", "p"), [([(1, (2, 2))], 200), ([(1, (1, 1))], 2000), ([(1, (3, 0))], 10**5)]
)
def test_too_large(terms: list[Term], p: int) -> None:
    x = Operand(flat(p), flat(p))
    with pytest.raises(NotCountable, match="too"), budget(PART):
        polynomial_matches(terms, p, 1, [x, x])
    with pytest.raises(NotCountable, match="too"), budget(PART):
        polynomial_unchanged(terms, p, [x, x], np.arange(p)[None])


def test_too_uneven() -> None:
    p = 500
    x = Operand(*[Residues(0, np.arange(p))] * 2)
    with pytest.raises(NotCountable, match="unevenly"):
        polynomial_matches([(1, (2,))], p, 1, [x])
