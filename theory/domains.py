"""Domains: the sets of operand tuples that a model is trained or tested on.

``longest`` (the paper's ``D_n``): the longest operand has exactly n digits.
``every`` (``D_n^ab``): each operand has exactly n digits.  A domain may be a
union over several n.  For n = 1 the operands are 0 .. B-1.

A domain is cut into disjoint **boxes**, products of one digit set per operand and
position.  Within a box the digits are independent, which is what makes exact
counting possible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

from theory.tasks import InvalidInput, unknown_name

KINDS = ("longest", "every")


@dataclass(frozen=True)
class Box:
    """A product of digit sets.

    Args:
        digits: ``digits[j][i]`` is the sorted tuple of values that digit ``i + 1``
            (weight ``B**i``) of operand j takes; above the last entry it is 0.
    """

    digits: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def size(self) -> int:
        """The number of operand tuples in the box."""
        return math.prod(len(values) for operand in self.digits for values in operand)

    def values(self, operand: int, position: int) -> tuple[int, ...]:
        """The values of the digit at ``position`` (1 = units) of one operand."""
        row = self.digits[operand]
        return row[position - 1] if position <= len(row) else (0,)

    def restrict(self, digits: dict[tuple[int, int], frozenset[int]]) -> Box:
        """The part of the box whose digits at some (operand, position) are among those given."""
        rows = []
        for j, row in enumerate(self.digits):
            width = max([len(row), *(i for operand, i in digits if operand == j)])
            rows.append(
                tuple(
                    tuple(d for d in self.values(j, i) if d in digits.get((j, i), (d,)))
                    for i in range(1, width + 1)
                )
            )
        return Box(tuple(rows))

    @property
    def width(self) -> int:
        """The number of digit positions that the box describes."""
        return max(len(row) for row in self.digits)


@dataclass(frozen=True)
class Domain:
    """The union of ``D_n`` (or ``D_n^ab``) over the given lengths, uniform on it.

    Raises:
        InvalidInput: no length, a length below 1, or an unknown kind.
    """

    lengths: tuple[int, ...]
    kind: str = "longest"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown_name("domain", self.kind, KINDS)
        if not self.lengths:
            raise InvalidInput("a domain needs at least one length")
        if min(self.lengths) < 1:
            raise InvalidInput(f"digits must be at least 1, not {min(self.lengths)}")
        object.__setattr__(self, "lengths", tuple(sorted(set(self.lengths))))

    def boxes(self, base: int, operands: int) -> tuple[Box, ...]:
        """The disjoint boxes whose union is the domain."""
        cut = _longest if self.kind == "longest" else _every
        return tuple(box for n in self.lengths for box in cut(n, base, operands))

    def contains(self, values: tuple[int, ...], base: int) -> bool:
        """Whether an operand tuple is in the domain."""
        counts = [_length(v, base) for v in values]
        if self.kind == "longest":
            return max(counts) in self.lengths
        return len(set(counts)) == 1 and counts[0] in self.lengths

    def text(self) -> str:
        """``D_3``, ``D_2^every``, ``D_4 + D_5``."""
        mark = "" if self.kind == "longest" else "^every"
        return " + ".join(f"D_{n}{mark}" for n in self.lengths)


def _length(value: int, base: int) -> int:
    count = 1
    while value >= base:
        value //= base
        count += 1
    return count


def _exactly(n: int, base: int) -> tuple[tuple[int, ...], ...]:
    """One operand of exactly n digits (for n = 1, zero included)."""
    full = tuple(range(base))
    return (full,) * (n - 1) + (full if n == 1 else full[1:],)


def _below(n: int, base: int) -> tuple[tuple[int, ...], ...]:
    """One operand of fewer than n digits (n > 1)."""
    return (tuple(range(base)),) * (n - 1) + ((0,),)


def _at_most(n: int, base: int) -> tuple[tuple[int, ...], ...]:
    return (tuple(range(base)),) * n


def _every(n: int, base: int, operands: int) -> list[Box]:
    return [Box((_exactly(n, base),) * operands)]


def _longest(n: int, base: int, operands: int) -> list[Box]:
    """``D_n`` cut by which operand is the first to reach n digits."""
    if n == 1:
        return _every(1, base, operands)
    boxes = []
    for first in range(operands):
        before = (_below(n, base),) * first
        after = (_at_most(n, base),) * (operands - first - 1)
        boxes.append(Box(before + (_exactly(n, base),) + after))
    return boxes


def enumerate_box(box: Box, base: int) -> list[tuple[int, ...]]:
    """Every operand tuple of a box, for small boxes."""
    per_operand = [
        [sum(d * base**i for i, d in enumerate(digits)) for digits in product(*row)]
        for row in box.digits
    ]
    return list(product(*per_operand))
