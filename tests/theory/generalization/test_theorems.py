"""The four theorems: they never contradict each other, and a fifth is one edit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from unittest.mock import patch

import pytest
from builders.predictions import predicted
from builders.strategies import examples, requests
from hypothesis import given, reject

from arith.theory.arithmetic.effort import budget
from arith.theory.errors import InvalidInput
from arith.theory.generalization import theorems
from arith.theory.generalization.lengths import LengthPrediction, undecided
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.generalization.theorems import THEOREMS, Observation, Theorem, conclude, observe
from arith.theory.prediction.predict import predict
from arith.theory.rules import Basis
from arith.theory.setting.requests import Request


@pytest.mark.long
@examples(10)
@given(requests())
def test_the_theorems_never_contradict_each_other(request_: Request) -> None:
    """Of whatever applies to a length all conclusions have an accuracy in common.

    A length with a claim names its theorems, and is the subject of a step that decides it.
    """
    try:
        with (
            budget(10**8),
            patch("arith.theory.prediction.predict.observe", cache(observe)) as once,
        ):
            setting = request_.setting()
            said = predict(setting)
            observed = once(setting)
            tests = {n: [x for t in THEOREMS if (x := t.apply(observed, n))] for n in
                     setting.test_lengths[:8]}  # fmt: skip
    except InvalidInput:
        reject()
    for n, found in tests.items():
        least = max((x.at_least for x in found), default=Fraction(0))
        assert least <= min((x.at_most for x in found), default=Fraction(1))
        if found:
            assert conclude(observed, n) == found[0]
    names = {theorem.name for theorem in THEOREMS}
    for x in said.lengths:
        steps = [step for step in said.derivation if x.digits in step.lengths]
        assert set(x.because) <= names
        if x.counted:
            assert bool(x.because) == (x.claim != Claim.NONE)
        if x.because:
            assert any(not step.leaves_open for step in steps)
        if x.because == ("equal views",):
            assert not x.premises


SAID = {
    "noise invariance": "Premise: noise on ignored digits changes no answer.",
    "noise sensitivity": "Premise: noise on digits that training kept constant changes answers.",
    "stability": "Premise: disturbing all digits a little changes no answer.",
    "measured stability": "this was measured, and 0.998 of all answers stay.",
    "locality": "the chances of several such digits multiply",
}
"""How a derivation names each premise."""


@pytest.mark.parametrize(
    ("words", "digits", "because", "premises"),
    [
        ({}, 3, ["equal views"], []),
        ({}, 2, ["shown apart"], ["stability"]),
        ({}, 4, ["constants", "shown apart"], ["noise invariance", "stability"]),
        ({"pe": "nope"}, 4, [], []),
        (
            {"pe": "rpe"},
            4,
            ["constants", "shown apart"],
            ["noise invariance", "stability", "measured stability"],
        ),
        (
            {"pe": "rpe", "layout": "interleaved", "window": 8},
            4,
            ["constants"],
            ["noise sensitivity", "stability", "measured stability"],
        ),
        (
            {"pe": "rpe", "layout": "interleaved", "window": 5, "layers": 1},
            7,
            ["equal views"],
            [],
        ),
        (
            {"task": "mod_mul", "modulus": 50, "pe": "sinusoidal", "train_digits": "2"},
            3,
            ["constants", "shown apart"],
            ["noise invariance", "stability", "measured stability"],
        ),
        ({"padding": "none", "train_digits": "1-4"}, 6, ["not found"], ["locality"]),
    ],
)
def test_which_theorem_decides(
    words: dict[str, object], digits: int, because: list[str], premises: list[str]
) -> None:
    found = predicted(**{"task": "add", "test_digits": str(digits)} | words)
    [x] = found.lengths
    assert (list(x.because), list(x.premises)) == (because, premises)
    told = " ".join(step.statement for step in found.derivation)
    assert [p for p in SAID if SAID[p] in told] == sorted(premises, key=list(SAID).index)


def test_a_theorem_of_ones_own_is_one_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more row of the table: here, that no more than half is right at seven digits."""

    def never(observed: Observation, digits: int) -> LengthPrediction | None:
        if digits != 7:
            return None
        found = undecided(digits, observed.direction(digits))
        return replace(found, at_most=Fraction(1, 2), because=("seven",))

    seven = Theorem("seven", "Seven is unlucky.", "none", Basis.OBSERVED, "ours", never)
    monkeypatch.setattr(theorems, "THEOREMS", (seven, *THEOREMS))
    six, other = predicted(task="add", pe="nope", train_digits="3", test_digits="6,7").lengths
    assert (six.claim, other.claim, other.because) == (Claim.NONE, Claim.AT_MOST, ("seven",))


@pytest.mark.parametrize(
    "words",
    [
        {"base": 2, "pe": "rpe", "train_digits": "1", "test_digits": "2"},
        {"base": 3, "pe": "t5", "layout": "plain", "padding": "none", "train_digits": "1"},
    ],
)
def test_a_modulus_that_no_answer_reaches_changes_nothing(words: dict[str, object]) -> None:
    """What a longer result adds comes after all that a query sees, or is not written."""

    def said(**more: object) -> list[tuple[object, ...]]:
        lengths = predicted(**{"expr": "a + b"} | words | more).lengths
        return [(x.claim, x.at_least, x.at_most, x.because) for x in lengths]

    assert said(modulus=10**6) == said()


def test_a_bound_that_bounds_nothing_is_no_failure() -> None:
    """Without an encoding at most f^ and the open share are right; here these are all."""
    words = {"expr": "a - b", "base": 3, "pe": "nope", "layout": "interleaved", "window": 7}
    kinds = {"train_domain": "every", "test_domain": "every", "test_digits": "4"}
    [x] = predicted(**words, **kinds, layers=3, train_digits="1-3").lengths
    assert (x.status, x.claim, x.because) == (Status.UNDETERMINED, Claim.NONE, ())


def test_what_borrows_from_ignored_digits_was_not_shown() -> None:
    """Of the inputs that f^ answers 620 of 981 stood together in training: a brute force counts."""
    [x] = predicted(
        expr="a - b", base=3, layout="plain", train_digits="2,3", test_digits="4"
    ).lengths
    assert x.because == ("constants", "shown apart")
    assert 1 - x.unseen - x.inferred == Fraction(620, 981)
