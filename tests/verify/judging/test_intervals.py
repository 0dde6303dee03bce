"""Intervals: the formula is the published one, and models that differ widen it."""

from __future__ import annotations

import pytest

from arith.verify.judging.intervals import CONFIDENCE, pooled, wilson


@pytest.mark.parametrize(("right", "inputs"), [(0, 1), (0, 1000), (3, 7), (330, 1000), (50, 50)])
def test_the_interval_is_that_of_wilson(right: int, inputs: int) -> None:
    from scipy.stats import binomtest  # slow to import

    expected = binomtest(right, inputs).proportion_ci(CONFIDENCE, method="wilson")
    assert wilson(right, inputs) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_seeds_that_differ_widen_the_interval() -> None:
    alike = pooled([(500, 1000), (505, 1000), (495, 1000)])
    apart = pooled([(200, 1000), (500, 1000), (800, 1000)])
    assert alike.value == apart.value == 0.5
    assert apart.high - apart.low > 5 * (alike.high - alike.low)
