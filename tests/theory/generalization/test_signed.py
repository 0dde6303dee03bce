"""Results with a minus sign: where a - b is negative too it is defined, and what follows there."""

from __future__ import annotations

from typing import Any

import pytest
from builders.brute_force import brute_accuracy
from builders.predictions import predicted

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.properties import digit_causal, translation_invariant
from arith.theory.arithmetic.tasks import named_task
from arith.theory.errors import InvalidInput
from arith.theory.generalization.outcomes import Claim
from arith.theory.setting.requests import Request, read_setting, setting_json, setting_words

SIGNED: dict[str, Any] = {"task": "sub", "results": "signed"}


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"train_domain": "every", "test_domain": "every"},
        {"train_allowed": ("2:1,2",)},
        {"task": None, "expr": "2*a - b - 3"},
        {"task": None, "expr": "a - b*b"},
    ],
)
def test_the_accuracy_is_that_of_all_operands_without_an_order(words: dict[str, Any]) -> None:
    found = predicted(**SIGNED | {"base": 3, "train_digits": "2", "test_digits": "1-4"} | words)
    assert found.learned is not None
    for x in found.lengths:
        if x.digits > 2:
            right = brute_accuracy(found.learned, found.setting.test(x.digits))
            assert x.learned_accuracy == right < 1
            assert x.at_least <= right <= x.at_most


def test_a_difference_is_right_where_the_ignored_digits_are_equal() -> None:
    long = predicted(**SIGNED, train_digits="20", test_digits="21")
    assert str(long.lengths[0].accuracy) == "1/11"


def test_no_digit_rule_is_taken_to_go_on_or_to_stop() -> None:
    """The digits of |a - b| follow a carry once the sign is known: both stay open."""
    for words in ({"pe": "rpe"}, {"pe": "sinusoidal"}, {"pe": "abacus"}, {"pe": "nope"}):
        found = predicted(**SIGNED, **words, train_digits="2", test_digits="3-4")
        assert [x.claim for x in found.lengths] == [Claim.NONE] * 2
    for layout in ("plain", "reversed"):
        natural = predicted(**SIGNED, layout=layout, padding="none", train_digits="1-2")
        assert [x.accuracy for x in natural.lengths] == [1, 1, None, None, None]


@pytest.mark.parametrize("base", [2, 3, 10])
def test_the_digits_of_an_absolute_value_do_not_come_from_lower_ones(base: int) -> None:
    task = named_task("sub", results="signed")
    decision, witness = digit_causal(task, base)
    assert decision is Decision.NO and witness is not None
    low = base**witness.digits
    first, second = (abs(task.evaluate(*x)) % low for x in (witness.first, witness.second))
    assert first != second
    assert all((x - y) % low == 0 for x, y in zip(witness.first, witness.second, strict=True))
    assert translation_invariant(task) and not task.has_finite_carry


@pytest.mark.parametrize(
    "words",
    [SIGNED, {**SIGNED, "task": "add,sub"}, {"expr": "a - 2*b", "results": "signed"}],
)
def test_a_setting_of_signed_results_is_read_as_it_was_written(words: dict[str, Any]) -> None:
    setting = Request(**words).setting()
    assert read_setting(setting_json(setting)) == setting
    assert "--results signed" in setting_words(setting)
    unsigned = Request(**words | {"results": "unsigned"}).setting()
    assert "results" not in setting_json(unsigned) and unsigned != setting


def test_several_operations_write_the_sign_of_each() -> None:
    found = predicted(task="add,sub", results="signed", base=3, train_digits="2", test_digits="3")
    assert found.setting.task.evaluate(3, 5, 1) == -2
    add, sub = (x.lengths[0].learned_accuracy for x in found.operations)
    assert add is not None and sub is not None
    assert found.lengths[0].learned_accuracy == (add + sub) / 2  # both are defined everywhere


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"task": "add", "results": "signed"}, "'add' is never negative"),
        ({"task": "mod_sub", "modulus": 7, "results": "signed"}, "never negative"),
        ({"task": "sub", "results": "sign"}, "unknown kind of results 'sign'; did you mean"),
        ({**SIGNED, "layout": "interleaved"}, "needs a digit causal task"),
        ({**SIGNED, "layout": "scratchpad", "padding": "none"}, "writes carries"),
        ({"expr": "a - b*b"}, "or write signs"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as raised:
        Request(**words).setting()
    assert "\n" not in str(raised.value)
