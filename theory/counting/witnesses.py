"""Witnesses: what single inputs decide about an accuracy that is too large to be counted.

One input whose answer training fixes, and on which f and f^ differ, is enough to say that the
accuracy is below 1; one on which they agree says that it is above 0.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from arith.theory.counting.accuracy import defined
from arith.theory.errors import NotCountable
from arith.theory.inference.learned import LearnedFunction
from arith.theory.numbers.effort import spend
from arith.theory.setting.boxes import Box
from arith.theory.setting.domains import Domain

TRIED, ENOUGH = 64, 8
"""Inputs that are looked at, at most; and where they have shown already that f^ is wrong."""


@dataclass(frozen=True)
class Witnesses:
    """Whether f and f^ agree on an input, and what the accuracy cannot exceed: 1 if always."""

    right: bool
    at_most: Fraction


def witnesses(learned: LearnedFunction, test: Domain) -> Witnesses:
    """What some inputs of a test domain decide, the same ones each time.

    Training showed their digits together at the places that are read: it fixes their answers.
    """
    task, base, draw = learned.task, learned.base, Random(0)
    boxes, [length] = test.boxes(base, task.operands), test.lengths
    right, at_most = False, Fraction(1)
    products = sum(1 + sum(e) for _, e in task.terms)
    each = 100 + task.degree * length * length // 80  # numbers of n digits take about n**2 / 80
    cost = 2 * products * each + 1_000 * task.operands * learned.support.width
    with suppress(NotCountable):
        size = sum(defined(task, box, base) for box in boxes)
        for number in range(1, TRIED + 1):
            spend(1_000 * task.operands * length)
            x = _shown(learned, draw.choice(boxes), draw.choice(learned.support.boxes), draw)
            if x is None:
                continue
            spend(cost)
            truth, answer = task.evaluate(*x), learned.evaluate(*x)
            if min(truth, answer) < 0:  # the task is not defined there
                continue
            if truth == answer:
                right = True
            else:
                at_most = 1 - Fraction(1, size)
            if at_most < 1 and (right or number >= ENOUGH):
                break
    return Witnesses(right, at_most)


def _shown(
    learned: LearnedFunction, box: Box, trained: Box, draw: Random
) -> tuple[int, ...] | None:
    """A member of a test box with the digits of a training box where the model reads, if any."""
    operands = []
    for j, row in enumerate(box.digits):
        x = 0
        for i, values in reversed(list(enumerate(row, 1))):
            if learned.support.constant((j, i)) is None:
                values = tuple(set(values).intersection(trained.values(j, i)))
            if not values:
                return None
            x = x * learned.base + draw.choice(values)
        operands.append(x)
    return tuple(operands)
