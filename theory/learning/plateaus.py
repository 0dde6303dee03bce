"""Plateaus: what a model of a modular task can answer before it reads every digit.

Modulo p the low digits of the operands decide part of the result and the others the rest.  A
model that reads the lowest k digits of each operand can do no better than the Bayes classifier
of these digits, which gives to each combination of them the result that is the most frequent in
training.  Ours; the evidence stands in ``theory.rules``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import ENTRIES, PART
from arith.theory.arithmetic.integer_arrays import Array, exact_dtype, numbers
from arith.theory.arithmetic.residues import digit_sum, joint
from arith.theory.arithmetic.tasks import Task
from arith.theory.setting.settings import Setting

LARGEST = ENTRIES * 2 // 5
"""Operand tuples of the training domain, and residues, that are enumerated at most."""
_MOST_EVALUATED = PART // 50
"""Evaluations for one test length at most (seconds)."""
_MOST_OPERATIONS = PART // 15
"""Operations on operand tuples of the training domain at most (seconds)."""
_AT_ONCE = ENTRIES // 5
_DENSE = 4
"""Up to so many possible pairs of low digits and result for each operand tuple there is a table of
all."""


@dataclass(frozen=True)
class Plateau:
    """The best answers from the lowest digits of each operand.

    Args:
        read: how many digits of each operand are read, the lowest ones.
        accuracy: the share of the training domain that they are right on.
    """

    read: int
    accuracy: Fraction


@lru_cache(maxsize=4096)
def plateaus(task: Task, base: int, train: Domain) -> tuple[Plateau, ...]:
    """The plateaus of a task below 1, the lowest first; a digit that tells nothing makes none.

    Empty for tasks without a modulus or whose results never reach it, for primed or drawn
    training sets, and where they would take too long to be found.
    """
    ladder: list[Plateau] = []
    size = sum(box.size for box in train.boxes(base, task.operands))
    for k, best in enumerate(_answers(task, base, train)):
        accuracy = Fraction(best.right, size)
        if accuracy < 1 and accuracy > (ladder[-1].accuracy if ladder else 0):
            ladder.append(Plateau(k, accuracy))
    return tuple(ladder)


def setting_plateaus(s: Setting) -> tuple[Plateau, ...]:
    """The plateaus of a setting's task; none where numbers have their natural lengths."""
    return () if s.natural or len(s.task.operations) > 1 else plateaus(s.task, s.base, s.train)


