"""Advice: what is suggested works by the theory, and nothing smaller does."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest
from builders.golden import read_words
from builders.strategies import examples, requests
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.effort import PART
from arith.theory.errors import InvalidInput
from arith.theory.generalization.outcomes import Status
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request, setting_words
from arith.theory.studies import advise as advise_module
from arith.theory.studies.advise import advise, changed
from arith.theory.text.text import advice_text
from arith.theory.transformer.encodings import ENCODINGS

NATURAL = {"train_digits": "1-5", "test_digits": "7", "padding": "none"}


@cache
def ask(**words: object) -> object:
    return advise(Request(**words).setting())  # type: ignore[arg-type]


def obstacles(**words: object) -> tuple[str, ...]:
    """What stands in the way; they do not depend on which changes are tried, so none is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(advise_module, "_TRYING", 0)
        return advise(Request(**words).setting()).obstacles  # type: ignore[arg-type]


def test_what_generalizes_needs_no_change() -> None:
    advice = ask(task="mod_mul", modulus=125, test_digits="8")
    assert advice.generalizes
    assert advice.suggestions == ()


def test_what_only_steady_models_do_is_no_advice() -> None:
    words = {"task": "mod_add", "modulus": 100, "train_digits": "3", "test_digits": "1-6"}
    assert ask(**words).generalizes
    assert not ask(**words, pe="rope").generalizes


def test_too_few_digits_for_the_modulus() -> None:
    advice = ask(task="mod_mul", modulus=125, train_digits="2", test_digits="8")
    texts = [s.text for s in advice.suggestions]
    assert "train on 3 digits" in texts
    assert any("10^3" in o for o in advice.obstacles)


def test_addition_wants_the_landmarks_out_of_view() -> None:
    advice = ask(task="add", pe="rpe")
    best = advice.suggestions[0]
    assert best.text == "attention window 5 in one layer; interleaved layout"
    assert best.proved


def test_a_change_that_stops_at_the_tested_lengths_is_told_from_one_that_goes_on() -> None:
    advice = ask(task="add", test_digits="1-5")
    goes_on = {s.text: s.goes_on for s in advice.suggestions}
    assert goes_on["mix in 10% of 5-digit examples"] is False
    assert goes_on["encoding rpe; attention window 5 in one layer; interleaved layout"] is True
    lines = "\n".join(advice_text(advice))
    primed = "mix in 10% of 5-digit examples (up to 5 digits only, trains on the tested 5 digits)\n"
    assert primed in lines
    assert "encoding rpe; attention window 5 in one layer; interleaved layout (proved)\n" in lines


