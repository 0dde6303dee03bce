"""Every rule decides something: a setting that cites it, and the verdict without it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders.predictions import predicted

from arith.theory.errors import InvalidInput
from arith.theory.rules import RULES
from arith.theory.setting.requests import Request

# rule: (a setting that cites it, verdict upward), (the same without its premise, verdict upward)
NARROW = {"task": "add", "pe": "nope", "layout": "interleaved", "window": 5}
WINDOWED = {"pe": "rpe", "layout": "interleaved", "window": 5, "layers": 1}
NATURAL = {"task": "add", "train_digits": "1-5", "padding": "none"}
CASES = {
    "address": (
        {**NATURAL, "pe": "rpe"},
        "fails",
        {**NATURAL, "pe": "coupled"},
        "undetermined",
    ),
    "spaces": (
        {**NATURAL, "pe": "rpe", "layout": "spaced"},
        "fails",
        {**NATURAL, "pe": "rpe", "layout": "spaced", "test_digits": "10"},
        "fails",
    ),
    "lengths together": (
        {**NATURAL, "task": "mul", "pe": "coupled"},
        "undetermined",
        {**NATURAL, "pe": "coupled"},
        "undetermined",
    ),
    "numbered digits": (
        {**NATURAL, "pe": "abacus"},
        "undetermined",
        {**NATURAL, "pe": "abacus", "layout": "plain", "test_digits": "6"},
        "undetermined",
    ),
    "other format": (
        {**NATURAL, "pe": "coupled", "test_layout": "aligned, leading zero"},
        "undetermined",
        {**NATURAL, "pe": "ape"},
        "fails",
    ),
    "random positions": (
        {**NATURAL, "pe": "randomized"},
        "undetermined",
        {**NATURAL, "pe": "ape"},
        "fails",
    ),
    "hints": (
        {**NATURAL, "pe": "rope", "layout": "hinted"},
        "undetermined",
        {**NATURAL, "pe": "rope"},
        "fails",
    ),
    "end": (
        {**NATURAL, "pe": "coupled", "train_digits": "5"},
        "undetermined",
        {**NATURAL, "pe": "coupled"},
        "undetermined",
    ),
    "modulus out of reach": (
        {**WINDOWED, "task": "mod_add", "modulus": 10**7},
        "generalizes",
        {**WINDOWED, "task": "mod_add", "modulus": 10**6},
        "undetermined",
    ),
    "count": (
        {"task": "mod_add", "modulus": 10**12 + 39, "train_digits": "2", "test_digits": "14"},
        "fails",
        {"task": "mod_add", "modulus": 10**12 + 39, "train_digits": "2", "test_digits": "3"},
        "fails",
    ),
    "sample": (
        {"task": "add", "train_pairs": 20},
        "undetermined",
        {"task": "add", "train_pairs": 1000},
        "fails",
    ),
    "support": (
        {"task": "add", "test_digits": "4"},
        "fails",
        {"task": "add", "train_digits": "3+4", "test_digits": "4,5"},
        "fails",
    ),
    "base aligned": (
        {"task": "mod_add", "modulus": 100},
        "generalizes",
        {"task": "mod_add", "modulus": 100, "train_digits": "1"},
        "fails",
    ),
    "residual modulus": (
        {"task": "mod_add", "modulus": 150, "train_digits": "2"},
        "fails",
        {"task": "mod_add", "modulus": 50, "train_digits": "2"},
        "generalizes",
    ),
    "landmark": (
        {"task": "add", "pe": "rpe"},
        "fails",
        {"task": "mod_add", "modulus": 101, "pe": "rpe", "train_digits": "2"},
        "fails",
    ),
    "position": (
        NARROW | {"train_digits": "3", "layers": 4},
        "fails",
        NARROW | {"train_digits": "3"},
        "undetermined",
    ),
    "selection": (
        {"task": "add", "pe": "nope", "layout": "bare"},
        "undetermined",
        {"task": "add", "pe": "alibi", "layout": "interleaved", "window": 5, "layers": 1},
        "generalizes",
    ),
    "one candidate": (
        {"task": "mod_add", "modulus": 101, "pe": "rpe", "train_digits": "2"},
        "fails",
        {"task": "add", "pe": "rpe", "train_digits": "2"},
        "fails",
    ),
    "two candidates": (
        {"task": "add", "pe": "rpe", "layout": "interleaved", "window": 8},
        "generalizes",
        {"task": "add", "pe": "rpe", "window": 3},
        "undetermined",
    ),
    "shared parameters": (
        {"task": "mod_add", "modulus": 100, "pe": "rope"},
        "generalizes",
        {"task": "mod_add", "modulus": 100, "pe": "ape"},
        "generalizes",
    ),
    "neighbours": (
        {"task": "mod_add", "modulus": 101, "pe": "sinusoidal", "train_digits": "2"},
        "fails",
        {"task": "mod_add", "modulus": 101, "pe": "ape", "train_digits": "2"},
        "fails",
    ),
    "out of sight": (
        {"task": "mod_add", "modulus": 100, "pe": "rope", "layout": "interleaved"},
        "generalizes",
        {"task": "mod_add", "modulus": 100, "pe": "rope", "layout": "aligned"},
        "generalizes",
    ),
    "operations": (
        {"task": "mod_add,mod_sub", "modulus": 100},
        "generalizes",
        {"task": "mod_add", "modulus": 100},
        "generalizes",
    ),
    "blind": (
        {**WINDOWED, "task": "add", "window": 4},
        "undetermined",
        {**WINDOWED, "task": "add"},
        "generalizes",
    ),
}


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_decides_the_verdict(rule: str) -> None:
    words, verdict, without, otherwise = CASES[rule]
    cited = predicted(**words)
    assert rule in {s.rule for s in cited.derivation}
    assert cited.verdict("upward") == verdict
    plain = predicted(**without)
    assert plain.verdict("upward") == otherwise
    if rule != "support":  # every prediction cites the support
        assert rule not in {s.rule for s in plain.derivation}


def test_the_support_rule_ignores_what_never_varied() -> None:
    got = predicted(task="add", test_digits="4")
    assert got.learned is not None
    assert got.learned.evaluate(7123, 9456) == 123 + 456
    assert predicted(task="add", train_digits="3+4").learned.evaluate(7123, 9456) == 16579  # type: ignore[union-attr]


LEAST_WINDOW = {**WINDOWED, "task": "add", "test_digits": "1-6"}


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ({}, "generalizes"),
        ({"layers": 0}, "generalizes"),  # if stable: others may pass on where <bos> stands
        ({"train_digits": "1"}, "undetermined"),  # no carry was ever shown
        ({"task": "sub", "train_digits": "1+2"}, "undetermined"),  # no borrow into one
        ({"task": None, "expr": "a", "window": 2}, "generalizes"),  # there is no carry
        ({"train_allowed": ("1:5", "2:5", "3:5")}, "undetermined"),
        ({"train_allowed": ("1:6-9", "2:6-9", "3:6-9")}, "undetermined"),
        ({"train_digits": "4", "train_allowed": ("4:1-9",)}, "generalizes"),  # shown below
        ({"task": "affine", "train_digits": "4"}, "generalizes"),  # its constant is no carry
        ({"train_digits": "4", "train_allowed": ("2:4",)}, "undetermined"),
        (
            {"train_digits": "4", "train_allowed": ("2:0-4",)},
            "undetermined",
        ),  # nothing carries there
        ({"base": 2}, "generalizes"),
        ({"base": 2, "window": 6}, "generalizes"),  # if stable: the clear position lacks 0 and 0
        ({"window": 6, "train_allowed": ("1:3",)}, "undetermined"),  # where <bos> is in view
        ({"pe": "abacus"}, "generalizes"),  # if stable: it tells digits by their weight
    ],
)
def test_a_rule_that_was_not_shown_whole_is_not_carried_on(words: dict, verdict: str) -> None:
    assert predicted(**LEAST_WINDOW | words).verdict("upward") == verdict


@pytest.mark.parametrize(
    ("words", "statuses"),
    [
        # Nothing is said without an encoding, for shorter inputs as for longer ones.
        (
            {"task": "add", "pe": "nope", "train_allowed": ("2:5",), "test_digits": "3"},
            "undetermined",
        ),
        # 44 % of the longer inputs borrow from a digit that is ignored, which training never shows.
        ({"task": "sub", "train_digits": "1", "test_digits": "2"}, "undetermined"),
        # One tuple in ten thousand has a single digit.
        (
            {"task": "mul", "train_digits": "1+3", "train_pairs": 1000, "test_digits": "2"},
            "undetermined",
        ),
        ({"expr": "a % 10", "layout": "reversed", "window": 2, "test_digits": "4"}, "generalizes"),
        ({"expr": "(101*a + 101*b) % 101", "train_digits": "2", "test_digits": "3"}, "generalizes"),
        ({"expr": f"(a+b) % {10**21}", "train_digits": "1", "test_digits": "2"}, "fails"),
    ],
)
def test_what_does_not_follow_is_not_claimed_and_what_does_is(words: dict, statuses: str) -> None:
    assert {x.status for x in predicted(**words).lengths} == {statuses}


def test_lengths_that_the_allowed_digits_rule_out_are_refused() -> None:
    setting = Request("add", base=6).setting()
    with pytest.raises(InvalidInput, match="9, allowed at place 1, is no digit of base 6"):
        replace(setting, train=replace(setting.train, allowed=((1, (1, 9)),)))
    with pytest.raises(InvalidInput, match="no operands of 5 digits have the allowed digits only"):
        predicted(task="add", train_digits="3+5", train_allowed=("5:0",))


def test_what_was_trained_is_right_by_the_premise_even_where_nothing_else_is() -> None:
    for words in ({"window": 2}, {"train_pairs": 20}, {"layout": "bare", "pe": "nope"}):
        got = {x.digits: x.status for x in predicted(**{"task": "add"} | words).lengths}
        assert (got[3], got[2], got[4]) == ("generalizes", "undetermined", "undetermined")


def claims(words: dict) -> list[str]:
    got = predicted(**words)
    return [x.claim for x in got.lengths]


def test_what_is_ignored_is_claimed_under_a_premise_that_can_be_measured() -> None:
    """Products too, and tasks that ask for three digits at once."""
    product = {"task": "mod_mul", "train_digits": "2", "test_digits": "1-3"}
    assert claims({**product, "modulus": 100}) == ["exact"] * 3
    assert claims({"expr": "a + b + c", "train_digits": "2", "test_digits": "1-3"}) == ["exact"] * 3
    for words, cited in (({"test_digits": "3"}, True), ({"test_digits": "1"}, False)):
        rules = [s.rule for s in predicted(**{**product, "modulus": 100, **words}).derivation]
        assert ("noise invariance" in rules) == cited
    # Where training leaves the answer open nothing is claimed.
    assert claims({**product, "modulus": 150}) == ["none", "exact", "exact"]


def test_what_is_shared_or_alike_is_ignored_by_models_that_were_seen_to_be_steady() -> None:
    """Untried ones tell nothing, but where one digit of each operand changes and places differ."""

    def tried(pe: str, **more: Any) -> list[int]:
        words = {"task": "mod_mul", "modulus": 100, "train_digits": "2", "test_digits": "1-4"}
        return [
            x.digits
            for x in predicted(**{**words, "pe": pe, **more}).lengths
            if x.requires_measured_stability
        ]

    assert tried("ape") == []
    assert tried("t5") == [4]
    assert tried("sinusoidal") == tried("coupled") == [3, 4]
    # A digit rule may go on: noise tells, of stable models alone.
    assert tried("sinusoidal", task="add", modulus=None) == [3, 4]
    assert tried("nope", task="add", modulus=None) == []
    # What the causal mask hides is ignored by every model; what a window hides can be passed on.
    assert tried("rope", task="mod_add", layout="interleaved") == []
    passed_on = {"expr": "a % 5", "task": None, "modulus": None, "layout": "reversed", "window": 2}
    assert tried("rope", **passed_on, train_digits="1") == [3, 4]


def test_what_training_leaves_open_is_claimed_as_a_bound() -> None:
    assert claims({"task": "add", "train_domain": "every", "test_digits": "4"}) == ["at most"]
    assert claims({"task": "add", "train_domain": "every", "test_digits": "2"}) == ["none"]


def test_convergence_is_the_premise_of_all() -> None:
    for words in ({"task": "add"}, {"task": "mul", "pe": "rpe"}):
        assert predicted(**words).derivation[0].rule == "convergence"


def test_every_rule_is_covered_and_complete() -> None:
    elsewhere = {"convergence", "joint support", "plateau", "leap", "noise invariance", "stability"}
    assert set(CASES) | elsewhere | {"receptive field"} == set(RULES)
    for rule in RULES.values():
        assert rule.statement.endswith(".")
        assert rule.premises
        assert rule.source


def test_where_no_borrow_into_one_was_shown_a_rule_that_looks_less_far_fits() -> None:
    """It takes the digit below for its borrow and nothing below that."""

    def one_back(a: int, b: int) -> int:
        digits = [(a // 10**i % 10, b // 10**i % 10) for i in range(4)]
        borrows = [0, *(x < y for x, y in digits)][:4]
        written = [(x - y - c) % 10 for (x, y), c in zip(digits, borrows, strict=True)]
        return sum(digit * 10**i for i, digit in enumerate(written))

    assert all(one_back(a, b) == a - b for a in range(100) for b in range(a + 1))
    assert any(one_back(a, b) != a - b for a in range(100, 200) for b in range(a + 1))
