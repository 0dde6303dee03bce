"""A claim rests only on premises that were decided: what is not known claims nothing.

``ARITH_EXAMPLES=2000`` makes a longer run of the random settings.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from theory.errors import InvalidInput, NotCountable
from theory.inference.carries import carry_range
from theory.inference.interactions import interactions
from theory.inference.support import Support
from theory.learning.leaps import leaps
from theory.prediction.outcomes import Claim
from theory.prediction.predict import Prediction, predict
from theory.setting.decision import Decision
from theory.setting.domains import Domain
from theory.setting.encodings import ENCODINGS, encoding
from theory.setting.expressions import parse_task
from theory.setting.layouts import LAYOUTS, layout
from theory.setting.properties import digit_causal
from theory.setting.requests import Request
from theory.setting.settings import Setting
from theory.setting.tasks import named_task

MANY = settings(
    max_examples=int(os.environ.get("ARITH_EXAMPLES", "100")),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
STRENGTH = {Claim.NONE: 0, Claim.AT_MOST: 1, Claim.EXACT: 2}


def say(words: dict[str, Any]) -> Prediction:
    return predict(Request(**words).setting())


def claims(words: dict[str, Any]) -> list[str]:
    got = say(words)
    return [got.claim(x) for x in got.lengths]


# --- what used to fail open ---------------------------------------------------------------


def test_drawn_sums_that_leap_are_claimed_as_whole_ones_are() -> None:
    sums = {"task": "mod_add", "modulus": 200, "test_digits": "1-5"}
    assert claims(sums) == claims({**sums, "train_pairs": 100_000})
    assert claims({**sums, "train_pairs": 100_000}) == ["none", "none", "exact", "none", "none"]
    plain = {"task": "add", "train_pairs": 100_000, "test_digits": "1-5"}
    assert claims(plain) == ["exact"] * 5


def test_what_was_not_counted_is_a_bound_and_the_derivation_says_so() -> None:
    words = {"task": "mod_add", "modulus": 20_000, "train_digits": "5", "test_digits": "4-7"}
    got = say(words)
    assert got.leaks is Decision.UNDECIDED
    assert [got.claim(x) for x in got.lengths] == ["none", "exact", "none", "none"]
    assert "was not counted" in got.derivation[-1].statement
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
    [x] = say({"task": "add", "test_digits": "1"} | words).lengths
    assert x.status == status


@pytest.mark.parametrize("pe", ["sinusoidal", "rpe", "rope", "t5", "abacus", "coupled"])
def test_a_task_that_leaps_is_not_exact_under_another_encoding(pe: str) -> None:
    """The rule on leaks speaks of learned positions; elsewhere nothing is known, not nothing lost."""
    three = {"task": "multi_add", "train_digits": "2", "test_digits": "1-2"}
    assert claims({**three, "pe": "ape"}) == claims({**three, "pe": pe}) == ["none", "exact"]
    assert say({**three, "pe": pe}).leaks is Decision.UNDECIDED
    assert claims({**three, "task": "add", "pe": pe}) == ["exact", "exact"]


def test_a_built_in_borrow_couples_what_stands_above_it() -> None:
    task = parse_task("3*a - b")
    shown = Support(task, Domain((2,), "every", allowed=((1, (9,)),)), 10)  # 3 * 9 - 9 is 18
    assert carry_range(shown, 2) == (1, 1)
    assert frozenset({(0, 2), (1, 2)}) in interactions(shown)


def test_an_order_that_rules_a_carry_out_is_not_taken_for_one_that_varied() -> None:
    """Of one digit 2, 2 the difference borrows nothing if the tens are equal."""
    task = named_task("sub")
    equal = Support(task, Domain((2,), "every", allowed=((2, (2,)),)), 10)
    assert carry_range(equal, 2) is None
    free = Support(task, Domain((2,)), 10)
    assert carry_range(free, 2) == (-1, 0)


def test_a_carry_of_a_product_is_known_by_examples_only() -> None:
    task = parse_task("(a*b - 3*a*a + 9*b) % 100")
    shown = Support(task, Domain((2,)), 10)
    carry = carry_range(shown, 2)
    assert carry is not None
    assert carry[0] < carry[1]


# --- any premise that is not decided --------------------------------------------------------

UNKNOWN = {
    "prediction.predict.leaps": lambda *_: None,
    "inference.interactions.digit_causal": lambda *_: (Decision.UNDECIDED, None),
    "inference.interactions.carry_range": lambda *_: None,
    "inference.identifiability.carry_range": lambda *_: None,
    "inference.identifiability.finds_digits": lambda *_: False,
    "inference.derivation.finds_digits": lambda *_: False,
}
"""What decides a premise, and how it says that it does not know."""


def forget() -> None:
    """Empty the caches of the theory."""
    for name, module in list(sys.modules.items()):
        if name.startswith("theory."):
            for value in vars(module).values():
                getattr(value, "cache_clear", lambda: None)()


@contextmanager
def unknown(premise: str) -> Iterator[None]:
    """Nobody knows of this premise; what was counted with it is forgotten, before and after."""
    forget()
    module, _, name = premise.rpartition(".")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module(f"theory.{module}"), name, UNKNOWN[premise])
        yield
    forget()


@st.composite
def any_setting(draw: st.DrawFn) -> Setting | None:
    text = draw(
        st.sampled_from(
            ("a + b", "a - b", "a*b", "a + b + c", "2*a + 3*b", "a*b + b", "a**2", "3*a + 1", "a - 2*b + c")
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
            layout(draw(st.sampled_from(sorted(LAYOUTS)))),
            Domain(lengths, draw(st.sampled_from(("longest", "every"))), (), allowed, pairs),
            draw(st.sampled_from((0, 0, 5, 6, 7))),
            (1, 2, 3, 4),
        )
    except InvalidInput:
        return None


def predicted(setting: Setting) -> Prediction | None:
    try:
        return predict(setting)
    except (NotCountable, InvalidInput):
        return None


@MANY
@given(any_setting(), st.sampled_from(sorted(UNKNOWN)))
def test_what_is_not_known_never_claims_more(setting: Setting | None, premise: str) -> None:
    known = None if setting is None else predicted(setting)
    if setting is None or known is None:
        return
    with unknown(premise):
        less = predicted(setting)
        if less is None:
            return
        for mine, theirs in zip(less.lengths, known.lengths, strict=True):
            claim = less.claim(mine)
            assert STRENGTH[claim] <= STRENGTH[known.claim(theirs)]
            if claim == Claim.EXACT:
                assert mine.accuracy == theirs.accuracy
            if claim == Claim.AT_MOST:
                assert mine.at_most >= theirs.at_most


@MANY
@given(any_setting())
def test_an_exact_claim_beyond_what_was_shown_needs_a_task_known_not_to_leap(
    setting: Setting | None,
) -> None:
    got = None if setting is None else predicted(setting)
    if setting is None or got is None:
        return
    for x in got.lengths:
        if x.extends and got.claim(x) == Claim.EXACT:
            assert setting.task.is_linear
            assert leaps(setting.task, setting.base, setting.train) is False


def test_whether_low_digits_are_enough_may_not_be_known() -> None:
    assert digit_causal(parse_task("(a+b) % 100"), 10)[0] is Decision.YES
    assert digit_causal(parse_task("(a+b) % 101"), 10)[0] is Decision.NO
    assert (
        digit_causal(parse_task("(3*a) % 30"), 10)[0] is Decision.YES
    )  # 3 (a mod 10), by a whole period
    four = "(3*a + 3*b + 3*c + 3*d) % 30"  # so is this, of a period too long to search
    assert digit_causal(parse_task(four), 10) == (Decision.UNDECIDED, None)
    with pytest.raises(InvalidInput, match="this one is not known to be"):
        Request(expr=four, layout="interleaved").setting()