def test_more_encodings_take_no_suggestion_away(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [s.text for s in ask(task="add").suggestions]
    monkeypatch.setattr(advise_module, "_TRYING", 2 * PART)
    for name, merged, selection in (("shares beyond 3", 3, "any"), ("ordered", 0, "order")):
        row = replace(ENCODINGS["t5"], name=name, merged_from=merged, selection=selection)
        monkeypatch.setitem(ENCODINGS, name, row)
    after = [s.text for s in advise(Request("add").setting()).suggestions]
    assert [text for text in after if "shares beyond 3" not in text] == before


def test_the_support_rule_is_an_obstacle_too() -> None:
    [obstacle] = obstacles(task="add")
    assert ask(task="add").obstacles == (obstacle,)
    assert obstacle.startswith("digits that never varied in training, all those above place 3")


@pytest.mark.parametrize(
    ("words", "obstacle"),
    [
        ({"modulus": 10_000}, "10000 divides 10^4 but not 10^2: train 4 digits or more"),
        ({"modulus": 101}, "101 divides no power of 10: digits at every place count"),
    ],
)
def test_an_obstacle_counts_digits_whatever_a_token_holds(words: dict, obstacle: str) -> None:
    asked = words | {"train_digits": "2", "test_digits": "4"}
    found = obstacles(task="mod_add", layout="aligned, 2 digits per token", **asked)
    assert any(text.startswith(obstacle) for text in found)


def test_an_obstacle_names_the_tokens_that_never_varied() -> None:
    found = obstacles(task="add", layout="aligned, 2 digits per token", train_digits="4")
    assert any("all those above token 2, are ignored" in o for o in found)


def test_natural_lengths_want_one_layer_with_a_window() -> None:
    advice = ask(task="add", **NATURAL)
    texts = [s.text for s in advice.suggestions]
    assert "encoding rpe; attention window 5 in one layer; interleaved layout" in texts
    [obstacle] = advice.obstacles
    assert obstacle.startswith("At 7 digits a digit is not found")


def test_examples_of_the_tested_length_prove_nothing() -> None:
    primed = ask(task="add", test_digits="9").suggestions[0]
    assert primed.trained
    lines = "\n".join(advice_text(ask(task="add", test_digits="9")))
    assert "(up to 9 digits only, trains on the tested 9 digits)" in lines
    assert primed.then_trained == (9,)
    shorter = ask(task="mod_mul", modulus=125, train_digits="2", test_digits="8")
    assert "(trains on the tested 8 digits," in "\n".join(advice_text(shorter))


def test_what_may_take_long_to_learn_is_said() -> None:
    advice = ask(task="mod_mul", modulus=125, train_digits="2")
    assert "train on 3 digits (trains on the tested 3 digits, may take long to learn)" in "\n".join(
        advice_text(advice)
    )


def test_commands_are_broken_so_that_they_can_be_pasted() -> None:
    lines = "\n".join(advice_text(ask(expr="(a + 6*b) % 100", train_digits="1"))).splitlines()
    commands = [i for i, line in enumerate(lines) if line.startswith("  arith verify")]
    assert commands
    for i in commands:
        assert lines[i].endswith(" \\") and lines[i + 1].startswith("    --")
        assert '"(a + 6*b) % 100"' in lines[i] and max(map(len, lines[i : i + 2])) <= 80


def test_examples_mixed_in_may_be_shorter_than_the_trained_ones() -> None:
    advice = ask(task="add", train_digits="4", train_priming=("2:0.01",), test_digits="1-5")
    assert advice.suggestions and not advice.generalizes


def test_a_small_sample_is_named_and_can_be_given_up() -> None:
    advice = ask(task="add", train_pairs=5, test_digits="1-3")
    assert any("may lack digits" in o for o in advice.obstacles)
    assert "train on all operand tuples" in [s.text for s in advice.suggestions]


def test_missing_digits_and_short_operands_are_named() -> None:
    advice = ask(task="add", train_digits="3", test_digits="1-3", train_allowed=("1:6-9",))
    assert advice.suggestions[0].text == "show the missing digits"
    advice = ask(task="mul", train_digits="2", test_digits="1-2")
    assert [s.text for s in advice.suggestions] == ["train on 1+2 digits"]


@pytest.mark.parametrize(
    "words",
    [
        {"task": "add", "pe": "rpe"},
        {"task": "mul", "train_digits": "2"},
        {"task": "mod_add", "modulus": 150},
        {"expr": "(2*a + 3*b) % 12", "base": 6, "train_digits": "1"},
    ],
)
def test_suggestions_work_and_are_minimal(words: dict) -> None:
    setting = Request(**words).setting()
    advice = ask(**words)
    costs = [s.cost for s in advice.suggestions]
    assert costs == sorted(costs)
    for suggestion in advice.suggestions:
        assert all(x.status == Status.GENERALIZES for x in predict(suggestion.setting).lengths)
        for left_out in suggestion.changes:
            others = tuple(c for c in suggestion.changes if c is not left_out)
            rest = changed(setting, others)
            assert any(x.status != Status.GENERALIZES for x in predict(rest).lengths)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            {"pe": "nope", "layout": "interleaved", "window": 5, "layers": 5},
            "an answer depends on the last 21 tokens",
        ),
        ({"pe": "rpe", "train_digits": "100", "test_digits": "1000"}, "was not decided"),
    ],
)
def test_a_rule_that_stops_or_was_not_decided_is_an_obstacle(words: dict, reason: str) -> None:
    assert any(reason in o for o in obstacles(task="add", **words))


