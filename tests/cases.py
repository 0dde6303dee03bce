"""Strategies and brute force shared by the tests of the theory."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from theory.counting.residues import Residues
from theory.inference.learned import LearnedFunction
from theory.inference.support import Support
from theory.setting.domains import Domain, enumerate_box
from theory.setting.expressions import parse_task
from theory.setting.tasks import Task, named_task

EXPRESSIONS = ("2*a + 3*b", "a", "a*a", "a*b + b", "3*a - b", "a*a + 2*b", "a*b + 5", "4*a*b")
MORE_EXPRESSIONS = (
    *(
        "a + b + c",
        "a + 2*b - c",
        "a*b + c",
        "a*b*c",
        "a*b + b*c",
        "a*a*b + 3*c",
        "a**3",
        "a*a*b*b",
    ),
    *("a*b + 2*a + 3*b", "4*a*b + 2*c", "a + b*b + 7*c", "(a + b)**2", "12*a"),
)


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


@st.composite
def learned_functions(draw: st.DrawFn) -> tuple[LearnedFunction, Domain]:
    """Any task of 1 to 3 operands, trained and tested on domains small enough to enumerate."""
    task = draw(tasks() | st.sampled_from(MORE_EXPRESSIONS).map(parse_task))
    if task.modulus is None and draw(st.booleans()):
        task = replace(task, modulus=draw(st.integers(1, 60)))
    base = draw(st.integers(2, 6))
    task = replace(task, divisor=base ** draw(st.sampled_from((0, 0, 0, 1, 2))))
    train = draw(domains)
    if draw(st.booleans()):
        digits = draw(st.sets(st.integers(0, base - 1), min_size=1))
        place = draw(st.integers(1, max(train.lengths)))
        train = replace(train, allowed=((place, tuple(sorted(digits))),))
    test = Domain((draw(st.integers(1, 3)),), draw(st.sampled_from(("longest", "every"))))
    longest = max(*train.lengths, *test.lengths)
    assume(base ** (longest * task.operands) <= 5_000)
    assume(members(task, train, base) and members(task, test, base))
    return LearnedFunction(Support(task, train, base)), test


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


# --- distributions mod p ----------------------------------------------------------------

HUGE = 10**50


def counts(x: Residues) -> list[int]:
    """The counts of a well-formed distribution, residue by residue."""
    assert isinstance(x.level, int)
    assert x.level >= 0
    assert x.extra.dtype in (np.int64, object)
    assert (x.extra >= 0).all()
    return [x.count(r) for r in range(x.p)]


@st.composite
def residues(draw: st.DrawFn, p: int) -> Residues:
    """Any distribution mod p; its entries small, large, huge or mixed, its level too."""
    entry = st.sampled_from((1, 3, 2**40, 2**61, 10**60)).flatmap(lambda m: st.integers(0, m))
    extra = draw(st.lists(st.one_of(st.just(0), entry), min_size=p, max_size=p))
    dtype = np.int64 if max(extra) < 2**62 else object
    return Residues(draw(st.sampled_from((0, 0, 1, 7, HUGE))), np.array(extra, dtype=dtype))


def several(number: int, largest: int) -> st.SearchStrategy[tuple[Residues, ...]]:
    """So many distributions mod one p, p from 1 to the largest."""
    return st.integers(1, largest).flatmap(lambda p: st.tuples(*[residues(p)] * number))
