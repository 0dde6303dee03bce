"""One answer taken apart: what each of its digits is, how sure the model is of it, and on which
digits of the input it rests.

Shapes: n inputs, k operands of N digits, M result digits, T tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from arith.theory.errors import InvalidInput
from arith.theory.observation.support import OperandDigit
from arith.verify.mechanism.equivalence import equivalents
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import answers, learned_answers
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED, inputs_at

LOOKED_THROUGH = 2_000
"""Inputs among which a wrong answer is looked for."""
OTHERS = 9
"""The most other values that are tried at a digit."""


@dataclass(frozen=True)
class Step:
    """One digit of an answer.

    Args:
        position: 1 is the units.
        model: what the model writes.
        right: what the task has there.
        expected: what f^ has there; None where none is predicted.
        sure: the probability that the model gives to what it writes.
        rests_on: by operand digit, the share of other values there that make the model write
            another digit; those that never do are left out.
    """

    position: int
    model: int
    right: int
    expected: int | None
    sure: float
    rests_on: dict[OperandDigit, float]


@dataclass(frozen=True)
class TakenApart:
    """An answer of a model, and the steps to it in the order in which they are written.

    Args:
        model: the answer; None where it is no number.
        expected: that of f^, if one is predicted and has an answer.
        equivalent: the operands with their ignored digits as in training, and the model's answer
            to them; None where nothing is predicted to be ignored.
    """

    operands: tuple[int, ...]
    model: int | None
    right: int
    expected: int | None
    steps: tuple[Step, ...]
    equivalent: tuple[tuple[int, ...], int | None] | None


def take_apart(model: GPT, cell: Cell, digits: int) -> TakenApart:
    """The first wrong answer to inputs of a length; if none is wrong, the first answer."""
    fmt, prediction = cell.format, cell.prediction
    operands = inputs_at(cell, digits)[0][:LOOKED_THROUGH]
    said, right = answers(model, cell, operands, test=True), fmt.results(operands)
    first = int((said != right).any(1).argmax())  # 0 if none is wrong
    one, own, true = (x[first : first + 1] for x in (operands, said, right))
    learned = true if prediction.continues else learned_answers(prediction, cell, one)
    expected = None if learned is None or (learned < 0).any() else learned
    return TakenApart(
        _numbers(cell, one),
        fmt.number(own[0]),
        int(fmt.task.evaluate(*_numbers(cell, one))),
        None if expected is None else fmt.number(expected[0]),
        _steps(model, cell, one, own, true, expected),
        _equivalent(model, cell, one),
    )


def _numbers(cell: Cell, operands: np.ndarray) -> tuple[int, ...]:
    """The operands of one input ``(1, k, N)``."""
    return tuple(int(x[0]) for x in cell.format.values(operands))


def _equivalent(
    model: GPT, cell: Cell, operands: np.ndarray
) -> tuple[tuple[int, ...], int | None] | None:
    """One input ``(1, k, N)`` with its ignored digits as in training, and the answer to it."""
    try:
        reduced = equivalents(cell, operands)
    except InvalidInput:  # nothing is predicted to be ignored
        return None
    if (reduced == operands).all() or (cell.format.results(reduced) < 0).any():
        return None
    said = answers(model, cell, reduced, test=True)
    return _numbers(cell, reduced), cell.format.number(said[0])


@torch.no_grad()
def _steps(
    model: GPT,
    cell: Cell,
    one: np.ndarray,
    own: np.ndarray,
    true: np.ndarray,
    expected: np.ndarray | None,
) -> tuple[Step, ...]:
    """The digits of one answer ``(1, M)``; other inputs are asked with the same digits before."""
    model.eval()
    fmt, device = cell.format, next(model.parameters()).device
    rng = np.random.default_rng(EVALUATION_SEED)
    inputs, tried = [one[0]], dict[OperandDigit, list[int]]()
    for j, i in np.ndindex(*one.shape[1:]):
        others = np.setdiff1d(np.arange(fmt.base), one[0, j, i])
        for value in rng.permutation(others)[:OTHERS]:
            tried.setdefault((j, i + 1), []).append(len(inputs))
            inputs.append(one[0].copy())
            inputs[-1][j, i] = value
    result = np.repeat(own, len(inputs), 0)
    written = torch.from_numpy(fmt.write(np.stack(inputs), result)).to(device)
    slots = torch.from_numpy(fmt.result_slots).to(device)
    given = model(written[:, :-1])[:, slots - 1].softmax(2)
    says = given.argmax(2).cpu().numpy()
    sure = given[0].max(1).values.tolist()
    found = []
    for r in np.argsort(fmt.result_slots):
        shares = {d: float((says[rows, r] != says[0, r]).mean()) for d, rows in tried.items()}
        found.append(
            Step(
                int(r) + 1,
                int(own[0, r]),
                int(true[0, r]),
                None if expected is None else int(expected[0, r]),
                round(sure[r], 4),
                {d: x for d, x in shares.items() if x},
            )
        )
    return tuple(found)
