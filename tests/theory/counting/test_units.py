"""Tables of the units modulo n against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from theory.counting.residue_products import units


@pytest.mark.parametrize("n", [1, 2, 4, 8, 9, 16, 30, 49, 60, 168, 1155])
def test_unit_tables(n: int) -> None:
    tables = units(n)
    elements = tables.multiples[0]
    assert sorted(elements) == [u for u in range(n) if np.gcd(u, n) == 1]
    assert (tables.multiples.ravel()[tables.index] == np.arange(n)).all()
    assert (elements * tables.inverses % n == 1 % n).all()
    assert tables.divisors == tuple(d for d in range(1, n + 1) if n % d == 0)
