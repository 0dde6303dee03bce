"""Domains: which lengths of operands a training run meets."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

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
