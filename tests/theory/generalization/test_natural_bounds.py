"""The bounds of natural lengths, equal to those of examples that are all written out."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import pytest
from builders.brute_force import members
from builders.natural_examples import Spaces, digits, every_choice, query_and_keys, write
from builders.predictions import predicted

from arith.theory.arithmetic.domains import LENGTHS_FIRST, Domain
from arith.theory.generalization.theorems import is_local
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting

Example = tuple[tuple[int, ...], Spaces]


def written_bounds(setting: Setting, n: int) -> tuple[Fraction, Fraction]:
    """By writing every example, per lengths: what local models get right, and without one digit.

    A local model's queries depend on no digit that they or later ones lack.  An example with every
    choice of spaces is as many examples.
    """
    task, base, layout = setting.task, setting.base, setting.layout
    relative = setting.encoding.reference == "relative"

    def address(query: int, key: int) -> object:
        return query - key if relative else (query, key)

    @cache
    def found(shape: tuple[int, ...], spaces: Spaces, i: int) -> dict[tuple[int, int], object]:
        """The address of each operand digit, which depends on the lengths alone."""
        *x, value = (base**width - 1 for width in shape)
        query, keys = query_and_keys(task, write(task, base, layout, tuple(x), value, spaces), i)
        return {digit: address(query, key) for digit, key in keys.items()}

    @cache
    def result(x: tuple[int, ...]) -> list[int]:
        return digits(task.evaluate(*x), base)

    @cache
    def shape_of(x: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(len(digits(v, base)) for v in (*x, task.evaluate(*x)))

    shown: set[object] = set()
    for x in members(task, setting.train, base):
        for spaces in every_choice(layout, task, base, x):
            for i in range(1, shape_of(x)[-1] + 1):
                keys = found(shape_of(x), spaces, i)
                shown |= {(j, key) for (j, at), key in keys.items() if at == i}

    @cache
    def lacking(shape: tuple[int, ...], spaces: Spaces) -> set[tuple[int, int]]:
        """The operand digits that the query of the result digit of their place does not find."""
        places = ((j, i) for j, w in enumerate(shape[:-1]) for i in range(1, 1 + min(w, shape[-1])))
        return {(j, i) for j, i in places if (j, found(shape, spaces, i)[j, i]) not in shown}

    def lacks(example: Example, j: int, i: int) -> bool:
        x, spaces = example
        return (j, i) in lacking(shape_of(x), spaces)

    def without(example: Example, missing: list[tuple[int, int]]) -> object:
        x, spaces = example
        rest = [*x]
        for j, i in missing:
            rest[j] -= x[j] // base ** (i - 1) % base * base ** (i - 1)
        return spaces, tuple(missing), tuple(rest)

    def local(some: list[Example], places: list[int]) -> int:
        if not places or len(some) < 2:  # one example is right
            return len(some)
        views: dict[object, dict[int, list[Example]]] = defaultdict(lambda: defaultdict(list))
        for example in some:
            x, at = example[0], places[0]
            lost = lacking(shape_of(x), example[1])
            missing = [(j, i) for i in places for j in range(len(x)) if (j, i) in lost]
            written = result(x)[at - 1] if at <= len(result(x)) else -1
            views[without(example, missing)][written].append(example)
        right = 0
        for answers in views.values():
            over = answers.pop(-1, [])  # their results have no such digit
            right += max(local(y + over, places[1:]) for y in answers.values() or [[]])
        return right

    def alone(group: list[Example], j: int, i: int) -> Fraction:
        groups: dict[object, Counter[int]] = defaultdict(Counter)
        lost = [example for example in group if lacks(example, j, i)]
        for example in lost:
            groups[without(example, [(j, i)])][result(example[0])[i - 1]] += 1
        return Fraction(len(group) - len(lost) + sum(max(c.values()) for c in groups.values()))

    inputs: dict[tuple[int, ...], list[Example]] = defaultdict(list)
    for x in members(task, Domain((n,), setting.test_kind), base):
        written = ((x, spaces) for spaces in every_choice(layout, task, base, x))
        inputs[shape_of(x)[:-1]] += written
    least = most = every = Fraction(0)
    for widths, group in inputs.items():
        longest = max(shape_of(x)[-1] for x, _ in group)
        each = [alone(group, j, i) for j, w in enumerate(widths) for i in range(1, w + 1)]
        choices = 2 ** sum(widths) if layout.spaced else 1
        weight = Fraction(1, choices)
        if setting.test_kind in LENGTHS_FIRST:
            weight /= prod(base**w - (base ** (w - 1) if w > 1 else 0) for w in widths)
        least += weight * local(group, [*range(1, longest + 1)])
        most += weight * min(each)
        every += weight * len(group)
    return least / every, most / every


def check_written(setting: Setting, n: int, at_most: Fraction) -> None:
    """Compare a bound with the bounds of written examples."""
    local, alone = written_bounds(setting, n)
    if not is_local(setting):
        assert at_most == alone
    elif setting.layout.spaced or setting.task.needs_order:
        assert local <= at_most <= alone
    else:
        assert at_most == local


@pytest.mark.parametrize("pe", ["rpe", "ape"])
@pytest.mark.parametrize(
    ("form", "kinds"),
    [
        ("aligned", ("longest", "longest")),
        ("reversed", ("longest", "longest")),
        ("aligned", ("longest", "lengths")),
        ("aligned", ("lengths", "total")),
        ("reversed", ("total", "total")),
        ("aligned", ("every", "total")),
        ("spaced", ("longest", "longest")),
        ("spaced", ("lengths", "total")),
    ],
)
@pytest.mark.parametrize(
    ("expr", "base", "train", "n"),
    [
        ("a + b", 2, "1-2", 3),
        ("a + b", 3, "1-2", 3),
        ("2*a + b", 2, "1+3", 2),
        ("a + b", 3, "3", 2),
        ("a + b", 3, "1", 2),
        ("3*a + 1", 4, "1-2", 3),
    ],
)
def test_bounds_are_those_of_written_examples(
    expr: str, base: int, train: str, n: int, form: str, kinds: tuple[str, str], pe: str
) -> None:
    words: dict[str, Any] = {"expr": expr, "base": base, "test_digits": str(n)}
    words |= dict(zip(("train_domain", "test_domain"), kinds, strict=True))
    operands = expr.count("a") + expr.count("b")
    if "total" in kinds and (n < operands or (train[0] == "1" and operands > 1)):
        n, train = max(n, operands), train.replace("1", str(operands))
        words["test_digits"] = str(n)
    words["train_digits"] = train
    setting = Request(**words, padding="none", pe=pe, layout=form).setting()
    [x] = predicted(**words, padding="none", pe=pe, layout=form).lengths
    check_written(setting, n, x.at_most)


def test_bounds_two_digits_up_are_those_of_written_examples() -> None:
    words = {"task": "add", "base": 2, "train_digits": "1-2", "test_digits": "4"}
    words |= {"padding": "none", "pe": "ape", "layout": "aligned"}
    [x] = predicted(**words).lengths
    check_written(Request(**words).setting(), 4, x.at_most)


@pytest.mark.parametrize("form", ["aligned", "spaced"])
@pytest.mark.parametrize("kind", ["lengths", "total"])
def test_operands_with_a_below_b_are_drawn_again(form: str, kind: str) -> None:
    words = {"task": "sub", "base": 3, "pe": "rpe", "layout": form, "padding": "none"}
    n = {"lengths": 3, "total": 5}[kind]
    words |= {"train_digits": "1-2", "test_digits": str(n), "test_domain": kind}
    [x] = predicted(**words).lengths
    check_written(Request(**words).setting(), n, x.at_most)


def test_results_of_two_lengths_may_both_be_right() -> None:
    """In base 2, 8 - 3 and 12 - 3 are 101 and 1001: no query up to 10 finds what differs."""
    words = {"task": "sub", "base": 2, "pe": "rope", "layout": "plain", "padding": "none"}
    [x] = predicted(**words, train_digits="4", test_digits="6").lengths
    assert x.at_most == Fraction(1447, 1552)
