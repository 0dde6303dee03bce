"""Influence: how often changing one digit of an operand changes each digit of the answer.

The learned function ``f(a mod B**n, b mod B**n)`` (Xu et al. 2025, arXiv 2407.17963) is blind above
position n, and a carry goes upward only: a model that computes what is predicted has the same
influences, digit by digit.

Shapes: n operand tuples, k operands, N digits of each, M result digits; units first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from arith.theory.errors import InvalidInput
from arith.verify.data.sampling import Sampler
from arith.verify.model.gpt import GPT
from arith.verify.model.measure import answers
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED

Answer = Callable[[np.ndarray], np.ndarray]
"""Who answers: operand digits ``(n, k, N)`` to result digits ``(n, M)``, -1 where there is none."""

SAMPLES = 500
"""Operand tuples per length; a share is then known to about 0.02."""


def answerers(model: GPT, cell: Cell) -> dict[str, Answer]:
    """A model by its greedy answers, the learned function if one is predicted, and the task ``f``.

    Where the rule of the learned function goes on, it is ``f``.
    """
    fmt, prediction = cell.format, cell.prediction
    found: dict[str, Answer] = {"model": lambda operands: answers(model, cell, operands)}
    if (expected := prediction.expected) is not None:
        found["learned function"] = lambda x: fmt.to_digits(expected.evaluate(*fmt.values(x)))
    return found | {"truth": fmt.results}


def influences(
    everybody: Mapping[str, Answer],
    cell: Cell,
    digits: int,
    samples: int = SAMPLES,
    watch: Callable[[int, int], None] = lambda done, of: None,
) -> dict[str, np.ndarray]:
    """How often changing one operand digit changes each digit of everybody's answers.

    Operand tuples are drawn from the test domain of one length.  In each, one digit at a time
    (leading zeros are digits too) becomes another one, uniformly; that may make the tuple
    shorter.  A changed tuple on which the task is not defined (``sub``: a < b) is left out, and
    so is one to which anybody has no answer, before or after: the learned function of ``sub`` has
    none where the low digits of a are less than those of b.

    Args:
        watch: called with the number of digits that are done, and of all.

    Returns:
        by name, shares ``(k, digits, M)``: ``[j, i, r]`` is how often result digit r + 1 changes
        with digit i + 1 of operand j; NaN where every changed tuple is left out.
    """
    fmt = cell.format
    rng = np.random.default_rng([EVALUATION_SEED, digits])
    drawn = Sampler(fmt, cell.setting.test(digits)).sample(samples, rng)
    before = {name: answer(drawn) for name, answer in everybody.items()}
    shape = (fmt.task.operands, digits, fmt.result_width)
    shares = {name: np.full(shape, np.nan) for name in everybody}
    for number, (j, i) in enumerate(np.ndindex(*shape[:2]), 1):
        changed = drawn.copy()
        changed[:, j, i] = (drawn[:, j, i] + rng.integers(1, fmt.base, samples)) % fmt.base
        kept = _answered(fmt.results(changed), *before.values())
        after = {name: answer(changed[kept]) for name, answer in everybody.items()}
        both = _answered(*after.values())
        if both.any():
            for name, now in after.items():
                shares[name][j, i] = (before[name][kept][both] != now[both]).mean(0)
        watch(number, fmt.task.operands * digits)
    return shares


def _answered(*given: np.ndarray) -> np.ndarray:
    """At which operand tuples everybody has an answer, of answers ``(n, M)`` each."""
    return np.all([(x >= 0).all(1) for x in given], axis=0)


def disagreement(measured: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """The largest and mean difference of influences (InvalidInput: they are nowhere both known)."""
    distance = np.abs(measured - predicted)
    known = distance[~np.isnan(distance)]
    if not known.size:
        raise InvalidInput("there is no influence that both know")
    return {"largest": float(known.max()), "mean": float(known.mean())}
