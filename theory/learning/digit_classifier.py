"""Bayes classifiers: how often a result digit follows from some of the operands' digits.

The Bayes classifier gives to what it reads the value that is the most frequent there; no other
answer is right more often.  Counted over a domain of operand tuples.  Its boxes have independent
digits, so what is not read enters by how it is distributed over residues.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, reduce
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.effort import ENTRIES, spend
from arith.theory.arithmetic.integer_arrays import (
    SAFE,
    Array,
    combinations,
    cyclic_product,
    exact_dtype,
)
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import NotCountable
from arith.theory.observation.support import OperandDigit

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LARGEST = ENTRIES // 10
"""What is told apart of a product's operands together, and combinations of digits, at most."""
_LARGEST_SUM = ENTRIES // 2_000
"""Values of a sum that are told apart, at most."""
_LEAST_COST = 1_000_000
"""Steps that any classifier takes."""
_LARGEST_DOMAIN = 2**53
"""Operand tuples at most."""
_AT_ONCE = ENTRIES // 50
"""Entries of the tables of a sum that are multiplied at once."""
_LARGEST_TABLE = 2 * ENTRIES
"""Entries of the counts by what is read at most (bounds the memory)."""


class DigitClassifier:
    """The Bayes classifiers of one result digit, each from some of the operands' digits.

    The result digit is a function of what is told apart modulo m: of the sum that a linear form
    makes, else of each operand.  What is read moves that, what is not read is summed over.

    Args:
        boxes: of the domain, disjoint; together they treat all operands alike.
        r: the result digit, 0 for the units.

    Attributes:
        total: how many tuples of the domain the task is defined on.

    Raises:
        NotCountable: more cases would have to be told apart than can be counted.
    """

    def __init__(self, task: Task, base: int, boxes: tuple[Box, ...], r: int) -> None:
        if sum(box.size for box in boxes) > _LARGEST_DOMAIN:
            raise NotCountable(f"the domain is too large to classify digits of '{task.name}'")
        self._base, self._boxes = base, boxes
        operands = tuple(range(task.operands))
        every = Counter(box.digits for box in boxes)
        self._orders = [
            x
            for x in permutations(operands)
            if task.stays(x) and Counter(tuple(box.digits[j] for j in x) for box in boxes) == every
        ]
        self._right: dict[tuple[OperandDigit, ...], int] = {}
        if task.is_linear:
            self._told, self._factors = [operands], task.coefficients
            results = self._results_by_sum(task, r)
        else:
            self._told, self._factors = [(j,) for j in operands], (1,) * len(operands)
            results = self._results_by_operand(task, r)
        digit = np.where(results < 0, -1, results // base**r % base)
        self._values = np.unique(digit[digit >= 0])
        # One table for each result digit is kept, so it is a small one.
        self._digit = digit.astype(np.int16).reshape((self._m,) * len(self._told))
        self.total = int(self._counts(frozenset())[1].sum())

    def _results_by_sum(self, task: Task, r: int) -> Array:
        """The result by the sum of a linear form modulo m."""
        width = max(box.width for box in self._boxes)
        least, most = (
            sum((self._base**width - 1) * edge(0, c) for c in task.coefficients)
            for edge in (min, max)
        )
        self._m = min(most - least + 1, _period(task, self._base, r) or most - least + 1)
        if self._m > _LARGEST_SUM or self._m << len(self._boxes) >= SAFE:
            raise NotCountable(f"'{task.name}' has too many values to classify digits")
        each = 100 * self._m * task.operands * self._boxes[0].width
        self._cost = _LEAST_COST + each * len(self._boxes)
        sums = np.arange(self._m).astype(exact_dtype(self._m + abs(task.constant)))
        if self._m > most - least:  # every value by itself, the negative ones last
            sums[most + 1 :] -= self._m
        reduced = Task(task.name, ((1, (1,)),), ("sum",), task.modulus)
        results: Array = reduced.evaluate(sums + task.constant)
        return results

    def _results_by_operand(self, task: Task, r: int) -> Array:
        """The result by each operand modulo m."""
        top = self._base ** max(box.width for box in self._boxes)
        self._m = min(top, _period(task, self._base, r) or top)
        cases = self._m**task.operands
        if max(top, cases) > LARGEST:
            raise NotCountable(f"'{task.name}' has too many operands to classify digits")
        if sum(abs(c) * self._m ** sum(e) for c, e in task.terms) >= SAFE:
            raise NotCountable(f"'{task.name}' has values too large to classify digits")
        spend(4 * cases * task.steps)
        each = 5 * max(10, self._base) * cases + 50 * top * task.operands
        self._cost = _LEAST_COST + each * len(self._boxes)
        results: Array = task.evaluate(*combinations([range(self._m)] * task.operands))
        return results

    def right(self, read: frozenset[OperandDigit]) -> int:
        """On how many tuples of the domain the classifier is right that reads these digits.

        Raises:
            NotCountable: there are too many combinations of them.
            TooMuchWork: the budget is spent.
        """
        key = min(tuple(sorted((order[j], i) for j, i in read)) for order in self._orders)
        if key not in self._right:
            spend(self._cost)
            alike, counts = self._counts(read)
            self._right[key] = int((alike * counts.max(0)).sum())
        return self._right[key]

    def _counts(self, read: frozenset[OperandDigit]) -> tuple[Array, Array]:
        """What is read, with how often the result digit has each value then.

        Returns:
            How many combinations of digits there are of each kind, ``(kinds,)``; and the counts for
            one of each, ``(values, kinds)``.
        """
        if len(self._told) > 1 and self._base ** len(read) * len(self._values) > _LARGEST_TABLE:
            raise NotCountable(f"{len(read)} digits are too many to classify by")
        by_part = [frozenset(x for x in read if x[0] in part) for part in self._told]
        kinds = [self._kinds(part) for part in by_part]
        # The least is read of the first, so that little is left for the others.
        order = sorted(range(len(kinds)), key=lambda a: len(kinds[a][0]))
        counts = np.zeros((len(self._values), prod(len(n) for *_, n in kinds)), np.int64)
        shape = self._factors, self._m, self._base
        rests = [
            [_rest(box, *x, *shape) for x in zip(self._told, by_part, strict=True)]
            for box in self._boxes
        ]
        if len(self._told) == 1:
            self._add_sums(counts, np.stack([rest for [rest] in rests]), *kinds[0][:2])
        else:
            for k, each in enumerate(rests):
                ways = [
                    _ways(rest, known, boxes >> k & 1)
                    for rest, (known, boxes, _) in zip(each, kinds, strict=True)
                ]
                self._add_ways(counts, ways, order)
        alike = reduce(np.multiply.outer, [n for *_, n in kinds])
        return alike.ravel(), counts

    def _add_sums(self, counts: Array, rests: Array, known: Array, boxes: Array) -> None:
        """Add to the counts those of a sum, by the rests of all boxes, ``(boxes, m)``."""
        turned = np.roll(rests[:, ::-1], 1, axis=-1)[:, None]
        there = boxes >> np.arange(len(rests))[:, None, None] & 1
        for some, tables in self._tables(len(rests)):
            ways = cyclic_product(tables, turned)[..., known] * there
            counts[some] += ways.sum(0).astype(np.int64, copy=False)

    def _add_ways(self, counts: Array, ways: list[csr_array], order: list[int]) -> None:
        """Add to the counts those of a box, by the ways of each operand, in this order."""
        for some, tables in self._tables():
            for a in order:
                by_residue = np.moveaxis(tables, a + 1, 0)
                summed = ways[a] @ by_residue.reshape(self._m, -1)
                tables = np.moveaxis(summed.reshape(-1, *by_residue.shape[1:]), 0, a + 1)
            counts[some] += tables.reshape(len(tables), -1)

    def _tables(self, boxes: int = 1) -> Iterator[tuple[slice, Array]]:
        """Some values of the result digit at once, and a table for each of where it has it.

        Args:
            boxes: by how many each table is to be multiplied.
        """
        ones = (1,) * self._digit.ndim
        step = max(1, _AT_ONCE // (self._digit.size * boxes))
        for start in range(0, len(self._values), step):
            some = slice(start, start + step)
            yield some, (self._digit == self._values[some].reshape(-1, *ones)).astype(np.int64)

    def _kinds(self, read: frozenset[OperandDigit]) -> tuple[Array, Array, Array]:
        """The sums mod m of digits that are read, the boxes that have them, and how many do.

        Combinations of digits count alike if they have the same sum, and the same boxes have them.
        Boxes are given by a bit each.
        """
        bits = len(self._boxes)
        kinds, alike = np.array([2**bits - 1]), np.ones(1, dtype=np.int64)
        for j, i in read:
            weight = self._factors[j] * self._base ** (i - 1) % self._m
            has = np.zeros(self._base, dtype=np.int64)
            for k, box in enumerate(self._boxes):
                has[list(box.values(j, i))] |= 1 << k
            sums = np.add.outer(np.arange(self._base) * weight, kinds >> bits) % self._m
            every = (sums << bits | has[:, None] & kinds).ravel()
            kinds, which = np.unique(every, return_inverse=True)
            alike = np.bincount(which, np.tile(alike, self._base)).astype(np.int64)
        return kinds >> bits, kinds & 2**bits - 1, alike


@lru_cache(maxsize=512)  # all result digits of a modular task ask for the same
def _rest(
    box: Box,
    operands: tuple[int, ...],
    read: frozenset[OperandDigit],
    factors: tuple[int, ...],
    m: int,
    base: int,
) -> Array:
    """How often what is not read of some operands adds up to each residue mod m, ``(m,)``."""
    rest = np.zeros(m, dtype=np.int64)
    rest[0] = 1
    for j in operands:
        for i, values in enumerate(box.digits[j], 1):
            if (j, i) not in read:
                added = np.array(values) * (factors[j] * base ** (i - 1) % m)
                rest = rest[(np.arange(m) - added[:, None]) % m].sum(0)
    return rest


def _ways(rest: Array, known: Array, there: Array) -> csr_array:
    """How often the rest leads from what is read to each residue, ``(kinds, m)``.

    Args:
        there: whether there are such digits, for each kind.
    """
    from scipy.sparse import csr_array  # slow to import, and seldom needed

    # Sparse: for most digits that are read most residues are out of reach.
    [rows], [added] = np.nonzero(there), np.nonzero(rest)
    columns = (known[rows, None] + added) % len(rest)
    places = np.repeat(rows, len(added)), columns.ravel()
    return csr_array((np.tile(rest[added], len(rows)), places), shape=(len(known), len(rest)))


def _period(task: Task, base: int, r: int) -> int | None:
    """A modulus of the terms that decides result digit r, None if none does."""
    lowest, m = base ** (r + 1), task.modulus  # low digits come from low ones
    if m is None:
        return None if task.needs_order else lowest
    return m if m % lowest else lowest
