"""Which function explains a model's answers: the task, f^, or one that a wrong rule would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from arith.theory.arithmetic.tasks import Task, one_of
from arith.theory.prediction.predict import Prediction

Function = Callable[..., Any]
"""Numbers of arrays of operands; of several operations the last array says which is asked for."""


@dataclass(frozen=True)
class Candidate:
    """A function that may explain answers.

    Args:
        name: short, for a column: ``f``, ``f^``, ``lowest 2``, ``no carry``, ``reversed``, ``a``.
        text: what it is, in words or as a formula.
        evaluate: its value; where that is negative it has none.
    """

    name: str
    text: str
    evaluate: Function


@dataclass(frozen=True)
class Explained:
    """How many answers are those of each candidate.

    Args:
        counts: by the names of candidates, in their order.
        answers: all answers.
        unlike: answers that no candidate gives.
    """

    counts: dict[str, int]
    answers: int
    unlike: int

    @property
    def best(self) -> str | None:
        """The candidate that gives most answers, if more than half; of equals the first."""
        best = max(self.counts, key=lambda name: self.counts[name])
        return best if 2 * self.counts[best] > self.answers else None

    def __add__(self, other: Explained) -> Explained:
        counts = {name: n + other.counts[name] for name, n in self.counts.items()}
        return Explained(counts, self.answers + other.answers, self.unlike + other.unlike)


def candidates(prediction: Prediction) -> list[Candidate]:
    """The functions that may explain answers in a setting; those that are more likely come first.

    f^ is that of the prediction, where it has one.  Then come the task on the lowest digits of its
    operands (what is learned from fewer digits: *equivalence generalization*, arXiv 2308.08268),
    sums without carries, the result with its digits in reverse, and each operand copied.
    """
    s = prediction.setting
    task, base = s.task, s.digit_base
    found = [Candidate("f", task.text(), task.evaluate)]
    if prediction.learned is not None:
        found.append(Candidate("f^", prediction.learned.text(), prediction.learned.evaluate))
    for k in range(1, s.longest):
        text = f"{task.text()} of the lowest {k} digit{'s' * (k > 1)} of each operand"
        found.append(Candidate(f"lowest {k}", text, _each(task, partial(_lowest, base=base, k=k))))
    if task.is_linear:
        of_digits = _each(task, partial(_no_carry, base=base, width=s.longest))
        found.append(Candidate("no carry", "digit by digit, no carry", of_digits))
    width = 0 if s.natural else s.result_digits
    reverse = partial(_reversed, task=task, base=base, width=width)
    found.append(Candidate("reversed", "the result with its digits in reverse order", reverse))
    for j, name in enumerate(task.names):
        copy = partial(_copy, j=j)
        found.append(Candidate(name, f"the operand {name}, copied", copy))
    return found


def explain(
    answers: np.ndarray, values: Sequence[np.ndarray], functions: Sequence[Candidate]
) -> Explained:
    """Count the answers ``(n,)`` that are those of each function.

    Args:
        answers: numbers, or None where an answer has none.
        values: what the functions take, arrays ``(n,)``.
    """
    counts, known = {}, np.zeros(len(answers), dtype=bool)
    for each in functions:
        same = answers == each.evaluate(*values)
        counts[each.name] = int(same.sum())
        known |= same
    return Explained(counts, len(answers), int((~known).sum()))


def _each(task: Task, function: Callable[..., Any]) -> Function:
    """A function that is made of a task, for each operation of it."""
    if len(task.operations) == 1:
        return partial(function, task.operations[0])
    parts = [SimpleNamespace(evaluate=partial(function, part)) for part in task.operations]
    return lambda *operands: one_of(parts, operands)


def _lowest(task: Task, *operands: Any, base: int, k: int) -> Any:
    return task.evaluate(*(x % base**k for x in operands))


def _no_carry(task: Task, *operands: Any, base: int, width: int) -> Any:
    total: Any = 0
    for i in range(width):
        digits = (x // base**i % base for x in operands)
        place = sum(c * d for c, d in zip(task.coefficients, digits, strict=True))
        total = total + (place + task.constant * (i == 0)) % base * base**i
    return total if task.modulus is None else total % task.modulus


def _reversed(*operands: Any, task: Task, base: int, width: int) -> Any:
    """The result with its digits in reverse; of a width, or its own without leading zeros."""
    rest = task.evaluate(*operands)
    found = 0 * rest
    defined = rest >= 0
    rest = np.where(defined, rest, 0)
    places = 0
    while places < width if width else (rest > 0).any():
        more = rest > 0 if not width else True
        found = np.where(more, found * base + rest % base, found)
        rest, places = rest // base, places + 1
    return np.where(defined, found, -1)


def _copy(*operands: Any, j: int) -> Any:
    return operands[j]
