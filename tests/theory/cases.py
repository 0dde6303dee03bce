"""Strategies and brute force shared by the tests of the theory."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from theory.domains import Domain, enumerate_box
from theory.expressions import parse_task
from theory.learned import LearnedFunction
from theory.tasks import Task, named_task

EXPRESSIONS = ("2*a + 3*b", "a", "a*a", "a*b + b", "3*a - b", "a*a + 2*b", "a*b + 5", "4*a*b")


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Named tasks and expressions, with small moduli."""
    modulus = draw(st.none() | st.integers(1, 60))
    if draw(st.booleans()):
        name = draw(st.sampled_from(("add", "sub", "mul")))
        return named_task(name if modulus is None else f"mod_{name}", modulus)
    text = draw(st.sampled_from(EXPRESSIONS))
    return parse_task(text, modulus)


domains = st.builds(
    Domain,
    st.lists(st.integers(1, 2), min_size=1, max_size=2).map(tuple),
    st.sampled_from(("longest", "every")),
)


def members(task: Task, domain: Domain, base: int) -> list[tuple[int, ...]]:
    """The domain, enumerated by definition and not by boxes."""
    top = base ** max(domain.lengths)
    everything = product(range(top), repeat=task.operands)
    return [x for x in everything if domain.contains(x, base) and task.evaluate(*x) >= 0]


def brute_accuracy(learned: LearnedFunction, domain: Domain) -> Fraction:
    """The accuracy by evaluating f and f^ on every member."""
    inputs = members(learned.task, domain, learned.base)
    right = sum(learned.task.evaluate(*x) == learned.evaluate(*x) for x in inputs)
    return Fraction(right, len(inputs))


def box_members(domain: Domain, base: int, operands: int) -> list[tuple[int, ...]]:
    """The domain, enumerated by its boxes."""
    return [x for box in domain.boxes(base, operands) for x in enumerate_box(box, base)]


def digit(value: int, position: int, base: int) -> int:
    """The digit of weight ``base**(position - 1)``."""
    return value // base ** (position - 1) % base
