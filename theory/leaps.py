"""Leaps: how many digits at once a task asks a learner to put together.

Functions that can be learned a few coordinates at a time are learned soon, those that make a
learner find many at once late or never: Abbe, Boix-Adserà and Misiakiewicz (arXiv 2302.11055)
call the largest such step of a function its leap, counted in its Fourier expansion.  Here the
coordinates are the operands' digits, and a step counts by what a guess gains (ours; the evidence
is in the report of the full grid, under *How soon*).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import numpy as np

from theory.accuracy import members
from theory.domains import Domain
from theory.integer_arrays import SAFE, Array
from theory.tasks import Task

GAIN = Fraction(1, 10)
"""The least share of what there is to know of a result digit that a step has to gain.

Chosen after the fact; a fifth would do as well, a twentieth would not for sums mod 200.
"""
CONSTANT = Fraction(9, 10)
"""A result digit that is right so often without reading anything is left out."""
FEW = 2
"""Digits that a task may ask for at once to be learned soon (rule ``leap``)."""
LARGEST = 10_000_000
"""Counts in a table, and operand tuples, at most (a second or two)."""


@lru_cache(maxsize=256)
def leap(task: Task, base: int, train: Domain) -> int | None:
    """The most operand digits that learning the task asks for at once.

    Of a result digit and a set of operand digits, let g be the share of the training domain on
    which the best guess from these digits is right.  A step adds digits, and gains at least
    ``GAIN`` of g(all) - g(none), or reaches g(all).  The leap of a result digit is the largest
    step of the way from none to g(all) whose largest step is the smallest; that of the task is
    the largest of its result digits.

    Returns:
        None for primed or drawn training sets, and where there are more than ``LARGEST`` tuples,
        or values too large for machine integers.
    """
    places = [(j, i) for j in range(task.operands) for i in range(train.every_length[-1])]
    if train.priming or train.pairs is not None or base ** (len(places) + 1) > LARGEST:
        return None
    top = base ** train.every_length[-1]
    if sum(abs(c) * top ** sum(e) for c, e in task.terms) >= SAFE:
        return None
    boxes = [members(box, base, np.dtype(np.int64)) for box in train.boxes(base, task.operands)]
    shown = np.concatenate([np.stack(x) for x in boxes], axis=1)
    results = task.evaluate(*shown)
    shown, results = shown[:, results >= 0], results[results >= 0]  # where the task is defined
    key = np.zeros(shown.shape[1], dtype=np.int64)
    for j, i in places:
        key = key * base + shown[j] // base**i % base
    leaps = []
    for r in range(task.result_width(base, train.every_length[-1])):
        counts = np.bincount(
            key * base + results // base**r % base, minlength=base ** (len(places) + 1)
        )
        right = _right(counts.reshape((base,) * (len(places) + 1)), len(places))
        if right[()] < CONSTANT * len(results):
            leaps.append(_leap(right, len(places)))
    return max(leaps, default=0)


def _right(counts: Array, places: int) -> dict[tuple[int, ...], int]:
    """How often the best guess is right, by the digits it goes by.

    Args:
        counts: an axis per digit, the last for the result's.
    """
    found: dict[tuple[int, ...], int] = {}

    def visit(table: Array, kept: tuple[int, ...], start: int) -> None:
        found[kept] = int(table.max(-1).sum())
        for axis in range(start, len(kept)):
            visit(table.sum(axis), kept[:axis] + kept[axis + 1 :], axis)

    visit(counts, tuple(range(places)), 0)
    return found


def _leap(right: dict[tuple[int, ...], int], places: int) -> int:
    """The largest step of the best way from no digits to all that there is to know."""
    known, least = right[tuple(range(places))], GAIN * (right[tuple(range(places))] - right[()])
    ways: dict[tuple[int, ...], int] = {(): 0}
    for size in range(1, places + 1):
        for there in combinations(range(places), size):
            steps = [
                max(ways[here], size - fewer)
                for fewer in range(size)
                for here in combinations(there, fewer)
                if here in ways
                and (right[there] - right[here] >= least or right[there] == known > right[here])
            ]
            if steps:
                ways[there] = min(steps)
    return min(way for there, way in ways.items() if right[there] == known)
