"""Formulas: the words of SymPy, without SymPy where that is possible."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.errors import InvalidInput
from theory.inference.learned import LearnedFunction
from theory.inference.support import support
from theory.prediction.formulas import learned_formula, task_formula
from theory.setting.domains import Domain
from theory.setting.expressions import parse_task
from theory.setting.tasks import Task, expression_text, named_task


@st.composite
def any_tasks(draw: st.DrawFn) -> Task:
    """Tasks of 1 to 4 operands, terms in any order, repeated ones too."""
    names = ("a", "b", "c", "d")[: draw(st.integers(1, 4))]
    exponents = st.tuples(*[st.sampled_from((0, 0, 1, 1, 2, 3))] * len(names))
    coefficients = st.sampled_from((1, 1, 2, 7, 10**25, -1, -3))
    terms = draw(st.lists(st.tuples(coefficients, exponents), min_size=1, max_size=5))
    modulus = draw(st.sampled_from((None, 1, 101, 10**30)))
    try:
        return Task("any", tuple(terms), names, modulus, draw(st.sampled_from((1, 1, 1, 10))))
    except InvalidInput:
        return Task("any", tuple(terms), names, 12)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(any_tasks(), st.integers(1, 3), st.sampled_from(("longest", "every")))
def test_formulas_are_in_the_words_of_sympy(task: Task, n: int, kind: str) -> None:
    assert task_formula(task) == expression_text(task.expression)
    learned = LearnedFunction(task, support(task, Domain((n,), kind), 10), 10)
    assert learned_formula(learned) == expression_text(learned.expression)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("b*a + 3*b**2 + 2", "a*b + 3*b**2 + 2"),
        ("1 - a + 0*b", "1 - a"),
        ("b - a", "-a + b"),
        ("2*a + b", "2*a + b"),
    ],
)
def test_examples(text: str, formula: str) -> None:
    assert task_formula(parse_task(text, 7)) == f"Mod({formula}, 7)"


def test_a_digit_that_is_always_the_same() -> None:
    """Base 2, operands of two digits each: the second is always 1, and no formula is plain."""
    task = named_task("add")
    learned = LearnedFunction(task, support(task, Domain((2,), "every"), 2), 2)
    assert learned_formula(learned) == expression_text(learned.expression)
    assert "Mod(a, 2) + 2" in learned_formula(learned)
