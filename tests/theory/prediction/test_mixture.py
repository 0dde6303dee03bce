"""Several operations in one model: what is predicted, against enumeration, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from builders.brute_force import members
from builders.predictions import predicted

from arith.theory.arithmetic.tasks import named_task
from arith.theory.errors import InvalidInput
from arith.theory.generalization.outcomes import Claim
from arith.theory.setting.requests import Request, read_setting, setting_json


@pytest.mark.parametrize(
    ("task", "modulus", "kind"),
    [
        ("add,sub", None, "longest"),
        ("add,sub,mul", None, "every"),
        ("mod_mul,mod_sub", 6, "longest"),
    ],
)
def test_the_accuracy_is_that_of_all_inputs_of_every_operation(
    task: str, modulus: int | None, kind: str
) -> None:
    found = predicted(
        task=task, modulus=modulus, base=3, train_digits="2", test_digits="1-3", test_domain=kind
    )
    learned = found.learned
    assert learned is not None
    for x in found.lengths:
        test = found.setting.test(x.digits)
        inputs = [
            (*operands, i)
            for i, part in enumerate(found.setting.task.operations)
            for operands in members(part, test, 3)
        ]
        right = sum(found.setting.task.evaluate(*o) == learned.evaluate(*o) for o in inputs)
        if x.learned_accuracy is not None and not found.setting.is_premise(x.digits):
            assert x.learned_accuracy == Fraction(right, len(inputs))
        # Of the mean: what each operation by itself is said to be.
        each = [p.lengths[found.lengths.index(x)] for p in found.operations]
        sizes = [len(members(p.setting.task, test, 3)) for p in found.operations]
        least = sum(n * one.at_least for n, one in zip(sizes, each, strict=True))
        most = sum(n * one.at_most for n, one in zip(sizes, each, strict=True))
        assert x.at_least == least / len(inputs) and x.at_most == most / len(inputs)


def test_where_each_is_right_all_are_and_json_has_each() -> None:
    right = predicted(task="mod_add,mod_sub", modulus=10, train_digits="2", test_digits="1-4")
    assert [x.accuracy for x in right.lengths] == [1] * 4
    assert "operations" not in predicted(task="mod_add", modulus=10).to_json()
    told = right.to_json()
    assert [x["expression"] for x in told["operations"]] == ["Mod(a + b, 10)", "Mod(a - b, 10)"]


@pytest.mark.parametrize(
    "words",
    [
        {"task": "add,sub"},
        {"task": "mod_add,mod_mul", "modulus": 7},
        {"expr": "a + b, 2*a - b"},
        {"expr": "a + b, a*b", "modulus": 7},
        {"expr": "(a + b) % 7, (a*b) % 7"},
    ],
)
def test_a_setting_of_several_operations_is_read_as_it_was_written(words: dict[str, Any]) -> None:
    setting = Request(**words).setting()
    assert len(setting.task.operations) == 2
    assert read_setting(setting_json(setting)) == setting


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"task": "add,sub", "layout": "bare"}, "layout with signs"),
        ({"task": "add,sub", "layout": "interleaved"}, "layout with signs"),
        ({"task": "add,sub", "layout": "scratchpad", "padding": "none"}, "writes carries"),
        ({"task": "add,add"}, "given twice"),
        ({"task": "add,multi_add"}, "other operands, a, b and a, b, c"),
        ({"task": "square,square"}, "one operand has no sign"),
        ({"task": "add,foo"}, "unknown task 'foo'"),
        ({"expr": "(a + b) % 7, (a*b) % 5"}, "one modulus"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as raised:
        Request(**words).setting()
    assert "\n" not in str(raised.value)


def test_nothing_follows_where_a_window_hides_the_sign() -> None:
    near = {"task": "mod_add,mod_sub", "modulus": 10, "train_digits": "2", "test_digits": "1-3"}
    hidden = predicted(**near, window=4)
    assert [x.claim for x in hidden.lengths] == [Claim.NONE, Claim.EXACT, Claim.NONE]
    assert [x.rule for x in hidden.derivation if x.leaves_open] == ["blind"]
    shown = predicted(**near, window=4, layers=4)
    assert any(x.rule == "operations" for x in shown.derivation)


def test_operations_say_what_holds_of_all_of_them() -> None:
    task = named_task("add,sub")
    assert task.text() == "a + b or a - b"
    assert [task.evaluate(7, 5, i) for i in range(2)] == [12, 2]
    assert task.symmetric_operands == ((0, 1),)
    assert task.result_width(10, 2) == 3
