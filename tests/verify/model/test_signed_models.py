"""Models of signed results: they learn the sign, and their answers are numbers with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.cells import cell
from builders.kept_models import kept_run
from builders.tiny_models import QUICK, taught, untrained

from arith import judge
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import named_task
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.verify.model.kept import KeptModel
from arith.verify.model.measure import held_out_accuracy, measure
from arith.verify.model.questions import ask, read_question
from arith.verify.plan.cells import Cell

DIFFERENCE = named_task("sub", results="signed")


def test_a_small_model_learns_the_sign() -> None:
    """One of four does; each of eight seeds was right on ten of 11 inputs or more."""
    c = cell(DIFFERENCE, base=4, train=Domain((1, 2)), test_lengths=(2, 3))
    recipe = replace(QUICK, batch_size=128, muon_lr=0.01)
    models = (taught(c, seeds=(seed,), recipe=recipe).models[0] for seed in range(4))
    model = next((x for x in models if held_out_accuracy(x, c) > 0.9), None)
    assert model is not None
    prediction = predict(c.setting)
    assert measure(model, c, prediction, 2).correct > 9  # of 11
    longer = measure(model, c, prediction, 3)
    assert longer.learned is not None and longer.learned > 3 * longer.correct
    found = ask(model, c, prediction, [read_question(x, c) for x in ("1-3", "0 - 1", "3-1")])
    assert [(x.model, x.right, x.expected) for x in found] == [(-2,) * 3, (-1,) * 3, (2,) * 3]
    assert found[0].row(c) == ("a = 1, b = 3", "trained", "-2", "-2", "-2")


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"layout": "plain"},
        {"layout": "reversed, no signs, end"},
        {"padding": "none", "layout": "plain"},
        {"padding": "none", "layout": "hinted"},
        {"padding": "none", "layout": "reversed, result spaces"},
    ],
)
def test_what_is_written_with_a_sign_is_read_back(words: dict[str, Any]) -> None:
    setting = Request(task="sub", results="signed", train_digits="2", **words).setting()
    fmt = Cell(setting, "pico").format_for(2)
    values = np.arange(-99, 100)
    written = fmt.to_digits(values)
    assert [fmt.number(x) for x in written] == values.tolist()
    operands = np.zeros((len(values), 2, fmt.width), dtype=np.int64)
    said = fmt.write(operands, written)[:, fmt.written_slots]
    assert (fmt.read(said) == written).all()
    assert fmt.number(np.full(fmt.result_width, fmt.minus)) is None


def test_the_minus_stands_above_the_highest_digit() -> None:
    padded = Request(task="sub", results="signed", train_digits="2", test_digits="2").setting()
    natural = Request(
        task="sub", results="signed", train_digits="2", padding="none", layout="plain"
    ).setting()
    operands = np.array([[[3, 0], [5, 0]], [[5, 0], [3, 0]]])  # 3 - 5 and 5 - 3
    fmt = Cell(padded, "pico").format_for(2)
    rows = fmt.write(operands, fmt.results(operands)).tolist()
    assert [row[-3:] for row in rows] == [[2, 0, fmt.minus], [2, 0, 0]]
    fmt = Cell(natural, "pico").format_for(2)
    after = [
        [x for x in row if x != fmt.end + 1]
        for row in map(list, fmt.write(operands, fmt.results(operands)))
    ]
    assert [row[row.index(fmt.base + 2) + 1 :] for row in after] == [
        [fmt.minus, 2, fmt.end],
        [2, fmt.end],
    ]


def test_a_model_that_answers_in_text_is_judged_with_its_signs() -> None:
    words = {"padding": "none", "layout": "plain", "train_digits": "1", "test_digits": "1"}
    setting = Request(task="sub", results="signed", **words).setting()

    def answer(texts: list[str]) -> list[str]:
        return [str(int(t[0]) - int(t[2])) for t in texts]

    [found] = judge(answer, setting).judged.lengths
    assert (found.correct, found.inputs) == (100, 100)


def test_an_export_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from arith.verify.model.huggingface import export

    c = cell(DIFFERENCE)
    with pytest.raises(InvalidInput, match="unsigned results"):
        export(KeptModel(untrained(c), kept_run(c)), tmp_path)
