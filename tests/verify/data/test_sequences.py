"""Examples: what is written in each layout, padded or not, and how an answer is read."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from builders.cells import natural_cell
from builders.layouts import NATURAL, PADDED
from builders.natural_examples import write
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task, digit_count, named_task
from arith.theory.transformer.layouts import STARTS, layout
from arith.verify.data.numbering import Numbering
from arith.verify.data.numerals import numeral
from arith.verify.data.sequences import Format, NaturalFormat, drawn_spaces, fixed_spaces
from arith.verify.model.positions import Natural
from arith.verify.plan.inputs import SAMPLES, held_out_count, held_out_inputs, inputs

SPACED = layout("spaced")
OPERANDS = np.random.default_rng(0).integers(0, 10, (20_000, 2, 4))


def small(name: str = "add", digits: int = 3, form: str = "aligned", base: int = 10) -> Format:
    return Format(named_task(name), base, layout(form), digits)


@pytest.mark.parametrize("name", PADDED)
def test_every_layout_writes_each_digit_once(name: str) -> None:
    form = small(form=name)
    operands = np.array([[[1, 2, 3], [4, 5, 6]]])
    padded = np.zeros((1, 2, form.width), dtype=np.int64)
    padded[:, :, :3] = operands
    sequence = form.write(padded, form.results(padded))[0].tolist()
    # 321 + 654 = 975
    expected = {
        "plain": [10, 3, 2, 1, 11, 6, 5, 4, 12, 0, 9, 7, 5],
        "reversed": [10, 3, 2, 1, 11, 6, 5, 4, 12, 5, 7, 9, 0],
        "aligned": [10, 1, 2, 3, 11, 4, 5, 6, 12, 5, 7, 9, 0],
        "interleaved": [10, 1, 4, 5, 2, 5, 7, 3, 6, 9, 0, 0, 0],
        "bare": [10, 1, 2, 3, 0, 4, 5, 6, 0, 5, 7, 9, 0],
    }
    assert sequence == expected[name]


def test_numbers_beyond_64_bits_are_exact() -> None:
    form = Format(named_task("mul"), 10, layout("aligned"), 30)
    operands = np.random.default_rng(0).integers(0, 10, (5, 2, 30))
    a, b = form.values(operands)
    digits = form.results(operands)
    for n in range(5):
        product = "".join(map(str, reversed(digits[n].tolist())))
        assert int(product) == int(a[n]) * int(b[n])


def test_a_modulus_is_exact_where_products_pass_64_bits() -> None:
    form = Format(parse_task("(a*a*a*b) % 1000"), 10, layout("aligned"), 8)
    operands = np.full((1, 2, 8), 9)
    assert form.results(operands)[0].tolist() == [1, 0, 0]  # (10^8 - 1)^4 mod 1000


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


def interleaved(expr: str = "a + b", base: int = 10, width: int = 3) -> NaturalFormat:
    return NaturalFormat(parse_task(expr), base, layout("interleaved"), width)


def test_an_example_is_as_long_as_its_longest_operand() -> None:
    form = interleaved()
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
    form = interleaved(expr, base)
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
    form = interleaved(width=1)
    said = np.array([[5, 0, form.end], [5, form.end, form.padding], [5, 1, 1]])
    assert (form.read(said) == [[5, 0], [5, 0], [5, 1]]).all(1).tolist() == [False, True, False]


@pytest.mark.parametrize("expr", ["a + b", "a + b + c", "50*a"])
def test_what_training_asks_for_stands_in_the_trained_slots(expr: str) -> None:
    """The columns of the answers, found in examples of every length, and no others."""
    form = interleaved(expr)
    ends = [0, 1, 9, 10, 99, 100, 999]  # the shortest and the longest of each length
    numbers = np.array(list(itertools.product(ends, repeat=form.task.operands)))
    operands = numbers[..., None] // [1, 10, 100] % 10
    written = torch.from_numpy(form.write(operands, form.results(operands)))
    numbering = Numbering(10, form.end, form.task.operands, False, False, form.task.operands + 1)
    asked = Natural(numbering, written).asked.any(dim=0)
    assert form.trained_slots.tolist() == asked.nonzero().flatten().tolist()


@pytest.mark.parametrize("fixed", [True, False])
def test_spaces_are_fair_and_independent(fixed: bool) -> None:
    rng = np.random.default_rng(1)
    spaces = fixed_spaces(OPERANDS, SPACED) if fixed else drawn_spaces(OPERANDS, SPACED, rng)
    assert spaces.shape == OPERANDS.shape and spaces.dtype == bool
    each = spaces.reshape(len(spaces), -1) - 0.5
    together = 4 * each.T @ each / len(each)
    assert np.abs(2 * each.mean(axis=0)).max() < 4.5 / len(each) ** 0.5
    assert np.abs(together - np.eye(8)).max() < 4.5 / len(each) ** 0.5


def test_the_spaces_of_a_test_are_always_the_same_and_differ_by_row() -> None:
    same = np.repeat(OPERANDS[:1], 300, axis=0)
    assert (fixed_spaces(OPERANDS, SPACED)[:300] == fixed_spaces(same, SPACED)).all()
    assert len(np.unique(fixed_spaces(same, SPACED), axis=0)) > 150  # of 256


@pytest.mark.parametrize("digits", [1, 2])
def test_a_small_domain_is_sampled_with_many_choices_of_spaces(digits: int) -> None:
    for form, whole in (("aligned", True), ("spaced", False)):
        operands, exhaustive = inputs(natural_cell("rpe", form), Domain((digits,)), None)
        assert exhaustive == whole
        assert len(operands) == (10 ** (2 * digits) - 100 * (digits > 1) if whole else SAMPLES)


def test_held_out_inputs_count_once_however_their_spaces_stand() -> None:
    aligned, spaced = (natural_cell("rpe", form) for form in ("aligned", "spaced"))
    assert held_out_count(aligned) == sum(map(len, held_out_inputs(aligned)))
    assert held_out_count(spaced) == held_out_count(aligned)
    assert held_out_count(spaced) < sum(map(len, held_out_inputs(spaced)))
