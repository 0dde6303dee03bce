"""C-RASP and RASP-L beside a prediction: what they speak of, and what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arith.theory.prediction.expressibility import expressibility
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.text.answer import published_lines


def said(**words: Any) -> dict[str, str]:
    setting = Request(train_digits="1-5", padding="none", **words).setting()
    return {x.criterion: x.says for x in expressibility(setting)}


@pytest.mark.parametrize(
    "words",
    [
        {"task": "add", "pe": "ape"},
        {"task": "add", "pe": "nope", "layout": "plain"},
        {"expr": "a", "pe": "nope"},  # copying
        {"expr": "a % 2", "base": 3, "pe": "ape"},  # parity of the digits' sum
    ],
)
def test_tasks_without_a_program(words: dict[str, Any]) -> None:
    assert said(**words) == {"C-RASP": "fails", "RASP-L": "fails"}


def test_index_hints_give_addition_a_program_and_no_other_task() -> None:
    assert said(task="add", pe="nope", layout="hinted") == {"RASP-L": "generalizes"}
    assert said(expr="a", pe="nope", layout="hinted") == {}


@pytest.mark.parametrize(
    "words",
    [
        {"task": "add", "pe": "rpe"},
        {"task": "add", "pe": "ape", "layout": "interleaved"},
        {"task": "add", "pe": "ape", "layout": "scratchpad"},
        {"task": "add", "pe": "ape", "layout": "spaced"},
        {"expr": "a + b + 1", "pe": "ape"},
        {"expr": "2*a", "pe": "ape"},
        {"expr": "a % 2", "pe": "ape"},  # the units digit alone
        {"task": "mod_add", "modulus": 100, "pe": "ape"},
    ],
)
def test_of_other_settings_they_do_not_speak(words: dict[str, Any]) -> None:
    assert said(**words) == {}


def test_they_stand_beside_the_prediction_with_their_source() -> None:
    setting = Request(task="add", pe="ape", train_digits="1-5", padding="none").setting()
    lines = published_lines(predict(setting))
    assert [line.split(":")[0] for line in lines] == ["Published theorem", "C-RASP", "RASP-L"]
    assert "arXiv 2410.02140" in lines[1] and "arXiv 2310.16028" in lines[2]
    rows = json.loads(json.dumps(predict(setting).to_json()))["expressibility"]
    assert [(x["criterion"], x["says"]) for x in rows] == [("C-RASP", "fails"), ("RASP-L", "fails")]
    padded = Request(task="add", pe="ape").setting()
    assert "expressibility" not in predict(padded).to_json()
