"""Addresses: the formulas against examples that are written out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.layouts import NATURAL
from builders.natural_examples import digits, every_choice, examples, query_and_keys, write

from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task
from arith.theory.observation.addresses import (
    RESULT,
    UNTRAINED,
    AddressObservation,
    Need,
    Shape,
    local_needs,
)
from arith.theory.observation.views import indices
from arith.theory.setting.requests import Request
from arith.theory.transformer.layouts import layout

CASES = [
    ("a + b", 2, 4),
    *(("a + b", base, 2) for base in range(3, 11)),
    ("a + b + c", 2, 2),
    ("7*a", 10, 3),
]


def one_of_each_shape(
    task: Task, base: int, longest: int
) -> dict[tuple[int, ...], tuple[tuple[int, ...], int]]:
    """An example of each shape: the lengths of the operands, and of the result."""
    found: dict[tuple[int, ...], tuple[tuple[int, ...], int]] = {}
    for x, value in examples(task, base, longest):
        found.setdefault(tuple(len(digits(v, base)) for v in (*x, value)), (x, value))
    return found


def shape(form: str, widths: list[int], result: int) -> Shape:
    return Shape(layout(form), tuple(widths), result, 1)


def observed(**words: object) -> AddressObservation:
    return AddressObservation(Request(padding="none", **words).setting())  # type: ignore[arg-type]


@pytest.mark.parametrize("form", NATURAL)
@pytest.mark.parametrize(("text", "base", "longest"), CASES)
def test_digits_stand_where_they_are_written(form: str, text: str, base: int, longest: int) -> None:
    task = parse_task(text)
    for (*widths, result), (x, value) in one_of_each_shape(task, base, longest).items():
        line = write(task, base, layout(form), x, value)
        of = shape(form, widths, result)
        assert of.tokens == len(line) + 1
        tokens = layout(form).tokens(widths, result, ends=True)
        assert len(tokens) == len(line) + 1
        index = indices(tokens)
        for i in range(1, result + 1):
            query, keys = query_and_keys(task, line, i)
            assert of.query(i) == query
            assert {k: of.index(*k) for k in keys} == keys
            needs = [n for n in local_needs(task.operands, 1) if n.operand != RESULT]
            needed = {(n.operand, i - n.below) for n in needs}
            listed = {k: index[k] for k in needed & set(index)}
            assert listed == {k: key for k, key in keys.items() if i - 1 <= k[1] <= i}


@pytest.mark.parametrize(
    ("pe", "form"),
    [("abacus", form) for form in NATURAL]
    + [("coupled", form) for form in NATURAL if form != "plain"],
)
def test_numbers_are_weights_or_count_as_written(pe: str, form: str) -> None:
    task, base = parse_task("a + b"), 10
    trained = observed(task="add", pe=pe, layout=form, train_digits="1-6")
    for x in ((7, 5), (123, 45), (9, 99999)):
        line = write(task, base, layout(form), x, sum(x))
        numbers, count, last = [], 0, ""
        for name, i in line:
            if name not in ("marker", "carry", "space"):
                count = count + 1 if name == last else int(i > 0)
                last = name
            numbers.append(i if pe == "coupled" or name in ("marker", "carry") else count)
        of = shape(form, [len(digits(v, base)) for v in x], len(digits(sum(x), base)))
        for i in range(1, len(digits(sum(x), base)) + 1):
            query, keys = query_and_keys(task, line, i)
            for (j, place), key in keys.items():
                [address] = trained.addresses(of, Need(j, i - place), i)
                assert address == numbers[key] - numbers[query]


def test_the_needs_of_a_rule_are_the_digits_that_it_reads() -> None:
    assert local_needs(2, 1) == [*(Need(0, 1), Need(1, 1), Need(0, 0), Need(1, 0), Need(RESULT, 1))]


def test_no_number_above_the_trained_ones_is_an_address() -> None:
    trained = observed(task="add", pe="coupled", train_digits="2")
    long = shape("aligned", [40, 40], 41)
    assert UNTRAINED not in trained.addresses(long, Need(0, 0), 34)  # 3 digits from 32 starts
    assert UNTRAINED in trained.addresses(long, Need(0, 0), 35)


@pytest.mark.parametrize("form", NATURAL)
@pytest.mark.parametrize(("text", "base", "longest"), CASES)
def test_a_random_start_shows_a_pair_of_indices_moved_by_every_start(
    form: str, text: str, base: int, longest: int
) -> None:
    words = {"expr": text, "base": base, "layout": form, "padding": "none", "pe": "shifted"}
    asked = Request(**words, train_digits="+".join(map(str, range(1, longest + 1)))).setting()
    observed = AddressObservation(replace(asked, starts=3))
    pairs = written_pairs(observed, longest)
    for need, found in observed.shown_addresses.items():
        assert found == {(q + s, k + s) for q, k in pairs[need] for s in range(3)}


def written_pairs(observed: AddressObservation, longest: int) -> dict[Need, set[tuple[int, int]]]:
    """The indices of query and key of each need, in every example with every choice of spaces."""
    setting = observed.setting
    task, base, form = setting.task, setting.base, setting.layout
    pairs: dict[Need, set[tuple[int, int]]] = {need: set() for need in observed.needs}
    for (*_, result), (x, value) in one_of_each_shape(task, base, longest).items():
        for spaces in every_choice(form, task, base, x):
            line = write(task, base, form, x, value, spaces)
            for i in range(1, result + 1):
                query, keys = query_and_keys(task, line, i)
                for need, found in pairs.items():
                    key = keys.get((need.operand, i - need.below))
                    found |= set() if key is None else {(query, key)}
    return pairs


@pytest.mark.parametrize("pe", ["ape", "rpe"])
@pytest.mark.parametrize(("text", "base", "longest"), CASES)
def test_spaces_show_the_addresses_that_some_choice_of_them_gives(
    text: str, base: int, longest: int, pe: str
) -> None:
    words = {"expr": text, "base": base, "layout": "spaced", "pe": pe}
    trained = observed(**words, train_digits=f"1-{longest}")
    for need, pairs in written_pairs(trained, longest).items():
        found = trained.shown_addresses[need]
        assert found == ({q - k for q, k in pairs} if pe == "rpe" else pairs)
        assert max(q for q, _ in pairs) < trained.tokens


def test_every_choice_of_spaces_counts_once() -> None:
    for pe in ("ape", "rpe"):
        trained = observed(task="add", layout="spaced", pe=pe, train_digits="1-2")
        of = shape("spaced", [3, 2], 4)
        for j, i in ((0, 1), (0, 3), (1, 2)):
            ways = sum(trained.addresses(of, Need(j, 0), i).values())
            moved = of.spaces(j, i)[1] if pe == "rpe" else 5  # those after it, or all five
            assert ways == 2**moved
