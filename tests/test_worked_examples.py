"""Every line of the page of worked examples."""

from __future__ import annotations

import shlex

import pytest
from builders.paths import ROOT

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.prediction.predict import predict
from arith.theory.setting.decision import Decision
from arith.theory.setting.properties import base_aligned, digit_causal
from arith.theory.setting.requests import Request

PAGE = ROOT / "docs" / "worked-examples.md"
ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split("|")]
    for line in PAGE.read_text().splitlines()
    if line.startswith("| `--")
]


def request(options: str) -> Request:
    words = shlex.split(options)
    fields: dict = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        key = name.removeprefix("--").replace("-", "_")
        if key in ("base", "window", "layers", "modulus"):
            fields[key] = int(value)
        else:
            fields[key] = (value,) if key in ("train_priming", "train_allowed") else value
    return Request(**fields)


def test_the_page_has_its_examples() -> None:
    assert len(ROWS) >= 25


@pytest.mark.parametrize("row", ROWS, ids=[r[0] for r in ROWS])
def test_worked_example(row: list[str]) -> None:
    options, causal, count, k, down, up, accuracies, why = row
    setting = request(options.strip("`")).setting()
    task, base = setting.task, setting.base
    prediction = predict(setting)
    assert digit_causal(task, base)[0] is Decision(causal)
    found = str(digit_automaton(task, base).states) if task.has_finite_carry else "-"
    assert found == count
    least = None if task.modulus is None else base_aligned(task.modulus, base)
    assert ("-" if least is None else str(least)) == k
    assert (prediction.verdict("downward"), prediction.verdict("upward")) == (down, up)
    longer = [x.accuracy for x in prediction.lengths if x.direction == "upward"]
    assert " ".join("?" if a is None else str(a) for a in longer) == accuracies
    assert why or "2*a+3*b" in options
