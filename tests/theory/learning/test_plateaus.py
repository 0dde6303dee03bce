"""Plateaus against counting by definition."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

import pytest
from builders.brute_force import members
from builders.strategies import domains, tasks
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task
from arith.theory.learning.learnability import learnability
from arith.theory.learning.plateaus import LARGEST, Plateau, plateau_accuracy, plateaus
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.text.answer import explanation

Bounds = tuple[Fraction, Fraction]


def brute(task: Task, train: Domain, base: int, k: int) -> dict[tuple[int, ...], Counter[int]]:
    """How often each result follows each combination of low digits."""
    found: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for x in members(task, train, base):
        found[tuple(v % base**k for v in x)][task.evaluate(*x)] += 1
    return found


def brute_bounds(task: Task, train: Domain, test: Domain, base: int, k: int) -> Bounds | None:
    """The least and the largest accuracy that the most frequent results have."""
    shown, asked = brute(task, train, base, k), brute(task, test, base, k)
    if not set(asked) <= set(shown):
        return None
    hits = [
        [asked[low][result] for result, n in counts.items() if n == max(counts.values())]
        for low, counts in shown.items()
        if low in asked
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


@given(modular())
def test_they_are_what_enumeration_counts(case: tuple[Task, Domain, int, str]) -> None:
    task, train, base, kind = case
    longest = max(train.lengths)
    tests = [Domain((n,), kind) for n in (longest, longest + 1)]
    assume(any(sum_of(task, x) >= task.modulus for x in members(task, train, base)))
    expected: list[Plateau] = []
    for k in range(longest):
        shown = brute(task, train, base, k)
        right = sum(max(counts.values()) for counts in shown.values())
        share = Fraction(right, sum(sum(counts.values()) for counts in shown.values()))
        if share == 1:
            break
        if expected and share == expected[-1].accuracy:
            continue
        expected.append(Plateau(k, share))
    assert plateaus(task, base, train) == tuple(expected)
    for plateau in expected:
        for test in tests:
            got = plateau_accuracy(task, base, train, plateau, test)
            if got is not None:  # else low digits may be lacking that the test need not ask for
                assert got == brute_bounds(task, train, test, base, plateau.read)


def sum_of(task: Task, x: tuple[int, ...]) -> int:
    """The result before it is reduced."""
    total = task.polynomial(*x)
    return total if total >= 0 else task.modulus or 0


def ladder(**asked: object) -> tuple[Plateau, ...]:
    s = Request(**asked).setting()
    return plateaus(s.task, s.base, s.train)


def bounds(digits: int, kind: str = "longest", **asked: object) -> Bounds | None:
    """The accuracy of the last plateau at a test length."""
    s = Request(**asked).setting()
    return plateau_accuracy(s.task, s.base, s.train, ladder(**asked)[-1], Domain((digits,), kind))


def test_the_residue_modulo_3_is_left_to_chance() -> None:
    """Modulo 150 two digits tell the sum modulo 50; modulo 100 they tell all."""
    third = Fraction(1, 3)
    assert ladder(task="mod_add", modulus=150)[-1] == Plateau(2, third)
    assert {bounds(n, task="mod_add", modulus=150) for n in (3, 4, 5)} == {(third, third)}
    [*_, units] = ladder(task="mod_add", modulus=100)
    assert (units.read, units.accuracy) == (1, Fraction(1, 10))


def test_products_know_more_where_zeros_multiply() -> None:
    assert bounds(4, task="mod_mul", modulus=200) == (Fraction(5, 8), Fraction(5, 8))
    assert ladder(task="mod_mul", modulus=150)[-1].accuracy == Fraction(153, 275)


def test_a_trained_length_is_counted_on_the_domain_that_is_tested() -> None:
    low, high = bounds(3, "every", task="mod_mul", modulus=200) or (0, 0)
    assert low == high == Fraction(211, 324)
    assert ladder(task="mod_mul", modulus=200)[-1].accuracy == Fraction(83, 132)


@pytest.mark.parametrize(
    "asked",
    [
        {"task": "add"},
        {"task": "mod_add", "modulus": 1999},  # nothing wraps
        {"task": "mod_add", "modulus": 7, "train_priming": ("6:0.01",)},
        {"task": "mod_add", "modulus": 7, "train_pairs": 1000},
        {"task": "mod_add", "modulus": 7, "train_digits": "4"},
        {"expr": f"(9999999*a + b) % {LARGEST + 1}", "train_digits": "1", "test_digits": "1"},
    ],
)
def test_there_are_none_where_they_are_not_counted(asked: dict) -> None:
    assert ladder(**asked) == ()


def test_lengths_that_take_too_long_are_left_out() -> None:
    asked = {"task": "mod_add", "modulus": 101}
    assert ladder(**asked)[-1] == Plateau(2, Fraction(10, 99))
    assert bounds(4, **asked) is None
    # Here the combinations of what higher digits add are too many to be written out.
    asked = {"expr": "(a*b + c) % 1000", "train_digits": "2", "train_domain": "every"}
    assert bounds(5, "every", **asked) is None


def test_numbers_beyond_64_bits_are_counted_too() -> None:
    low, high = bounds(25, task="mod_add", modulus=3, train_digits="1") or (0, 0)
    assert low == high and abs(low - Fraction(1, 3)) < Fraction(1, 10**20)
    fixed = *(f"{i}:3" for i in (*range(2, 5), *range(6, 12))), "12:1,2"  # 1 + 2 is 2 + 1
    asked = {"train_digits": "12", "train_domain": "every", "train_allowed": fixed}
    assert [x.read for x in ladder(task="mod_add", modulus=7, **asked)] == [0, 1, 5]
    assert ladder(task="mod_add", modulus=7, **asked)[-1].accuracy == Fraction(1, 2)


def explained(asked: Request) -> list[str]:
    s = asked.setting()
    return explanation(predict(s), learnability(s))


def test_the_explanation_names_them() -> None:
    text = explained(Request("mod_add", modulus=150))
    [line] = [x for x in text if "on a plateau" in x]
    assert line.endswith(
        ": 0.667% always the commonest answer; 6.67% from the last digit of each operand; 33.3% "
        "from the last 2."
    )
    without = explained(Request("add"))
    assert not any("plateau" in x for x in without)
