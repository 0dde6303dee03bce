"""Bayes classifiers: how often a result digit follows from some of the operands' digits.

The Bayes classifier gives to what it reads the value that is the most frequent there; no other
answer is right more often.  Counted over a domain of operand tuples.  Its boxes have independent
digits, so what is not read enters by how it is distributed over residues.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from arith.theory.errors import NotCountable
from arith.theory.inference.support import OperandDigit
from arith.theory.numbers.effort import ENTRIES, spend
from arith.theory.numbers.integer_arrays import (
    SAFE,
    Array,
    combinations,
    cyclic_product,
    exact_dtype,
)
from arith.theory.setting.boxes import Box
from arith.theory.setting.tasks import Task

LARGEST = ENTRIES // 10
"""What is told apart of a product's operands together, and combinations of digits, at most."""
_LARGEST_SUM = ENTRIES // 2_000
"""Values of a sum that are told apart, at most."""
_LEAST_COST = 1_000_000
"""Steps that any classifier takes."""
_LARGEST_DOMAIN = 2**53
"""Operand tuples at most."""
_LARGEST_TABLE = 2 * ENTRIES
"""Entries of the counts by what is read at most (bounds the memory)."""


class DigitClassifier:
    """The Bayes classifiers of one result digit, each from some of the operands' digits.

    Args:
        boxes: of the domain, disjoint; together they treat all operands alike.
        r: the result digit, 0 for the units.

    Raises:
        NotCountable: more cases would have to be told apart than can be counted.
    """

    def __init__(self, task: Task, base: int, boxes: tuple[Box, ...], r: int) -> None:
        if sum(box.size for box in boxes) > _LARGEST_DOMAIN:
            raise NotCountable(f"the domain is too large to classify digits of '{task.name}'")
        self._counts = (_Sum if task.is_linear else _Polynomial)(task, base, boxes, r)
        self._right: dict[tuple[OperandDigit, ...], int] = {}
        self._orders = [x for x in permutations(range(task.operands)) if task.stays(x)]
        alike, counts = self._counts(frozenset())
        self.total = int((alike * counts.sum(-1)).sum())

    def right(self, read: frozenset[OperandDigit]) -> int:
        """On how many tuples of the domain the classifier is right that reads these digits.

        Raises:
            NotCountable: there are too many combinations of them.
            TooMuchWork: the budget is spent.
        """
        key = min(tuple(sorted((order[j], i) for j, i in read)) for order in self._orders)
        if key not in self._right:
            spend(self._counts.cost)
            alike, counts = self._counts(read)
            self._right[key] = int((alike * counts.max(-1)).sum())
        return self._right[key]


