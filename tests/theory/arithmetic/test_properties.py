"""Properties of tasks, each against its definition."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

import pytest
from builders.brute_force import digit
from builders.strategies import tasks
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.properties import (
    base_aligned,
    digit_causal,
    residual_modulus,
    shift_difference,
    translation_invariant,
)
from arith.theory.arithmetic.tasks import Task, digit_count, named_task
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request


@given(st.integers(1, 3000), st.integers(2, 36))
def test_base_aligned_is_the_least_power(p: int, base: int) -> None:
    powers = [k for k in range(15) if base**k % p == 0]
    assert base_aligned(p, base) == (powers[0] if powers else None)


@given(st.integers(1, 500), st.integers(2, 12), st.integers(0, 4))
def test_residual_modulus_is_what_the_upper_digits_matter_modulo(p: int, base: int, n: int) -> None:
    left = residual_modulus(p, base, n)
    matters = [upper for upper in range(1, 2 * p + 1) if upper * base**n % p == 0]
    assert matters[0] == left


@given(tasks(), st.integers(2, 7))
def test_digit_causality_is_its_definition(task: Task, base: int) -> None:
    """No pair of inputs below B^3 contradicts a yes, and the witness of a no is one."""
    causal, witness = digit_causal(task, base)
    if witness is not None:
        scale = base**witness.digits
        assert all(
            x % scale == y % scale for x, y in zip(witness.first, witness.second, strict=True)
        )
        assert task.evaluate(*witness.first) % scale != task.evaluate(*witness.second) % scale
        return
    assert causal is Decision.YES
    seen: dict[tuple[int, ...], int] = {}
    for x in product(range(base**2), repeat=task.operands):
        low = tuple(v % base for v in x)
        assert seen.setdefault(low, task.evaluate(*x) % base) == task.evaluate(*x) % base


@pytest.mark.parametrize(
    ("text", "base", "causal"),
    [
        ("a*b", 10, True),
        ("(a+b) % 100", 10, True),
        ("(a+b) % 50", 10, True),
        ("(a+b) % 125", 10, False),
        ("(a+b) % 101", 10, False),
        ("(a+b) % 4", 10, False),
        ("(a+b) % 4", 2, True),
        ("(a+b) % 8", 2, True),
        ("(a+b) % 12", 6, True),
        ("(a+b) % 12", 10, False),
        ("(101*a + b*0) % 101", 10, True),
    ],
)
def test_digit_causal_examples(text: str, base: int, causal: bool) -> None:
    assert digit_causal(parse_task(text), base)[0] is Decision.of(causal)


def test_translation_invariance_is_its_definition() -> None:
    for text, expected in [("a+b", True), ("2*a+3*b", True), ("a*b", False), ("a+b+1", False)]:
        task = parse_task(text)
        assert translation_invariant(task) == expected
        inputs = product(range(25), repeat=task.operands)
        holds = all(task.evaluate(*(10 * v for v in x)) == 10 * task.evaluate(*x) for x in inputs)
        assert holds == expected
    assert not translation_invariant(named_task("mod_add", 100))


@given(tasks(), st.integers(2, 12), st.lists(st.integers(0, 999), min_size=4, max_size=4))
def test_the_difference_that_a_shift_makes(task: Task, base: int, values: list[int]) -> None:
    terms, names = shift_difference(task, base)
    x = dict(zip(task.names, values, strict=False))
    moved = task.polynomial(*(base * v for v in x.values()))
    powers = [prod(x[n] ** k for n, k in zip(names, e, strict=True)) for _, e in terms]
    difference = sum(c * power for (c, _), power in zip(terms, powers, strict=True))
    left = moved - base * task.polynomial(*x.values()) - difference
    assert left == 0 if task.modulus is None else left % task.modulus == 0
    is_zero = terms[0][0] == 0
    assert translation_invariant(task) == (task.modulus is None and is_zero)


def test_digit_helper() -> None:
    assert [digit(5072, i, 10) for i in (1, 2, 3, 4, 5)] == [2, 7, 0, 5, 0]


def test_whether_low_digits_are_enough_may_not_be_known() -> None:
    assert digit_causal(parse_task("(a+b) % 100"), 10)[0] is Decision.YES
    assert digit_causal(parse_task("(a+b) % 101"), 10)[0] is Decision.NO
    multiple = parse_task("(3*a) % 30")  # 3 (a mod 10), by a whole period
    assert digit_causal(multiple, 10)[0] is Decision.YES
    four = "(3*a + 3*b + 3*c + 3*d) % 30"  # so is this, of a period too long to search
    assert digit_causal(parse_task(four), 10) == (Decision.UNDECIDED, None)
    with pytest.raises(InvalidInput, match="this one is not known to be"):
        Request(expr=four, layout="interleaved").setting()


@given(tasks(), st.randoms(use_true_random=False))
def test_operands_that_are_alike_can_change_places(task: Task, random: Random) -> None:
    assert sorted(j for group in task.symmetric_operands for j in group) == list(
        range(task.operands)
    )
    values = [random.randrange(1000) for _ in range(task.operands)]
    moved = list(values)
    for group in task.symmetric_operands:
        for j, x in zip(group, random.sample([values[j] for j in group], len(group)), strict=True):
            moved[j] = x
    assert task.evaluate(*values) == task.evaluate(*moved)


def test_which_operands_are_alike() -> None:
    assert named_task("mod_mul", 7).symmetric_operands == ((0, 1),)
    assert named_task("sub").symmetric_operands == ((0,), (1,))
    assert parse_task("(a*b + c) % 12").symmetric_operands == ((0, 1), (2,))


@pytest.mark.parametrize("base", [2, 3, 10, 255, 256])
def test_digits_are_counted_exactly_beside_every_power_of_the_base(base: int) -> None:
    assert digit_count(0, base) == 1
    for n in (*range(1, 200), 8_000):
        assert [digit_count(base**n + d, base) for d in (-1, 0, 1)] == [n, n + 1, n + 1]
