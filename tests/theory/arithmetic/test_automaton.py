"""The digit automaton: carries, and how long results are, against enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from builders.natural_examples import digits
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.automaton import digit_automaton, number_of_tuples, sums
from arith.theory.arithmetic.expressions import parse_task


@pytest.mark.parametrize(
    ("text", "base", "count"),
    [
        ("a + b", 10, 2),
        ("2*a + 3*b", 10, 5),
        ("a - b", 10, 2),
        ("a", 10, 1),
        ("a + b + 1", 10, 2),
    ],
)
def test_carries(text: str, base: int, count: int) -> None:
    automaton = digit_automaton(parse_task(text), base)
    assert automaton.states == count
    assert base**automaton.reach >= count > base ** (automaton.reach - 1)


@given(st.integers(1, 5), st.integers(0, 5), st.integers(2, 12))
def test_carries_are_those_that_digit_by_digit_arithmetic_meets(x: int, y: int, base: int) -> None:
    digits = range(base) if y else range(1)
    met, grown = {0}, True
    while grown:
        after = met | {
            (x * a + y * b + c) // base for a in range(base) for b in digits for c in met
        }
        grown = after != met
        met = after
    assert digit_automaton(parse_task(f"{x}*a + {y}*b"), base).states == len(met)


@given(
    st.sampled_from(
        ("a + b", "a - b", "b - a", "2*a - b", "a - 2*b + 1", "3*a + 2*b + 4", "a + b - c", "7*a")
    ),
    st.integers(2, 4),
    st.lists(st.integers(1, 3), min_size=3, max_size=3),
)
def test_lengths_of_results_are_those_of_all_operands(
    text: str, base: int, widths: list[int]
) -> None:
    task = parse_task(text)
    widths = widths[: task.operands]
    numbers = (range(base ** (w - 1) if w > 1 else 0, base**w) for w in widths)
    results = (task.evaluate(*x) for x in product(*numbers))
    real = Counter(len(digits(v, base)) for v in results if v >= 0)
    assert digit_automaton(task, base).lengths(widths) == real


def test_the_counts_of_long_numbers_add_up() -> None:
    for text, widths in (("a + b + c", (30, 12, 30)), ("a + 25*b", (3, 40))):
        counts = digit_automaton(parse_task(text), 10).lengths(widths)
        assert sum(counts.values()) == number_of_tuples(widths, 10)
    n = 9 * 10**29  # the pairs of 30 digits with a >= b
    counts = digit_automaton(parse_task("a - b"), 10).lengths((30, 30))
    assert sum(counts.values()) == n * (n + 1) // 2


@pytest.mark.parametrize(
    "column",
    [
        [(1, range(200)), (-1, range(1, 200))],
        [(2, range(3, 150)), (-3, range(150)), (1, (0,))],
        [(1, range(120)), (1, (1, 5, 119)), (7, range(100, 220))],
    ],
)
def test_sums_of_many_values_are_those_of_all_combinations(
    column: list[tuple[int, range]],
) -> None:
    coefficients, values = zip(*column, strict=True)
    every = (sum(c * d for c, d in zip(coefficients, x, strict=True)) for x in product(*values))
    assert sums(column) == Counter(every)
