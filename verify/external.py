"""Models that were not trained here: exports of arith's own, and others, asked in ordinary text.

An export says its cell, so it is measured and judged as it was when it was trained.  Of others
answers are known: texts to questions in text.  Where a setting says how such a model was trained it
is judged by them (``judge_answers``).  Of every model can be said which function its answers
follow: the task itself, or the task with every digit above some position taken for 0, which the
theory says is learned from fewer digits (*equivalence generalization*, arXiv 2308.08268).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import InvalidInput
from arith.theory.generalization.predict import predict
from arith.theory.generalization.support import support
from arith.theory.setting.settings import Setting
from arith.theory.text.text import claim_text
from arith.theory.transformer.encodings import encoding
from arith.theory.transformer.layouts import layout
from arith.verify.data.numerals import numeral
from arith.verify.data.sampling import Sampler
from arith.verify.data.sequences import Format
from arith.verify.judging.intervals import Interval, pooled
from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.model.kept import KeptModel
from arith.verify.model.measure import held_out_accuracy, measure, noise_invariance
from arith.verify.plan.cells import Cell, default_model
from arith.verify.plan.inputs import EVALUATION_SEED, held_out_count, inputs
from arith.verify.records.measurement import Measurement
from arith.verify.records.runs import Run
from arith.verify.reporting.terminal import interval_text, sentence, verdict_word

Answer = Callable[[list[str]], list[str]]
"""What answers questions: as many texts as it is given, in their order."""
SAMPLES = 500
"""Inputs per test length where nothing is judged: the interval is at most 0.09 wide."""
SHOTS = 4
"""Solved examples before each question."""
LARGEST_BASE = 10
"""The digits of ordinary text."""
COLUMNS = ("digits", "asked", "right", "no integer", "errors explained by")
JUDGED_COLUMNS = ("digits", "asked", "right", "interval", "predicted", "verdict")
_ROOM = 8
"""Tokens of a continuation beyond the digits of the answer: a space, a sign, a word or two."""


@dataclass(frozen=True)
class Explanation:
    """A function, and how many of a model's answers and of its errors are equal to it.

    Args:
        function: its name and formula, ``f^ of D_2 = (a mod 100) + (b mod 100)``.
    """

    function: str
    answers: int
    errors: int


@dataclass(frozen=True)
class ExternalMeasurement:
    """What an external model answered at one test length.

    Args:
        samples: inputs asked.
        exhaustive: whether they are all there are.
        correct: answers equal to ``f``.
        no_integer: answers that are no integer in the cell's base (none of them correct).
        explanations: the truth ``f``, then ``f^`` of training on D_1, D_2, ... below this length.
    """

    digits: int
    samples: int
    exhaustive: bool
    correct: int
    no_integer: int
    explanations: tuple[Explanation, ...]

    @property
    def right(self) -> Interval:
        """The share of answers that are right; exact where every input was asked."""
        found = pooled([(self.correct, self.samples)])
        return Interval(*(found.value,) * 3) if self.exhaustive else found

    @property
    def errors(self) -> int:
        """Answers that are not equal to ``f``."""
        return self.samples - self.correct

    @property
    def best(self) -> Explanation | None:
        """What explains most errors, if that is more than half of them; of equals the shortest."""
        best = max(self.explanations, key=lambda e: e.errors)
        return best if 2 * best.errors > self.errors else None


@dataclass(frozen=True)
class JudgedAnswers:
    """What a model answered at each test length, and what that says of the prediction."""

    lengths: tuple[ExternalMeasurement, ...]
    verdict: CellVerdict

    @property
    def sentence(self) -> str:
        """Whether theory and experiment agree, and why."""
        v = self.verdict
        if v.converged or v.held_out_too_few:
            return sentence(v)
        return (
            f"Inconclusive: it is right on {v.runs[0].premise_text} of the inputs at the trained "
            "length where it is worst, and theory speaks of models that are right there."
        )


def judge_answers(answer: Answer, setting: Setting) -> JudgedAnswers:
    """Judge a model by its answers to questions in text (see ``questions``).

    It is asked the inputs of each test length, as many as trained models are, and those of each
    trained length, where it has to be right: none is known to be held out.  Whether it
    ignores digits cannot be seen from answers, so a claim that asks for that is inconclusive.

    Args:
        answer: it may write the numbers as it likes before it asks a model.
        setting: how the model was trained, and at what lengths it is tested.

    Raises:
        InvalidInput: a base above 10, or another number of answers than of questions.
    """
    cell = Cell(setting, default_model(setting.task))
    prediction = predict(setting)

    def ask(domain: Domain) -> tuple[ExternalMeasurement, Measurement]:
        digits = domain.lengths[-1]
        operands, whole = inputs(cell, domain, held_out=None)
        asked, answers = _ask(answer, cell.format_for(digits), domain, operands, whole)
        learned = None
        if prediction.learned is not None:
            expected = prediction.learned.evaluate(*cell.format_for(digits).values(operands))
            learned = int((answers == expected).sum())
        counts = asked.correct, learned, (), None
        return asked, Measurement(digits, asked.samples, whole, *counts)

    tested = {n: ask(setting.test(n)) for n in setting.test_lengths}
    trained = [
        tested[n][0]
        if n in tested and setting.is_premise(n)
        else ask(setting.train.of_length(n))[0]
        for n in setting.train.every_length
    ]
    run = Run(
        cell=cell,
        seed=0,
        recipe="",
        precision="",
        premise=min(x.correct / x.samples for x in trained),
        held_out=sum(x.samples for x in trained),
        steps=0,
        budget=0,
        seconds=0.0,
        machine="",
        measurements=tuple(m for _, m in tested.values()),
    )
    return JudgedAnswers(tuple(x for x, _ in tested.values()), judge(cell, [run], prediction))


def judge_export(kept: KeptModel, device: str) -> CellVerdict:
    """Measure an exported model as it was when it was trained, and judge it.

    Nothing that its folder says of what was measured is believed.

    Raises:
        InvalidInput: no input of its training can be held out.
    """
    cell, model = kept.run.cell, kept.model.to(device)
    setting, prediction = cell.setting, predict(cell.setting)
    run = replace(
        kept.run,
        premise=held_out_accuracy(model, cell),
        held_out=held_out_count(cell),
        measurements=tuple(measure(model, cell, prediction, n) for n in setting.test_lengths),
        indifference=noise_invariance(
            model, cell, support(setting.task, setting.train, setting.base)
        ),
        predicted=None,
    )
    return judge(cell, [run], prediction)


def evaluate(
    answer: Answer, setting: Setting, digits: int, samples: int = SAMPLES, shots: int = SHOTS
) -> ExternalMeasurement:
    """Ask a model of which no training is known, and look which functions its answers follow.

    The question is ordinary text, most significant digit first and without padding, after some
    solved examples of the training domain (the same for every question and length, and never
    asked).  The answer is the number that a person would read in the text (``read_answer``).
    Encoding, layout and window of the setting play no part.

    Args:
        samples: inputs; a domain no larger than this is asked whole.
        shots: solved examples.

    Raises:
        InvalidInput: a base above 10, no inputs to ask, or text that the model cannot take.
    """
    form = Format(setting.task, setting.base, setting.layout, max(setting.digits, digits))
    rng = np.random.default_rng(EVALUATION_SEED)
    examples = Sampler(form, setting.train).sample(max(shots, 1), rng)[:shots]
    operands, whole = _inputs(form, setting.test(digits), samples, examples)
    right = setting.task.evaluate(*form.values(examples))
    results = (numeral(int(value), setting.base) for value in right)
    solved = zip(questions(form, examples), results, strict=True)
    before = "".join(f"{question} {result}\n" for question, result in solved)

    def after_examples(asked: list[str]) -> list[str]:
        return answer([before + question for question in asked])

    return _ask(after_examples, form, setting.test(digits), operands, whole)[0]


def answer_tokens(setting: Setting) -> int:
    """How many tokens an answer to any input of a setting may take, a token for each digit."""
    return setting.task.result_width(setting.base, setting.longest) + _ROOM


def _ask(
    answer: Answer, form: Format, domain: Domain, operands: np.ndarray, whole: bool
) -> tuple[ExternalMeasurement, np.ndarray]:
    """What a model answers to operands ``(n, k, N)``: what is counted of it, and numbers ``(n,)``.

    An answer without a number is None.
    """
    if form.base > LARGEST_BASE:
        raise InvalidInput(
            f"an external model is asked in base 2 to {LARGEST_BASE}, not {form.base}"
        )
    texts = answer(questions(form, operands))
    if len(texts) != len(operands):
        raise InvalidInput(f"{len(operands):,} questions were asked, and {len(texts):,} answered")
    answers = np.array([read_answer(text, form.base) for text in texts], dtype=object)
    values = form.values(operands)
    right = answers == form.task.evaluate(*values)
    explanations = []
    for name, function in _candidates(form.task, form.base, domain.lengths[-1]):
        follows = answers == function(*values)
        explanations.append(Explanation(name, int(follows.sum()), int((follows & ~right).sum())))
    silent = sum(x is None for x in answers)
    counts = len(operands), whole, int(right.sum()), silent
    return ExternalMeasurement(domain.lengths[-1], *counts, tuple(explanations)), answers


def _inputs(
    form: Format, test: Domain, samples: int, examples: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Operand digits ``(n, k, N)`` to ask, less the examples, and whether they are all.

    They are sampled as for trained models.
    """
    sampler = Sampler(form, test)
    rng = np.random.default_rng([EVALUATION_SEED, *test.lengths])
    whole = sampler.size <= samples
    operands = sampler.everything() if whole else sampler.sample(samples, rng)
    is_example = (operands[:, None] == examples).all(axis=(2, 3)).any(axis=1)
    if is_example.all():
        raise InvalidInput(f"{test.text()} has no examples that are not shown solved")
    return operands[~is_example], whole


