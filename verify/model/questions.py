"""Questions to a kept model: operands in, and its answer beside that of the task and of f^ out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.tasks import Task, digit_count
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import Prediction
from arith.theory.text.answer import INPUTS, expected_function
from arith.verify.data.files import Examples
from arith.verify.data.numerals import NAMED, numbers, numeral
from arith.verify.data.texts import COMMA, cleaned, signs_of
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import answers
from arith.verify.plan.cells import Cell
from arith.verify.records.runs import Run

COLUMNS = ("operands", "inputs", "model", "right", "f^")
"""The headings of ``Answered.row``."""
_SIGNS = str.maketrans({"−": "-", "×": "*", "·": "*", "÷": "/", "(": " ", ")": " "})
"""Other signs that people write."""
_BETWEEN = re.compile(r"(?<=\w)[-+*/^%=]+(?=\w)")
"""What stands between two numbers."""
_BELOW_ZERO = re.compile(r"(?:^|[^\w\s])\s*-\s*\w")
"""A minus before a number that has no number before it."""


@dataclass(frozen=True)
class Answered:
    """A question to a model.

    Args:
        operands: of several operations the last number says which is asked for.
        inputs: where its length lies, as seen from the trained ones.
        model: what the model answers; None where that is no number.
        right: f, the task.
        expected: f^, the expected function; None where none is predicted, or it has no answer.
    """

    operands: tuple[int, ...]
    inputs: Direction
    model: int | None
    right: int
    expected: int | None

    def to_json(self, cell: Cell) -> dict[str, Any]:
        """The question and the answers, as numbers; of several operations, which one it is."""
        found, several = {**vars(self)}, len(cell.setting.task.operations) > 1
        found["operands"] = list(self.operands[: cell.setting.task.operands])
        return {"operation": self._operation(cell).name, **found} if several else found

    def row(self, cell: Cell) -> tuple[str, ...]:
        """A line of a table (see ``COLUMNS``), numbers in the base of the cell."""
        base, names = cell.setting.base, cell.setting.task.names
        values = zip(names, self.operands, strict=False)
        question = ", ".join(f"{name} = {numeral(x, base)}" for name, x in values)
        if len(cell.setting.task.operations) > 1:
            question += f": {self._operation(cell).text()}"
        said = (self.model, self.right, self.expected)
        numerals = ("none" if x is None else numeral(x, base) for x in said)
        return question, INPUTS[self.inputs], *numerals

    def _operation(self, cell: Cell) -> Task:
        """The operation that is asked for."""
        return cell.setting.task.operations[self.operands[-1]]


def read_question(text: str, cell: Cell) -> tuple[int, ...]:
    """The operands of a question: the numbers in its text, in their order, in the cell's base.

    Of several operations one number follows that says which is asked for, by the sign in the text.

    Raises:
        InvalidInput: they are not as many as the task has, one is negative or longer than the model
            takes, the task is not defined on them, or another sign than its own is between them.
    """
    s, base = cell.setting, cell.setting.base
    if _BELOW_ZERO.search(text.strip().translate(_SIGNS)):
        raise InvalidInput(f"'{text}': no operand is negative: models are trained on 0 and above")
    which = _operation(text, s.task, base)
    asked = s.task.operations[which]
    names, task = s.task.names, asked.text()
    found = numbers(text, base)
    if len(found) != len(names):
        had = ", ".join(numeral(x, base) for x in found) or "none"
        raise InvalidInput(f"'{text}': {task} takes {', '.join(names)}; the numbers given: {had}")
    for x in found:
        if x >= base**s.digits:
            most = "the most that it is tested on" if s.natural else "the width of its operands"
            if not s.natural and s.operand_width > s.digits:
                most = f"the most it takes: results have {s.operand_width}, and all are padded so"
            what = f"has more than {s.digits} digits, {most}"
            raise InvalidInput(f"'{text}': {numeral(x, base)} {what}")
    if not asked.is_result(asked.evaluate(*found)):
        raise InvalidInput(f"'{text}': {task} is negative there, which no answer can be")
    return (*found, which) if len(s.task.operations) > 1 else tuple(found)


def _operation(text: str, task: Task, base: int) -> int:
    """Which operation a question asks for, by the sign between its operands."""
    signs, several = signs_of(task), len(task.operations) > 1
    plain = NAMED.sub("", text.translate(_SIGNS)).replace(" and ", COMMA)  # it is no sign here
    [written] = cleaned(Examples([plain], [""]), base).prompts
    found = {*_BETWEEN.findall(written)}
    if not found <= {*signs} or (several and len(found) != 1):
        known = " or ".join(f"'{sign}'" for sign in signs + [COMMA] * (not several))
        raise InvalidInput(f"'{text}': between the operands of {task.text()} stands {known}")
    return signs.index(found.pop()) if several else 0


def ask(
    model: GPT, cell: Cell, prediction: Prediction, questions: Sequence[tuple[int, ...]]
) -> list[Answered]:
    """A model's greedy answers to operands (see ``read_question``): those of a length at once."""
    s = cell.setting
    k = s.task.operands
    lengths = [[digit_count(x, s.base) for x in operands[:k]] for operands in questions]
    said: dict[int, int | None] = {}
    for longest in set(map(max, lengths)):
        rows = [i for i, each in enumerate(lengths) if max(each) == longest]
        fmt = cell.format_for(longest)
        weights = [s.base**i for i in range(fmt.width)]
        digits = [[[x // w % s.base for w in weights] for x in questions[i]] for i in rows]
        found = answers(model, cell, np.array(digits, dtype=np.int64))
        said.update(zip(rows, map(fmt.number, found), strict=True))
    answered = []
    for i, operands in enumerate(questions):
        known = prediction.expected
        expected = None if known is None else known.evaluate(*operands)
        answered.append(
            Answered(
                operands,
                s.train.direction(s.train.length_of(lengths[i])),
                said[i],
                s.task.evaluate(*operands),
                expected if expected is not None and s.task.is_result(expected) else None,
            )
        )
    return answered


def legend(run: Run, prediction: Prediction) -> list[str]:
    """What the columns are, and whether the model meets the premise of the theory."""
    expected = expected_function(prediction) or "not predicted: training leaves the rule open"
    lines = [f"right: {run.cell.setting.task.text()}", f"f^: {expected}"]
    if not run.converged:
        lines.append(
            f"The model does not meet the premise, so theory says nothing of it: it is right on "
            f"{run.premise_text} of {run.held_out:,} held-out inputs."
        )
    return lines
