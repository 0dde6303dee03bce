"""Exact accuracy: the probability that the learned function is right on a test domain.

Counted, never sampled.  A domain is cut into boxes of independent digits, and each kind of task has
its own way of counting the members of a box on which f and f^ agree.  All raise ``InvalidInput``
where the task is defined nowhere on the domain, ``NotCountable`` where a box is too large for it.

* linear forms over N: digit by digit (``theory.counting.carry_automaton``);
* polynomials mod p: residue by residue (``theory.counting.congruences``);
* polynomials with positive coefficients over N: every monomial must keep its value;
* anything else, and what is too large for these: enumeration, while the box is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, product
from math import prod

import numpy as np

from arith.theory.counting.carry_automaton import agreement
from arith.theory.counting.congruences import congruent, key_matches
from arith.theory.errors import InvalidInput, NotCountable
from arith.theory.inference.joint_support import split_unseen
from arith.theory.inference.learned import LearnedFunction
from arith.theory.inference.support import Support
from arith.theory.numbers.effort import ENTRIES, remembered, spend
from arith.theory.numbers.integer_arrays import Array, exact_dtype, operand_tuples
from arith.theory.setting.boxes import Box
from arith.theory.setting.domains import Domain
from arith.theory.setting.tasks import Task

LARGEST_ENUMERATION = ENTRIES // 10

_STEPS_PER_PLACE = 10_000
"""Steps to cut a test box to what a training box has at one place that is read."""


def accuracy(learned: LearnedFunction, test: Domain) -> Fraction:
    """``P[f(x) = f^(x)]`` for x uniform on the part of a test domain where f is defined."""
    boxes, total = defined_boxes(learned, test)
    try:
        layers = test.layers(learned.base, learned.task.operands)
        right = sum(sign * matches(learned, box) for sign, box in layers)
    except NotCountable:  # a layer is larger than the boxes
        right = sum(matches(learned, box) for box in boxes)
    return Fraction(right, total)


def unseen_share(learned: LearnedFunction, test: Domain) -> Fraction:
    """The share of a test domain on which training does not fix the answer (joint support)."""
    task, base = learned.task, learned.base
    boxes, total = defined_boxes(learned, test)
    unknown = sum(defined(task, piece, base) for piece in _pieces(learned, boxes, known=False))
    if task.needs_order:  # training never shows what borrows from digits that are ignored
        unknown += sum(
            defined(task, piece, base) - agreement(task, piece, base, learned.support, 0).natural
            for piece in _pieces(learned, boxes, known=True)
        )
    return Fraction(unknown, total)


def known_accuracy(learned: LearnedFunction, test: Domain) -> Fraction:
    """The share of a test domain that training fixes, and where the learned function is right."""
    boxes, total = defined_boxes(learned, test)
    right = sum(matches(learned, piece) for piece in _pieces(learned, boxes, known=True))
    return Fraction(right, total)


def shown_share(learned: LearnedFunction, test: Domain) -> Fraction:
    """The share of a test domain whose digits training showed together, at the places it reads."""
    task, base, support = learned.task, learned.base, learned.support
    boxes, total = defined_boxes(learned, test)
    spend(_STEPS_PER_PLACE * len(support.read) * len(boxes) * len(support.boxes))
    # The training boxes are disjoint, and they do not differ at places that are not read.
    shown = sum(
        defined(task, piece, base)
        for box in boxes
        for trained in support.boxes
        if (piece := box.restrict({p: frozenset(trained.values(*p)) for p in support.read})).size
    )
    return Fraction(shown, total)


def defined_boxes(learned: LearnedFunction, test: Domain) -> tuple[tuple[Box, ...], int]:
    """The boxes of a test domain, and on how many of their members the task is defined."""
    boxes = test.boxes(learned.base, learned.task.operands)
    total = sum(defined(learned.task, box, learned.base) for box in boxes)
    if not total:
        raise InvalidInput(f"the task is defined nowhere on {test.text()}")
    return boxes, total


def _pieces(learned: LearnedFunction, boxes: tuple[Box, ...], known: bool) -> Iterator[Box]:
    """The parts of the boxes on which training fixes the answer, or does not."""
    return chain.from_iterable(split_unseen(learned.support, box, known=known) for box in boxes)


def defined(task: Task, box: Box, base: int) -> int:
    """How many members of a box the task is defined on."""
    return agreement(task, box, base, None, 0).natural if task.needs_order else box.size


@remembered(1024)
def matches(learned: LearnedFunction, box: Box) -> int:
    """How many members of a box have ``f(x) = f^(x)``."""
    spend(4_000 * learned.task.operands * box.width)  # to look at every position
    if not touched(learned.support, box, learned.task):
        return defined(learned.task, box, learned.base)
    try:
        return _counted(learned, box)
    except NotCountable:
        if box.size > LARGEST_ENUMERATION:
            raise
    right, answer = evaluated(learned, box)
    return int(np.count_nonzero((right == answer) & (right >= 0)))


def _counted(learned: LearnedFunction, box: Box) -> int:
    """The same, without enumeration."""
    task, support, p = learned.task, learned.support, learned.task.full_modulus
    if p is not None and task.divisor == 1:
        return congruent(learned, box, p)
    if p is not None:
        return key_matches(learned, box, p, lambda r: [r // task.divisor])[0]
    offset = any(support.offset(j) for j in range(task.operands))
    if task.divisor == 1 and not task.needs_order and not offset:
        return _monotone(learned, box)
    if task.is_linear:
        width = task.result_width(learned.base, max(box.width, support.width))
        return agreement(task, box, learned.base, support, width).lowest[-1]
    raise NotCountable(f"'{task.name}' cannot be counted exactly on {box.size} operand tuples")


def evaluated(learned: LearnedFunction, box: Box) -> tuple[Array, Array]:
    """f and f^ of every member of a small box, each of shape ``(box.size,)``."""
    task, width = learned.task, learned.support.width
    operations = task.operands * width + sum(1 + sum(e) for _, e in task.terms)
    dtype = value_dtype(task, learned.base, max(box.width, width))
    spend(box.size * operations * (200 if dtype.hasobject else 4))
    tuples = operand_tuples(box.digits, learned.base, dtype)
    return task.evaluate(*tuples), learned.evaluate(*tuples)


def value_dtype(task: Task, base: int, width: int) -> np.dtype:
    """A dtype for all that a task computes from operands of so many digits."""
    coefficients = max(1, sum(abs(c) for c, _ in task.terms))
    largest = coefficients * base ** (width * max(1, task.degree))
    return exact_dtype(max(largest, task.full_modulus or 1, task.divisor))


def touched(support: Support, box: Box, task: Task) -> bool:
    """Whether some member of the box has a digit that the model replaces."""
    return any(
        (constant := support.constant((j, i))) is not None and box.values(j, i) != (constant,)
        for j in range(task.operands)
        for i in range(1, max(box.width, support.width) + 1)
    )


def _monotone(learned: LearnedFunction, box: Box) -> int:
    """Positive coefficients, ignored digits read as 0: equal only if every monomial is.

    Each operand is zero, kept (the model sees it whole, and it is not zero), or cut
    (something was replaced by 0).  A monomial keeps its value when one of its operands
    is zero or none is cut; it can only shrink otherwise.
    """
    task = learned.task
    states = [_three_ways(learned.support, box, j) for j in range(task.operands)]
    count = 0
    for chosen in product(*(state.items() for state in states)):
        monomials = [
            {name for (name, _), x in zip(chosen, e, strict=True) if x} for _, e in task.terms
        ]
        if all("zero" in x or "cut" not in x for x in monomials):
            count += prod(ways for _, ways in chosen)
    return count


def _three_ways(support: Support, box: Box, operand: int) -> dict[str, int]:
    """In how many ways an operand is zero, kept and cut."""
    every, zero, whole = 1, 1, 1
    for i in range(1, max(box.width, support.width) + 1):
        values = box.values(operand, i)
        every *= len(values)
        zero *= 0 in values
        whole *= len(values) if support.constant((operand, i)) is None else 0 in values
    return {"zero": zero, "kept": whole - zero, "cut": every - whole}
