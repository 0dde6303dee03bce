"""Domains, digits and accuracies by enumeration, to compare with what is counted."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task
from arith.theory.counting.learned import LearnedFunction

Digits = tuple[int, ...]


def members(task: Task, domain: Domain, base: int) -> list[tuple[int, ...]]:
    """The domain, enumerated by definition and not by boxes."""
    top = base ** max(domain.lengths)
    everything = product(range(top), repeat=task.operands)
    return [x for x in everything if domain.contains(x, base) and task.is_result(task.evaluate(*x))]


def brute_accuracy(learned: LearnedFunction, domain: Domain) -> Fraction:
    """The accuracy by evaluating f and f^ on every member."""
    inputs = members(learned.task, domain, learned.base)
    right = sum(learned.task.evaluate(*x) == learned.evaluate(*x) for x in inputs)
    return Fraction(right, len(inputs))


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
