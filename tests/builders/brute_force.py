"""Domains, digits and accuracies by enumeration, to compare with what is counted."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task
from arith.theory.counting.learned import LearnedFunction


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
