"""Expressions: read as polynomials, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task, named_task
from arith.theory.errors import InvalidInput

_squares = ["a**2", "(a + 3*b)**2", "(-b - 2)**2", "(2*b)**(3 - 1)", "(a - b)**0"]
_texts = st.recursive(
    st.sampled_from(["a", "b", "1", "2", "7", *_squares]),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*"]), inner)
        | st.builds("-{}".format, inner)
    ),
    max_leaves=4,
)


@given(_texts, st.integers(1, 99), st.integers(0, 500), st.integers(0, 500))
def test_an_expression_means_what_arithmetic_says(text: str, p: int, a: int, b: int) -> None:
    whole, values = f"({text}) % {p}", {"a": a, "b": b}
    if not set(text) & {"a", "b"}:
        with pytest.raises(InvalidInput, match="has no operand"):
            parse_task(whole)
        return
    task = parse_task(whole)
    assert task.evaluate(*(values[name] for name in task.names)) == eval(whole, values)


@pytest.mark.parametrize(
    "text",
    [
        "", "a +", "a; b", "a if b else a", "lambda: a", "open('x')", "a.b", "a[0]", "a // b",
        "a // 10", "a / 2", "a % b",
        "(a % 5) % 7 + 1", "a == b", "1.5*a", "True*a", "'a'", "a**-1", "a**100", "i + a",
        "a & b", "~a", "a := 3", "f'{a}'", "a" * 600, "9" * 60 + "*a", "(" * 300 + "a" + ")" * 300,
        "((((a+b)**8)**8)**8)", "-a", "a - a*b", "(a := 3)", "[a for a in b]", "(1+a+b+c+d)**9",
        "9**40**40**40*a", "(9**40)**40 % 7 + a", "a + '\\d'", "1_0if a else b", "a\0", "a\ud800",
        "a\n+ b", "a + ...", "a + b'1'", "a + 1j", "*a", "a + (yield)", "await a", "a@b", "a, b",
    ],
)  # fmt: skip
def test_anything_else_is_refused_in_one_line(text: str, recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_task(text)
    assert "\n" not in repr(str(refused.value)) and not recwarn.list


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a^2", r"powers are written with \*\*"),
        ("a+b % 100", r"around the whole expression: \(a\+b\) % 100"),
        ("a // 10", "'//' is not allowed: a task is a polynomial"),
        ("(a + b) // 10 % 7", "'//' is not allowed: a task is a polynomial"),
        ("(a*b) % 10**40", "a number of more than 40 digits"),
        ("a % 2**41", "between 0 and 40, not 41"),
        ("a**9", "a degree above 8"),
        ("a**2 - a", "whether it is ever negative is not decided"),
        ("a % (b + 1)", r"'b \+ 1' has to be a whole number"),
        ("a % 2.5", "'2.5' is not allowed: only a, b, c, d, e, f, g, h, whole numbers"),
        (f"a % ({'-' * 480}a)", "nested more than 100 levels deep"),
        ("-" * 480 + "a", "nested more than 100 levels deep"),
        (f"a % (b{'.b' * 240})", "nested more than 100 levels deep"),
        (f"a % ({'-' * 90}a)", "has to be a whole number"),
    ],
)
def test_what_is_refused_is_said_truly(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_task(text)


def test_a_modulus_may_be_calculated() -> None:
    assert parse_task("(a*b) % 10**39").modulus == 10**39
    assert parse_task("(a + b) % (2*50 - 1)").modulus == 99
    with pytest.raises(InvalidInput, match="modulus must be at least 1, not -3"):
        parse_task("a % -3")


def test_the_text_of_a_task() -> None:
    assert parse_task("(2*a + 3*b) % 12").text() == "(2·a + 3·b) mod 12"
    assert named_task("mod_mul", 125).text() == "a·b mod 125"
    assert named_task("sub").text() == "a - b"
    assert parse_task("a**2 + 1").text() == "a^2 + 1"
    assert parse_task("3*a*b + 5").formula() == "3*a*b + 5"


def test_a_task_of_ones_own() -> None:
    cube = Task("cube", ((1, (3,)),), ("a",), modulus=10)
    assert cube.evaluate(7) == 3
    assert cube.formula() == "Mod(a**3, 10)"


def test_a_sum_of_many_terms_is_not_too_deep() -> None:
    assert parse_task("+".join("a" * 90)).terms == ((90, (1,)),)
