"""Boxes: sets of operand tuples whose digits are independent of each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, product
from math import prod

from arith.theory.arithmetic.tasks import Task


@dataclass(frozen=True)
class Box:
    """A product of digit sets.

    Args:
        digits: ``digits[j][i]`` is the sorted tuple of values that digit ``i + 1``
            (weight ``B**i``) of operand j takes; above the last entry it is 0.
    """

    digits: tuple[tuple[tuple[int, ...], ...], ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """A box of many digits is asked for often, and its digits do not change."""
        return hash(self.digits)

    @cached_property
    def size(self) -> int:
        """The number of operand tuples in the box."""
        each = Counter(map(len, chain.from_iterable(self.digits)))
        return prod(n**times for n, times in each.items())

    @cached_property
    def width(self) -> int:
        """The number of digit positions that the box describes."""
        return max(len(row) for row in self.digits)

    def values(self, operand: int, position: int) -> tuple[int, ...]:
        """The values of the digit at ``position`` (1 = units) of one operand."""
        row = self.digits[operand]
        return row[position - 1] if position <= len(row) else (0,)

    def restrict(self, digits: dict[tuple[int, int], frozenset[int]]) -> Box:
        """The part of the box whose digits at some (operand, position) are among those given."""
        rows = [list(row) for row in self.digits]
        for (j, i), only in digits.items():
            if i > len(rows[j]) and 0 in only:
                continue  # above its last digit it is 0 anyway, and gets no longer
            rows[j] += [(0,)] * (i - len(rows[j]))
            if not only.issuperset(rows[j][i - 1]):
                rows[j][i - 1] = tuple(d for d in rows[j][i - 1] if d in only)
        return Box(tuple(map(tuple, rows)))

    def lowest(self, width: int) -> Box:
        """The part that the lowest positions describe, every digit above them cut off."""
        return Box(tuple(row[:width] for row in self.digits))

    def grouped(self, size: int, base: int) -> Box:
        """The box in a higher base: every ``size`` digits make one, counted from the units."""

        def together(values: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
            numbers = (sum(d * base**i for i, d in enumerate(x)) for x in product(*values))
            return tuple(sorted(numbers))

        rows = (
            tuple(together(row[i : i + size]) for i in range(0, len(row), size))
            for row in self.digits
        )
        return Box(tuple(rows))


@lru_cache(maxsize=4096)
def largest_value(task: Task, box: Box, base: int) -> int:
    """The largest value of a linear form on a box."""
    largest = task.constant
    for coefficient, row in zip(task.coefficients, box.digits, strict=True):
        pick = max if coefficient > 0 else min
        largest += coefficient * sum(pick(values) * base**i for i, values in enumerate(row))
    return largest
