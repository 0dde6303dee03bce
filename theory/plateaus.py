"""Plateaus: what a model of a modular task can answer before it reads every digit.

Modulo p the low digits of the operands decide part of the result and the others the rest.  A
model that reads the lowest k digits of each operand can do no better than give, to each
combination of them, the result that is the most frequent in training.  Ours; the evidence stands in
``theory.rules``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from theory.accuracy import members
from theory.domains import Box
from theory.integer_arrays import SAFE, Array
from theory.predict import Prediction
from theory.residues import digit_sum
from theory.settings import Setting
from theory.tasks import Task

LARGEST = 4_000_000
"""Operand tuples of the training domain that are enumerated at most."""
_MOST_EVALUATED = 30_000_000
"""Evaluations for one longer test length at most (about a second)."""
_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Plateau:
    """The best answers from the lowest digits of each operand.

    Args:
        read: how many digits of each operand are read, the lowest ones.
        accuracy: the share of the training domain that they are right on.
        upward: by longer test length the least and the largest accuracy of such answers, which
            differ where training shows several results equally often.  Without the lengths that
            take too long to count, and empty where longer inputs do not follow from the support.
    """

    read: int
    accuracy: Fraction
    upward: dict[int, tuple[Fraction, Fraction]]


def plateaus(prediction: Prediction) -> tuple[Plateau, ...]:
    """The plateaus of a task below 1, the lowest first; a digit that tells nothing makes none.

    Empty for tasks without a modulus, for primed or drawn training sets, and for training
    domains of more than ``LARGEST`` operand tuples.
    """
    lengths = [x.digits for x in prediction.lengths if x.direction == "upward"]
    return _plateaus(prediction.setting, tuple(lengths) if prediction.learned is not None else ())


@lru_cache(maxsize=256)
def _plateaus(setting: Setting, lengths: tuple[int, ...]) -> tuple[Plateau, ...]:
    task, base, train = setting.task, setting.base, setting.train
    boxes = train.boxes(base, task.operands)
    size = sum(box.size for box in boxes)
    if task.modulus is None or train.priming or train.pairs is not None:
        return ()
    if max(size, task.modulus * task.divisor) > LARGEST:
        return ()
    shown = np.concatenate([_members(task, box, base) for box in boxes], axis=1)
    results = task.evaluate(*shown)
    found: list[Plateau] = []
    for k in range(max(train.every_length)):
        answers = _best(shown, results, base**k, task.modulus)
        accuracy = Fraction(answers.right, size)
        if accuracy < 1 and accuracy > (found[-1].accuracy if found else 0):
            upward = {n: x for n in lengths if (x := _longer(setting, k, answers, n)) is not None}
            found.append(Plateau(k, accuracy, upward))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Answers:
    """The most frequent results to each combination of low digits, several where they tie.

    Args:
        low: the low digits as numbers, ``(operands, answers)``; equal ones stand together.
        result: ``(answers,)``.
        starts: where each combination begins.
        right: how many members of the training domain they are right on.
    """

    low: Array
    result: Array
    starts: Array
    right: int


def _best(shown: Array, results: Array, limit: int, modulus: int) -> _Answers:
    """The best answers to operands of which only the rest modulo ``limit`` is read."""
    key = np.zeros(shown.shape[1], dtype=np.int64)
    for x in shown:
        key = key * limit + (x % limit).astype(np.int64)
    pairs, counts = np.unique(key * modulus + results.astype(np.int64), return_counts=True)
    starts = _starts(pairs // modulus)
    most = np.maximum.reduceat(counts, starts)
    kept = pairs[counts == np.repeat(most, np.diff([*starts, len(pairs)]))]
    combination = kept // modulus
    places = [limit**j for j in reversed(range(len(shown)))]
    low = np.stack([combination // place % limit for place in places])
    return _Answers(low, kept % modulus, _starts(combination), int(most.sum()))


def _starts(ascending: Array) -> Array:
    """Where runs of equal numbers begin."""
    return np.flatnonzero(np.diff(ascending, prepend=-1))


def _longer(
    setting: Setting, k: int, answers: _Answers, length: int
) -> tuple[Fraction, Fraction] | None:
    """The least and the largest accuracy of the answers at a length above the trained ones."""
    task, base = setting.task, setting.base
    layers = setting.test(length).layers(base, task.operands)
    if len(answers.starts) < base ** (k * task.operands):
        return None  # some low digits were never shown together
    right = np.zeros(len(answers.result), dtype=_whole(base ** (length * task.operands)))
    for sign, box in layers:
        high, weight = _high(task, base, box, k)
        if high.shape[1] * len(right) > _MOST_EVALUATED:
            return None
        step = max(1, _AT_ONCE // len(right))
        for start in range(0, high.shape[1], step):
            part = slice(start, start + step)
            x = answers.low[:, :, None] + high[:, None, part]
            hits = task.evaluate(*x) == answers.result[:, None]
            right += sign * (hits.astype(right.dtype) @ weight[part].astype(right.dtype))
    total = sum(sign * box.size for sign, box in layers)
    least, most = (int(f.reduceat(right, answers.starts).sum()) for f in (np.minimum, np.maximum))
    return Fraction(least, total), Fraction(most, total)


def _high(task: Task, base: int, box: Box, k: int) -> tuple[Array, Array]:
    """What the digits above the lowest k add to the operands, modulo p, and how often each."""
    modulus = task.full_modulus or 1
    residues, counts = [], []
    for row in box.digits:
        found = digit_sum(modulus, base, [(i, d) for i, d in enumerate(row, 1) if i > k])
        hit = [r for r in range(modulus) if found.count(r)]
        residues.append(np.array(hit, dtype=np.int64))
        counts.append(np.array([found.count(r) for r in hit], dtype=object))
    high = np.stack(np.meshgrid(*residues, indexing="ij"))
    weight = np.multiply.reduce(np.meshgrid(*counts, indexing="ij"))
    return high.reshape(task.operands, -1), weight.ravel()


def _members(task: Task, box: Box, base: int) -> Array:
    """Every operand tuple of a box, ``(operands, size)``."""
    largest = max(1, sum(abs(c) for c, _ in task.terms)) * base ** (box.width * max(1, task.degree))
    return np.stack(members(box, base, _whole(largest)))


def _whole(largest: int) -> np.dtype:
    """A dtype for whole numbers up to that."""
    return np.dtype(np.int64 if largest < SAFE else object)
