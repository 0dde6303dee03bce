"""Examples of several operations: how they are drawn, written, held out and judged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arith.theory.setting.requests import Request
from arith.verify.data.sampling import Sampler
from arith.verify.data.texts import example_texts
from arith.verify.model.measure import learned_answers
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import held_out_count, held_out_inputs, inputs_at


def cell(**words: Any) -> Cell:
    return Cell(Request(**words).setting(), "pico")


@pytest.mark.parametrize(
    "words",
    [
        {"task": "add,sub", "train_digits": "2"},
        {"task": "sub,add,mul", "train_digits": "1-3", "padding": "none", "layout": "plain"},
    ],
)
def test_training_draws_every_operation_as_often_and_writes_its_sign(words: dict[str, Any]) -> None:
    c = cell(**words)
    fmt, parts = c.training_format, c.setting.task.operations
    rng = np.random.default_rng(1)
    operands = Sampler(fmt, c.setting.train, evenly=True).sample(6000, rng, held_out=False)
    which = operands[:, -1, 0]
    assert np.bincount(which) == pytest.approx([6000 / len(parts)] * len(parts), rel=0.07)
    results = fmt.results(operands)
    assert results.min() >= 0  # no difference is negative
    written = fmt.write(operands, results)
    signs = (written > fmt.base) & (written <= fmt.base + len(parts))
    assert signs.sum(axis=1).tolist() == [1] * 6000
    assert (written[signs] == fmt.base + 1 + which).all()
    assert written.max() < fmt.vocabulary
    a, b, _ = fmt.values(operands)
    for i, part in enumerate(parts):
        said = fmt.to_digits(part.evaluate(a, b))
        assert (said[which == i] == results[which == i]).all()


def test_what_is_tested_is_every_input_of_every_operation() -> None:
    c = cell(task="add,sub", base=3, train_digits="2", test_digits="1-3")
    operands, whole = inputs_at(c, 1)
    assert whole and len(operands) == 9 + 6  # a - b where a >= b
    assert held_out_count(c) == sum(map(len, held_out_inputs(c)))
    for x in c.prediction.lengths:
        operands, whole = inputs_at(c, x.digits)
        expected = learned_answers(c.prediction, c, operands)
        assert expected is not None
        right = (expected == c.format_for(x.digits).results(operands)).all(axis=1)
        if whole and x.learned_accuracy is not None:
            assert float(right.mean()) == pytest.approx(float(x.learned_accuracy))


def test_a_question_in_text_has_the_sign_of_its_operation() -> None:
    c = cell(task="add,sub", train_digits="1")
    operands = np.array([[[7], [5], [0]], [[7], [5], [1]]])
    assert example_texts(c.format_for(1), operands).prompts == ["7000+5000=", "7000-5000="]
