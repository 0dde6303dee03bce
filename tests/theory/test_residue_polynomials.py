"""Exact counts of polynomials modulo p against brute force."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from cases import HUGE, counts, residues
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory import residue_polynomials
from theory.integer_arrays import NotCountable
from theory.residue_polynomials import Operand, polynomial_matches
from theory.residue_products import product_matches
from theory.residues import interval
from theory.tasks import Term


def brute_matches(terms: list[Term], p: int, step: int, operands: list[Operand]) -> int:
    def value(x: list[int]) -> int:
        return sum(c * prod(y**e for y, e in zip(x, exponents)) for c, exponents in terms)

    q = p // step
    tables = [counts(x) for operand in operands for x in (operand.seen, operand.moved)]
    total = 0
    for choice in product(range(q), repeat=len(tables)):
        seen, moved = choice[::2], choice[1::2]
        whole = [s + step * v for s, v in zip(seen, moved, strict=True)]
        if (value(whole) - value(list(seen))) % p == 0:
            total += prod(table[r] for table, r in zip(tables, choice, strict=True))
    return total


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Term], int, int, list[Operand]]:
    """A polynomial in 1 to 4 operands, a modulus, a divisor of it, and distributions."""
    k = draw(st.integers(1, 4))
    q = draw(st.integers(1, (30, 10, 5, 3)[k - 1]))
    step = draw(st.integers(1, 6))
    term = st.tuples(st.integers(-9, 9), st.tuples(*[st.sampled_from((0, 0, 1, 1, 2))] * k))
    terms = draw(st.lists(term, min_size=1, max_size=4))
    operands = [Operand(draw(residues(q)), draw(residues(q))) for _ in range(k)]
    return terms, q * step, step, operands


@settings(max_examples=400, deadline=None, derandomize=True)
@given(cases())
def test_polynomial_matches(case: tuple[list[Term], int, int, list[Operand]]) -> None:
    assert polynomial_matches(*case) == brute_matches(*case)
