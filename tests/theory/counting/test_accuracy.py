"""Exact accuracies against brute-force enumeration."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import pytest
from builders.brute_force import box_members, brute_accuracy, digit, members, tuples_of
from builders.strategies import domains, learned_functions, tasks
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import PART, budget
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.properties import digit_causal
from arith.theory.arithmetic.tasks import Task, named_task
from arith.theory.counting.accuracy import (
    accuracy,
    known_accuracy,
    matches,
    shown_share,
    unseen_share,
)
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import NotCountable
from arith.theory.observation.joint_support import carry_range, interactions
from arith.theory.observation.support import Support

Tuples = list[tuple[int, ...]]
Case = tuple[Support, Domain, Tuples, Tuples]


def learned(task: Task, train: Domain, base: int) -> LearnedFunction:
    return LearnedFunction(Support(task, train, base))


@given(
    tasks(), st.integers(2, 12), domains, st.integers(1, 3), st.sampled_from(("longest", "every"))
)
def test_accuracy_is_what_enumeration_counts(
    task: Task, base: int, train: Domain, length: int, kind: str
) -> None:
    assume(base ** (length * task.operands) <= 5_000)
    assume(members(task, train, base))
    test = Domain((length,), kind)
    assume(members(task, test, base))
    function = learned(task, train, base)
    assert accuracy(function, test) == brute_accuracy(function, test)


@given(learned_functions())
def test_accuracy_of_more_operands(
    case: tuple[LearnedFunction, Domain],
) -> None:
    assert accuracy(*case) == brute_accuracy(*case)


@given(learned_functions())
def test_large_boxes_are_counted_as_small_ones_are(case: tuple[LearnedFunction, Domain]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arith.theory.counting.accuracy.LARGEST_ENUMERATION", 0)
        matches.cache_clear()
        with suppress(NotCountable):
            assert accuracy(*case) == brute_accuracy(*case)


@st.composite
def supports(draw: st.DrawFn) -> Case:
    """What training shows, a test domain, and the members of both."""
    task, base, train = draw(tasks()), draw(st.integers(2, 6)), draw(domains)
    test = Domain((draw(st.integers(1, 2)),), draw(st.sampled_from(("longest", "every"))))
    shown, inputs = members(task, train, base), members(task, test, base)
    assume(shown and inputs)
    return Support(task, train, base), test, shown, inputs


@given(supports())
def test_what_is_open_and_what_is_known_is_what_enumeration_counts(case: Case) -> None:
    s, test, shown, inputs = case
    groups = [sorted(g) for g in interactions(s)]

    def project(x: tuple[int, ...], places: list[tuple[int, int]]) -> tuple[int, ...]:
        digits = []
        for j, i in places:
            step = s.period((j, i))
            d = digit(x[j], i, s.base)
            digits.append(d if step is None else d % step)
        return tuple(digits)

    seen = [{project(x, g) for x in shown} for g in groups]
    learned = LearnedFunction(s)
    fixed = [
        x
        for x in inputs
        if all(project(x, g) in have for g, have in zip(groups, seen, strict=True))
        and learned.evaluate(*x) >= 0  # else what is left of it would have to borrow
    ]
    assert unseen_share(learned, test) == 1 - Fraction(len(fixed), len(inputs))
    right = sum(learned.evaluate(*x) == s.task.evaluate(*x) for x in fixed)
    assert known_accuracy(learned, test) == Fraction(right, len(inputs))


@given(supports())
def test_shown_share_is_what_enumeration_counts(case: Case) -> None:
    s, test, shown, inputs = case
    task, base = s.task, s.base
    assume(not task.needs_order)  # the boxes then hold more than the domain
    places = [
        (j, i)
        for j in range(task.operands)
        for i in range(1, s.width + 1)
        if s.constant((j, i)) is None
    ]
    assert s.read == tuple(places)
    have = {tuple(digit(x[j], i, base) for j, i in places) for x in shown}
    found = sum(tuple(digit(x[j], i, base) for j, i in places) in have for x in inputs)
    assert shown_share(LearnedFunction(s), test) == Fraction(found, len(inputs))


@given(tasks(), st.integers(2, 6), domains, st.integers(1, 3))
def test_carry_range_is_what_enumeration_finds(
    task: Task, base: int, train: Domain, position: int
) -> None:
    assume(task.is_linear and not task.needs_order)
    shown = members(task, train, base)
    assume(shown)
    weight = base ** (position - 1)
    constant = sum(c for c, e in task.terms if not any(e))
    carries = {
        (constant + sum(c * (x[e.index(1)] % weight) for c, e in task.terms if any(e))) // weight
        for x in shown
    }
    s = Support(task, train, base)
    assert carry_range(s, position) == (min(carries), max(carries))


@given(domains, st.integers(2, 6), st.integers(1, 3))
def test_boxes_are_disjoint_and_cover_the_domain(domain: Domain, base: int, operands: int) -> None:
    found = box_members(domain, base, operands)
    task = (
        named_task("add")
        if operands == 2
        else Task("t", ((1, (1,) * operands),), ("a", "b", "c")[:operands])
    )
    assert sorted(found) == sorted(members(task, domain, base))


@given(domains, st.integers(2, 6), st.integers(1, 3), st.integers(1, 2))
def test_layers_add_up_to_the_domain(domain: Domain, base: int, operands: int, place: int) -> None:
    for some in (domain, replace(domain, allowed=((place, (0, 1)),))):
        found: Counter[tuple[int, ...]] = Counter()
        for sign, box in some.layers(base, operands):
            for x in tuples_of(box, base):
                found[x] += sign
        assert {x: n for x, n in found.items() if n} == dict.fromkeys(
            box_members(some, base, operands), 1
        )


def test_a_layer_too_large_to_enumerate_is_no_obstacle() -> None:
    """7 digits of base 7: the box holds 705894 numbers, which are 823543 less 117649."""
    function = learned(parse_task("a*a*a % 4999"), Domain((1,)), 7)
    test = Domain((7,))
    expected = accuracy(function, test)
    sizes = [box.size for box in test.boxes(7, 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arith.theory.counting.accuracy.LARGEST_ENUMERATION", max(sizes))
        matches.cache_clear()
        assert accuracy(function, test) == expected


@pytest.mark.parametrize(
    ("name", "modulus", "n", "m", "expected"),
    [
        ("mul", None, 3, 4, Fraction(1, 5500)),
        ("add", None, 3, 4, Fraction(0)),
        ("mod_add", 101, 2, 3, Fraction(0)),
        ("mod_add", 101, 2, 4, Fraction(49, 4950)),
        ("mod_add", 150, 2, 3, Fraction(1, 3)),
        ("mod_mul", 125, 2, 3, Fraction(37, 165)),
        ("mod_mul", 125, 3, 9, Fraction(1)),
        ("mod_add", 100, 2, 40, Fraction(1)),
    ],
)
def test_known_values(name: str, modulus: int | None, n: int, m: int, expected: Fraction) -> None:
    function = learned(named_task(name, modulus), Domain((n,)), 10)
    assert accuracy(function, Domain((m,))) == expected


@pytest.mark.parametrize(
    ("text", "n", "m", "expected"),
    [
        ("(a*b + c) % 50", 1, 3, Fraction(1, 5)),
        ("(a*b + c) % 50", 2, 100, Fraction(1)),
        ("(2*a*b + 4*c) % 200", 2, 100, Fraction(1)),
        ("(a + b + c + d) % 200", 2, 100, Fraction(1, 2)),
        ("(a**3 + b*c + d) % 1000", 2, 100, Fraction(1, 10)),
        ("a**2 % 10000", 3, 50, Fraction(9, 25)),
        ("12345*a + b", 2, 4, Fraction(0)),
        ("12345*a*b + b", 2, 4, Fraction(1, 11_000)),  # b = 0
    ],
)
def test_known_values_of_expressions(text: str, n: int, m: int, expected: Fraction) -> None:
    function = learned(parse_task(text), Domain((n,)), 10)
    assert accuracy(function, Domain((m,))) == expected


@pytest.mark.parametrize("text", ["a*a*b*b % 4999", "a*b % 5000011", "(a + b) % 1000000000039"])
def test_what_is_too_large_for_residues_is_enumerated_while_it_can_be(text: str) -> None:
    function = learned(parse_task(text), Domain((1,)), 10)
    assert accuracy(function, Domain((2,))) == brute_accuracy(function, Domain((2,)))
    with pytest.raises(NotCountable), budget(PART):
        accuracy(function, Domain((40,)))


def test_the_published_condition_for_modular_addition() -> None:
    """Correct exactly when p' divides A + B (arXiv 2407.17963), counted here by hand."""
    p, n = 75, 1
    left = 15  # 75 / gcd(75, 10)
    inputs = members(named_task("add"), Domain((2,)), 10)
    by_condition = sum((a // 10 + b // 10) % left == 0 for a, b in inputs)
    function = learned(named_task("mod_add", p), Domain((n,)), 10)
    assert accuracy(function, Domain((2,))) == Fraction(by_condition, len(inputs))


def test_unseen_share_of_the_rules_in_the_text() -> None:
    def share(task: Task, n: int, m: int) -> Fraction:
        return unseen_share(learned(task, Domain((n,)), 10), Domain((m,)))

    assert share(named_task("add"), 3, 1) == 0
    assert share(named_task("mul"), 3, 1) == 1
    assert share(named_task("mul"), 2, 3) == Fraction(1, 100)
    assert share(named_task("mod_mul", 125), 3, 2) == 0  # digits 0 and 5 are equivalent
    assert share(named_task("mod_mul", 125), 2, 1) == 1
    assert share(named_task("mod_add", 101), 2, 1) == 1  # the wrap couples all digits
    assert digit_causal(named_task("mod_add", 101), 10)[0] is Decision.NO
