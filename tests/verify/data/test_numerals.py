"""Numbers as text, in every kind of base."""

from __future__ import annotations

import pytest

from arith.theory.errors import InvalidInput
from arith.verify.data.numerals import numbers, numeral, symbols


@pytest.mark.parametrize("base", [2, 10, 16, 36, 37, 60, 256])
def test_what_is_written_is_read_again(base: int) -> None:
    values = [0, 1, base - 1, base, base**3 - 1, 7 * base**2 + 5]
    text = " + ".join(numeral(x, base) for x in values)
    assert numbers(text, base) == values
    assert len(set(symbols(base))) == base + 3


def test_numbers_are_written_as_people_write_them() -> None:
    assert (numeral(1234, 10), numeral(255, 16), numeral(119, 60)) == ("1234", "ff", "1:59")


@pytest.mark.parametrize(
    ("text", "base", "found"),
    [
        ("12 + 34", 10, [12, 34]),
        ("(12*34) mod", 10, [12, 34]),
        ("007, 12 =", 10, [7, 12]),
        ("12-3", 10, [12, 3]),
        ("FF and 1a", 16, [255, 26]),
        ("1:59 + 3", 60, [119, 3]),
        ("what is it?", 10, []),
        ("a = 5, b = 7", 12, [5, 7]),
        ("add ff + 1a", 16, [255, 26]),
        ("(12*ff) mod", 30, [32, 465]),
        ("what is add, a+b?", 16, [2781, 10, 11]),
    ],
)
def test_the_numbers_of_a_question(text: str, base: int, found: list[int]) -> None:
    assert numbers(text, base) == found


@pytest.mark.parametrize(
    ("text", "base", "message"),
    [
        ("12 + 34", 4, "'34' is no number in base 4"),
        ("12a + 1", 10, "'12a' is no number in base 10"),
        ("1:60 + 1", 60, "'1:60' is no number in base 60"),
        (f"1:{'9' * 5000}", 60, "is no number in base 60"),
        ("-1 + 3", 10, "whole numbers from 0"),
        ("3 + -1", 10, "whole numbers from 0"),
        ("1.5 + 3", 10, "whole numbers from 0"),
    ],
)
def test_what_is_no_number_is_refused(text: str, base: int, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        numbers(text, base)
