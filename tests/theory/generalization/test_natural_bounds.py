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
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting


def written_bound(setting: Setting, n: int) -> Fraction:
    """The bound by writing every example: the best answers without one digit, per lengths.

    An example with every choice of spaces is as many examples.
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

    def shape_of(x: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(len(digits(v, base)) for v in (*x, task.evaluate(*x)))

    shown: set[object] = set()
    for x in members(task, setting.train, base):
        for spaces in every_choice(layout, task, base, x):
            for i in range(1, shape_of(x)[-1] + 1):
                keys = found(shape_of(x), spaces, i)
                shown |= {(j, key) for (j, at), key in keys.items() if at == i}
    inputs: dict[tuple[int, ...], list[tuple[tuple[int, ...], Spaces]]] = defaultdict(list)
    for x in members(task, Domain((n,), setting.test_kind), base):
        written = ((x, spaces) for spaces in every_choice(layout, task, base, x))
        inputs[shape_of(x)[:-1]] += written
    total, every = Fraction(0), Fraction(0)
    for widths, group in inputs.items():
        best = Fraction(len(group))
        for j, width in enumerate(widths):
            for i in range(1, width + 1):
                groups: dict[object, Counter[int]] = defaultdict(Counter)
                lost = 0
                for x, spaces in group:
                    asked = i <= shape_of(x)[-1]
                    if asked and (j, found(shape_of(x), spaces, i)[j, i]) not in shown:
                        rest = x[:j] + (x[j] - x[j] // base ** (i - 1) % base * base ** (i - 1),)
                        answer = digits(task.evaluate(*x), base)[i - 1]
                        groups[spaces, rest + x[j + 1 :]][answer] += 1
                        lost += 1
                right = sum(max(c.values()) for c in groups.values())
                best = min(best, Fraction(len(group) - lost + right))
        choices = 2 ** sum(widths) if layout.spaced else 1
        weight = Fraction(1, choices)
        if setting.test_kind in LENGTHS_FIRST:
            weight /= prod(base**w - (base ** (w - 1) if w > 1 else 0) for w in widths)
        total, every = total + weight * best, every + weight * len(group)
    return total / every


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
    assert x.at_most == written_bound(setting, n)


def test_bounds_two_digits_up_are_those_of_written_examples() -> None:
    words = {"task": "add", "base": 2, "train_digits": "1-2", "test_digits": "4"}
    words |= {"padding": "none", "pe": "ape", "layout": "aligned"}
    [x] = predicted(**words).lengths
    assert x.at_most == written_bound(Request(**words).setting(), 4)


@pytest.mark.parametrize("form", ["aligned", "spaced"])
@pytest.mark.parametrize("kind", ["lengths", "total"])
def test_operands_with_a_below_b_are_drawn_again(form: str, kind: str) -> None:
    words = {"task": "sub", "base": 3, "pe": "rpe", "layout": form, "padding": "none"}
    n = {"lengths": 3, "total": 5}[kind]
    words |= {"train_digits": "1-2", "test_digits": str(n), "test_domain": kind}
    [x] = predicted(**words).lengths
    assert x.at_most == written_bound(Request(**words).setting(), n)