class _Sum:
    """How often a digit of a linear form has each value: what is read moves the rest's sum."""

    def __init__(self, task: Task, base: int, boxes: tuple[Box, ...], r: int) -> None:
        self._base, self._boxes = base, boxes
        constant = task.constant
        self._factors = task.coefficients
        top = base ** max(box.width for box in boxes) - 1
        least, most = (sum(top * edge(0, c) for c in self._factors) for edge in (min, max))
        self._m = min(most - least + 1, _period(task, base, r) or most - least + 1)
        if self._m > _LARGEST_SUM or self._m << len(boxes) >= SAFE:
            raise NotCountable(f"'{task.name}' has too many values to classify digits")
        self.cost = _LEAST_COST + 100 * self._m * len(boxes) * task.operands * boxes[0].width
        sums = np.arange(self._m).astype(exact_dtype(self._m + abs(constant)))
        if self._m > most - least:  # every value by itself, the negative ones last
            sums[most + 1 :] -= self._m
        reduced = Task(task.name, ((1, (1,)),), ("sum",), task.modulus)
        results = reduced.evaluate(sums + constant)
        digit = np.where(results < 0, -1, results // base**r % base)
        # Whether each sum has each value of the digit, 0 or 1, ``(values, m)``.
        self._is_digit = (digit == np.unique(digit[digit >= 0])[:, None]).astype(np.int64)

    def __call__(self, read: frozenset[OperandDigit]) -> tuple[Array, Array]:
        """What is read, with the counts of the result digit's values.

        Combinations of the digits that are read count alike if they have the same sum, and the
        same boxes have them.

        Returns:
            How many combinations there are of each kind, shape ``(kinds,)``; and the counts for
            one of each, ``(kinds, values of the result digit)``.
        """
        rests = []
        for box in self._boxes:  # the digit of a sum s + x, summed over the rests x
            rest = _sums(box, read, tuple(self._factors), self._m, self._base)
            rests.append(cyclic_product(self._is_digit, np.roll(rest[::-1], 1)))
        kinds, alike = self._kinds(read)
        there = [kinds >> k & 1 for k in range(len(rests))]  # whether each box has them
        counts = [r.T[kinds >> len(rests)] * t[:, None] for r, t in zip(rests, there, strict=True)]
        return alike, np.sum(counts, axis=0)

    def _kinds(self, read: frozenset[OperandDigit]) -> tuple[Array, Array]:
        """``sum * 2**boxes + a bit for each box that has them``, and how many there are of each."""
        bits = len(self._boxes)
        kinds, alike = np.array([2**bits - 1]), np.ones(1, dtype=np.int64)
        for j, i in read:
            weight = self._factors[j] * self._base ** (i - 1)
            has = np.zeros(self._base, dtype=np.int64)
            for k, box in enumerate(self._boxes):
                has[list(box.values(j, i))] |= 1 << k
            sums = np.add.outer(np.arange(self._base) * (weight % self._m), kinds >> bits) % self._m
            every = (sums << bits | has[:, None] & kinds).ravel()
            kinds, which = np.unique(every, return_inverse=True)
            alike = np.bincount(which, np.tile(alike, self._base)).astype(np.int64)
        return kinds, alike


@lru_cache(maxsize=512)  # all result digits of a modular task ask for the same
def _sums(
    box: Box, read: frozenset[OperandDigit], factors: tuple[int, ...], m: int, base: int
) -> Array:
    """How often what is not read of a box adds up to each residue mod m, shape ``(m,)``."""
    rest = np.zeros(m, dtype=np.int64)
    rest[0] = 1
    for j, row in enumerate(box.digits):
        for i, values in enumerate(row, 1):
            if (j, i) not in read:
                added = np.array(values) * (factors[j] * base ** (i - 1) % m)
                rest = rest[(np.arange(m) - added[:, None]) % m].sum(0)
    return rest


class _Polynomial:
    """How often a digit of a polynomial has each value, by the digits that are read.

    A table of the result digit, by what is told apart of each operand, summed over the rest.
    """

    def __init__(self, task: Task, base: int, boxes: tuple[Box, ...], r: int) -> None:
        self._base, self._boxes = base, boxes
        top = base ** max(box.width for box in boxes)
        self._m = min(top, _period(task, base, r) or top)
        cases = self._m**task.operands
        if max(top, cases) > LARGEST:
            raise NotCountable(f"'{task.name}' has too many operands to classify digits")
        if sum(abs(c) * self._m ** sum(e) for c, e in task.terms) >= SAFE:
            raise NotCountable(f"'{task.name}' has values too large to classify digits")
        spend(4 * cases * sum(1 + sum(e) for _, e in task.terms))
        results = task.evaluate(*combinations([range(self._m)] * task.operands))
        values, digits = np.unique(results // base**r % base, return_inverse=True)
        # One table for each result digit is kept, so it is a small one.
        self._values = len(values)
        self._digits = digits.astype(np.min_scalar_type(self._values))
        self._digits = self._digits.reshape((self._m,) * task.operands)
        each = 5 * max(10, self._values) * cases + 50 * top * task.operands
        self.cost = _LEAST_COST + each * len(boxes)
        tuples = sum(box.size for box in boxes)
        self._dtype = np.dtype(np.int32 if tuples < 2**31 else np.int64)

    def __call__(self, read: frozenset[OperandDigit]) -> tuple[Array, Array]:
        """As that of ``_Sum``; no combinations are taken together."""
        if self._base ** len(read) * self._values > _LARGEST_TABLE:
            raise NotCountable(f"{len(read)} digits are too many to classify by")
        operands = range(self._digits.ndim)
        by_operand = [tuple(sorted(i for k, i in read if k == j)) for j in operands]
        # The least is read of the first, so that little is left for the others.
        order = sorted(operands, key=lambda j: len(by_operand[j]))
        counts = np.zeros((self._values, self._base ** len(read)), self._dtype)
        for box in self._boxes:
            shares = [self._shares(box.digits[j], by_operand[j]) for j in order]
            for value in range(self._values):
                table = (self._digits.transpose(order) == value).astype(self._dtype)
                for share in shares:  # the first axis is summed over and comes back as the last
                    table = (share @ table.reshape(self._m, -1)).T
                counts[value] += table.ravel()
        return np.ones(1), counts.T

    def _shares(self, row: tuple[tuple[int, ...], ...], read: tuple[int, ...]) -> Any:
        """How many numbers fall on each residue, shape ``(combinations of the digits read, m)``.

        Args:
            row: the values of each digit.
            read: positions, 1 for the units.

        Returns:
            A sparse matrix: for most digits that are read most residues are out of reach.
        """
        from scipy.sparse import csr_array  # slow to import, and seldom needed

        number = known = np.zeros(1, dtype=np.int64)
        for i, values in enumerate(row, 1):
            digit = np.array(values)[:, None]
            number = (digit * self._base ** (i - 1) + number).ravel()
            weight = self._base ** read.index(i) if i in read else 0
            known = (digit * weight + known).ravel()
        size = self._base ** len(read)
        ones = np.ones(len(number), self._dtype)
        return csr_array((ones, (known, number % self._m)), shape=(size, self._m))


def _period(task: Task, base: int, r: int) -> int | None:
    """A modulus of the terms that decides result digit r, None if none does."""
    lowest, m = base ** (r + 1), task.modulus  # low digits come from low ones
    if m is None:
        return None if task.needs_order else lowest
    return m if m % lowest else lowest
