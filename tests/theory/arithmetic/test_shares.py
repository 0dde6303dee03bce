"""A share is shown as 0 or 1 only if it is."""

from __future__ import annotations

from fractions import Fraction

import pytest
from builders.command_line import run_cli
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.shares import fixed_text, percent_text, share_text

SMALL = st.one_of(
    st.fractions(0, 1),
    st.integers(0, 4000).map(lambda n: Fraction(1, 10**n)),
    st.integers(0, 4000).map(lambda n: 1 - Fraction(3, 10**n + 3)),
)


@given(SMALL)
def test_only_nothing_is_shown_as_nothing_and_only_all_as_all(x: Fraction) -> None:
    shown = [share_text(x), share_text(x, 2), fixed_text(x, 2), fixed_text(x, 4)]
    shown += [percent_text(x).removesuffix("%"), percent_text(x, ".0f").removesuffix("%")]
    for text, whole in zip(shown, (1, 1, 1, 1, 100, 100), strict=True):
        is_zero = not text.startswith(("less", "1 -")) and not text.strip("0.")
        assert is_zero == (x == 0), text
        assert (text in (str(whole), f"{whole}.00", f"{whole}.0000")) == (x == 1), text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (Fraction(1, 3), "0.333"),
        (Fraction(2, 10**5), "2e-05"),
        (Fraction(97, 10**1558), "9.7e-1557"),
        (Fraction(9999, 10**404), "1e-400"),
        (1 - Fraction(2, 10**5), "1 - 2e-05"),
    ],
)
def test_shares_in_words(x: Fraction, text: str) -> None:
    assert share_text(x) == text


def test_a_tiny_accuracy_is_not_shown_as_none() -> None:
    words = "predict --task mul --base 36 --layout interleaved --train-digits 1-100"
    words += " --test-digits 1000 --layers 2 --train-allowed 1:0"
    assert "9.7e-1557" in run_cli(*words.split()).out
