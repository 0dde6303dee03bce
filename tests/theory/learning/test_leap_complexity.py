"""Leaps: known ones, against counting by hand, and what they do not depend on."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product

import pytest
from builders.strategies import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import PART
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task, named_task
from arith.theory.errors import NotCountable
from arith.theory.learning.carry_classifier import CarryClassifier
from arith.theory.learning.digit_classifier import DigitClassifier
from arith.theory.learning.leap_complexity import CONSTANT, GAIN, leaps, setting_leaps
from arith.theory.setting.requests import Request


def by_hand(task: Task, base: int, n: int) -> int:
    """The most digits asked for at once, by the definition, with dictionaries and fractions."""
    shown = [
        xs
        for xs in product(range(base**n), repeat=task.operands)
        if (n == 1 or max(xs) >= base ** (n - 1)) and task.evaluate(*xs) >= 0
    ]
    digits = [tuple(x // base**i % base for x in xs for i in range(n)) for xs in shown]
    results = [task.evaluate(*xs) for xs in shown]
    places = range(task.operands * n)
    found = [0]
    for r in range(task.result_width(base, n)):

        def share(read: tuple[int, ...], r: int = r) -> Fraction:
            values: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
            for row, result in zip(digits, results, strict=True):
                values[tuple(row[i] for i in read)][result // base**r % base] += 1
            return Fraction(sum(max(c.values()) for c in values.values()), len(shown))

        g = {s: share(s) for k in range(len(places) + 1) for s in combinations(places, k)}
        if g[()] >= CONSTANT:
            continue
        for largest in range(1, len(places) + 1):
            reached = {()}
            for k in range(1, len(places) + 1):
                for there in combinations(places, k):
                    for here in [s for s in reached if set(s) < set(there)]:
                        enough = g[there] - g[here] >= GAIN * (1 - g[here])
                        if enough and k - len(here) <= largest:
                            reached.add(there)
            if any(g[s] == 1 for s in reached):
                found.append(largest)
                break
    return max(found)


def counted(task: Task, base: int, n: int) -> int:
    """The same, from ``leaps``."""
    return next(k for k in range(10) if leaps(task, base, Domain((n,)), k) is Decision.NO)


@pytest.mark.parametrize(
    ("text", "base", "n", "expected"),
    [
        ("a + b", 10, 2, 2),  # digit by digit
        ("a + b", 10, 3, 2),
        ("a + b", 3, 6, 2),  # each lower pair tells most of what is left of the last carry
        ("a - b", 10, 2, 2),
        ("2*a + 3*b + 1", 10, 2, 2),
        ("(a + b) % 100", 10, 2, 2),
        ("(a + b) % 101", 10, 2, 2),  # wraps at most once
        ("a + b + c", 10, 2, 3),  # two of three operands tell nothing of a digit
        ("a*b", 10, 2, 3),
        ("a % 10", 10, 2, 1),
        ("10*a % 10", 10, 2, 0),
    ],
)
def test_known_leaps(text: str, base: int, n: int, expected: int) -> None:
    assert counted(parse_task(text), base, n) == expected


def test_sums_of_three_digits_that_are_learned_soon_and_late() -> None:
    no, yes = Decision.NO, Decision.YES
    more = {p: leaps(named_task("mod_add", p), 10, Domain((3,))) for p in (100, 101, 150, 200, 300)}
    assert more == {100: no, 101: yes, 150: yes, 200: yes, 300: no}


@examples(30)
@given(
    st.integers(2, 3),
    st.integers(1, 2),
    st.integers(2, 30),
    st.sampled_from(("a + b", "a*b", "a + 2*b", "a - b", "a*a + 3*b")),
)
def test_counting_by_hand_gives_the_same(base: int, n: int, p: int, text: str) -> None:
    task = parse_task(f"({text}) % {p}")
    assert counted(task, base, n) == by_hand(task, base, n)


@pytest.mark.parametrize("text", ["a + b", "a - b", "a*b", "a + b + c", "3*a + 2"])
@pytest.mark.parametrize("n", [1, 2])
def test_tasks_without_a_modulus_too(text: str, n: int) -> None:
    task = parse_task(text)
    assert counted(task, 2, n) == by_hand(task, 2, n)


@pytest.mark.parametrize("text", ["10**9*a + 10**30", "10**20*a + 10**20", "10**17*a + b"])
def test_numbers_beyond_64_bits_are_counted_or_refused(text: str) -> None:
    assert leaps(parse_task(text), 10, Domain((3,))) in Decision


def test_large_numbers_count_as_what_they_are_modulo_p() -> None:
    large, small = parse_task("(10**30*a + b + 10**34) % 7"), parse_task("(a + b + 4) % 7")
    assert leaps(large, 10, Domain((2,))) is leaps(small, 10, Domain((2,)))


def test_too_many_values_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert leaps(named_task("mod_add", 100_003), 10, Domain((6,))) is Decision.UNDECIDED
    assert leaps(named_task("mod_add", 20_000), 10, Domain((5,))) is Decision.UNDECIDED
    assert leaps(named_task("mod_mul", 10_007), 10, Domain((6,))) is Decision.UNDECIDED
    with_many_carries = parse_task("1234567890123*a + 9876543210987*b")
    assert leaps(with_many_carries, 256, Domain((20,), "every")) is Decision.UNDECIDED
    monkeypatch.setattr("arith.theory.learning.leap_complexity.PART", PART // 4)
    assert leaps(parse_task("12345*a*b + c"), 97, Domain((1,))) is Decision.UNDECIDED


@pytest.mark.parametrize("text", ["a + b", "a - b", "(a + b) % 10**8", "7*a + 2"])
def test_sums_of_many_digits_are_counted_place_by_place(text: str) -> None:
    assert leaps(parse_task(text), 10, Domain((12,))) is Decision.NO


def test_drawn_and_primed_sets_ask_for_what_their_domain_does() -> None:
    primed = ((6, Fraction(1, 100)),)
    for train in (Domain((3,), pairs=100_000), Domain((3,), priming=primed)):
        assert leaps(named_task("add"), 10, train) is Decision.NO
        assert leaps(named_task("mod_add", 200), 10, train) is Decision.YES


SUMS = ("a + b", "a - b", "2*a + 3*b + 1", "(a + b) % B**2", "a + b + c", "7*a + 1")


@given(
    st.sampled_from(SUMS),
    st.integers(2, 6),
    st.integers(1, 3),
    st.sampled_from(("longest", "every")),
    st.booleans(),
)
def test_place_by_place_is_counted_as_digit_by_digit(
    text: str, base: int, n: int, kind: str, only: bool
) -> None:
    task = parse_task(text.replace("B", str(base)))
    assume(n * task.operands <= 6)
    train = Domain((n,), kind, allowed=((1, (0, base - 1)),) if only else ())
    boxes = train.boxes(base, task.operands)
    classifier = CarryClassifier(task, base, boxes)
    dropped = 1 if "//" in text else 0
    for r in range(task.result_width(base, n)):
        by_digit = DigitClassifier(task, base, boxes, r)
        top = r + dropped + 1
        read = [
            frozenset(
                (j, i) for j in range(task.operands) for i in range(top - k + 1, min(top, n) + 1)
            )
            for k in [0, *range(max(1, top - n + 1), top + 1)]
        ]
        assert list(classifier.right(r)) == [by_digit.right(places) for places in read]
        assert classifier.total == by_digit.total


def test_a_modulus_that_does_not_line_up_is_not_counted_place_by_place() -> None:
    classifier = CarryClassifier(named_task("mod_add", 40), 10, Domain((3,)).boxes(10, 2))
    with pytest.raises(NotCountable):
        list(classifier.right(1))


def test_digits_without_positions_of_their_own_are_not_asked_for() -> None:
    for words in ({"padding": "none"}, {"pe": "rpe"}):
        assert setting_leaps(Request("add", **words).setting()) is Decision.UNDECIDED
    assert setting_leaps(Request("add").setting()) is Decision.NO