@lru_cache(maxsize=4096)  # as many as there are plateaus
def plateau_accuracy(
    task: Task, base: int, train: Domain, plateau: Plateau, test: Domain
) -> tuple[Fraction, Fraction] | None:
    """The least and the largest accuracy of such answers on a test domain, digits above ignored.

    They differ where training shows several results equally often.  None where training lacks
    combinations of low digits that the test may ask for, or the count would take too long.
    """
    limit = base**plateau.read
    pairs = _answers(task, base, train)[plateau.read].pairs
    combinations, result = np.divmod(pairs, task.modulus or 1)
    starts = _starts(combinations)
    if not test.even or len(starts) < limit**task.operands:
        return None
    weights = [limit**j for j in reversed(range(task.operands))]
    low = np.stack([combinations // weight % limit for weight in weights])
    layers = test.layers(base, task.operands)
    total = sum(sign * box.size for sign, box in layers)
    right = np.zeros(len(result), dtype=exact_dtype(sum(box.size for _, box in layers)))
    for sign, box in layers:
        above = _high(task, base, box, plateau.read, _MOST_EVALUATED // len(right))
        if above is None:
            return None
        high, weight = above
        step = max(1, _AT_ONCE // len(right))
        for start in range(0, high.shape[1], step):
            part = slice(start, start + step)
            x = low[:, :, None] + high[:, None, part]
            hits = task.evaluate(*x) == result[:, None]
            right += sign * (hits.astype(right.dtype) @ weight[part].astype(right.dtype))
    least, most = (int(f.reduceat(right, starts).sum()) for f in (np.minimum, np.maximum))
    return Fraction(least, total), Fraction(most, total)


class _Answers(NamedTuple):
    """The most frequent results to each combination of low digits, several where they tie.

    Args:
        pairs: each combination, as the digits of a number, times the modulus plus the result;
            ascending, ``(answers,)``.
        right: how many members of the training domain they are right on.
    """

    pairs: Array
    right: int


@lru_cache(maxsize=8)
def _answers(task: Task, base: int, train: Domain) -> tuple[_Answers, ...]:
    """The best answers from the lowest 0, 1, ... digits, as far as training goes."""
    boxes = train.boxes(base, task.operands)
    if task.modulus is None or train.pairs is not None or not train.uniform:
        return ()
    if task.without_idle_modulus(base, train.most_places).modulus is None:
        return ()
    size = sum(box.size for box in boxes)
    operations = task.steps + train.most_places
    if max(size, task.modulus) > LARGEST or size * operations > _MOST_OPERATIONS:
        return ()
    dtype = task.dtype(base ** max(box.width for box in boxes))
    # The values of each operand, to be combined by broadcasting.
    shown = [np.ix_(*(numbers(row, base, dtype) for row in box.digits)) for box in boxes]
    evaluated = (np.broadcast_arrays(task.evaluate(*axes), *axes)[0] for axes in shown)
    results = np.concatenate([values.ravel() for values in evaluated])
    limits = [base**k for k in range(train.most_places)]
    dense = [x for x in limits if x**task.operands * task.modulus <= _DENSE * size]
    tables = list[Array]()
    if dense:  # those of fewer digits are sums of the finest
        finest = _pairs(shown, results, dense[-1], task.modulus).astype(np.int64)
        tables = _tables(finest, base, len(dense), task.operands, task.modulus)
    answers = list[_Answers]()
    for k, limit in enumerate(limits):
        if k < len(tables):
            answers.append(_most_frequent(tables[k]))
        else:
            answers.append(_best(_pairs(shown, results, limit, task.modulus), task.modulus))
        if answers[-1].right == size:
            break
    return tuple(answers)


def _pairs(shown: Sequence[tuple[Array, ...]], results: Array, limit: int, modulus: int) -> Array:
    """Each member of the training domain as the number that ``_Answers.pairs`` has for it."""
    every, below = list[Array](), limit ** len(shown[0]) * modulus
    for axes in shown:
        key: Array = np.zeros(1, exact_dtype(below))
        for x in axes:
            key = key * limit + x % limit
        every.append(key.ravel() * modulus)
    pairs: Array = np.concatenate(every) + results
    return pairs


def _tables(pairs: Array, base: int, levels: int, operands: int, modulus: int) -> list[Array]:
    """How often each result follows each combination of the lowest 0, 1, ... digits.

    Args:
        pairs: of the most digits, one less than ``levels``.

    Returns:
        Of each number of digits a table ``(combinations, modulus)``.
    """
    limit = base ** (levels - 1)
    found = [np.bincount(pairs, minlength=limit**operands * modulus).reshape(-1, modulus)]
    while limit > 1:
        limit //= base
        by_digit = found[0].reshape(*(base, limit) * operands, modulus)
        highest = tuple(range(0, 2 * operands, 2))
        found.insert(0, by_digit.sum(axis=highest).reshape(-1, modulus))
    return found


def _most_frequent(table: Array) -> _Answers:
    """The best answers by how often each result follows each combination."""
    most = table.max(axis=1)
    kept = np.flatnonzero((table == most[:, None]) & (table > 0))
    return _Answers(kept, int(most.sum()))


def _best(pairs: Array, modulus: int) -> _Answers:
    """The best answers where there are too many combinations for a table of all."""
    pairs, counts = np.unique(pairs, return_counts=True)
    starts = _starts(pairs // modulus)
    most = np.maximum.reduceat(counts, starts)
    kept = pairs[counts == np.repeat(most, np.diff(starts, append=len(pairs)))]
    return _Answers(kept, int(most.sum()))


def _starts(ascending: Array) -> Array:
    """Where each value begins of some that ascend."""
    return np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))


def _high(task: Task, base: int, box: Box, k: int, most: int) -> tuple[Array, Array] | None:
    """What digits above the lowest k add mod p, ``(operands, n)``, and how often each, ``(n,)``.

    None where n is above ``most``.
    """
    rows = ([(base**i, d) for i, d in enumerate(row) if i >= k] for row in box.digits)
    above = [digit_sum(task.modulus or 1, x) for x in rows]
    return joint(above) if prod(len(x.hit) for x in above) <= most else None
