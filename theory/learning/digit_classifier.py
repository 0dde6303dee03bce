"""Bayes classifiers: how often a result digit follows from some of the operands' digits.

The Bayes classifier gives to what it reads the value that is the most frequent there; no other
answer is right more often.  Counted over a domain of operand tuples.  Its boxes have independent
digits, so what is not read enters by how it is distributed over residues.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

import numpy as np

from theory.errors import NotCountable
from theory.inference.support import OperandDigit
from theory.numbers.effort import spend
from theory.numbers.integer_arrays import SAFE, Array, combinations, cyclic_product
from theory.setting.boxes import Box
from theory.setting.tasks import Task

LARGEST = 1_000_000
"""What is told apart of a product's operands together, and combinations of digits, at most."""
_LARGEST_SUM = 5_000
"""Values of a sum that are told apart, at most."""
_LEAST_COST = 1_000_000
"""Steps that any classifier takes."""
_EXACT = {2**24: np.float32, 2**53: np.float64}
"""Up to where integers are exact in floats, which NumPy multiplies as matrices much faster."""


class DigitClassifier:
    """The Bayes classifiers of one result digit, each from some of the operands' digits.

    Args:
        boxes: of the domain, disjoint; together they treat all operands alike.
        r: the result digit, 0 for the units.

    Raises:
        NotCountable: more cases would have to be told apart than can be counted.
    """

    def __init__(self, task: Task, base: int, boxes: tuple[Box, ...], r: int) -> None:
        if sum(box.size for box in boxes) > max(_EXACT):
            raise NotCountable(f"the domain is too large to classify digits of '{task.name}'")
        self._counts = (_Sum if task.is_linear else _Polynomial)(task, base, boxes, r)
        self._right: dict[tuple[OperandDigit, ...], int] = {}
        terms = {e: c for c, e in task.terms}
        self._orders = [  # of the operands, that change nothing
            order
            for order in permutations(range(task.operands))
            if {tuple(e[j] for j in order): c for e, c in terms.items()} == terms
        ]
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
        constant = sum(c for c, e in task.terms if not any(e))
        self._factors = [sum(c * e[j] for c, e in task.terms) for j in range(task.operands)]
        top = base ** max(box.width for box in boxes) - 1
        least, most = (sum(top * edge(0, c) for c in self._factors) for edge in (min, max))
        self._m = min(most - least + 1, _period(task, base, r) or most - least + 1)
        if self._m > _LARGEST_SUM or self._m << len(boxes) >= SAFE:
            raise NotCountable(f"'{task.name}' has too many values to classify digits")
        self.cost = _LEAST_COST + 100 * self._m * len(boxes) * task.operands * boxes[0].width
        sums = np.arange(self._m)
        if self._m > most - least:  # every value by itself, the negative ones last
            sums[most + 1 :] -= self._m
        reduced = Task(task.name, ((1, (1,)),), ("sum",), task.modulus, task.divisor)
        self._is_digit = _is_digit(reduced.evaluate(sums + constant), base, r)

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
            rests.append(cyclic_product(self._is_digit, np.roll(rest[::-1], 1), (self._m,)))
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
            sums = np.add.outer(np.arange(self._base) * weight, kinds >> bits) % self._m
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
        if max(top, self._m**task.operands) > LARGEST:
            raise NotCountable(f"'{task.name}' has too many operands to classify digits")
        if sum(abs(c) * self._m ** sum(e) for c, e in task.terms) >= SAFE:
            raise NotCountable(f"'{task.name}' has values too large to classify digits")
        results = task.evaluate(*combinations([range(self._m)] * task.operands))
        self.cost = _LEAST_COST + 50 * self._m**task.operands * len(boxes)
        tuples = sum(box.size for box in boxes)
        exact = next(dtype for most, dtype in _EXACT.items() if tuples <= most)
        table = _is_digit(results, base, r).T.astype(exact)
        self._is_digit = table.reshape((self._m,) * task.operands + (-1,))
        self._summed: dict[tuple[Box, tuple[tuple[int, ...], ...]], Array] = {}

    def __call__(self, read: frozenset[OperandDigit]) -> tuple[Array, Array]:
        """As that of ``_Sum``; no combinations are taken together."""
        if self._base ** len(read) > LARGEST:
            raise NotCountable(f"{len(read)} digits are too many to classify by")
        operands = range(self._is_digit.ndim - 1)
        digits = tuple(tuple(sorted(i for k, i in read if k == j)) for j in operands)
        return np.ones(1), np.sum([self._over(box, digits) for box in self._boxes], axis=0).T

    def _over(self, box: Box, read: tuple[tuple[int, ...], ...]) -> Array:
        """The table with its first operands, those of ``read``, summed over a box; axes last."""
        if not read:
            return self._is_digit
        if (box, read) not in self._summed:
            *before, last = read
            shares = self._shares(box.digits[len(before)], last)
            rest = self._over(box, tuple(before))
            self._summed[box, read] = np.tensordot(rest, shares.astype(rest.dtype), (0, 1))
        return self._summed[box, read]

    def _shares(self, row: tuple[tuple[int, ...], ...], read: tuple[int, ...]) -> Array:
        """How many numbers fall on each residue, shape ``(combinations of the digits read, m)``.

        Args:
            row: the values of each digit.
            read: positions, 1 for the units.
        """
        above = max(read, default=0) - len(row)
        digits = combinations([*row, *[(0,)] * above])
        number = self._base ** np.arange(len(digits)) @ digits
        known = self._base ** np.arange(len(read)) @ digits[np.array(read, dtype=int) - 1]
        size = self._base ** len(read)
        counts = np.bincount(known * self._m + number % self._m, minlength=size * self._m)
        return counts.reshape(size, self._m)


def _period(task: Task, base: int, r: int) -> int | None:
    """A modulus of the terms that decides result digit r, None if none does."""
    lowest, m = base ** (r + 1) * task.divisor, task.full_modulus  # low digits come from low ones
    if m is None:
        return None if task.needs_order else lowest
    return m if m % lowest else lowest


def _is_digit(results: Array, base: int, r: int) -> Array:
    """Whether result digit r has each of the values that it takes, 0 or 1, ``(values, n)``.

    Args:
        results: negative where the task is not defined, shape ``(n,)``.
    """
    digit = np.where(results < 0, -1, results // base**r % base)
    return np.stack([digit == d for d in np.unique(digit) if d >= 0]).astype(np.int64)