def questions(form: Format, operands: np.ndarray) -> list[str]:
    """Operand digits ``(n, k, N)`` as ordinary text: ``(12 + 34) mod 7 =``, ``12 * 34 =``.

    The operands are written in the cell's base, the task's own numbers in base 10.
    """
    parts, values = form.task.operations, form.values(operands)
    which = values.pop() if len(parts) > 1 else np.zeros(len(operands), dtype=int)
    columns = [[numeral(int(x), form.base) for x in column] for column in values]
    rows = zip(which, zip(*columns, strict=True), strict=True)
    texts = (replace(parts[i], names=row).text() for i, row in rows)
    return [f"{text.replace('·', ' * ')} =" for text in texts]


_NUMBER = re.compile(
    r"(?<![\w.,])(?<!\w[-−])(?:[-−]\s?)?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?![\w]|[.,][0-9])"
)
"""A number as people write it: a sign, thousands with commas, a fraction; no part of a word."""
_MARK = re.compile(r"=|\b(?:is|equals|makes|gives)\b", re.IGNORECASE)
"""What stands before a result."""
_GOES_ON = re.compile(r"\s*(?:[-−+*·×/^%]|(?:plus|minus|times|mod|and)\b)\s*[0-9(]")
"""What follows a number that is an operand."""
_MARKUP = " \t*_`$("
"""What sets off a number that begins a line or follows a colon: ``answer: **46**``."""


