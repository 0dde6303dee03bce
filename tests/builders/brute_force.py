"""Domains, digits and accuracies by enumeration, to compare with what is counted."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task, digit_count
from arith.theory.counting.learned import LearnedFunction

Digits = tuple[int, ...]


@lru_cache(64)
def members(task: Task, domain: Domain, base: int) -> list[tuple[int, ...]]:
    """The domain, enumerated by definition and not by boxes."""
    values = range(base ** max(domain.lengths))
    every = product(values, repeat=task.operands)
    if domain.allowed:
        inputs = [x for x in every if domain.contains(x, base)]
    else:  # the same; each number's length is looked at once, and each combination of lengths
        width = [digit_count(value, domain.digit_base(base)) for value in values]
        shape = (max(width) + 1,) * task.operands
        shown = np.array([domain.has_lengths(x) for x in np.ndindex(*shape)]).reshape(shape)
        inputs = list(map(tuple, np.argwhere(shown[np.ix_(*[width] * task.operands)]).tolist()))
    if not inputs:
        return []
    defined = task.is_result(task.evaluate(*_columns(inputs)))
    return [x for x, fine in zip(inputs, defined, strict=True) if fine]


def brute_accuracy(learned: LearnedFunction, domain: Domain) -> Fraction:
    """The accuracy by evaluating f and f^ on every member."""
    inputs = members(learned.task, domain, learned.base)
    columns = _columns(inputs)
    right = learned.task.evaluate(*columns) == learned.evaluate(*columns)
    return Fraction(int(right.sum()), len(inputs))


def _columns(inputs: list[tuple[int, ...]]) -> np.ndarray:
    """The numbers of each operand; coefficients may be larger than an integer of an array."""
    return np.array(inputs, object).T


def box_members(domain: Domain, base: int, operands: int) -> list[tuple[int, ...]]:
    """The domain, enumerated by its boxes."""
    return [x for box in domain.boxes(base, operands) for x in tuples_of(box, base)]


def tuples_of(box: Box, base: int) -> list[tuple[int, ...]]:
    """Every operand tuple of a box."""
    per_operand = [
        [sum(d * base**i for i, d in enumerate(digits)) for digits in product(*row)]
        for row in box.digits
    ]
    return list(product(*per_operand))


def digit(value: int, position: int, base: int) -> int:
    """The digit of weight ``base**(position - 1)``."""
    return value // base ** (position - 1) % base


def best_local(examples: list[tuple[Digits, Digits]], lacks: list[tuple[int, int]]) -> int:
    """How many can be right if no query depends on a digit that it or a later one lacks.

    Args:
        examples: the digits that are read, and the result's.
        lacks: which digit of the first each query lacks, and which of the result it writes, in the
            order in which they are asked.
    """
    if not lacks:
        return len(examples)
    unseen, (_, asked) = {n for n, _ in lacks}, lacks[0]
    views: dict[Digits, dict[int, list[tuple[Digits, Digits]]]] = {}
    for read, result in examples:
        view = tuple(d for n, d in enumerate(read) if n not in unseen)
        views.setdefault(view, {}).setdefault(result[asked], []).append((read, result))
    return sum(
        max(best_local(some, lacks[1:]) for some in answers.values()) for answers in views.values()
    )
