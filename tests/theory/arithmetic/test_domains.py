"""Domains: which lengths of operands a training run meets."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic import domains
from arith.theory.arithmetic.domains import KINDS, Domain
from arith.theory.arithmetic.tasks import digit_count

_LENGTHS = st.sets(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


def shares(domain: Domain, base: int, operands: int) -> Counter[tuple[int, ...]]:
    """By the lengths of the operands, the share of the examples that have them."""
    found: Counter[tuple[int, ...]] = Counter()
    for box, weight in domain.weighted_boxes(base, operands, balanced=True):
        numbers = [[_value(digits, base) for digits in product(*row)] for row in box.digits]
        for values in product(*numbers):
            found[tuple(digit_count(v, base) for v in values)] += weight / box.size
    return found


def _value(digits: tuple[int, ...], base: int) -> int:
    return sum(digit * base**i for i, digit in enumerate(digits))


@pytest.mark.parametrize("kind", KINDS)
@given(_LENGTHS, st.sampled_from([Fraction(1, n) for n in (2, 5, 17, 60, 400)]), st.booleans())
def test_lengths_that_are_rare_do_not_count_as_shown(
    kind: str, lengths: tuple[int, ...], least: Fraction, primed: bool
) -> None:
    lengths = tuple(n for n in lengths if kind != "total" or n > 1) or (2,)
    domain = Domain(lengths, kind, ((5, Fraction(1, 3)),) if primed else ())
    expected = shares(domain, 2, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(domains, "LEAST_SHARE", least)
        for widths in ((i, j) for i in range(1, 6) for j in range(1, 6)):
            assert domain.shows_lengths(widths, 2) == (expected[widths] >= least)


@pytest.mark.parametrize(("operands", "lengths"), [(2, (3,)), (3, (2,)), (2, (1, 2))])
def test_a_coin_picks_the_operand_that_is_long(operands: int, lengths: tuple[int, ...]) -> None:
    """Every operand in turn has n digits, and the others are any numbers below ``B**n``."""
    expected: Counter[tuple[int, ...]] = Counter()
    for n in lengths:
        long, every = [x for x in range(3**n) if digit_count(x, 3) == n], range(3**n)
        for picked in range(operands):
            numbers = [long if j == picked else every for j in range(operands)]
            share = Fraction(1, len(lengths) * operands * prod(map(len, numbers)))
            for values in product(*numbers):
                expected[tuple(digit_count(v, 3) for v in values)] += share
    assert shares(Domain(lengths, "coin"), 3, operands) == expected
    assert Domain(lengths, "coin").layers(3, operands) == Domain(lengths).layers(3, operands)
