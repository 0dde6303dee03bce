"""Examples of natural lengths: what is written, and how an answer is read."""

from __future__ import annotations

import numpy as np
import pytest
from builders.layouts import NATURAL
from builders.natural_examples import write
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.setting.expressions import parse_task
from arith.theory.setting.layouts import STARTS, layout
from arith.theory.setting.tasks import Task, digit_count
from arith.verify.plan.numerals import numeral
from arith.verify.plan.sequences import NaturalFormat


def digits(values: list[int], base: int, width: int) -> np.ndarray:
    return np.array([[v // base**i % base for i in range(width)] for v in values])


def spelled(form: NaturalFormat, values: list[int], spaces: np.ndarray, start: int = 0) -> str:
    """An example written by hand, a token each, apart by blanks.

    Args:
        spaces: whether one stands before an operand digit, ``(k, N)``.
    """
    task, base, result = form.task, form.base, form.task.evaluate(*values)
    numbers = dict(zip(task.names, values, strict=True)) | {"result": result}
    widths = [digit_count(v, base) for v in values] if form.layout.spaced else []
    there = [space for row, n in zip(spaces, widths, strict=False) for space in row[:n]]

    def text(name: str, i: int) -> str:
        if name in numbers:
            return numeral(numbers[name] // base ** (i - 1) % base, base)
        if name == "carry":
            return f"^{carry(form, values, i - 1)}"
        return {"marker": f"#{i + start}", "space": "_"}.get(name, name)

    line = write(task, base, form.layout, tuple(values), result, tuple(there))
    return " ".join([*(text(*token) for token in line), "<end>"])


def carry(form: NaturalFormat, values: list[int], below: int) -> int:
    """What the lowest digits bring to those above: the result of these digits alone, shifted."""
    low = form.task.polynomial(*(v % form.base**below for v in values))
    return low // form.base**below


def shown(form: NaturalFormat, sequence: np.ndarray) -> str:
    """A sequence as text, without its padding."""
    words = [numeral(i, form.base) for i in range(form.base)] + ["<bos>", "+", "=", "<end>", ""]
    automaton = digit_automaton(form.task, form.base) if form.layout.scratchpad else None

    def text(token: int) -> str:
        if token < len(words):
            return words[token]
        if token == form.space:
            return "_"
        more = token - form.padding
        return f"#{more}" if automaton is None else f"^{automaton.carries[more - 1]}"

    texts = map(text, sequence.tolist())
    return " ".join(x for x in texts if x)


@given(
    st.sampled_from(NATURAL),
    st.sampled_from(("a + b", "a + b + c", "7*a", "a*b", "a + b + 37")),
    st.integers(2, 10),
    st.lists(st.integers(0, 10**9), min_size=3, max_size=3),
    st.integers(0, STARTS - 1),
    st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_an_example_is_written_as_by_hand_and_read_back(
    name: str, expr: str, base: int, values: list[int], start: int, there: list[bool]
) -> None:
    task = parse_task(expr)
    if layout(name).scratchpad and not task.is_linear:
        return
    form = NaturalFormat(task, base, layout(name), 4)
    given_values = [v % base**4 for v in values[: task.operands]]
    operands = np.stack([digits([v], base, 4) for v in given_values], axis=1)
    results = form.results(operands)
    spaces = np.array(there).reshape(1, 3, 4)[:, : task.operands]
    given = spaces if form.layout.spaced else None
    sequence = form.write(operands, results, np.array([start]), given)
    assert shown(form, sequence[0]) == spelled(form, given_values, spaces[0], start)
    assert sequence[0, form.equals] == base + 2
    if start == 0:
        assert (form.read(sequence[:, form.written_slots]) == results).all()


@pytest.mark.parametrize("name", NATURAL)
def test_only_a_whole_answer_with_an_end_and_no_leading_zero_is_right(name: str) -> None:
    form = NaturalFormat(parse_task("a + b"), 10, layout(name), 2)
    operands = np.stack([digits([12, 5], 10, 2), digits([34, 0], 10, 2)], axis=1)
    results = form.results(operands)  # 46 and 5
    said = form.write(operands, results)[:, form.written_slots]
    assert (form.read(said) == results).all()
    for row in range(2):
        for column in range(said.shape[1]):
            if said[row, column] == form.padding:
                continue  # what follows an end is cut off
            if form.layout.scratchpad and said[row, column] > form.padding:
                continue  # a carry is no part of the answer
            for token in set(range(form.vocabulary)) - {int(said[row, column])}:
                wrong = said.copy()
                wrong[row, column] = token
                assert (form.read(wrong)[row] != results[row]).any()
    nothing = np.full_like(said, form.end)
    assert (form.read(nothing) != 0).any(1).all()  # no digit is no zero


def test_zero_has_one_digit() -> None:
    task = Task("copy", ((1, (1,)),), ("a",))
    form = NaturalFormat(task, 10, layout("plain"), 3)
    zero = np.zeros((1, 1, 3), dtype=np.int64)
    assert shown(form, form.write(zero, form.results(zero))[0]) == "<bos> 0 = 0 <end>"


def test_spaces_stand_before_operand_digits_alone_and_not_beyond_a_number() -> None:
    form = NaturalFormat(parse_task("a + b"), 10, layout("spaced"), 3)
    operands = np.array([[[2, 1, 0], [5, 4, 3]]])
    everywhere = np.ones_like(operands, dtype=bool)
    written = form.write(operands, form.results(operands), spaces=everywhere)
    assert shown(form, written[0]) == "<bos> _ 2 _ 1 + _ 5 _ 4 _ 3 = 7 5 3 <end>"
    without = form.write(operands, form.results(operands), spaces=~everywhere)
    assert shown(form, without[0]) == "<bos> 2 1 + 5 4 3 = 7 5 3 <end>"


@pytest.mark.parametrize("name", ["hinted", "scratchpad"])
def test_an_answer_that_ends_within_a_digit_is_wrong(name: str) -> None:
    form = NaturalFormat(parse_task("a + b"), 10, layout(name), 2)
    operands = np.stack([digits([12], 10, 2), digits([13], 10, 2)], axis=1)
    said = form.write(operands, form.results(operands))[:, form.written_slots]
    assert (form.read(said) == [[5, 2, 0]]).all()
    end = int(said[0].tolist().index(form.end))
    said[0, end], said[0, end + 1] = form.padding + 1 + 2, form.end  # a marker or carry, no digit
    assert (form.read(said) < 0).any()


def test_operands_longer_than_the_result_have_markers_too() -> None:
    form = NaturalFormat(parse_task("(a + b) % 10"), 10, layout("hinted"), 3)
    operands = np.stack([digits([999], 10, 3), digits([999], 10, 3)], axis=1)
    written = form.write(operands, form.results(operands), np.array([STARTS - 1]))
    assert written.max() < form.vocabulary
