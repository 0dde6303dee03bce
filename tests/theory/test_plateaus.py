"""Plateaus against counting by definition."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

import pytest
from cases import domains, members, tasks
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from theory.domains import Domain
from theory.encodings import encoding
from theory.layouts import layout
from theory.plateaus import LARGEST, Plateau, plateaus
from theory.predict import predict
from theory.requests import Request
from theory.settings import Setting
from theory.tasks import Task, named_task
from theory.text import explanation

Bounds = tuple[Fraction, Fraction]


def brute(task: Task, train: Domain, base: int, k: int) -> dict[tuple[int, ...], Counter[int]]:
    """How often each result follows each combination of low digits."""
    found: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for x in members(task, train, base):
        found[tuple(v % base**k for v in x)][task.evaluate(*x)] += 1
    return found


def brute_upward(task: Task, train: Domain, test: Domain, base: int, k: int) -> Bounds | None:
    """The least and the largest accuracy that the most frequent results have."""
    shown, asked = brute(task, train, base, k), brute(task, test, base, k)
    if set(shown) != set(asked):
        return None
    hits = [
        [asked[low][result] for result, n in counts.items() if n == max(counts.values())]
        for low, counts in shown.items()
    ]
    total = sum(sum(counts.values()) for counts in asked.values())
    return Fraction(sum(map(min, hits)), total), Fraction(sum(map(max, hits)), total)


@st.composite
def modular(draw: st.DrawFn) -> tuple[Task, Domain, int, str]:
    task = replace(draw(tasks()), modulus=draw(st.integers(1, 40)))
    base = draw(st.integers(2, 5))
    train = draw(domains)
    assume(base ** ((max(train.lengths) + 1) * task.operands) <= 20_000)
    return task, train, base, draw(st.sampled_from(("longest", "every")))


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(modular())
def test_they_are_what_enumeration_counts(case: tuple[Task, Domain, int, str]) -> None:
    task, train, base, kind = case
    longest = max(train.lengths)
    test = Domain((longest + 1,), kind)
    setting = Setting(
        task, base, encoding("ape"), layout("aligned"), train, 0, (1, *test.lengths), kind
    )
    expected: list[Plateau] = []
    for k in range(longest):
        shown = brute(task, train, base, k)
        right = sum(max(counts.values()) for counts in shown.values())
        share = Fraction(right, sum(sum(counts.values()) for counts in shown.values()))
        if share == 1 or (expected and share == expected[-1].accuracy):
            continue
        bounds = brute_upward(task, train, test, base, k)
        expected.append(Plateau(k, share, {} if bounds is None else {longest + 1: bounds}))
    assert plateaus(predict(setting)) == tuple(expected)


def words(**asked: object) -> tuple[Plateau, ...]:
    return plateaus(predict(Request(**asked).setting()))


def test_the_residue_modulo_3_is_left_to_chance() -> None:
    """Modulo 150 two digits tell the sum modulo 50; modulo 100 they tell all."""
    third = Fraction(1, 3)
    last = words(task="mod_add", modulus=150, test_digits="1-5")[-1]
    assert last == Plateau(2, third, {4: (third, third), 5: (third, third)})
    [*_, units] = words(task="mod_add", modulus=100)
    assert (units.read, units.accuracy) == (1, Fraction(1, 10))


def test_products_know_more_where_zeros_multiply() -> None:
    last = words(task="mod_mul", modulus=200, test_digits="4")[-1]
    assert last.upward[4] == (Fraction(5, 8), Fraction(5, 8))
    assert words(task="mod_mul", modulus=150)[-1].accuracy == Fraction(153, 275)


def test_longer_inputs_need_the_support_rule() -> None:
    [*_, last] = words(task="mod_add", modulus=200, pe="rpe")
    assert (last.accuracy, last.upward) == (Fraction(50, 99), {})


@pytest.mark.parametrize(
    "asked",
    [
        {"task": "add"},
        {"task": "mod_add", "modulus": 7, "train_priming": ("6:0.01",)},
        {"task": "mod_add", "modulus": 7, "train_pairs": 1000},
        {"task": "mod_add", "modulus": 7, "train_digits": "4"},
        {"task": "mod_add", "modulus": LARGEST + 1, "train_digits": "1", "test_digits": "1"},
    ],
)
def test_there_are_none_where_they_are_not_counted(asked: dict) -> None:
    assert words(**asked) == ()


def test_lengths_that_take_too_long_are_left_out() -> None:
    last = words(task="mod_add", modulus=101, test_digits="4")[-1]
    assert (last.read, last.accuracy, last.upward) == (2, Fraction(10, 99), {})


def test_numbers_beyond_64_bits_are_counted_too() -> None:
    [first] = plateaus(
        predict(
            Setting(
                named_task("mod_add", 3),
                10,
                encoding("ape"),
                layout("aligned"),
                Domain((1,)),
                0,
                (1, 25),
            )
        )
    )
    low, high = first.upward[25]
    assert low == high and abs(low - Fraction(1, 3)) < Fraction(1, 10**20)


def test_the_explanation_names_them() -> None:
    text = explanation(predict(Request("mod_add", modulus=150).setting()))
    assert text[-3:] == [
        "   1/150 = 0.006667, reading no digit",
        "   1/15 = 0.06667, reading the lowest digit of each operand",
        "   1/3 = 0.3333, reading the lowest 2 digits of each operand",
    ]
    assert not any("reading" in x for x in explanation(predict(Request("add").setting())))
