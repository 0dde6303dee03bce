"""Combinations against ``itertools.product``, exact convolutions against sums written out."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.integer_arrays import combinations, cyclic_product, operand_tuples


@given(st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=1, max_size=4))
def test_combinations_come_in_the_usual_order(axes: list[list[int]]) -> None:
    found = combinations([np.array(axis, dtype=np.int64) for axis in axes])
    assert list(map(tuple, found.T.tolist())) == list(product(*axes))


def test_operand_tuples_are_numbers_of_the_digits_given() -> None:
    found = operand_tuples((((1, 2), (0, 3)), ((0,), (4, 5))), 10)
    assert sorted(map(tuple, found.T.tolist())) == sorted(product((1, 2, 31, 32), (40, 50)))


def test_operand_tuples_beyond_machine_integers() -> None:
    assert operand_tuples((((0,),) * 30 + ((7,),),), 10, object).tolist() == [[7 * 10**30]]


@given(st.data(), st.integers(1, 60))
def test_cyclic_products(data: st.DataObject, size: int) -> None:
    largest = data.draw(st.sampled_from((1, 10**6, 10**30)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = rng.integers(0, 2**30, (2, size)).astype(object) * largest // 2**30
    y = rng.integers(0, 2**30, size).astype(object) * largest // 2**30
    found = cyclic_product(x, y)
    target = data.draw(st.integers(0, size - 1))
    for line in range(2):
        expected = sum(x[line, i] * y[(target - i) % size] for i in range(size))
        assert found[line, target] == expected
