"""External models: what they are asked, and answers that follow a known function."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from builders.cells import cell
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task, named_task
from arith.theory.errors import InvalidInput
from arith.theory.generalization.predict import predict
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import encoding
from arith.theory.transformer.layouts import layout
from arith.verify.data.sequences import Format
from arith.verify.external import (
    COLUMNS,
    JUDGED_COLUMNS,
    evaluate,
    judge_answers,
    judged_table,
    questions,
    read_answer,
    table,
)
from arith.verify.judging.judge import Verdict, exit_code
from arith.verify.plan.inputs import SAMPLES, inputs


@dataclass(frozen=True)
class Oracle:
    """Answers each question by a function of its operands, and remembers what it was asked."""

    function: Callable[..., object] = lambda *operands: 0
    prompts: list[str] = field(default_factory=list)

    def __call__(self, prompts: list[str]) -> list[str]:
        self.prompts.extend(prompts)
        asked = [p.splitlines()[-1].split(" mod ")[0] for p in prompts]
        return [f" {self.function(*map(int, re.findall('[0-9]+', q)))}\n1 + 1 = 2" for q in asked]


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
    model = Oracle(lambda a, b: task.evaluate(a % 10**n, b % 10**n))
    got = evaluate(model, decimal(task, Domain((n,)), 4), 4, samples=300)
    assert len(got.explanations) == 4
    assert got.best is got.explanations[n]
    assert got.best.function.startswith(f"f^ of D_{n} = ")
    assert (got.best.answers, got.best.errors) == (got.samples, got.errors)
    assert got.explanations[0].errors == 0
    assert got.explanations[0].answers == got.correct


def test_a_model_that_is_right_has_nothing_to_explain() -> None:
    task = named_task("mul")
    got = evaluate(Oracle(task.evaluate), decimal(task, Domain((2,)), 3), 3, samples=100)
    assert got.correct == got.explanations[0].answers == got.samples == 100
    assert got.best is None


def test_half_of_the_errors_is_not_enough() -> None:
    setting = decimal(named_task("add"), Domain((1,)), 2)
    answers = iter(range(100))

    def half(a: int, b: int) -> int:
        return a % 10 + b % 10 if next(answers) % 2 else -1

    got = evaluate(Oracle(half), setting, 2, samples=100)
    assert (got.errors, got.explanations[1].errors) == (100, 50)
    assert table([got]) == [["2", "100", "0.000 [0.000, 0.026]", "0.000", "none"]]


def test_answers_without_an_integer_are_wrong_and_counted() -> None:
    """The integer on the next line is not the answer."""
    model = Oracle(lambda a, b: "who knows" if a == 3 else a + b)
    got = evaluate(model, decimal(named_task("add"), Domain((1,)), 1), 1, shots=0)
    assert (got.samples, got.correct, got.no_integer) == (100, 90, 10)
    assert table([got])[0][2:] == ["0.900", "0.100", "none"]
    assert len(table([got])[0]) == len(COLUMNS)


@pytest.mark.parametrize(
    ("text", "base", "integer"),
    [
        (" 46\n12 + 3 = 15", 10, 46),
        ("\n\n46", 10, 46),
        (" is 046.5", 10, None),
        (" is 046.0", 10, 46),
        (" 1,234.", 10, 1234),
        (" −3", 10, -3),
        (" **46**", 10, 46),
        ("answer: **46** = 12 + 34", 10, 46),
        (" 46 1 + 1 = 2", 10, 46),
        (" 12 + 34", 10, None),
        (" 12 + 34 = 46. 1 + 1 = 2", 10, 46),
        (" 46 = 40 + 6", 10, 46),
        (" The sum of 12 and 34 is 46.", 10, 46),
        (" 1e3", 10, None),
        (" -3", 10, -3),
        ("none\n46", 10, None),
        ("", 10, None),
        (" 101", 2, 5),
        (" 103", 3, None),
    ],
)
def test_the_number_of_an_answer(text: str, base: int, integer: int | None) -> None:
    assert read_answer(text, base) == integer


NUMBERS = st.integers(-(10**9), 10**9)
OPERANDS = st.integers(0, 10**6)
WRITTEN = (
    "{n}",
    "{n:,}",
    "{n}.0",
    "\n {n}",
    "{n}\n{a} + 1 = 2",
    "**{n}**",
    "({n})",
    "${n}$",
    "{n}!",
)
BEFORE = ("", "{a} + {b} = ", "{a} plus {b} is ", "= ", "the answer is ", "x = ", "answer: ")
AFTER = ("", ".", ", I think", " = {a} + {b}", " {a} + {b} = 7", "\n{a}", " - the answer")


@given(NUMBERS, OPERANDS, OPERANDS, *map(st.sampled_from, (WRITTEN, BEFORE, AFTER)))
def test_an_answer_is_the_number_that_a_person_would_read(
    n: int, a: int, b: int, number: str, before: str, after: str
) -> None:
    """However it is written, and whatever expression stands before and after it."""
    if "\n" in number:
        before = after = ""
    text = (before + number + after).format(n=n, a=a, b=b)
    assert read_answer(text, 10) == n


@given(NUMBERS, st.sampled_from(("a{n}", "{n}th", "{n}.5", "none", "", "{n} + 1", "x\n{n}")))
def test_what_is_no_whole_number_is_no_answer(n: int, text: str) -> None:
    assert read_answer(text.format(n=n), 10) is None


SUM = Setting(
    named_task("add"),
    10,
    encoding("rope"),
    layout("plain"),
    Domain((2,)),
    test_lengths=(1, 2, 3),
    padding="none",
)


def test_a_model_is_judged_by_its_answers() -> None:
    """It is asked what trained models are, and judged by the same standards."""
    right = Oracle(lambda a, b: a + b)
    got = judge_answers(right, SUM)
    claims = [x.at_most for x in predict(SUM).lengths]
    assert claims[0] < 1 and claims[2] < 1 and claims[1] == 1
    assert [x.verdict for x in got.verdict.lengths] == [
        Verdict.DIVERGE,
        Verdict.PREMISE,
        Verdict.DIVERGE,
    ]
    assert exit_code([got.verdict]) == 1 and "diverge" in got.sentence
    assert [(x.samples, x.exhaustive) for x in got.lengths] == [
        (100, True),
        (9900, True),
        (10000, False),
    ]
    rows = judged_table(got)
    assert rows[0] == ["1", "100", "1.000", "all asked", "at most 11/20", "diverge"]
    assert rows[2][2:4] == ["1.000", "1.000..1.000"]
    assert len(rows[0]) == len(JUDGED_COLUMNS)

    learned = judge_answers(Oracle(lambda a, b: a + b if 10 <= max(a, b) < 100 else 0), SUM)
    assert [x.verdict for x in learned.verdict.lengths][::2] == [Verdict.AGREE] * 2
    assert exit_code([learned.verdict]) == 0


def test_a_model_that_is_wrong_where_it_was_trained_is_not_judged() -> None:
    got = judge_answers(Oracle(lambda a, b: 0), replace(SUM, test_lengths=(3,)))
    assert exit_code([got.verdict]) == 3
    assert got.sentence.startswith("Inconclusive: it is right on 0.000 of the inputs")


def test_a_claim_that_asks_for_indifference_is_not_decided_by_answers() -> None:
    """Padded operands under absolute positions: the answers of f^ do not show what is ignored."""
    s = decimal(named_task("mod_add", 101), Domain((2,)), 3)
    got = judge_answers(Oracle(lambda a, b: (a % 100 + b % 100) % 101), s)
    assert [x.verdict for x in got.verdict.lengths] == [Verdict.INCONCLUSIVE]


def test_every_question_needs_an_answer() -> None:
    with pytest.raises(InvalidInput, match="100 questions were asked, and 1 answered"):
        judge_answers(lambda texts: ["1"], replace(SUM, test_lengths=(1,)))


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
