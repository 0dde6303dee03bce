"""The number that a person would read in an answer, and logs of answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from builders.cells import cell
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.errors import InvalidInput
from arith.verify.data.answers import parse_log, said_numbers
from arith.verify.data.sequences import Format

PLAIN = cell(form="plain", test_lengths=(1, 2, 3)).format


def read(text: str, base: int = 10) -> object:
    """The number of one answer, most significant digit first."""
    fmt = PLAIN if base == 10 else cell(form="plain", base=base, test_lengths=(1, 2, 3)).format
    return said_numbers([text], fmt)[0]


@pytest.mark.parametrize(
    ("text", "base", "integer"),
    [
        (" 46\n12 + 3 = 15", 10, 46),
        ("\n\n46", 10, 46),
        (" is 046.5", 10, None),
        (" is 046.0", 10, 46),
        (" 1,234.", 10, 1234),
        (" −3", 10, -3),
        (" **46**", 10, 46),
        ("answer: **46** = 12 + 34", 10, 46),
        (" 46 1 + 1 = 2", 10, 46),
        (" 12 + 34", 10, None),
        (" 12 + 34 = 46. 1 + 1 = 2", 10, 46),
        (" 46 = 40 + 6", 10, 46),
        (" The sum of 12 and 34 is 46.", 10, 46),
        (" 1e3", 10, None),
        (" -3", 10, -3),
        ("none\n46", 10, None),
        ("", 10, None),
        (" 101", 2, 5),
        (" 103", 3, None),
    ],
)
def test_the_number_of_an_answer(text: str, base: int, integer: int | None) -> None:
    assert read(text, base) == integer


NUMBERS = st.integers(-(10**9), 10**9)
OPERANDS = st.integers(0, 10**6)
WRITTEN = (
    "{n}",
    "{n:,}",
    "{n}.0",
    "\n {n}",
    "{n}\n{a} + 1 = 2",
    "**{n}**",
    "({n})",
    "${n}$",
    "{n}!",
)
BEFORE = ("", "{a} + {b} = ", "{a} plus {b} is ", "= ", "the answer is ", "x = ", "answer: ")
AFTER = ("", ".", ", I think", " = {a} + {b}", " {a} + {b} = 7", "\n{a}", " - the answer")


@given(NUMBERS, OPERANDS, OPERANDS, *map(st.sampled_from, (WRITTEN, BEFORE, AFTER)))
def test_an_answer_is_the_number_that_a_person_would_read(
    n: int, a: int, b: int, number: str, before: str, after: str
) -> None:
    """However it is written, and whatever expression stands before and after it."""
    if "\n" in number:
        before = after = ""
    text = (before + number + after).format(n=n, a=a, b=b)
    assert read(text) == n


@given(NUMBERS, st.sampled_from(("a{n}", "{n}th", "{n}.5", "none", "", "{n} + 1", "x\n{n}")))
def test_what_is_no_whole_number_is_no_answer(n: int, text: str) -> None:
    assert read(text.format(n=n)) is None


@given(
    NUMBERS,
    NUMBERS,
    *map(st.sampled_from, (WRITTEN[:2], (" or ", ", ", ", or ", " = ", " (or "), BEFORE)),
)
def test_two_different_numbers_are_no_answer(
    n: int, other: int, number: str, between: str, before: str
) -> None:
    """Whichever of them is right, and whether one of them repeats the question."""
    said = [number.format(n=x) for x in (n, other)]
    text = before.format(a=1, b=2) + between.join(said)
    assert read(text) == (n if n == other else None)


@pytest.mark.parametrize(
    ("text", "integer"),
    [
        ("46 or 12 + 34 = 47", None),
        ("12 + 34 = 46 or 12 + 34 = 47", None),
        ("46 or 46 or 47", None),
        ("12 + 34 = 46, or 40 + 6", 46),
        ("46 or so", 46),
        ("1, -1", None),
        ("1 or -1", None),
        ("1 or " * 2_500 + "1", 1),
    ],
)
def test_what_is_offered_with_a_number_may_be_an_expression(text: str, integer: int | None) -> None:
    assert read(text) == integer


@pytest.mark.parametrize(
    ("form", "text", "integer"),
    [
        ("aligned", "64", 46),
        ("aligned", "6400", 46),
        ("aligned", " 64<end>0", 46),
        ("plain", "0046", 46),
        ("plain, result spaces", " 4 6", 46),
        ("scratchpad", "(0)6(1)4", 46),
        ("hinted", "<1>6<2>4", 46),
        ("aligned", "six", None),
        ("aligned", "64 or 74", None),
        ("plain, result spaces", "4 6 or 4 7", None),
    ],
)
def test_answers_are_read_in_the_order_of_the_layout(
    form: str, text: str, integer: int | None
) -> None:
    fmt: Format = cell(form=form, test_lengths=(1, 2, 3)).format
    assert said_numbers([text], fmt).tolist() == [integer]


@pytest.mark.parametrize(
    ("base", "text", "integer"),
    [
        (16, "2e", 46),
        (16, "2e, I think", 46),
        (16, "2e or 2f", None),
        (16, "2G", None),
        (60, "1:59", 119),
        (60, "1:59 or 1:58", None),
        (60, "-", None),
    ],
)
def test_answers_in_high_bases(base: int, text: str, integer: int | None) -> None:
    assert read(text, base) == integer


def entry(**changes: Any) -> str:
    """A line of a log of samples of lm-evaluation-harness."""
    told = {"doc_id": 0, "arguments": [["1+1=2\n1+2=", {}]], "resps": [["3"]]}
    return json.dumps(told | changes)


def test_a_log_of_samples_is_read() -> None:
    """As the harness has it in memory and as it writes it; the first filter counts."""
    lines = [
        entry(),
        entry(filter="strict", filtered_resps=["no"]),
        entry(doc_id=1, arguments={"gen_args_0": {"arg_0": "Q: 2+2= "}}, filtered_resps=["4"]),
        entry(doc_id=2, doc={"prompt": "3+3=", "answer": "6"}, resps=[["6", "7"]]),
        entry(doc_id=3, doc={"prompt": "4+4=", "answer": "8"}, resps=[[8]]),
    ]
    found = parse_log("\n".join(lines).encode(), "log")
    assert list(zip(found.prompts, found.answers, strict=True)) == [
        ("1+2=", "3"),
        ("Q: 2+2=", "4"),
        ("3+3=", "6"),
        ("4+4=", "8"),
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.replace("arguments", "other"),
        lambda x: x.replace('[["3"]]', "[[]]"),
        lambda x: x.replace('[["3"]]', "[[null]]"),
        lambda x: x[:-1],
        lambda x: "[" * 10**5,
        lambda x: "3",
    ],
)
def test_a_damaged_log_is_one_clear_line(change: Callable[[str], str]) -> None:
    lines = f"{entry()}\n{change(entry(doc_id=1))}"
    with pytest.raises(InvalidInput, match="log, line 2: a log of lm-evaluation-harness has"):
        parse_log(lines.encode(), "log")
