"""Equivalent inputs: which trained input a long input is predicted to be taken for.

Xu et al. (2023, arXiv 2308.08268) see a model that was trained on n digits answer longer inputs
as it answers their low digits, and call it equivalence generalization.  Which input is equivalent
follows from the support rule (``theory.inference.support``): the digits at ignored positions are
those that training showed.

Shapes: n inputs, k operands, N digits of each.
"""

from __future__ import annotations

import numpy as np

from arith.theory.errors import InvalidInput
from arith.theory.inference.support import Support
from arith.theory.prediction.predict import predict
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import EVALUATION_SEED
from arith.verify.plan.sampling import Sampler

_TRIES = 20
"""Inputs drawn for each one wanted: some have no equivalent that was trained."""


def predicted_support(cell: Cell) -> Support:
    """What the learned function reads (InvalidInput: none is predicted that ignores positions)."""
    learned = predict(cell.setting).learned
    if learned is None:
        raise InvalidInput(f"no positions are predicted to be ignored by {cell.label()}")
    return learned.support


def equivalents(cell: Cell, operands: np.ndarray) -> np.ndarray:
    """The inputs that the learned function cannot tell from these: digits ``(n, k, N)`` of both.

    For ``D_n`` they are ``(a mod B**n, b mod B**n)``.  Errors are those of ``predicted_support``.
    """
    support, reduced = predicted_support(cell), operands.copy()
    for j, i in np.ndindex(*operands.shape[1:]):
        constant = support.constant((j, i + 1))
        if constant is not None:
            reduced[:, j, i] = constant
    return reduced


def pairs(cell: Cell, digits: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of one length whose equivalents are in the training domain, and these equivalents.

    Digits ``(n, k, N)`` each, n <= samples (InvalidInput: there are none).
    """
    fmt, train = cell.format, cell.setting.train
    rng = np.random.default_rng([EVALUATION_SEED, digits])
    drawn = Sampler(fmt, cell.setting.test(digits)).sample(_TRIES * samples, rng)
    reduced = equivalents(cell, drawn)
    values = zip(*fmt.values(reduced), strict=True)
    trained = np.array([train.contains(tuple(map(int, x)), fmt.base) for x in values])
    defined = (fmt.results(reduced) >= 0).all(1)
    kept = np.flatnonzero(trained & defined)[:samples]
    if not len(kept):
        raise InvalidInput(f"no input of {digits} digit(s) is equivalent to one in {train.text()}")
    return drawn[kept], reduced[kept]
