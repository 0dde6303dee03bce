"""Exact convolutions against sums written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.numbers.integer_arrays import cyclic_product


@settings(deadline=None)
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
