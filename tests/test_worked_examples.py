"""Every line of the page of worked examples."""

from __future__ import annotations

import shlex

from builders.paths import ROOT

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.properties import base_aligned, digit_causal
from arith.theory.prediction.predict import predict
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


def test_worked_examples() -> None:
    for options, *said, why in ROWS:
        setting = request(options.strip("`")).setting()
        task, base = setting.task, setting.base
        prediction = predict(setting)
        least = None if task.modulus is None else base_aligned(task.modulus, base)
        longer = [x.accuracy for x in prediction.lengths if x.direction == "upward"]
        found = [
            digit_causal(task, base)[0].value,
            str(digit_automaton(task, base).states) if task.has_finite_carry else "-",
            "-" if least is None else str(least),
            prediction.verdict("downward"),
            prediction.verdict("upward"),
            " ".join("?" if a is None else str(a) for a in longer),
        ]
        assert found == said, options
        assert why or "2*a+3*b" in options