def test_a_modulus_out_of_reach_is_no_obstacle() -> None:
    found = obstacles(expr="(a + b) % 999983", test_digits="1-5")
    assert found and not any("999983" in o for o in found)


def test_where_nothing_works_the_reason_is_given() -> None:
    advice = ask(task="mod_add", modulus=101, train_digits="2", test_digits="1-5")
    assert not advice.suggestions
    assert any("101 divides no power of 10" in o for o in advice.obstacles)


def test_a_task_that_only_its_modulus_makes_has_commands_too() -> None:
    suggestions = ask(expr="a - b*b", modulus=60).suggestions
    assert suggestions
    assert all('--expr "a - b*b" --modulus 60' in " ".join(s.command) for s in suggestions)


@pytest.mark.parametrize("words", [{"test_digits": "9"}, NATURAL])
def test_each_suggestion_has_the_command_that_trains_it(words: dict) -> None:
    suggestions = ask(task="add", **words).suggestions
    assert len(suggestions) > 1
    for suggestion in suggestions:
        program, verb, *words = shlex.split(" ".join(suggestion.command))
        assert (program, verb) == ("arith", "verify")
        options = {flag[2:].replace("-", "_"): word for flag, word in batched(words)}
        several = {"train_priming"} & set(options)
        values = {k: (v,) if k in several else v for k, v in options.items()}
        values |= {name: int(values.get(name, 0)) for name in ("window", "layers")}
        assert Request(**values).setting() == suggestion.setting


@examples(30)
@given(requests(), st.sampled_from([", 2 digits per token", ", whole numbers", ""]), st.data())
def test_every_change_is_what_its_command_asks_for(
    request: Request, tokens: str, data: st.DataObject
) -> None:
    try:
        setting = replace(request, layout=request.layout + tokens).setting()
    except InvalidInput:
        assume(False)
    combinations = advise_module._combinations(setting)
    for changes in data.draw(st.lists(st.sampled_from(combinations), max_size=30)):
        with suppress(InvalidInput):  # it makes no sense
            after = changed(setting, changes)
            assert read_words(" ".join(setting_words(after))) == after


def batched(words: list[str]) -> list[tuple[str, str]]:
    return list(zip(words[::2], words[1::2], strict=True))


def test_a_change_whose_effect_is_proved_is_told_from_one_that_was_observed() -> None:
    natural = ask(task="add", **NATURAL).suggestions
    assert natural and all(s.proved for s in natural)
    padded = {s.proved: s.text for s in ask(task="add").suggestions}
    assert "in one layer" in padded[True] and padded[False].startswith("mix in")


@pytest.mark.parametrize(
    ("weights", "longer"), [("1:1,2:3,3:8", "1:1,2:3,3:8,4:8"), ("uniform", "uniform")]
)
def test_weights_of_lengths_are_kept_and_a_new_length_has_those_of_the_nearest(
    weights: str, longer: str
) -> None:
    words = {"padding": "none", "train_digits": "1-3", "test_digits": "1-5"}
    asked = Request("add", **words, train_weights=weights).setting()
    said = {
        change.text: setting_words(changed(asked, (change,)))
        for change in advise_module._changes(asked)
        if change.aspect == "train" or change.text == "encoding rope"
    }
    assert f"--train-weights {weights}" in said["mix in 10% of 5-digit examples"]
    assert f"--train-weights {weights}" in said["encoding rope"]
    assert f"--train-weights {longer}" in said["train on 1+2+3+4 digits"]


def test_padding_is_offered_where_numbers_have_natural_lengths() -> None:
    """Modulo 100 nothing else is lacking: both padded digits of each operand are read."""
    words = {"task": "mod_add", "modulus": 100, "layout": "plain", "test_digits": "2-5"}
    first, *_ = ask(**words, train_digits="1-2", padding="none").suggestions
    assert [x.text for x in first.changes] == ["pad operands with zeros"]
    assert "--train-weights balanced" in " ".join(first.command) and first.goes_on
    assert ask(**words, train_digits="1-2").generalizes
