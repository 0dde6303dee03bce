"""External models: a causal language model from disk answers a cell's inputs in ordinary text.

Nothing is known of its training, so nothing is judged.  What can be said is which function its
answers follow: the task itself, or the task with every digit above some position taken for 0,
which the theory says is learned from fewer digits (*equivalence generalization*, arXiv
2308.08268).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.domains import Domain
from arith.theory.setting.encodings import encoding
from arith.theory.setting.layouts import layout
from arith.theory.setting.settings import Setting
from arith.theory.setting.tasks import Task
from arith.verify.external_model import ExternalModel
from arith.verify.judging.intervals import pooled
from arith.verify.plan.inputs import EVALUATION_SEED
from arith.verify.plan.numerals import numeral
from arith.verify.plan.sampling import Sampler
from arith.verify.plan.sequences import Format
from arith.verify.reporting.tables import interval_text

SAMPLES = 500
"""Inputs per test length: the interval is at most 0.09 wide, and a CPU takes minutes."""
SHOTS = 4
"""Solved examples before each question."""
LARGEST_BASE = 10
"""The digits of ordinary text."""
COLUMNS = ("digits", "samples", "correct", "no integer", "errors explained by")
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
        correct: answers equal to ``f``.
        no_integer: answers that are no integer in the cell's base (none of them correct).
        explanations: the truth ``f``, then ``f^`` of training on D_1, D_2, ... below this length.
    """

    digits: int
    samples: int
    correct: int
    no_integer: int
    explanations: tuple[Explanation, ...]

    @property
    def errors(self) -> int:
        """Answers that are not equal to ``f``."""
        return self.samples - self.correct

    @property
    def best(self) -> Explanation | None:
        """What explains most errors, if that is more than half of them; of equals the shortest."""
        best = max(self.explanations, key=lambda e: e.errors)
        return best if 2 * best.errors > self.errors else None


def evaluate(
    model: ExternalModel, setting: Setting, digits: int, samples: int = SAMPLES, shots: int = SHOTS
) -> ExternalMeasurement:
    """Ask a model the inputs of one test length, and look which functions its answers follow.

    The question is ordinary text, most significant digit first and without padding, after some
    solved examples of the training domain (the same for every question and length, and never
    asked).  The answer is the first integer of the greedy continuation.  Encoding, layout and
    window of the setting play no part.

    Args:
        samples: inputs; a domain no larger than this is asked whole.
        shots: solved examples.

    Raises:
        InvalidInput: a base above 10, no inputs to ask, or text that the model cannot take.
    """
    task, base = setting.task, setting.base
    if base > LARGEST_BASE:
        raise InvalidInput(f"an external model is asked in base 2 to {LARGEST_BASE}, not {base}")
    form = Format(task, base, setting.layout, max(setting.digits, digits))
    rng = np.random.default_rng(EVALUATION_SEED)
    examples = Sampler(form, setting.train).sample(max(shots, 1), rng)[:shots]
    operands = _inputs(form, setting.test(digits), samples, examples)
    right = task.evaluate(*form.values(examples))
    results = (numeral(int(value), base) for value in right)
    solved = zip(questions(form, examples), results, strict=True)
    before = "".join(f"{question} {answer}\n" for question, answer in solved)
    prompts = [before + question for question in questions(form, operands)]
    continuations = model.complete(prompts, form.result_width + _ROOM)
    answers = np.array([first_integer(text, base) for text in continuations], dtype=object)
    values = form.values(operands)
    right = answers == task.evaluate(*values)
    explanations = []
    for name, function in _candidates(task, base, digits):
        follows = answers == function(*values)
        explanations.append(Explanation(name, int(follows.sum()), int((follows & ~right).sum())))
    silent = sum(answer is None for answer in answers)
    return ExternalMeasurement(digits, len(operands), int(right.sum()), silent, tuple(explanations))


def _inputs(form: Format, test: Domain, samples: int, examples: np.ndarray) -> np.ndarray:
    """Operand digits ``(n, k, N)`` to ask, sampled as for trained models, less the examples."""
    sampler = Sampler(form, test)
    rng = np.random.default_rng([EVALUATION_SEED, *test.lengths])
    whole = sampler.size <= samples
    operands = sampler.everything() if whole else sampler.sample(samples, rng)
    is_example = (operands[:, None] == examples).all(axis=(2, 3)).any(axis=1)
    if is_example.all():
        raise InvalidInput(f"{test.text()} has no examples that are not shown solved")
    return operands[~is_example]


def questions(form: Format, operands: np.ndarray) -> list[str]:
    """Operand digits ``(n, k, N)`` as ordinary text: ``(12 + 34) mod 7 =``, ``12 * 34 =``.

    The operands are written in the cell's base, the task's own numbers in base 10.
    """
    columns = [[numeral(int(x), form.base) for x in column] for column in form.values(operands)]
    texts = (replace(form.task, names=row).text() for row in zip(*columns, strict=True))
    return [f"{text.replace('·', ' * ')} =" for text in texts]


def first_integer(text: str, base: int) -> int | None:
    """The first integer of a continuation's first line that is not blank; None if none of the base.

    What follows on the next line is a question that the model made up.
    """
    number = re.search(r"-?[0-9]+", text.strip().partition("\n")[0])
    try:
        return int(number[0], base) if number else None
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
        correct = interval_text(pooled([(m.correct, m.samples)]))
        best, explained = m.best, "none" if m.errors else "-"
        if best:
            explained = f"{best.function}: {best.errors / m.errors:.3f}"
        silent = f"{m.no_integer / m.samples:.3f}"
        rows.append([str(m.digits), str(m.samples), correct, silent, explained])
    return rows
