"""External models: what they are asked, and answers that follow a known function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from builders.cells import cell

from arith.theory.errors import InvalidInput
from arith.theory.setting.domains import Domain
from arith.theory.setting.expressions import parse_task
from arith.theory.setting.layouts import layout
from arith.theory.setting.settings import Setting
from arith.theory.setting.tasks import Task, named_task
from arith.verify.external import COLUMNS, evaluate, first_integer, questions, table
from arith.verify.external_model import ExternalModel
from arith.verify.plan.inputs import SAMPLES, inputs
from arith.verify.plan.sequences import Format


@dataclass(frozen=True)
class Oracle(ExternalModel):
    """Answers each question by a function of its operands, and remembers what it was asked."""

    net: Any = None
    tokenizer: Any = None
    answer: Callable[..., object] = lambda *operands: 0
    prompts: list[str] = field(default_factory=list)

    def complete(self, prompts: Sequence[str], tokens: int) -> list[str]:
        self.prompts.extend(prompts)
        asked = [p.splitlines()[-1].split(" mod ")[0] for p in prompts]
        return [f" {self.answer(*map(int, re.findall('[0-9]+', q)))}\n1 + 1 = 2" for q in asked]


def decimal(task: Task, train: Domain, *tests: int) -> Setting:
    return cell(task=task, train=train, test_lengths=tests).setting


@pytest.mark.parametrize(
    ("name", "modulus"), [("add", None), ("sub", None), ("mul", None), ("mod_add", 101)]
)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_answers_that_ignore_high_digits_are_explained_so(
    name: str, modulus: int | None, n: int
) -> None:
    task = named_task(name, modulus)
    model = Oracle(answer=lambda a, b: task.evaluate(a % 10**n, b % 10**n))
    got = evaluate(model, decimal(task, Domain((n,)), 4), 4, samples=300)
    assert len(got.explanations) == 4
    assert got.best is got.explanations[n]
    assert got.best.function.startswith(f"f^ of D_{n} = ")
    assert (got.best.answers, got.best.errors) == (got.samples, got.errors)
    assert got.explanations[0].errors == 0
    assert got.explanations[0].answers == got.correct


def test_a_model_that_is_right_has_nothing_to_explain() -> None:
    task = named_task("mul")
    got = evaluate(Oracle(answer=task.evaluate), decimal(task, Domain((2,)), 3), 3, samples=100)
    assert got.correct == got.explanations[0].answers == got.samples == 100
    assert got.best is None


def test_half_of_the_errors_is_not_enough() -> None:
    setting = decimal(named_task("add"), Domain((1,)), 2)
    answers = iter(range(100))

    def half(a: int, b: int) -> int:
        return a % 10 + b % 10 if next(answers) % 2 else -1

    got = evaluate(Oracle(answer=half), setting, 2, samples=100)
    assert (got.errors, got.explanations[1].errors) == (100, 50)
    assert table([got]) == [["2", "100", "0.000 [0.000, 0.026]", "0.000", "none"]]


def test_answers_without_an_integer_are_wrong_and_counted() -> None:
    """The integer on the next line is not the answer."""
    model = Oracle(answer=lambda a, b: "who knows" if a == 3 else a + b)
    got = evaluate(model, decimal(named_task("add"), Domain((1,)), 1), 1, shots=0)
    assert (got.samples, got.correct, got.no_integer) == (100, 90, 10)
    assert table([got])[0][2:] == ["0.900 [0.840, 0.939]", "0.100", "none"]
    assert len(table([got])[0]) == len(COLUMNS)


@pytest.mark.parametrize(
    ("text", "base", "integer"),
    [
        (" 46\n12 + 3 = 15", 10, 46),
        ("\n\n46", 10, 46),
        (" is 046.5", 10, 46),
        (" -3", 10, -3),
        ("none\n46", 10, None),
        ("", 10, None),
        (" 101", 2, 5),
        (" 103", 3, None),
    ],
)
def test_the_first_integer_of_an_answer(text: str, base: int, integer: int | None) -> None:
    assert first_integer(text, base) == integer


@pytest.mark.parametrize(
    ("task", "base", "text"),
    [
        (named_task("add"), 10, "102 + 30 ="),
        (named_task("mul"), 10, "102 * 30 ="),
        (named_task("mod_sub", 7), 10, "(102 - 30) mod 7 ="),
        (named_task("affine"), 10, "2 * 102 + 3 * 30 + 1 ="),
        (parse_task("(a*b + b**2) % 12"), 10, "(102 * 30 + 30^2) mod 12 ="),
        (named_task("add"), 5, "102 + 30 ="),
    ],
)
def test_questions_are_written_as_people_write_them(task: Task, base: int, text: str) -> None:
    form = Format(task, base, layout("aligned"), 4)
    assert questions(form, np.array([[[2, 0, 1, 0], [0, 3, 0, 0]]])) == [text]


def test_the_solved_examples_come_from_training_and_are_never_asked() -> None:
    setting = decimal(named_task("mod_add", 7), Domain((1,)), 1, 3)
    models = [Oracle() for _ in range(2)]
    measured = [evaluate(m, setting, n, shots=5) for m, n in zip(models, (1, 3), strict=True)]
    shown = {tuple(p.splitlines()[:-1]) for m in models for p in m.prompts}
    [examples] = shown  # the same before every question
    assert len(examples) == 5
    for line in examples:
        [(a, b, c)] = re.findall(r"^\((.) \+ (.)\) mod 7 = (.)$", line)
        assert (int(a) + int(b)) % 7 == int(c)
    solved = {line.rpartition(" ")[0] for line in examples}
    asked = {p.splitlines()[-1] for p in models[0].prompts}
    assert not solved & asked
    assert measured[0].samples == len(asked) == 100 - len(solved)


def test_an_external_model_is_asked_what_trained_models_are() -> None:
    trained = cell(test_lengths=(3,))
    model = Oracle()
    evaluate(model, trained.setting, 3, samples=SAMPLES, shots=0)
    operands, _ = inputs(trained, Domain((3,)), None)
    assert model.prompts == questions(trained.format, operands)


@pytest.mark.parametrize(
    ("base", "options", "message"),
    [
        (11, {}, "asked in base 2 to 10, not 11"),
        (2, {"shots": 100}, "D_1 has no examples that are not shown solved"),
    ],
)
def test_what_cannot_be_asked(base: int, options: dict[str, int], message: str) -> None:
    setting = cell(base=base, train=Domain((1,)), test_lengths=(1,)).setting
    with pytest.raises(InvalidInput, match=message):
        evaluate(Oracle(), setting, 1, **options)
