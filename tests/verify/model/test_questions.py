"""Questions to a kept model: the operands of a text, and the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from builders.cells import cell, natural_cell
from builders.kept_models import kept_run
from builders.tiny_models import taught, untrained

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import named_task
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.text.text import setting_lines
from arith.verify.model.measure import answers, held_out_accuracy, measure
from arith.verify.model.networks import network
from arith.verify.model.questions import ask, legend, read_question

if TYPE_CHECKING:
    from builders.tiny_models import Taught

SUM = cell("mod_add", 101, test_lengths=(2, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12", r"mod 101 takes a, b; the numbers given: 12"),
        ("1 2 3", "the numbers given: 1, 2, 3"),
        ("nothing", "the numbers given: none"),
        ("-3 + 5", "no operand is negative"),
        ("5 + −3", "no operand is negative"),
        ("a = 5, b = (-3)", "no operand is negative"),
        ("5 - 3", r"between the operands of \(a \+ b\) mod 101 stands '\+' or ','$"),
        ("5 minus 3", r"stands '\+' or ','"),
        ("12*34", r"stands '\+' or ','"),
        ("12 = 34", r"stands '\+' or ','"),
        ("1000 + 1", "1000 has more than 3 digits, the width of its operands"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_question(text, SUM)


def test_operands_are_shorter_than_what_they_are_padded_to_where_results_are_longer() -> None:
    wide = cell("add", form="interleaved", test_lengths=(2, 3))
    assert "padded to 4 digits" in setting_lines(wide.setting)[1]
    assert read_question("999 + 999", wide) == (999, 999)
    with pytest.raises(InvalidInput, match=r"1000 has .* 3 digits, .*: results have 4, and all"):
        read_question("1000 + 1", wide)


@pytest.mark.parametrize(
    "text", ["12, 34", "12 34 = ?", "a = 12, b = 34", "(12)+(34)", "12 plus 34", "12 and 34"]
)
def test_a_question_has_the_sign_of_its_task_or_none(text: str) -> None:
    assert read_question(text, SUM) == (12, 34)


def test_a_task_is_not_asked_where_it_is_not_defined() -> None:
    assert read_question("7 - 3", cell("sub")) == read_question("7 and 3", cell("sub")) == (7, 3)
    with pytest.raises(InvalidInput, match="a - b is negative there"):
        read_question("3 - 7", cell("sub"))


def test_the_sign_says_which_of_several_operations_is_asked_for() -> None:
    c = cell("add,sub", test_lengths=(1, 2))
    net, prediction = network(c, seed=1), predict(c.setting)
    questions = [read_question(text, c) for text in ("12 + 3", "12 - 3", "12 − 3")]
    assert questions == [(12, 3, 0), (12, 3, 1), (12, 3, 1)]
    found = ask(net, c, prediction, questions)
    assert [x.right for x in found] == [15, 9, 9]
    assert {x.inputs for x in found} == {Direction.IN_DOMAIN}
    assert found[1].row(c)[0] == "a = 12, b = 3: a - b"
    assert found[1].to_json(c).items() >= {"operation": "sub", "operands": [12, 3]}.items()
    for text, message in (
        ("12, 3", r"between the operands of a \+ b or a - b stands '\+' or '-'"),
        ("3 - 12", "a - b is negative there"),
    ):
        with pytest.raises(InvalidInput, match=message):
            read_question(text, c)


def test_a_model_is_asked(tiny: Taught) -> None:
    """Sums mod 4, whatever the digits above the units: right at every length."""
    c, prediction = tiny.cell, predict(tiny.cell.setting)
    questions = [read_question(text, c) for text in ("12 + 33", "3 + 2", "321 + 3")]
    found = ask(tiny.models[0], c, prediction, questions)
    assert [x.operands for x in found] == [(6, 15), (3, 2), (57, 3)]
    assert [x.inputs for x in found] == [
        Direction.IN_DOMAIN,
        Direction.DOWNWARD,
        Direction.UPWARD,
    ]
    assert [(x.model, x.right, x.expected) for x in found] == [(1, 1, 1), (1, 1, 1), (0, 0, 0)]
    assert found[2].row(c) == ("a = 321, b = 3", "longer", "0", "0", "0")


def test_many_questions_take_few_passes_and_each_has_its_own_answer() -> None:
    """In the order in which they were asked, whatever their lengths."""
    net, prediction = untrained(SUM, std=0.5), predict(SUM.setting)
    asked = [(7 * i % 1000, 13 * i % 10 ** (1 + i % 3)) for i in range(300)]
    passes: list[int] = []
    with net.embedding.register_forward_hook(lambda *_: passes.append(1)):
        found = ask(net, SUM, prediction, asked)
    assert [x.operands for x in found] == asked
    assert len(passes) <= 3 * (SUM.format.result_width + 1)
    assert len({x.model for x in found}) > 3
    for i in (0, 1, 2, 150, 299):
        assert found[i] == ask(net, SUM, prediction, [asked[i]])[0]


def test_an_answer_with_a_sign_in_it_is_none() -> None:
    net = untrained(SUM)
    with torch.no_grad():
        for p in net.parameters():
            p.zero_()
        assert net.head is not None and net.norm.bias is not None
        net.norm.bias.fill_(1)
        net.head.weight[-1] = 1  # it always says "="
    [found] = ask(net, SUM, predict(SUM.setting), [(1, 2)])
    assert (found.model, found.right) == (None, 3)
    assert found.row(SUM)[2] == "none"


def test_the_legend_says_what_theory_says_of_the_model() -> None:
    told = legend(kept_run(SUM), predict(SUM.setting))
    assert told == ["right: (a + b) mod 101", "f^: ((a mod 100) + (b mod 100)) mod 101"]
    *_, missed = legend(kept_run(SUM, premise=0.5), predict(SUM.setting))
    assert "does not meet the premise" in missed and "0.500 of 1,000" in missed
    open_cell = cell(pe="nope")
    assert "not predicted" in legend(kept_run(open_cell), predict(open_cell.setting))[1]


def test_numbers_of_natural_length_are_asked_as_long_as_they_are() -> None:
    """However long the others are that are asked with them."""
    c = natural_cell("rpe", "interleaved")
    net, prediction = network(c, seed=1), predict(c.setting)
    short = np.array([[[2, 1], [4, 3]]])  # 12 + 34, in two digits each
    said = answers(net, c, short)[0].tolist()
    value = sum(d * 10**i for i, d in enumerate(said)) if 0 <= min(said) <= max(said) < 10 else None
    found = ask(net, c, prediction, [(12345, 6), (12, 34)])
    assert found[1].model == value


def test_a_small_model_learns_a_function_of_digits() -> None:
    task, train = named_task("max_digit", base=6), Domain((1, 2, 3))
    c = cell(task, base=6, train=train, test_lengths=(3, 4))
    [model] = taught(c, seeds=(0,)).models
    prediction = predict(c.setting)
    assert held_out_accuracy(model, c) > 0.9
    longer = measure(model, c, prediction, 4)
    assert longer.samples == 1080 and longer.learned is not None and longer.learned > 800
    found = ask(model, c, prediction, [read_question(x, c) for x in ("a = 304", "max_digit(25)")])
    assert [(x.operands, x.model, x.right) for x in found] == [((112,), 4, 4), ((17,), 5, 5)]
