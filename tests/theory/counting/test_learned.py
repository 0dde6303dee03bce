"""Formulas of tasks and of learned functions: written as SymPy writes them."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy.printing.str import StrPrinter

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task, named_task
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import InvalidInput
from arith.theory.observation.support import Support


class Printer(StrPrinter):
    """SymPy's own printer writes ``(Mod(a, 10))*(Mod(b, 10))``."""

    def parenthesize(self, item: Any, level: int, strict: bool = False) -> str:
        if isinstance(item, sympy.Mod):
            return str(self._print(item))
        return str(super().parenthesize(item, level, strict))


def by_sympy(task: Task, operands: list[sympy.Expr]) -> str:
    """The task as SymPy writes it, its terms kept as they are."""
    with sympy.evaluate(False):
        terms = []
        for coefficient, exponents in task.terms:
            powers = [x if e == 1 else x**e for x, e in zip(operands, exponents, strict=True) if e]
            factors = [] if coefficient == 1 and powers else [sympy.Integer(coefficient)]
            product = factors + powers
            terms.append(product[0] if len(product) == 1 else sympy.Mul(*product))
        body = terms[0] if len(terms) == 1 else sympy.Add(*terms)
        if task.modulus is not None:
            body = sympy.Mod(body, task.modulus)
    # An operand of which nothing is read is 0, and SymPy then writes the factor of -1 too.
    return re.sub(r"(?<!\d)1\*0\b", "0", Printer().doprint(body))


def symbols(task: Task) -> list[sympy.Symbol]:
    return [sympy.Symbol(name, integer=True, nonnegative=True) for name in task.names]


def learned_by_sympy(learned: LearnedFunction) -> str:
    """The learned function as SymPy writes it."""
    operands = []
    with sympy.evaluate(False):
        for j, x in enumerate(symbols(learned.task)):
            n = learned.support.read_lengths[j]
            if n is not None:
                operands.append(sympy.Mod(x, learned.base**n) if n else sympy.Integer(0))
                continue
            constant, read = (
                learned.support.offset(j),
                {i for k, i in learned.support.read if k == j},
            )
            parts = [sympy.Integer(constant)] if constant or not read else []
            for first in sorted(read - {i + 1 for i in read}):
                end = next(i for i in range(first, first + 99) if i not in read)
                digits = sympy.Mod(x, learned.base ** (end - 1))
                below = sympy.Mod(x, learned.base ** (first - 1))
                parts.append(digits - below if first > 1 else digits)
            operands.append(sympy.Add(*parts))
    return by_sympy(learned.task, operands)


@st.composite
def any_tasks(draw: st.DrawFn) -> Task:
    """Tasks of 1 to 4 operands, terms in any order, repeated ones too."""
    names = ("a", "b", "c", "d")[: draw(st.integers(1, 4))]
    exponents = st.tuples(*[st.sampled_from((0, 0, 1, 1, 2, 3))] * len(names))
    coefficients = st.sampled_from((1, 1, 2, 7, 10**25, -1, -3))
    terms = draw(st.lists(st.tuples(coefficients, exponents), min_size=1, max_size=5))
    modulus = draw(st.sampled_from((None, 1, 101, 10**30)))
    try:
        return Task("any", tuple(terms), names, modulus)
    except InvalidInput:
        return Task("any", tuple(terms), names, 12)


@given(any_tasks(), st.integers(1, 3), st.sampled_from(("longest", "every")))
def test_formulas_are_in_the_words_of_sympy(task: Task, n: int, kind: str) -> None:
    assert task.formula() == by_sympy(task, symbols(task))
    learned = LearnedFunction(Support(task, Domain((n,), kind), 10))
    assert learned.formula() == learned_by_sympy(learned)


AS_PYTHON = {"mod": "%", "·": "*", "^": "**"}


@given(any_tasks(), st.integers(1, 9), st.sampled_from(("longest", "every")), st.data())
def test_what_people_read_is_the_same_function(
    task: Task, n: int, kind: str, data: st.DataObject
) -> None:
    learned = LearnedFunction(Support(task, Domain((n,), kind), 10))
    operands = data.draw(st.tuples(*[st.integers(0, 10**12)] * task.operands))
    formula = learned.text()
    for sign, python in AS_PYTHON.items():
        formula = formula.replace(sign, python)
    values = dict(zip(task.names, operands, strict=True))
    assert eval(formula, values) == learned.evaluate(*operands)


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
    assert parse_task(text, 7).formula() == f"Mod({formula}, 7)"


def test_a_digit_that_is_always_the_same() -> None:
    """Base 2, operands of two digits each: the second is always 1, and no formula is plain."""
    task = named_task("add")
    learned = LearnedFunction(Support(task, Domain((2,), "every"), 2))
    assert learned.formula() == learned_by_sympy(learned)
    assert "Mod(a, 2) + 2" in learned.formula()


@pytest.mark.parametrize("text", ["a % 7", "a", "3*a - b", "(a*b - 1) % 9", "(1 - a) % 9"])
@pytest.mark.parametrize("position", [1, 2, 3])
def test_a_digit_between_that_is_always_the_same(text: str, position: int) -> None:
    task = parse_task(text)
    learned = LearnedFunction(Support(task, Domain((4,), allowed=((position, (7,)),)), 10))
    assert learned.formula() == learned_by_sympy(learned)


def test_expressions_are_those_of_sympy() -> None:
    task = named_task("mod_add", 101)
    learned = LearnedFunction(Support(task, Domain((2,)), 10))
    a, b = symbols(task)
    true, expected = (
        sympy.parse_expr(formula, {"a": a, "b": b}, evaluate=False)
        for formula in (task.formula(), learned.formula())
    )
    for values in ({a: 7, b: 99}, {a: 1234, b: 101}):
        operands = [values[x] for x in sorted(values, key=str)]
        assert true.subs(values) == task.evaluate(*operands)
        assert expected.subs(values) == learned.evaluate(*operands)


@pytest.mark.parametrize(
    ("allowed", "formula", "text"),
    [
        (((3, (6,)),), "Mod(a, 100) + 600", "(a mod 100) + 600"),
        (((1, (5,)),), "(-Mod(a, 10) + Mod(a, 1000)) + 5", "(a mod 1000) - (a mod 10) + 5"),
        (((1, (0,)),), "-Mod(a, 10) + Mod(a, 1000)", "(a mod 1000) - (a mod 10)"),
        (
            ((2, (4,)),),
            "(-Mod(a, 100) + Mod(a, 1000)) + Mod(a, 10) + 40",
            "(a mod 1000) - (a mod 100) + (a mod 10) + 40",
        ),
    ],
)
def test_digits_that_are_read_beside_each_other_are_one_term(
    allowed: tuple[tuple[int, tuple[int, ...]], ...], formula: str, text: str
) -> None:
    learned = LearnedFunction(Support(parse_task("a"), Domain((3,), allowed=allowed), 10))
    assert (learned.formula(), learned.text()) == (formula, text)
    assert all(
        learned.evaluate(x) == eval(formula, {"Mod": int.__mod__, "a": x}) for x in (0, 7, 4321)
    )
