"""Exact convolutions against sums written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.numbers.integer_arrays import cyclic_product


@settings(deadline=None)
@given(st.data(), st.lists(st.integers(1, 29), min_size=1, max_size=2).map(tuple))
def test_products_over_groups(data: st.DataObject, shape: tuple[int, ...]) -> None:
    size = int(np.prod(shape))
    largest = data.draw(st.sampled_from((1, 10**6, 10**30)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = rng.integers(0, 2**30, (2, size)).astype(object) * largest // 2**30
    y = rng.integers(0, 2**30, size).astype(object) * largest // 2**30
    found = cyclic_product(x, y, shape)
    places = list(np.ndindex(*shape))
    target = data.draw(st.sampled_from(places))
    for line in range(2):
        expected = sum(
            x[line, i] * y[np.ravel_multi_index(np.subtract(target, place) % shape, shape)]
            for i, place in enumerate(places)
        )
        assert found[line, np.ravel_multi_index(target, shape)] == expected
