"""Witnesses: what a few inputs decide about an accuracy that is too large to be counted.

One input whose answer training fixes, and on which f and f^ differ, is enough to say that the
accuracy is below 1; one on which they agree says that it is above 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from theory.accuracy import defined
from theory.domains import Box, Domain, enumerate_box
from theory.effort import spend
from theory.integer_arrays import NotCountable
from theory.joint_support import split_unseen
from theory.learned import LearnedFunction

TRIED = 64
"""Inputs that are looked at."""


@dataclass(frozen=True)
class Witnesses:
    """What a sample of a test domain decides.

    Args:
        right: whether f and f^ agree on some input of it.
        at_most: what the accuracy cannot exceed: 1 less the share of the domain that the inputs
            found with f and f^ different make up.
    """

    right: bool
    at_most: Fraction


def witnesses(learned: LearnedFunction, test: Domain) -> Witnesses:
    """What some inputs of a test domain decide, the same ones each time.

    Inputs whose answer training does not fix (joint support) are left out.
    """
    task, base = learned.task, learned.base
    boxes = test.boxes(base, task.operands)
    draw = Random(0)
    wrong: set[tuple[int, ...]] = set()
    right, size = False, 1
    with suppress(NotCountable):
        size = sum(defined(task, box, base) for box in boxes)
        for _ in range(TRIED):
            spend(_cost(learned, test))
            one = _one(boxes, draw)
            [x] = enumerate_box(one, base)
            truth, answer = task.evaluate(*x), learned.evaluate(*x)
            if min(truth, answer) < 0:
                continue
            if truth == answer:
                right = right or _fixed(learned, one)
            elif x not in wrong and _fixed(learned, one):
                wrong.add(x)
    return Witnesses(right, 1 - Fraction(len(wrong), size))


def _one(boxes: Sequence[Box], draw: Random) -> Box:
    """A box with one member of some boxes, drawn uniformly."""
    number = draw.randrange(sum(box.size for box in boxes))
    for box in boxes:
        if number < box.size:
            break
        number -= box.size
    return Box(tuple(tuple((draw.choice(values),) for values in row) for row in box.digits))


def _fixed(learned: LearnedFunction, one: Box) -> bool:
    """Whether training fixes the answer to the one member of a box."""
    return bool(split_unseen(learned.task, learned.support, one, learned.base, known=True))


def _cost(learned: LearnedFunction, test: Domain) -> int:
    """Steps for one input: numbers of n digits are multiplied in about n**2 / 80."""
    task, [length] = learned.task, test.lengths
    products = sum(1 + sum(e) for _, e in task.terms)
    each = 100 + task.degree * length * length // 80
    return 2 * products * each + 1_000 * task.operands * (length + learned.support.width)
