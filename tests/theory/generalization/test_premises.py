"""A claim rests only on premises that were decided: what is not known claims nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
from builders.layouts import PADDED
from builders.predictions import predicted
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.errors import InvalidInput
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import ENCODINGS, encoding
from arith.theory.transformer.layouts import layout

STRENGTH = {Claim.NONE: 0, Claim.AT_LEAST: 1, Claim.AT_MOST: 1, Claim.EXACT: 2}


def claims(words: dict[str, Any]) -> list[str]:
    got = predicted(**words)
    return [x.claim for x in got.lengths]


# --- what used to fail open ---------------------------------------------------------------


def test_drawn_sums_are_claimed_as_whole_ones_are() -> None:
    for words in ({"task": "mod_add", "modulus": 200}, {"task": "add"}):
        drawn = {**words, "train_pairs": 100_000, "test_digits": "1-5"}
        assert claims({**words, "test_digits": "1-5"}) == claims(drawn) == ["exact"] * 5


def test_what_was_not_counted_is_a_bound_and_the_derivation_says_so() -> None:
    words = {"expr": "a*b*c*d % 1000003", "train_digits": "7", "test_digits": "6-9"}
    got = predicted(**words)
    assert [x.claim for x in got.lengths] == ["none", "exact", "at most", "at most"]
    assert any(x.statement.startswith("Not counted") for x in got.derivation)
    # Where every place can be counted by itself, the claim stands.
    assert set(claims({"task": "add", "train_digits": "20", "test_digits": "19-22"})) == {"exact"}


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ({"base": 2}, "undetermined"),
        ({"train_allowed": ("2:0,1",), "train_digits": "2"}, "undetermined"),
        ({"train_allowed": ("2:0,7",), "train_digits": "2"}, "undetermined"),
        ({"train_allowed": ("2:0,1,2",), "train_digits": "2"}, "generalizes"),
    ],
)
def test_two_values_at_a_position_fix_no_unseen_pair(words: dict[str, Any], status: str) -> None:
    [x] = predicted(**{"task": "add", "test_digits": "1"} | words).lengths
    assert x.status == status


# --- any premise that is not decided --------------------------------------------------------

UNKNOWN = {
    "observation.joint_support.digit_causal": lambda *_: (Decision.UNDECIDED, None),
    "observation.joint_support.carry_range": lambda *_: None,
    "observation.views.carry_range": lambda *_: None,
    "observation.views.can_single_out": lambda *_: False,
    "generalization.constants.can_single_out": lambda *_: False,
}
"""What decides a premise, and how it says that it does not know."""


def forget() -> None:
    """Empty the caches of the theory."""
    for name, module in list(sys.modules.items()):
        if name.startswith("arith.theory."):
            for value in vars(module).values():
                getattr(value, "cache_clear", lambda: None)()


@contextmanager
def unknown(premise: str) -> Iterator[None]:
    """Nobody knows of this premise; what was counted with it is forgotten, before and after."""
    forget()
    module, _, name = premise.rpartition(".")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module(f"arith.theory.{module}"), name, UNKNOWN[premise])
        yield
    forget()


@st.composite
def any_setting(draw: st.DrawFn) -> Setting | None:
    text = draw(
        st.sampled_from(
            ("a + b", "a - b", "a*b", "a + b + c", "2*a + 3*b",
             "a*b + b", "a**2", "3*a + 1", "a - 2*b + c")
        )
    )  # fmt: skip
    p = draw(st.none() | st.integers(1, 60) | st.sampled_from((100, 101, 200)))
    base = draw(st.sampled_from((2, 3, 6, 10)))
    lengths = draw(st.sampled_from(((1,), (2,), (3,), (1, 2))))
    allowed: tuple[Any, ...] = ()
    if draw(st.booleans()):
        digits = draw(st.sets(st.integers(0, base - 1), min_size=1, max_size=3))
        allowed = ((draw(st.integers(1, max(lengths))), tuple(sorted(digits))),)
    pairs = draw(st.sampled_from((None, None, 30, 10_000)))
    try:
        return Setting(
            parse_task(text, p),
            base,
            encoding(draw(st.sampled_from(sorted(ENCODINGS)))),
            layout(draw(st.sampled_from(PADDED))),
            Domain(lengths, draw(st.sampled_from(("longest", "every"))), (), allowed, pairs),
            draw(st.sampled_from((0, 0, 5, 6, 7))),
            (1, 2, 3, 4),
        )
    except InvalidInput:
        return None


def attempted(setting: Setting) -> Prediction | None:
    try:
        return predict(setting)
    except InvalidInput:
        return None


@given(any_setting(), st.sampled_from(sorted(UNKNOWN)))
def test_what_is_not_known_never_claims_more(setting: Setting | None, premise: str) -> None:
    known = None if setting is None else attempted(setting)
    assume(known is not None)
    assert setting is not None and known is not None
    with unknown(premise):
        less = attempted(setting)
        assume(less is not None)
        assert less is not None
        for mine, theirs in zip(less.lengths, known.lengths, strict=True):
            claim = mine.claim
            assert STRENGTH[claim] <= STRENGTH[theirs.claim]
            if claim == Claim.EXACT:
                assert mine.accuracy == theirs.accuracy
            assert mine.at_most >= theirs.at_most
            assert mine.at_least <= theirs.at_least
