"""Examples as tokens: which digits are read, ignored or never found, and what comes out."""

from __future__ import annotations

import random
from typing import Any

import pytest

from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import InvalidInput
from arith.theory.prediction.digit_use import Use
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request
from arith.theory.studies.example import Example, examples
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS

MARKS = {Use.READ: "", Use.IGNORED: "_", Use.NEVER_SHOWN: "!", Use.OPEN: "~", None: ""}


def asked(**options: Any) -> Prediction:
    return predict(Request(**options).setting())


def written(x: Example) -> str:
    """An example, each digit with what becomes of it; wrong digits of the answer with an X."""
    said = []
    for t in x.tokens:
        text = t.token.symbol or ("?" if t.value is None else str(t.value))
        said.append(text + MARKS[t.use] + "X" * t.wrong)
    return " ".join(said).removeprefix("<bos> ")


@pytest.mark.parametrize(
    ("options", "longer"),
    [
        (
            {"task": "mod_add", "modulus": 101, "train_digits": "2"},
            "8 5 4_ 0_ 0_ + 3 7 2_ 0_ 0_ = 0X 3X 0",
        ),
        ({"task": "add", "pe": "nope"}, "8 5 3 8~ 0_ 0_ + 3 7 2 6~ 0_ 0_ = ? ? ? ? ? ? ?"),
        ({"task": "add", "pe": "rpe"}, "8 5 3 8_ 0_ 0_ + 3 7 2 6_ 0_ 0_ = 1 3 6 0X 0X 0 0"),
        (
            {"task": "add", "pe": "rpe", "layout": "interleaved", "window": 8, "test_digits": "4"},
            "8 3 1 5 7 3 3 2 6 8 6 4 0_ 0_ 1",
        ),
        (
            {"task": "add", "layout": "scratchpad", "test_digits": "4"},
            "8 5 3 8_ + 3 7 2 6_ = 0 1 1 3 1 6 0 0X 1 0X",
        ),
        (
            {"task": "add", "train_digits": "1-3", "padding": "none", "layout": "plain"},
            "8! 3! 5! 8! + 6 2 7! 3! = ? ? ? ? ? <end>",
        ),
        (
            {"task": "add", "train_digits": "1-3", "padding": "none", "pe": "abacus"},
            "8 5 3 8 + 3 7 2 6 = ? ? ? ? ? <end>",
        ),
        (
            {"task": "mod_add", "modulus": 100, "train_digits": "1-3", "padding": "none"},
            "8! 5! 3_ 8_ + 3! 7! 2_ 6_ = ? ? <end>",
        ),
        (
            {"task": "sub", "results": "signed", "train_digits": "2", "test_digits": "3"},
            "8 5 4_ + 3 7 2_ = 5 1X 0X -1X",
        ),
    ],
)
def test_what_becomes_of_each_digit(options: dict[str, Any], longer: str) -> None:
    *_, last = examples(asked(**options))
    assert written(last) == longer


def test_examples_are_inputs_and_ignored_digits_do_not_change_what_comes_out() -> None:
    """Over settings drawn at random, each encoding and layout among them."""
    draw, shown, ignored = random.Random(0), 0, 0
    for encoding in ENCODINGS:
        for layout in LAYOUTS:
            task = draw.choice(["add", "sub", "mod_add", "mod_mul", "multi_add", "reverse"])
            modulus = draw.randint(2, 200) if task.startswith("mod") else None
            padding, lengths = draw.choice(["fixed", "none"]), draw.choice(["2", "1-3", "1+3"])
            base = draw.choice([2, 10, 16])
            try:
                found = asked(
                    **{"task": task, "modulus": modulus, "base": base, "pe": encoding},
                    **{"layout": layout, "padding": padding, "train_digits": lengths},
                )
            except InvalidInput:
                continue
            for x in examples(found):
                shown += 1
                assert x.setting.test(x.digits).contains(x.operands, x.setting.base)
                assert x.right == x.setting.task.evaluate(*x.operands)
                at = next(y for y in found.lengths if y.digits == x.digits)
                if at.accuracy == 1 and not at.unseen:
                    assert x.expected == x.right
                uses = {t.use for t in x.tokens}
                if x.setting.is_premise(x.digits):
                    assert not uses & {Use.NEVER_SHOWN, Use.OPEN}
                learned = found.learned
                if isinstance(learned, LearnedFunction) and at.because:
                    ignored += _stays(x, learned)
    assert shown > 100 and ignored > 20


def _stays(x: Example, learned: LearnedFunction) -> int:
    """Check that no other value of an ignored digit changes f^; how many were tried."""
    tried = 0
    for t in x.tokens:
        if t.use is Use.IGNORED:
            weight = x.setting.base ** (t.token.position - 1)
            digit = x.operands[t.token.operand] // weight % x.setting.base
            other = list(x.operands)
            other[t.token.operand] += ((digit + 1) % x.setting.base - digit) * weight
            assert learned.evaluate(*other) == learned.evaluate(*x.operands)
            tried += 1
    return tried


def test_where_no_theorem_speaks_of_one_operation_there_is_no_example() -> None:
    assert examples(asked(task="add,sub", layout="plain", window=2, train_digits="2")) == []
