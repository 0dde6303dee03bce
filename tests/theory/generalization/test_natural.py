"""Predictions where numbers have their natural lengths: verdicts, bounds, words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from builders.layouts import NATURAL
from builders.predictions import predicted
from hypothesis import given, reject
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import KINDS
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import Prediction
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import STARTS

ADD = {"task": "add", "padding": "none", "train_digits": "1-5"}
BETWEEN = {"train_digits": "1-5+7", "test_digits": "6"}
APART = [
    name
    for name, x in ENCODINGS.items()
    if x.reference not in ("significance", "random") and not x.merged_from
]
"""The encodings under which each index or offset is an address of its own."""


def between(**words: Any) -> Fraction | None:
    """The accuracy that is claimed between two trained lengths."""
    return predicted(**ADD | BETWEEN | words).lengths[0].accuracy


def test_operand_lengths_that_training_hardly_ever_shows_are_not_claimed() -> None:
    """Of 9 and 1 digits there is one example in 10^9, as long as lengths are not drawn first."""
    ten = {"train_digits": "1-9", "test_digits": "10", "test_domain": "total", "pe": "rpe"}
    assert predicted(**ADD | ten).lengths[0].status == "undetermined"
    first = predicted(**ADD | ten, train_domain="lengths")
    assert first.lengths[0].accuracy == 1 and not first.observed


def upward(**words: Any) -> str:
    return predicted(**ADD | words).verdict("upward")


@pytest.mark.parametrize("form", ["plain", "reversed", "aligned"])
@pytest.mark.parametrize("pe", APART)
def test_indices_and_offsets_do_not_go_on(pe: str, form: str) -> None:
    got = predicted(**ADD, pe=pe, layout=form)
    assert [x.accuracy for x in got.lengths][:5] == [1] * 5
    longer = got.lengths[5:]
    assert {x.status for x in longer} == {"fails"} and {x.accuracy for x in longer} == {None}
    assert all(0 < x.at_most < Fraction(1, 3) for x in longer)


@pytest.mark.parametrize(
    ("words", "silent"),
    [
        ({"pe": "alibi"}, True),
        ({"pe": "alibi", "base": 9, "modulus": 81}, True),
        ({"pe": "nope"}, True),
        ({"pe": "sinusoidal"}, True),  # a formula goes on beyond the trained positions
        ({"pe": "ape"}, False),
        ({"pe": "sinusoidal", "modulus": 10**6}, False),
        ({"pe": "rpe"}, True),
        ({"pe": "t5"}, True),
        ({"pe": "shifted"}, True),
        ({"pe": "rpe", "modulus": 10**6}, False),
        ({"pe": "shifted", "modulus": 10**6}, False),
        ({"pe": "alibi", "modulus": 10**6}, False),  # the sixth digit counts
        ({"pe": "alibi", "task": "add", "modulus": None}, False),
    ],
)
def test_what_counts_beside_a_sign_may_be_found_by_it(words: dict[str, Any], silent: bool) -> None:
    """No farther from the sign than in training, and no vector for each index by itself."""
    got = predicted(**ADD | {"task": "mod_add", "modulus": 100, "layout": "aligned"} | words)
    assert {x.at_most == 1 for x in got.lengths[5:]} == {silent}
    assert ("neighbours" in {step.rule for step in got.derivation}) == silent


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
    sharp = {n for n, x in ENCODINGS.items() if x.selection == "any" and x.reference != "random"}
    assert {pe for pe, x in accuracy.items() if x is not None} == sharp
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
    for pe in APART:
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
            "offset 13, where training never showed it (3 to 11);",
        ),
        (
            {"expr": "7*a", "task": None, "pe": "rope", "layout": "reversed"},
            "with 6 digits in a the query of result digit 6 has digit 6 of a at offset 11, where "
            "training never showed it (some from 1 to 9).",
        ),
        ({"pe": "ape"}, "position 14 at position 1, a pair that training never showed for it;"),
        ({"pe": "rpe", "test_digits": "12"}, "and nothing was learned for that offset;"),
        ({"pe": "ape", "test_digits": "12"}, "and nothing was learned for position 26;"),
        ({"pe": "abacus", "layout": "reversed"}, "at a difference of numbers of -4"),
        ({"pe": "coupled", "test_digits": "40"}, "under a number above 37"),
        ({"pe": "rpe", "layout": "spaced", "test_digits": "10"}, "whatever the spaces"),
    ],
)
def test_the_steps_say_which_address_is_missing(words: dict[str, Any], said: str) -> None:
    statements = [s.statement for s in predicted(**ADD | words).derivation if s.rule == "address"]
    assert len(statements) == 1 and said in statements[0]


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
