"""All combinations of residues of several operands, in blocks that occur equally often.

The numbers of an interval fall on the residues evenly up to one.  So there are few blocks
as a rule, and within a block counting needs no large integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from theory.counting.residues import Residues
from theory.errors import NotCountable
from theory.numbers.effort import spend
from theory.numbers.integer_arrays import Array

Grid = dict[int, Array]
"""Residues per operand, as open grids to be broadcast together."""

_MOST_CHOICES = 20_000
_CHUNK = 1 << 20
"""How many combinations are looked at at a time (bounds the memory)."""


@dataclass(frozen=True, eq=False)
class Operand:
    """The operand ``seen + step * moved``, both independent and given mod ``q = p / step``."""

    seen: Residues
    moved: Residues

    @property
    def total(self) -> int:
        """How many numbers it stands for."""
        return self.seen.total * self.moved.total


@dataclass(frozen=True, eq=False)
class Choices:
    """Residues of some operands, each combination of them occurring equally often.

    Args:
        weight: how often.
        residues: per operand, the residues mod q of what is seen and of what is moved.
    """

    weight: int
    residues: dict[int, tuple[Array, Array]]

    @property
    def size(self) -> int:
        """The number of combinations."""
        return prod(len(s) * len(v) for s, v in self.residues.values())

    def chunks(self, p: int, step: int) -> Iterator[tuple[Grid, Grid]]:
        """The combinations in parts: what is seen of each operand, and what it is, mod p."""
        first, second, *rest = [axis for pair in self.residues.values() for axis in pair]
        each = prod(map(len, rest))
        for s in _pieces(first, each * len(second)):
            for v in _pieces(second, each * len(s)):
                grid = np.ix_(s, v, *rest)
                seen = dict(zip(self.residues, grid[::2], strict=True))
                moved = dict(zip(self.residues, grid[1::2], strict=True))
                yield seen, {j: (x + step * moved[j]) % p for j, x in seen.items()}


def _pieces(values: Array, each: int) -> list[Array]:
    """The values in parts that make about ``_CHUNK`` combinations, each value so many."""
    return np.array_split(values, max(1, min(len(values), len(values) * each // _CHUNK)))


def choices(operands: dict[int, Operand]) -> list[Choices]:
    """All combinations of residues that occur.

    Raises:
        NotCountable: they occur too unevenly.
    """
    parts = [blocks(x) for o in operands.values() for x in (o.seen, o.moved)]
    if prod(map(len, parts)) > _MOST_CHOICES:
        raise NotCountable("the residues occur too unevenly to be counted exactly")
    combined = []
    for chosen in product(*parts):
        axes = [residues for _, residues in chosen]
        pairs = zip(operands, zip(axes[::2], axes[1::2], strict=True), strict=True)
        combined.append(Choices(prod(n for n, _ in chosen), dict(pairs)))
    return combined


def blocks(x: Residues) -> list[tuple[int, Array]]:
    """The residues that occur, grouped by how often they do: ``(count, residues)``."""
    spend(300 * x.p)
    extras, which, sizes = np.unique(x.extra, return_inverse=True, return_counts=True)
    members = np.split(np.argsort(which, kind="stable"), np.cumsum(sizes)[:-1])
    counts = [x.level + int(extra) for extra in extras]
    return [(n, residues) for n, residues in zip(counts, members, strict=True) if n]


def histogram(
    chosen: list[Choices], p: int, step: int, size: int, code: Callable[[Grid, Grid], Array]
) -> Array:
    """How often each code occurs over all combinations.

    Args:
        code: what is counted of the combinations of a chunk, integers from 0 to size - 1.

    Returns:
        Shape ``(size,)``, Python integers.
    """
    counts = np.zeros(size, dtype=object)
    for c in chosen:
        occurrences = np.zeros(size, dtype=np.int64)
        for seen, whole in c.chunks(p, step):
            occurrences += np.bincount(code(seen, whole).ravel(), minlength=size)
        counts += c.weight * occurrences.astype(object)
    return counts
