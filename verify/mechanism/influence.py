"""Influence: how often changing one digit of an operand changes each digit of the answer.

This is the mechanism of a model, seen from outside.  The learned function ``f(a mod B**n,
b mod B**n)`` (Xu et al. 2025, arXiv 2407.17963) is blind above position n, and a carry goes
upward only: a model that computes what is predicted has the same influences, digit by digit.

Shapes: n operand tuples, k operands, N digits of each, M result digits; units first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from theory.errors import InvalidInput
from theory.prediction.predict import predict
from verify.mechanism.equivalents import check_length
from verify.model.gpt import GPT
from verify.model.measure import answers
from verify.plan.cells import Cell
from verify.plan.inputs import EVALUATION_SEED
from verify.plan.sampling import Sampler

Answer = Callable[[np.ndarray], np.ndarray]
"""Who answers: operand digits ``(n, k, N)`` to result digits ``(n, M)``, -1 where there is none."""

SAMPLES = 500
"""Operand tuples per length; a share is then known to about 0.02."""


def by_model(model: GPT, cell: Cell) -> Answer:
    """A trained model, by its greedy answers."""
    return lambda operands: answers(model, cell, operands)


def by_truth(cell: Cell) -> Answer:
    """The task itself, ``f``."""
    return cell.format.results


def by_learned(cell: Cell) -> Answer:
    """The function that is predicted to be learned: ``f^``, or ``f`` where its rule goes on.

    Raises:
        InvalidInput: none is predicted.
    """
    prediction, fmt = predict(cell.setting), cell.format
    if prediction.continues:
        return by_truth(cell)
    learned = prediction.learned
    if learned is None:
        raise InvalidInput(f"no expected function is predicted for {cell.label()}")
    return lambda operands: fmt.to_digits(learned.evaluate(*fmt.values(operands)))


def influence(
    answer: Answer,
    cell: Cell,
    digits: int,
    samples: int = SAMPLES,
    others: Sequence[Answer] = (),
) -> np.ndarray:
    """How often changing one operand digit changes each digit of the answer.

    Operand tuples are drawn from the test domain of one length.  In each, one digit at a time
    (leading zeros are digits too) becomes another one, uniformly; that may make the tuple
    shorter.  Everybody who answers is asked about the same tuples.

    A changed tuple on which the task is not defined (``sub``: a < b) is left out, and so is one
    to which ``answer`` or one of ``others`` has no answer: the share is that of the rest.

    Args:
        others: who has to have an answer too.  The learned function of ``sub`` has none where
            the low digits of a are less than those of b: to compare a model with it, ask both
            about the same tuples.

    Returns:
        shares ``(k, digits, M)``: ``[j, i, r]`` is how often result digit r + 1 changes with
        digit i + 1 of operand j; NaN where every changed tuple is left out.

    Raises:
        InvalidInput: a length that the cell does not write.
    """
    fmt = cell.format
    check_length(cell, digits)
    rng = np.random.default_rng([EVALUATION_SEED, digits])
    drawn = Sampler(fmt, cell.setting.test(digits)).sample(samples, rng)
    before, answered = answer(drawn), _answered(others, drawn)
    shares = np.full((fmt.task.operands, digits, fmt.result_width), np.nan)
    for j, i in np.ndindex(*shares.shape[:2]):
        changed = drawn.copy()
        changed[:, j, i] = (drawn[:, j, i] + rng.integers(1, fmt.base, samples)) % fmt.base
        kept = answered & _answered((fmt.results, *others), changed)
        was, now = before[kept], answer(changed[kept])
        both = (was >= 0).all(1) & (now >= 0).all(1)
        if both.any():
            shares[j, i] = (was[both] != now[both]).mean(0)
    return shares


def _answered(everybody: Sequence[Answer], operands: np.ndarray) -> np.ndarray:
    """Whether everybody has an answer to each operand tuple, ``(n,)``."""
    have = np.ones(len(operands), dtype=bool)
    for answer in everybody:
        have &= (answer(operands) >= 0).all(1)
    return have


@dataclass(frozen=True)
class Disagreement:
    """How far measured influences are from predicted ones.

    Args:
        largest: the largest absolute difference.
        mean: the mean absolute difference.
    """

    largest: float
    mean: float


def disagreement(measured: np.ndarray, predicted: np.ndarray) -> Disagreement:
    """Compare two arrays of influences where both are known.

    Raises:
        InvalidInput: they differ in shape, or are nowhere both known.
    """
    if measured.shape != predicted.shape:
        raise InvalidInput(
            f"influences of shapes {measured.shape} and {predicted.shape} do not compare"
        )
    distance = np.abs(measured - predicted)
    known = distance[~np.isnan(distance)]
    if not known.size:
        raise InvalidInput("there is no influence that both know")
    return Disagreement(float(known.max()), float(known.mean()))
