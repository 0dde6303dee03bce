"""Exact numbers as text: as Python writes them, and of any length."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest
from builders.strategies import examples
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.exact_text import exact_text, read_exact, text_and_float


@examples(30)
@given(st.fractions() | st.integers().map(Fraction))
def test_it_is_what_python_writes(value: Fraction) -> None:
    assert exact_text(value) == str(value)
    assert read_exact(exact_text(value)) == value


def test_numbers_have_any_length_whatever_the_limit_of_the_process() -> None:
    assert sys.get_int_max_str_digits() == 4300
    value = Fraction(7**9000, 10**9000)
    text = exact_text(value)
    assert len(text) > 16_000 and read_exact(text) == value
    assert text_and_float("share", value) == {"share": text, "share_float": float(value)}
    assert text_and_float("share", None) == {"share": None, "share_float": None}


@pytest.mark.parametrize("text", ["", "x", "1/", "/2", "1e9", "1.5", "1/2/3", " 1", "١", "1_0"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no number"):
        read_exact(text)


def test_nothing_is_a_share_of_nothing() -> None:
    with pytest.raises(ZeroDivisionError):
        read_exact("1/0")
