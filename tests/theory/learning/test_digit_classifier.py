"""Bayes classifiers of result digits: against counting every operand tuple."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from builders.brute_force import box_members
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.errors import NotCountable
from arith.theory.learning.digit_classifier import DigitClassifier

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
    if "//2" in text and base == 4:
        text = text.replace("//2", "//4")
    task = parse_task(text if p is None else f"({text}) % {p}")
    domain = Domain(lengths, kind, allowed=((1, (1, base - 1)),) if odd else ())
    boxes = domain.boxes(base, task.operands)
    shown = box_members(domain, base, task.operands)
    tuples = [xs for xs in shown if task.evaluate(*xs) >= 0]
    places = [(j, i) for j in range(task.operands) for i in range(1, lengths[-1] + 1)]
    read = data.draw(st.sets(st.sampled_from(places)).map(sorted))
    r = data.draw(st.integers(0, task.result_width(base, lengths[-1]) - 1))
    values: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for xs in tuples:
        known = tuple(xs[j] // base ** (i - 1) % base for j, i in read)
        values[known][task.evaluate(*xs) // base**r % base] += 1
    classifier = DigitClassifier(task, base, boxes, r)
    assert classifier.total == len(tuples)
    assert classifier.right(frozenset(read)) == sum(max(c.values()) for c in values.values())


def test_what_is_too_large_is_refused() -> None:
    many = Domain(tuple(range(1, 40)), allowed=tuple((i, (0, 1)) for i in range(8, 41)))
    with pytest.raises(NotCountable):
        DigitClassifier(parse_task("(a + b) % 7"), 10, many.boxes(10, 2), 0)
    for text, n in (("a*b", 4), ("a + b", 6), ("a**8", 6), ("a % 7", 20)):
        with pytest.raises(NotCountable):
            DigitClassifier(parse_task(text), 10, Domain((n,)).boxes(10, 1 + ("b" in text)), 4)
