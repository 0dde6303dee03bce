"""One function, one prediction: however it is written, over the integers."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from math import prod
from random import Random
from typing import Any

import pytest
from builders.layouts import PADDED
from builders.paths import ROOT
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.canonical import canonical
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.expressions import NAMES, parse_task
from arith.theory.arithmetic.tasks import TASKS, Task, Term, named_task
from arith.theory.errors import InvalidInput, NotCountable
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import ENCODINGS, encoding
from arith.theory.transformer.layouts import layout


def form(text: str) -> tuple[tuple[Term, ...], int | None]:
    task = parse_task(text)
    return task.terms, task.modulus


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(50*a*b + a + b) % 50", "(a + b) % 50"),
        ("(a*b) % 1", "(0*a*b) % 1"),
        ("a**2 % 2", "a % 2"),
        ("(a**3 + 5*b) % 6", "(a**3 + 6*a**2 - b) % 6"),
        ("a**3 % 3", "a % 3"),
        ("(2*a**2) % 4", "(2*a) % 4"),  # a**2 - a is even
        ("(a - b) % 2", "(a + b) % 2"),
        ("(19*a**2 - 9*a) % 18", "(a**2 + 9*a) % 18"),
        ("(7*a + 3) % 7", "(14*a - 4) % 7"),
        ("(a + 7*b) % 7", "a % 7"),
        ("0*a + 3", "a - a + 3"),
    ],
)
def test_one_function_has_one_form(text: str, same: str) -> None:
    assert form(text) == form(same)


def test_what_is_written_plainly_stays_as_it_is() -> None:
    for text in ("(a - b) mod 100", "(a - 2·b) mod 100", "(2·a + 3·b) mod 12", "a·b mod 4"):
        plain = text.replace("·", "*").replace("mod", "%")
        assert (parse_task(plain).text(), parse_task(plain).name) == (text, plain)
    assert named_task("mod_sub", 100).text() == "(a - b) mod 100"


def test_a_constant_keeps_its_operands() -> None:
    task = parse_task("(50*a*b + 107) % 50")
    assert (task.names, task.terms, task.degree, task.is_linear) == (
        ("a", "b"),
        ((7, (0, 0)),),
        0,
        True,
    )
    assert (task.text(), task.formula()) == ("7 mod 50", "Mod(7, 50)")
    with pytest.raises(InvalidInput, match="has no operand"):
        parse_task("3 % 7")
    with pytest.raises(InvalidInput, match="never positive"):
        parse_task("a - a")


def test_equal_functions_of_one_modulus_have_equal_forms_and_others_do_not() -> None:
    """Every polynomial up to degree 3 (4 for the smallest moduli), by its values."""
    for p, degree in ((1, 3), (2, 4), (3, 4), (4, 3), (6, 3)):
        forms: dict[tuple[int, ...], set[tuple[Term, ...]]] = {}
        for row in product(range(p), repeat=degree + 1):
            values = tuple(sum(c * x**e for e, c in enumerate(row)) % p for x in range(p))
            terms, _ = canonical(tuple((c, (e,)) for e, c in enumerate(row)), ("a",), p)
            forms.setdefault(values, set()).add(terms)
        assert all(len(found) == 1 for found in forms.values())
        assert len({terms for found in forms.values() for terms in found}) == len(forms)


_exponents = st.tuples(st.integers(0, 4), st.integers(0, 3))
_terms = st.lists(st.tuples(st.integers(-30, 30), _exponents), min_size=1, max_size=5)


@given(_terms, st.none() | st.integers(1, 40), st.randoms())
def test_the_canonical_form_has_the_same_values_and_is_its_own(
    terms: list[Term], p: int | None, random: Random
) -> None:
    names = ("a", "b")
    found, used = canonical(tuple(terms), names, p)
    assert canonical(found, used, p) == (found, used)
    for _ in range(20):
        x = {name: random.randrange(100) for name in names}
        values = [
            sum(c * prod(x[n] ** k for n, k in zip(ns, e, strict=True)) for c, e in ts)
            for ts, ns in ((terms, names), (found, used))
        ]
        assert values[0] == values[1] or (p is not None and (values[0] - values[1]) % p == 0)


# --- predictions ------------------------------------------------------------------------


def outcome(setting: Setting) -> Any:
    """What is predicted, without the words of the expression."""
    try:
        got = predict(setting)
    except NotCountable:
        return NotCountable
    return (
        [(vars(x), x.claim) for x in got.lengths],
        got.published,
        [step.rule for step in got.derivation],
    )


def monomial(exponents: tuple[int, ...], names: tuple[str, ...], random: Random) -> list[str]:
    powers = []
    for name, e in zip(names, exponents, strict=True):
        if e:
            powers += [name] * e if random.random() < 0.5 else [f"{name}**{e}"]
    random.shuffle(powers)
    return powers


def rewritten(terms: list[Term], names: tuple[str, ...], n: int | None, random: Random) -> str:
    """The polynomial in other words: multiples of n added, terms split, shuffled and nested."""
    left = list(terms)
    for _, e in terms:
        if random.random() < 0.3:  # c x = (c - s) x + s x
            s = random.randint(-9, 9)
            left += [(s, e), (-s, e)]
    if n is not None:
        for _ in range(random.randint(0, 3)):
            e = tuple(random.choice((0, 0, 1, 2)) for _ in names)
            left.append((n * random.randint(-3, 3), e))
    parts = []
    for c, e in left:
        factors = [str(abs(c)), *monomial(e, names, random)]
        random.shuffle(factors)
        body = "*".join(factors)
        body = f"({body})" if random.random() < 0.3 else body
        parts.append(("-" if c < 0 else "+", body))
    if random.random() < 0.4:  # a product, multiplied out and taken away again
        x, y = random.choice(names), random.choice(names)
        u, v = random.randint(0, 9), random.randint(0, 9)
        parts += [
            ("+", f"({x} + {u})*({v} + {y})"),
            ("-", f"({x}*{y} + {v}*{x} + {u}*{y} + {u * v})"),
        ]
    random.shuffle(parts)
    text = ""
    for sign, body in parts:
        text = f"{text} {sign} {body}"
        if random.random() < 0.2:
            text = f"({text})"
    return text


@st.composite
def rewritings(draw: st.DrawFn) -> tuple[Setting, Setting]:
    """A setting, and the same with its expression written otherwise."""
    k = draw(st.integers(1, 3))
    base = draw(st.sampled_from((2, 3, 6, 10)))
    p = draw(st.none() | st.integers(1, 60) | st.sampled_from((100, 101, 200)))
    q = base ** draw(st.sampled_from((0, 0, 0, 1)))
    sign = 0 if p is None else -9
    exponents = st.tuples(*[st.sampled_from((0, 1, 1, 2, 3))] * k) if draw(st.booleans()) else (
        st.sampled_from([tuple(int(i == j) for i in range(k)) for j in range(k + 1)])
    )  # fmt: skip
    terms = draw(st.lists(st.tuples(st.integers(sign, 9), exponents), min_size=1, max_size=4))
    assume(any(any(e) for _, e in terms))  # it names an operand
    random = draw(st.randoms(use_true_random=False))
    tail = (f" // {q}" if q != 1 else "", f" % {p}" if p is not None else "")
    texts = []
    for names, n in ((NAMES[:k], None), (tuple(sorted(random.sample(NAMES, k))), p and p * q)):
        body = rewritten(terms, names, n, random)
        texts.append(f"(({body}){tail[0]}){tail[1]}")
    train = Domain(
        draw(st.sampled_from(((1,), (2,), (1, 2), (2, 3)))),
        draw(st.sampled_from(("longest", "every"))),
    )
    words = (
        base,
        encoding(draw(st.sampled_from(sorted(ENCODINGS)))),
        layout(draw(st.sampled_from(PADDED))),
        train,
        draw(st.sampled_from((0, 0, 3, 6))),
        (1, 2, 3, 4),
    )
    made: list[Any] = []
    for text in texts:
        try:
            made.append(Setting(parse_task(text), *words))
        except InvalidInput:
            made.append(None)
    return made[0], made[1]


@given(rewritings())
def test_rewriting_an_expression_never_changes_a_prediction(pair: tuple[Setting, Setting]) -> None:
    first, second = pair
    assert (first is None) == (second is None)
    if first is not None and first.task.degree:
        assert first.task.terms == second.task.terms
        assert outcome(first) == outcome(second)
    elif first is not None:  # how many operands a constant has is a matter of how it is written
        assert {x.status for s in pair for x in predict(s).lengths} <= {
            Status.GENERALIZES,
            "undetermined",
        }
        assert first.task.terms[0][0] == second.task.terms[0][0]


def test_examples() -> None:
    """The first claimed nothing where the second claimed all; a remainder of 1 was not claimed."""
    texts = ("(50*a*b + a + b) % 50", "(a + b) % 50", "(a*b) % 1", "(50*a*b + 7) % 50")
    claimed = [predict(Request(expr=text).setting()) for text in texts]
    for got in claimed:
        assert {x.claim for x in got.lengths} == {Claim.EXACT}
        assert got.verdict("upward") == got.verdict("downward") == Status.GENERALIZES
    assert outcome(claimed[0].setting) == outcome(claimed[1].setting)


@pytest.mark.parametrize("name", TASKS)
def test_a_named_task_is_predicted_as_its_expression(name: str) -> None:
    summary, modulus = TASKS[name].summary, 40 if TASKS[name].modular else None
    text = summary.partition(" mod")[0].partition(",")[0].partition(" (others")[0]
    words = {"pe": "rpe", "layout": "interleaved", "window": 8} if name == "add" else {}
    named = Request(name, modulus=modulus, **words).setting()
    assert outcome(named) == outcome(Request(expr=text, modulus=modulus, **words).setting())


def test_named_tasks_need_no_sympy() -> None:
    program = """
import sys
from arith.theory.arithmetic.tasks import TASKS, named_task
for name, row in TASKS.items():
    for p in (1, 2, 3, 101) if row.modular else (None,):
        named_task(name, p).without_idle_modulus(10, 3).evaluate(*[5] * len(row.names))
assert "sympy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_a_task_made_directly_is_canonical_too() -> None:
    task = Task("sum", ((51, (1, 0)), (1, (0, 1)), (50, (1, 1))), ("a", "b"), 50)
    assert task.terms == named_task("mod_add", 50).terms
