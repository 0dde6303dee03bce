"""Contexts: those that the code finds are those of the written examples."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from builders.brute_force import members
from builders.layouts import PADDED
from builders.natural_examples import digits
from builders.predictions import predicted
from hypothesis import given, reject
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.errors import InvalidInput, NotCountable
from arith.theory.observation.contexts import receptive_field, unshown
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.verify.data.sampling import Sampler
from arith.verify.data.sequences import Format

Contexts = dict[tuple[int, ...], set[int]]
"""By context, the query last, what is answered."""


def written(setting: Setting, domain: Domain) -> Contexts:
    """The contexts of every example of a domain, from the examples themselves."""
    reads = receptive_field(setting)
    assert reads is not None
    fmt = Format(setting.task, setting.base, setting.layout, setting.digits)
    operands = Sampler(fmt, domain).everything()
    found: Contexts = {}
    for line in fmt.write(operands, fmt.results(operands)).tolist():
        for slot in fmt.result_slots.tolist():
            found.setdefault(tuple(line[max(0, slot - reads) : slot]), set()).add(line[slot])
    return found


SMALL = [
    {"base": base, "layout": layout, "window": window, "layers": layers, "train_digits": digits}
    for base, (layout, windows), digits in product(
        (2, 3),
        (
            ("interleaved", (4, 5, 6, 8)),
            ("aligned", (6, 8)),
            ("plain", (5, 7)),
            ("reversed", (5,)),
            ("bare", (6,)),
        ),
        ("2", "1+3"),
    )
    for window, layers in product(windows, (1, 2))
    if layers == 1 or window < 5
]


@pytest.mark.parametrize("words", SMALL, ids=lambda w: "-".join(map(str, w.values())))
def test_the_contexts_are_those_of_the_written_examples(words: dict[str, Any]) -> None:
    setting = Request("add", pe="rpe", test_digits="1-4", **words).setting()
    shown = written(setting, setting.train)
    for n in setting.test_lengths:
        asked = written(setting, setting.test(n))
        if any(len(answers) > 1 for answers in shown.values()):
            with pytest.raises(NotCountable):
                unshown(setting)
            continue
        lacking = {x for x, answers in asked.items() if not answers <= shown.get(x, set())}
        found = unshown(setting)[n]
        assert (found is None) == (not lacking)
        if found is not None:
            symbols = [*map(str, range(setting.base)), "<bos>", "+", "="]
            assert tuple(found.tokens) in {tuple(symbols[t] for t in x) for x in lacking}


def test_where_a_context_was_not_shown_two_rules_fit_the_training_data() -> None:
    """The right answer and another one there: the rules agree on all of training."""
    setting = Request(
        "add", pe="rpe", layout="interleaved", base=2, window=6, layers=1, train_digits="2"
    ).setting()
    assert unshown(setting)[4] is not None
    shown = written(setting, setting.train)
    asked = written(setting, setting.test(4))
    one = {x: min(answers) for x, answers in (asked | shown).items()}
    other = {x: y if x in shown else 1 - y for x, y in one.items()}
    assert all(one[x] == other[x] == min(answers) for x, answers in shown.items())
    assert any(one[x] != other[x] for x in asked)


INTERLEAVED = {"task": "add", "layout": "interleaved", "train_digits": "3", "test_digits": "1-9"}


@pytest.mark.parametrize("pe", ["rpe", "t5", "rope", "alibi", "fire", "nope"])
def test_one_layer_that_sees_the_rule_alone_goes_on_under_every_encoding(pe: str) -> None:
    got = predicted(**INTERLEAVED, pe=pe, window=5, layers=1)
    assert got.continues and {x.accuracy for x in got.lengths} == {1}
    assert "receptive field" in {step.rule for step in got.derivation}


def test_what_one_more_token_or_layer_lets_in_leaves_another_rule() -> None:
    """A 9 with a carry out of it two places below: at the units there is none."""
    wider = predicted(**INTERLEAVED, pe="alibi", window=6, layers=1)
    assert all(x.requires_measured_stability for x in wider.lengths[3:])
    [step] = [x for x in wider.derivation if x.rule == "receptive field"]
    assert "'9 0 0 1 1 0' for result digit 4" in step.statement
    more = predicted(**{**INTERLEAVED, "train_digits": "5"}, pe="alibi", window=6, layers=1)
    assert more.continues
    deeper = {**INTERLEAVED, "base": 2, "window": 5, "pe": "alibi", "test_digits": "6"}
    assert [predicted(**deeper, layers=n).continues for n in (1, 2)] == [True, False]


@pytest.mark.parametrize(("layers", "fewest"), [(1, 3), (2, 5), (3, 6)])
def test_each_layer_asks_for_more_digits_in_training(layers: int, fewest: int) -> None:
    """In base 10, with a window that holds the rule alone."""
    for n in (fewest - 1, fewest):
        words = {**INTERLEAVED, "train_digits": str(n), "test_digits": f"1-{n + 3}"}
        got = predicted(**words, pe="alibi", window=5, layers=layers)
        assert got.continues == (n == fewest)


@given(
    st.sampled_from(("a + b", "2*a + b", "a + b + 1", "a + b + c", "a + 3*b", "a - b", "2*b - a")),
    *(st.integers(2, 3), st.sampled_from(("1", "2", "3", "1+3"))),
    *(st.sampled_from(PADDED), st.integers(2, 9), st.integers(1, 3)),
    st.sampled_from(((), ("1:0",), ("2:0,1",), ("2:1",))),
)
def test_where_no_context_is_missing_the_written_examples_have_them_all(
    expr: str,
    base: int,
    digits: str,
    form: str,
    window: int,
    layers: int,
    allowed: tuple[str, ...],
) -> None:
    request = Request(
        *(None, expr, None, base, "nope", form),
        window=window,
        layers=layers,
        train_digits=digits,
        train_allowed=allowed,
        test_digits="1-3",
    )
    try:
        setting = request.setting()
        found = unshown(setting)
    except (InvalidInput, NotCountable):
        reject()
    shown = written(setting, setting.train)
    for n, missing in found.items():
        asked = written(setting, setting.test(n))
        lacking = any(not answers <= shown.get(x, set()) for x, answers in asked.items())
        assert missing is not None or not lacking
        # In this layout a digit at some distance is always of the same operand and place.
        assert missing is None or lacking or form != "interleaved"


@pytest.mark.parametrize(
    "words",
    [
        {"layers": 0},
        {"window": 0},
        {"pe": "ape"},
        {"pe": "abacus"},
        {"train_pairs": 100},
        {"expr": "a*b", "task": None},
    ],
)
def test_where_nothing_is_known_of_contexts_the_rule_says_nothing(words: dict[str, Any]) -> None:
    got = predicted(**{**INTERLEAVED, "pe": "rpe", "window": 5, "layers": 1} | words)
    assert "receptive field" not in {step.rule for step in got.derivation}


def test_contexts_of_a_restricted_domain() -> None:
    """Without a 9 at any place no carry meets a 9; the contexts say so."""
    allowed = tuple(f"{i}:0-8" for i in (1, 2, 3))
    words = {**INTERLEAVED, "pe": "rpe", "window": 5, "layers": 1}
    got = predicted(**words, train_allowed=allowed)
    assert np.any([x.accuracy != 1 for x in got.lengths])


@pytest.mark.parametrize(("allowed", "right"), [("2:0-8", True), ("1:0-8", False)])
def test_a_digit_that_natural_lengths_lack_at_one_place_may_be_shown_at_others(
    allowed: str, right: bool
) -> None:
    """A number of one digit has no second place; a 9 of the units has no place below it."""
    words: dict[str, Any] = {"padding": "none", "train_digits": "1-5", "test_digits": "6"}
    where = {"layout": "interleaved", "pe": "rpe", "window": 5, "layers": 1}
    got = predicted(task="add", train_allowed=(allowed,), **where, **words)
    assert [x.accuracy for x in got.lengths] == [1 if right else None]


def spoken(setting: Setting, domain: Domain) -> dict[tuple[str, ...], set[str]]:
    """The same where numbers have natural lengths, each token as it is written."""
    reads, base = receptive_field(setting), setting.base
    assert reads is not None
    found: dict[tuple[str, ...], set[str]] = {}
    for x in members(setting.task, domain, base):
        n, result = max(len(digits(v, base)) for v in x), digits(setting.task.evaluate(*x), base)
        line, asked = ["<bos>"], []
        for i in range(n):
            line += [str(v // base**i % base) for v in x]
            asked.append(len(line))
            line.append(str(result[i]) if i < len(result) else "0")
        asked += range(len(line) + 1, len(line) + 2 + len(result[n:]))
        line += ["=", *map(str, result[n:]), "<end>"]
        for slot in asked:
            found.setdefault(tuple(line[max(0, slot - reads) : slot]), set()).add(line[slot])
    return found


@given(
    st.sampled_from(
        ("a + b", "a - b", "2*a + b", "a + b + 3", "a + b + c", "5*a + b", "7*a", "a - b + 4")
    ),
    *(st.integers(2, 3), st.sampled_from(("1", "2", "3", "1-2", "1+3", "1-3"))),
    *(st.integers(2, 8), st.integers(1, 3)),
)
def test_where_numbers_end_is_a_context_too(
    expr: str, base: int, trained: str, window: int, layers: int
) -> None:
    words: dict[str, Any] = {"padding": "none", "layout": "interleaved", "pe": "rpe"}
    operands = len(set(expr) & {*"abc"})
    longest = next(n for n in (5, 4, 3, 2) if base ** (n * operands) < 2_200)  # all are written
    try:
        setting = Request(
            expr=expr, base=base, window=window, layers=layers, train_digits=trained,
            test_digits=f"1-{longest}", **words,
        ).setting()  # fmt: skip
        found = unshown(setting)
    except (InvalidInput, NotCountable):
        reject()
    shown = spoken(setting, setting.train)
    for n, missing in found.items():
        asked = spoken(setting, setting.test(n))
        lacking = {x for x, answers in asked.items() if not answers <= shown.get(x, set())}
        assert (missing is None) == (not lacking)
        assert missing is None or missing.tokens in lacking


def test_contexts_are_compared_once_for_all_encodings() -> None:
    """A table of many cells asks for the same contexts under each encoding."""
    asked = {"layout": "interleaved", "window": 5, "layers": 1, "train_digits": "3"}
    first, *others = (
        unshown(Request("add", pe=pe, **asked).setting()) for pe in ("rpe", "rope", "t5", "alibi")
    )
    assert all(x is first for x in others)
