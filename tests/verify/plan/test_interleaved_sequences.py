"""Examples of natural lengths in the interleaved layout."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.setting.expressions import parse_task
from arith.theory.setting.layouts import layout
from arith.verify.model.positions import Natural
from arith.verify.plan.interleaved_sequences import InterleavedFormat
from arith.verify.plan.numbering import Numbering


def small(expr: str = "a + b", base: int = 10, width: int = 3) -> InterleavedFormat:
    return InterleavedFormat(parse_task(expr), base, layout("interleaved"), width)


def test_an_example_is_as_long_as_its_longest_operand() -> None:
    form = small()
    operands = np.array([[[5, 9, 0], [6, 0, 0]], [[1, 2, 3], [4, 5, 6]]])  # 95 + 6, 321 + 654
    got = form.write(operands, form.results(operands)).tolist()
    assert got[0] == [10, 5, 6, 1, 9, 0, 0, 12, 1, 13, 14, 14, 14]
    assert got[1] == [10, 1, 4, 5, 2, 5, 7, 3, 6, 9, 12, 13, 14]
    assert [t.symbol or t.kind for t in form.tokens][-3:] == ["=", "result", "<end>"]


@given(
    st.sampled_from(("a + b", "a + b + c", "2*a + b", "50*a")),
    st.integers(2, 10),
    st.lists(st.integers(0, 10**9), min_size=3, max_size=3),
)
def test_what_is_written_is_read(expr: str, base: int, values: list[int]) -> None:
    form = small(expr, base)
    top = [values[0] % (base - 1) + 1, *values[1:]]  # of the first operand: so all are as long
    rows = [
        [v // base % base, v // base**2 % base, (top[0] if j == 0 else v) % base]
        for j, v in enumerate(values[: form.task.operands])
    ]
    operands = np.array([rows])
    if operands[0, 0, 2] == 0:
        operands[0, 0, 2] = 1
    results = form.results(operands)
    said = form.write(operands, results)[:, form.written_slots]
    assert (form.read(said) == results).all()
    for column in range(said.shape[1]):
        if said[0, column] != form.padding:
            wrong = said.copy()
            wrong[0, column] = (said[0, column] + 1) % form.padding
            assert (form.read(wrong) != results).any()


def test_a_zero_before_the_end_is_wrong() -> None:
    form = small(width=1)
    said = np.array([[5, 0, form.end], [5, form.end, form.padding], [5, 1, 1]])
    assert (form.read(said) == [[5, 0], [5, 0], [5, 1]]).all(1).tolist() == [False, True, False]


@pytest.mark.parametrize("expr", ["a + b", "a + b + c", "50*a"])
def test_what_training_asks_for_stands_in_the_trained_slots(expr: str) -> None:
    """The columns of the answers, found in examples of every length, and no others."""
    form = small(expr)
    ends = [0, 1, 9, 10, 99, 100, 999]  # the shortest and the longest of each length
    numbers = np.array(list(itertools.product(ends, repeat=form.task.operands)))
    operands = numbers[..., None] // [1, 10, 100] % 10
    written = torch.from_numpy(form.write(operands, form.results(operands)))
    numbering = Numbering(10, form.end, form.task.operands, False, False, form.task.operands + 1)
    asked = Natural(numbering, written).asked.any(dim=0)
    assert form.trained_slots.tolist() == asked.nonzero().flatten().tolist()
