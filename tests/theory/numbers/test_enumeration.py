"""Combinations against ``itertools.product``."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from theory.numbers.integer_arrays import combinations, operand_tuples


@given(st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=1, max_size=4))
def test_combinations_come_in_the_usual_order(axes: list[list[int]]) -> None:
    found = combinations([np.array(axis, dtype=np.int64) for axis in axes])
    assert list(map(tuple, found.T.tolist())) == list(product(*axes))


def test_operand_tuples_are_numbers_of_the_digits_given() -> None:
    found = operand_tuples((((1, 2), (0, 3)), ((0,), (4, 5))), 10)
    assert sorted(map(tuple, found.T.tolist())) == sorted(product((1, 2, 31, 32), (40, 50)))


def test_operand_tuples_beyond_machine_integers() -> None:
    assert operand_tuples((((0,),) * 30 + ((7,),),), 10, object).tolist() == [[7 * 10**30]]