def read_answer(text: str, base: int) -> int | None:
    """The number that a person would read as the answer in a continuation; None if there is none.

    The first line that is not blank counts: what follows is a question that the model made up.
    A number that it begins with is the answer, unless it is an operand of an expression; otherwise
    it is what follows the first ``=`` or ``is``.  A fraction, or digits that the base does not
    have, are no answer.
    """
    line = text.strip().partition("\n")[0]
    while True:
        number, mark = _NUMBER.search(line), _MARK.search(line)
        begins = number and not (mark and mark.start() < number.start())
        asks = number is None or _GOES_ON.match(line, number.end())
        before = (line[: number.start()] if number else line).rstrip(_MARKUP)
        tells = re.search(r"\w", before) and not before.endswith(":")  # as in "the sum of 1 and 2"
        if not (mark and (not begins or asks or tells)):
            break
        line = line[mark.end() :]
    if number is None or asks:
        return None
    whole, _, fraction = re.sub(r"[,\s]", "", number[0]).replace("−", "-").partition(".")
    try:
        return None if fraction.strip("0") else int(whole, base)
    except ValueError:
        return None


def _candidates(task: Task, base: int, digits: int) -> list[tuple[str, Callable[..., Any]]]:
    """The functions that may explain answers at one test length, with name and formula."""
    functions: list[tuple[str, Callable[..., Any]]] = [(f"f = {task.text()}", task.evaluate)]
    for n in range(1, digits):
        train, tests = Domain((n,)), (n, digits)
        setting = Setting(task, base, encoding("ape"), layout("plain"), train, test_lengths=tests)
        try:
            learned = predict(setting).learned
        except InvalidInput:  # the task is defined nowhere on D_n
            continue
        if learned is not None:
            functions.append((f"f^ of {train.text()} = {learned.text}", learned.evaluate))
    return functions


def table(measurements: Sequence[ExternalMeasurement]) -> list[list[str]]:
    """One line per test length, in the order of ``COLUMNS``.

    The last column is ``none`` where nothing explains more than half of the errors, a dash where
    there are no errors.
    """
    rows = []
    for m in measurements:
        best, explained = m.best, "none" if m.errors else "-"
        if best:
            explained = f"{best.function}: {best.errors / m.errors:.3f}"
        silent = f"{m.no_integer / m.samples:.3f}"
        rows.append([str(m.digits), f"{m.samples:,}", interval_text(m.right), silent, explained])
    return rows


def judged_table(judged: JudgedAnswers) -> list[list[str]]:
    """One line per test length, in the order of ``JUDGED_COLUMNS``."""
    rows = []
    for m, x in zip(judged.lengths, judged.verdict.lengths, strict=True):
        right = m.right
        between = f"{right.low:.3f}..{right.high:.3f}" if right.low < right.high else "all asked"
        words = claim_text(x.prediction), verdict_word(x.verdict)
        rows.append([str(m.digits), f"{m.samples:,}", f"{right.value:.3f}", between, *words])
    return rows
