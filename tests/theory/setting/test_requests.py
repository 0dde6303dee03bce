"""Settings asked for in words: what is refused, and what the refusal says."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from builders.golden import read_words
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.observed import observed
from arith.theory.arithmetic.tasks import is_named, takes_modulus
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import (
    LARGEST_DIGITS,
    Request,
    read_lengths,
    read_setting,
    request_of,
    setting_json,
    setting_words,
)
from arith.theory.setting.settings import Setting
from arith.theory.transformer.layouts import layout

BLANKS = {"layout": "plain, padded to 4 with zeros", "test_digits": "4"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"task": "ADD"}, "did you mean 'add'"),
        ({"pe": "RPE"}, "did you mean 'rpe'"),
        ({"layout": "Alined"}, "did you mean 'aligned'"),
        ({"train_allowed": ("1:1", "1:2")}, "place 1 is given twice"),
        ({"train_priming": ("6:0.01", "6:0.02")}, "priming length 6 is given twice"),
        ({"train_allowed": ("0:1",)}, r"places start at 1 \(the units\)"),
        ({"train_allowed": ("2:9,15",)}, "'2:9,15': 15 is no digit of base 10"),
        ({"train_allowed": ("2:15",)}, "15 is no digit of base 10"),
        ({"train_allowed": ("2:5-7",), "base": 7}, "7 is no digit of base 7"),
        ({"train_allowed": ("100000000:0",)}, "end at 200"),
        ({"train_priming": ("200000:0.01",)}, "lengths go from 1 to 200"),
        ({"train_priming": ("0:0.01",)}, "lengths go from 1 to 200"),
        ({"train_priming": ("6:1e1000000000",)}, "is not LENGTH:SHARE"),
        ({"train_priming": ("6:1e-9",)}, "at least 1e-06"),
        ({"train_pairs": 10**10}, "at most 1,000,000,000"),
        ({"task": "mod_add", "modulus": 10**40}, "more than 40 digits"),
        ({"task": None, "expr": "a#b"}, "without '#'"),
        ({"train_digits": "201"}, "from 1 to 200,"),
        ({"test_digits": "1-1001"}, "from 1 to 1000,"),
        (
            {"task": "add", "width": 5, "test_digits": "1-6"},
            "from 6, the longest operand that is written, to 1000",
        ),
        ({"task": "add", "width": 1001}, "to 1000, not 1001"),
        ({"train_digits": "1-3x1x2"}, "lengths of 3 operands, and the task has 2"),
        ({"test_digits": "1-3x1", "task": "square"}, "--test-digits has lengths of 2 operands"),
        ({"train_digits": "1-3x"}, "is no list of lengths"),
        ({"train_digits": "1-3x1-2", "train_domain": "every"}, "drawn first, as in the domain"),
        ({"train_digits": "1-3x1-2", "train_priming": ("6:0.1",)}, "give it among those of each"),
        ({"train_digits": "5-6x3", "test_digits": "2"}, "no operands of 2 digits have the allowed"),
        ({"train_weights": "often"}, "unknown weights 'often' .balanced, uniform, or"),
        ({"train_weights": "3:1,often"}, "--train-weights 'often' is not LENGTH:SHARE"),
        ({"train_weights": "2:1"}, "each of the lengths once: 3 digits"),
        ({"train_weights": "1:1"}, "weights: none for 3 digits, 1 digit not trained"),
        ({"train_priming": ("6:2",)}, "priming 6:2: a share is at least 1e-06, and below 1"),
        ({"train_allowed": ("9:1",)}, "digits only: place 9 is 0 in all of them"),
        ({"test_allowed": ("9:1",)}, "no operands of 1 to 6 digits have the allowed digits only"),
        ({"test_allowed": ("1:10",)}, "10 is no digit of base 10"),
        ({"train_domain": "total"}, "the domain 'total' needs --padding none"),
        (BLANKS | {"padding": "fixed"}, "--padding fixed .* and the layout .* 4 with zeros' fills"),
        (BLANKS | {"padding": "both"}, "unknown padding 'both'"),
    ],
)
def test_what_no_setting_can_have_is_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Request(**{"task": "add", **words}).setting()


def test_the_longest_lengths_are_taken() -> None:
    assert read_lengths(str(LARGEST_DIGITS), "--train-digits") == (200,)
    asked = Request("add", train_priming=("200:0.01",), train_allowed=("200:0,1", "1:5-9"))
    train = asked.setting().train
    assert train.every_length == (3, 200)
    assert train.allowed == ((1, (5, 6, 7, 8, 9)), (200, (0, 1)))


def test_a_domain_says_what_is_wrong_with_its_positions() -> None:
    with pytest.raises(InvalidInput, match="places start at 1"):
        Domain((3,), allowed=((0, (1,)),))
    with pytest.raises(InvalidInput, match="place 2 is given twice"):
        Domain((3,), allowed=((2, (1,)), (2, (1,))))


@pytest.mark.parametrize(
    "words",
    [
        {"task": "add"},
        {"task": "mod_add", "modulus": 101},
        {"expr": "a + b", "modulus": 101},
        {"expr": "(a + b) % 100"},
        {"expr": "(a*b) % 7"},
        {"expr": "a - b*b", "modulus": 100},
        {"expr": "0-a", "modulus": 7},
        {"expr": "a-a", "modulus": 7},
        {
            "task": "add",
            "train_digits": "1-4x1,3",
            "test_digits": "1-6x1-3",
            "train_weights": "uniform",
        },
        {"task": "add", "train_digits": "1-4x1-2", "padding": "none", "train_weights": "balanced"},
        {
            "task": "add",
            "train_digits": "1-2",
            "train_weights": "2:8,1:1.50",
            "test_allowed": ("2:3",),
        },
        {"task": "add", "train_digits": "4+5", "train_domain": "coin", "train_weights": "balanced"},
    ],
)
def test_the_words_of_a_setting_ask_for_it(words: dict[str, Any]) -> None:
    comes_back(Request(**words).setting())


def comes_back(setting: Setting) -> None:
    """Check that a setting is the same after JSON, and after the words of the command line."""
    assert read_setting(json.loads(json.dumps(setting_json(setting)))) == setting
    said = shlex.split(" ".join(setting_words(setting)))
    options = dict(zip(said[::2], said[1::2], strict=True))
    named = {flag[2:]: options.get(flag) for flag in ("--task", "--expr", "--modulus")}
    modulus = named.pop("modulus")
    asked = Request(**named, modulus=None if modulus is None else int(modulus))
    assert asked.setting().task == setting.task


@pytest.mark.parametrize(("name", "modulus"), [("add, sub", None), (" mod_add ,mod_mul", 7)])
def test_blanks_beside_the_commas_between_tasks_are_none(name: str, modulus: int | None) -> None:
    setting = Request(task=name, modulus=modulus).setting()
    assert setting == Request(task=name.replace(" ", ""), modulus=modulus).setting()
    assert is_named(name) and takes_modulus(name) == (modulus is not None)
    comes_back(setting)
    assert setting.task.name == name.replace(" ", "")


_SIGNED = st.tuples(st.sampled_from("+-"), st.sampled_from(("a", "b", "a*b", "b**2", "3", "2*a")))


@given(
    st.lists(_SIGNED, min_size=1, max_size=4),
    st.integers(1, 120),
    st.booleans(),
)
def test_settings_that_only_a_modulus_makes_come_back(
    parts: list[tuple[str, str]], modulus: int, is_own: bool
) -> None:
    """Subtracted products, negative and constant functions; the modulus said in either place."""
    text = "a*0 " + " ".join(f"{sign} {term}" for sign, term in parts)
    expr, said = (f"({text}) % {modulus}", None) if is_own else (text, modulus)
    comes_back(Request(expr=expr, modulus=said).setting())


def test_a_name_with_another_modulus_than_the_one_written_is_refused() -> None:
    data = setting_json(Request(expr="(a + b) % 100").setting())
    with pytest.raises(InvalidInput, match="has its own"):
        read_setting({**data, "modulus": 50})


@pytest.mark.parametrize("kind", ["every", "total", "lengths"])
def test_the_length_of_one_operand_has_one_name(kind: str) -> None:
    words: dict[str, Any] = {"expr": "7*a", "train_digits": "1-3", "padding": "none"}
    setting = Request(**words, train_domain=kind, test_domain=kind).setting()
    assert setting == Request(**words).setting()
    assert all(map(setting.is_premise, (1, 2, 3)))


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ({"train_weights": "uniform"}, {}),
        ({"train_weights": "balanced", "padding": "none"}, {"padding": "none"}),
        ({"train_domain": "coin", "train_weights": "uniform"}, {}),
        ({"train_weights": "1:2,2:4.0"}, {"train_weights": "2:4,1:2"}),
        (
            {"train_digits": "1-2x1", "train_domain": "lengths"},
            {"train_digits": "1-2x1", "test_domain": "lengths"},
        ),
    ],
)
def test_a_domain_has_one_name(words: dict[str, Any], same: dict[str, Any]) -> None:
    some = {"train_digits": "1-2"}
    assert Request("add", **some | words).setting() == Request("add", **some | same).setting()


@pytest.mark.parametrize(
    "words",
    [
        {"train_digits": "1-4x1,3", "test_digits": "1-6x1-3", "train_weights": "uniform"},
        {"train_digits": "1-4x1-2", "padding": "none", "train_weights": "balanced"},
        {"train_digits": "1-2", "train_weights": "2:8,1:1.50", "test_allowed": ("2:3",)},
        {"train_digits": "4+5", "train_domain": "coin", "train_weights": "balanced"},
    ],
)
def test_domains_come_back(words: dict[str, Any]) -> None:
    setting = Request("add", **words).setting()
    assert read_setting(json.loads(json.dumps(setting_json(setting)))) == setting
    assert read_words(" ".join(setting_words(setting))) == setting


@pytest.mark.parametrize("form", ["interleaved", "aligned, 3 digits per token", "aligned"])
@pytest.mark.parametrize("tokens", ["2 digits per token", "whole numbers"])
def test_the_tokens_of_a_setting_are_those_of_its_layout(form: str, tokens: str) -> None:
    asked = {"base": 3, "train_digits": "4", "test_digits": "5-8"}
    before = Request("copy", **asked, layout=f"aligned, {tokens}").setting()
    after = replace(before, layout=layout(form))
    assert after == Request("copy", **asked, layout=form).setting()
    assert after.base == 3**after.train.in_token == 3**after.layout.in_token


def test_a_whole_number_is_one_token_whatever_its_length() -> None:
    short = Request("add", base=3, layout="aligned, whole numbers", train_digits="2").setting()
    assert (short.test_lengths, short.base) == ((1, 2), 3**2)
    assert replace(short, test_lengths=(4,)).base == 3**4


def test_digits_of_examples_are_not_put_together_anew() -> None:
    digits = np.array([[[1, 2]], [[0, 1]], [[2, 2]]])  # units first
    setting = Request("copy", base=3, train_digits="2", test_digits="2").setting()
    shown = replace(setting, train=observed(setting.task, digits, 3, natural=False))
    with pytest.raises(InvalidInput, match="the examples have 1, and do not say what 2"):
        replace(shown, layout=layout("aligned, 2 digits per token"))


def test_a_table_of_weights_is_stored_as_it_is_asked_for() -> None:
    setting = Request("add", train_digits="1-3", train_weights="3:8,1:1,2:1.0").setting()
    assert setting.train.weights == ((1, 1), (2, 1), (3, 8))
    assert setting_json(setting)["train_weights"] == "1:1,2:1,3:8"
    assert "--train-weights 1:1,2:1,3:8" in setting_words(setting)
    assert setting.train.text().endswith("(weights 1:1,2:1,3:8)")


def test_new_options_are_written_where_they_are_set_only() -> None:
    old, new = Request("add").setting(), Request("add", train_digits="1-2x1").setting()
    assert not {"train_weights", "test_allowed"} & set(setting_json(old))
    assert setting_json(new)["train_digits"] == [[1, 2], [1]]
    assert setting_json(new)["test_digits"] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("padding", ["fixed", "none"])
def test_operands_that_are_longest_in_training_go_on_in_tests(padding: str) -> None:
    asked = {"train_digits": "1-4x1-2", "padding": padding}
    setting = Request("add", **asked, test_digits="3,9").setting()
    assert [*setting.test(9).operand_lengths(9, 2)] == [(9, 1), (9, 2)]
    assert [*setting.test(3).operand_lengths(3, 2)] == [(3, 1), (3, 2)]
    given = Request("add", **asked, test_digits="1-3x5").setting()
    assert given.test_lengths == (5,)
    assert [*given.test(5).operand_lengths(5, 2)] == [(1, 5), (2, 5), (3, 5)]
    assert setting.is_premise(3) and not setting.is_premise(9) and not given.is_premise(5)


def test_texts_are_read_as_the_tables_of_grids_are() -> None:
    texts = {"task": "add", "format": "plain", "train-digits": "1-4", "window": "5", "base": " "}
    texts |= {"train_allowed": "1:1-9 2:0", "modulus": ""}
    asked = {"train_digits": "1-4", "window": 5, "train_allowed": ("1:1-9", "2:0")}
    assert request_of(texts) == Request("add", layout="plain", **asked)
    with pytest.raises(InvalidInput, match="unknown key 'windw'; did you mean 'window'"):
        request_of({"windw": "5"})
    with pytest.raises(InvalidInput, match="'--window': 'x' is no whole number"):
        request_of({"window": "x"})
