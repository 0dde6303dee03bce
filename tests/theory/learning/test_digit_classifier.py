"""Bayes classifiers of result digits: against counting every operand tuple."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import pytest
from builders.brute_force import box_members
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import NotCountable
from arith.theory.learning.digit_classifier import DigitClassifier
from arith.theory.setting.requests import Request

TASKS = (
    "a + b",
    "a - b",
    "a*b",
    "2*a + b + 3",
    "a**2",
    "a + b + c",
    "a*b + c",
)


@given(
    st.sampled_from(TASKS),
    st.one_of(st.none(), st.integers(1, 40)),
    st.sampled_from(((2, (1, 2, 3)), (2, (3,)), (4, (2,)), (4, (1, 2)))),
    st.sampled_from(("longest", "every")),
    st.booleans(),
    st.data(),
)
def test_classifiers_are_right_as_often_as_counted_by_hand(
    text: str,
    p: int | None,
    where: tuple[int, tuple[int, ...]],
    kind: str,
    odd: bool,
    data: st.DataObject,
) -> None:
    base, lengths = where
    task = parse_task(text if p is None else f"({text}) % {p}")
    domain = Domain(lengths, kind, allowed=((1, (1, base - 1)),) if odd else ())
    places = [(j, i) for j in range(task.operands) for i in range(1, lengths[-1] + 1)]
    read = data.draw(st.sets(st.sampled_from(places)))
    r = data.draw(st.integers(0, task.result_width(base, lengths[-1]) - 1))
    classifier = DigitClassifier(task, base, domain.boxes(base, task.operands), r)
    assert (classifier.total, classifier.right(frozenset(read))) == counted(
        task, base, domain, r, read
    )


def counted(
    task: Task, base: int, domain: Domain, r: int, read: Iterable[tuple[int, int]]
) -> tuple[int, int]:
    """How many inputs there are, and of how many the best guess from what is read is right."""
    shown = box_members(domain, base, task.operands)
    tuples = [xs for xs in shown if task.evaluate(*xs) >= 0]
    values: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for xs in tuples:
        known = tuple(xs[j] // base ** (i - 1) % base for j, i in sorted(read))
        values[known][task.evaluate(*xs) // base**r % base] += 1
    return len(tuples), sum(max(c.values()) for c in values.values())


def test_operands_of_other_lengths_are_not_exchanged() -> None:
    task, domain = parse_task("a*b"), Request("mul", train_digits="2x1").setting().train
    classifier = DigitClassifier(task, 4, domain.boxes(4, 2), 1)
    found = [classifier.right(frozenset({(operand, 1)})) for operand in (0, 1)]
    assert found == [counted(task, 4, domain, 1, [(operand, 1)])[1] for operand in (0, 1)]
    assert found[0] != found[1]


def test_what_is_too_large_is_refused() -> None:
    many = Domain(tuple(range(1, 40)), allowed=tuple((i, (0, 1)) for i in range(8, 41)))
    with pytest.raises(NotCountable):
        DigitClassifier(parse_task("(a + b) % 7"), 10, many.boxes(10, 2), 0)
    for text, n in (("a*b", 4), ("a + b", 6), ("a**8", 6), ("a % 7", 20)):
        with pytest.raises(NotCountable):
            DigitClassifier(parse_task(text), 10, Domain((n,)).boxes(10, 1 + ("b" in text)), 4)
