"""Predictions where numbers have their natural lengths: verdicts, bounds, words."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import pytest
from builders.brute_force import members
from builders.layouts import NATURAL
from builders.natural_examples import Spaces, digits, every_choice, query_and_keys, write
from builders.predictions import predicted
from builders.strategies import examples
from hypothesis import given, reject
from hypothesis import strategies as st

from theory.errors import InvalidInput
from theory.prediction.predict import Prediction
from theory.setting.domains import KINDS, LENGTHS_FIRST, Domain
from theory.setting.encodings import ENCODINGS
from theory.setting.layouts import STARTS
from theory.setting.requests import Request
from theory.setting.settings import Setting

ADD = {"task": "add", "padding": "none", "train_digits": "1-5"}
BETWEEN = {"train_digits": "1-5+7", "test_digits": "6"}


def between(**words: Any) -> Fraction | None:
    """The accuracy that is claimed between two trained lengths."""
    return predicted(**ADD | BETWEEN | words).lengths[0].accuracy


def upward(**words: Any) -> str:
    return predicted(**ADD | words).verdict("upward")


@pytest.mark.parametrize("form", ["plain", "reversed", "aligned"])
@pytest.mark.parametrize(
    "pe", [e for e, x in ENCODINGS.items() if x.reference not in ("significance", "random")]
)
def test_indices_and_offsets_do_not_go_on(pe: str, form: str) -> None:
    got = predicted(**ADD, pe=pe, layout=form)
    assert [x.accuracy for x in got.lengths][:5] == [1] * 5
    longer = got.lengths[5:]
    assert {x.status for x in longer} == {"fails"} and {x.accuracy for x in longer} == {None}
    assert all(0 < x.at_most < Fraction(1, 3) for x in longer)


@pytest.mark.parametrize(
    ("pe", "form"), [("abacus", "aligned"), ("coupled", "aligned"), ("coupled", "reversed")]
)
def test_numbered_digits_go_on_between_trained_lengths(pe: str, form: str) -> None:
    last = 7 + STARTS - 1  # sums have one digit more, trained and tested
    words = {**ADD, **BETWEEN, "pe": pe, "layout": form}
    got = predicted(**words | {"test_digits": f"6-8,{last + 1},{last + 2}"})
    assert [x.accuracy for x in got.lengths] == [1, 1, None, None, None]
    assert [x.at_most < 1 for x in got.lengths] == [False] * 4 + [True]
    cited = {step.rule for step in got.derivation}
    assert {"numbered digits", "end", "address"} <= cited


def test_abacus_numbers_operands_from_their_first_digit() -> None:
    """Written most significant first, digits of one weight have different numbers."""
    assert upward(pe="abacus", layout="reversed") == "fails"
    assert predicted(**ADD, pe="abacus", layout="plain").lengths[5].status == "undetermined"


@pytest.mark.parametrize(
    "words",
    [
        {"train_digits": "7"},  # the end was always at one place
        {"train_digits": "1-4+7"},  # no end stood after six digits
        {"train_digits": "1-3", "test_digits": "4"},  # no more than three digits stood together
        {"train_domain": "every"},  # no operand was shorter
        {"task": "sub"},  # its end depends on all digits that are left
        {"task": "mul"},
        {"expr": "(a + b) % 100", "task": None},
    ],
)
def test_numbered_digits_need_a_rule_that_training_shows_whole(words: dict[str, Any]) -> None:
    assert between(pe="coupled") == 1
    assert between(pe="coupled", **words) is None


def test_markers_do_not_reach_beyond_the_trained_ones() -> None:
    verdicts = {upward(pe=pe, layout="hinted") for pe in ENCODINGS}
    assert verdicts == {"undetermined"}


def test_markers_find_digits_where_nothing_stands_in_the_way() -> None:
    accuracy = {pe: between(pe=pe, layout="hinted") for pe in ENCODINGS}
    no = {"alibi", "fire", "nope", "randomized", "randomized-fire"}
    assert {pe for pe, x in accuracy.items() if x is None} == no
    assert set(accuracy.values()) == {None, 1}


@pytest.mark.parametrize("pe", ["abacus", "coupled"])
def test_spaces_move_no_number(pe: str) -> None:
    """What follows by numbers is as without spaces, up to as many spaces as training showed."""

    def claims(form: str, **words: Any) -> list[tuple[Fraction | None, Fraction]]:
        lengths = predicted(**ADD | words, pe=pe, layout=form).lengths
        return [(x.accuracy, x.at_most) for x in lengths]

    words: dict[str, Any] = {"train_digits": "1-5+7", "test_digits": "6-9,39,40"}
    assert claims("spaced", **words) == claims("aligned", **words)
    assert claims("spaced", **words)[0] == (1, 1)
    # In training both operands had twelve digits together, and in pairs of seven they have more.
    words = {"train_digits": "2-12", "train_domain": "total", "test_digits": "6,7"}
    assert claims("aligned", **words) == [(1, 1), (1, 1)]
    assert claims("spaced", **words) == [(1, 1), (None, 1)]


def test_where_spaces_put_a_digit_beyond_training_more_often_less_is_right() -> None:
    for pe in ENCODINGS:
        if ENCODINGS[pe].reference in ("significance", "random"):
            continue
        spaced, aligned = (
            [x.at_most for x in predicted(**ADD, pe=pe, layout=form, test_digits="6-12").lengths]
            for form in ("spaced", "aligned")
        )
        assert all(x >= y for x, y in zip(spaced, aligned, strict=True))
        assert spaced == sorted(spaced, reverse=True) and spaced[-1] < Fraction(1, 5)
        assert (spaced[0] < 1) == (ENCODINGS[pe].selection == "any")


@pytest.mark.parametrize("pe", ["randomized", "randomized-fire"])
@pytest.mark.parametrize("form", NATURAL)
def test_of_random_positions_nothing_follows_and_no_address_is_new(pe: str, form: str) -> None:
    for train in ("1-5", "5", "1-3+6"):
        got = predicted(
            **ADD | {"train_digits": train, "test_digits": "1-9,30"}, pe=pe, layout=form
        )
        for x in got.lengths:
            assert (x.accuracy == 1) == got.setting.is_premise(x.digits) and x.at_most == 1
        [step] = [s for s in got.derivation if s.rule == "random positions"]
        assert (step.leaves_open and "any offset" in step.statement) or form != "hinted"


def test_of_what_training_may_lack_nothing_follows() -> None:
    for words in ({"train_pairs": 1000}, {"train_allowed": ("2:0-8",)}):
        got = predicted(**ADD, pe="rpe", **words)
        assert {x.at_most for x in got.lengths} == {1}
        assert got.derivation[-1].rule == "sample"
    assert upward(expr="2*a - b", task=None, pe="rpe") == "undetermined"


def test_the_paper_does_not_treat_natural_lengths() -> None:
    got = predicted(**ADD, pe="rpe", test_digits="1-6")
    assert got.published_verdict("upward") == "undetermined"
    assert got.to_json()["padding"] == "none"
    assert "padding" not in predicted(task="add").to_json()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            {"pe": "rpe", "layout": "reversed"},
            "result digit 5 has digit 5 of a at offset 16, where training never showed it "
            "(3 to 15)",
        ),
        (
            {"pe": "rpe"},
            "with 6 and 6 digits in a and b the query of result digit 1 has digit 1 of a at "
            "offset 13, where training never showed it (3 to 11).",
        ),
        (
            {"expr": "7*a", "task": None, "pe": "rope", "layout": "reversed"},
            "with 6 digits in a the query of result digit 6 has digit 6 of a at offset 11, where "
            "training never showed it (some from 1 to 9).",
        ),
        ({"pe": "ape"}, "index 14 at index 1, a pair that training never showed for it."),
        ({"pe": "rpe", "test_digits": "12"}, "and nothing was learned for that offset."),
        ({"pe": "ape", "test_digits": "12"}, "and nothing was learned for index 26."),
        ({"pe": "abacus", "layout": "reversed"}, "at a difference of numbers of -4"),
        ({"pe": "coupled", "test_digits": "40"}, "under a number above 37"),
        ({"pe": "rpe", "layout": "spaced", "test_digits": "10"}, "whatever the spaces"),
    ],
)
def test_the_steps_say_which_address_is_missing(words: dict[str, Any], said: str) -> None:
    statements = [s.statement for s in predicted(**ADD | words).derivation if s.rule == "address"]
    assert len(statements) == 1 and said in statements[0]


def written_bound(setting: Setting, n: int) -> Fraction:
    """The bound by writing every example: the best answers without one digit, per lengths.

    An example with every choice of spaces is as many examples.
    """
    task, base, layout = setting.task, setting.base, setting.layout
    relative = setting.encoding.reference == "relative"

    def address(query: int, key: int) -> object:
        return query - key if relative else (query, key)

    @cache
    def found(shape: tuple[int, ...], spaces: Spaces, i: int) -> dict[tuple[int, int], object]:
        """The address of each operand digit, which depends on the lengths alone."""
        *x, value = (base**width - 1 for width in shape)
        query, keys = query_and_keys(task, write(task, base, layout, tuple(x), value, spaces), i)
        return {digit: address(query, key) for digit, key in keys.items()}

    def shape_of(x: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(len(digits(v, base)) for v in (*x, task.evaluate(*x)))

    shown: set[object] = set()
    for x in members(task, setting.train, base):
        for spaces in every_choice(layout, task, base, x):
            for i in range(1, shape_of(x)[-1] + 1):
                keys = found(shape_of(x), spaces, i)
                shown |= {(j, key) for (j, at), key in keys.items() if at == i}
    inputs: dict[tuple[int, ...], list[tuple[tuple[int, ...], Spaces]]] = defaultdict(list)
    for x in members(task, Domain((n,), setting.test_kind), base):
        written = ((x, spaces) for spaces in every_choice(layout, task, base, x))
        inputs[shape_of(x)[:-1]] += written
    total, every = Fraction(0), Fraction(0)
    for widths, group in inputs.items():
        best = Fraction(len(group))
        for j, width in enumerate(widths):
            for i in range(1, width + 1):
                groups: dict[object, Counter[int]] = defaultdict(Counter)
                lost = 0
                for x, spaces in group:
                    asked = i <= shape_of(x)[-1]
                    if asked and (j, found(shape_of(x), spaces, i)[j, i]) not in shown:
                        rest = x[:j] + (x[j] - x[j] // base ** (i - 1) % base * base ** (i - 1),)
                        answer = digits(task.evaluate(*x), base)[i - 1]
                        groups[spaces, rest + x[j + 1 :]][answer] += 1
                        lost += 1
                right = sum(max(c.values()) for c in groups.values())
                best = min(best, Fraction(len(group) - lost + right))
        choices = 2 ** sum(widths) if layout.spaced else 1
        weight = Fraction(1, choices)
        if setting.test_kind in LENGTHS_FIRST:
            weight /= prod(base**w - (base ** (w - 1) if w > 1 else 0) for w in widths)
        total, every = total + weight * best, every + weight * len(group)
    return total / every


@pytest.mark.parametrize("pe", ["rpe", "ape"])
@pytest.mark.parametrize(
    ("form", "kinds"),
    [
        ("aligned", ("longest", "longest")),
        ("reversed", ("longest", "longest")),
        ("aligned", ("longest", "lengths")),
        ("aligned", ("lengths", "total")),
        ("reversed", ("total", "total")),
        ("aligned", ("every", "total")),
        ("spaced", ("longest", "longest")),
        ("spaced", ("lengths", "total")),
    ],
)
@pytest.mark.parametrize(
    ("expr", "base", "train", "n"),
    [
        ("a + b", 2, "1-2", 3),
        ("a + b", 2, "1-2", 4),
        ("a + b", 3, "1-2", 3),
        ("2*a + b", 2, "1+3", 2),
        ("a + b", 3, "3", 2),
        ("a + b", 3, "1", 2),
        ("3*a + 1", 4, "1-2", 3),
    ],
)
def test_bounds_are_those_of_written_examples(
    expr: str, base: int, train: str, n: int, form: str, kinds: tuple[str, str], pe: str
) -> None:
    words: dict[str, Any] = {"expr": expr, "base": base, "test_digits": str(n)}
    words |= dict(zip(("train_domain", "test_domain"), kinds, strict=True))
    operands = expr.count("a") + expr.count("b")
    if "total" in kinds and (n < operands or (train[0] == "1" and operands > 1)):
        n, train = max(n, operands), train.replace("1", str(operands))
        words["test_digits"] = str(n)
    words["train_digits"] = train
    setting = Request(**words, padding="none", pe=pe, layout=form).setting()
    [x] = predicted(**words, padding="none", pe=pe, layout=form).lengths
    assert x.at_most == written_bound(setting, n)


@pytest.mark.parametrize("form", ["aligned", "spaced"])
@pytest.mark.parametrize("kind", ["lengths", "total"])
def test_operands_with_a_below_b_are_drawn_again(form: str, kind: str) -> None:
    words = {"task": "sub", "base": 3, "pe": "rpe", "layout": form, "padding": "none"}
    n = {"lengths": 3, "total": 5}[kind]
    words |= {"train_digits": "1-2", "test_digits": str(n), "test_domain": kind}
    [x] = predicted(**words).lengths
    assert x.at_most == written_bound(Request(**words).setting(), n)


@examples(150)
@given(
    st.sampled_from(("a + b", "a - b", "2*a + 3*b", "a*b", "(a + b) % 12", "a + b + c", "7*a + 5")),
    *(st.integers(2, 10), st.sampled_from(sorted(ENCODINGS)), st.sampled_from(NATURAL)),
    *(st.sampled_from(("1-3", "2", "1+4", "4")), st.sampled_from(KINDS)),
    st.sampled_from(KINDS),
)
def test_bounds_are_probabilities_and_all_that_is_raised_is_invalid_input(
    expr: str, base: int, pe: str, form: str, train: str, kind: str, test_kind: str
) -> None:
    try:
        got: Prediction = predicted(
            expr=expr,
            base=base,
            pe=pe,
            layout=form,
            train_digits=train,
            train_domain=kind,
            test_domain=test_kind,
            test_digits="1-6",
            padding="none",
        )
    except InvalidInput:
        reject()
    got.to_json()
    for x in got.lengths:
        assert 0 < x.at_most <= 1
        assert (x.accuracy == 1) == (x.status == "generalizes")
        assert (x.status == "fails") == (x.at_most < 1)
        assert x.accuracy == 1 or not got.setting.is_premise(x.digits)
    assert any(not step.leaves_open for step in got.derivation)
