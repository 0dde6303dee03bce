"""Spaces: the addresses of a digit for every choice of spaces (the layout ``spaced``).

``Sequences`` has the example with a space before every operand digit.  One that is left out before
a digit moves the digit and its query, one that is left out after it moves the query alone.  The
mathematics is in ``docs/addresses.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np

from arith.theory.inference.addresses import Need, Sequences, Trained
from arith.theory.numbers.effort import spend
from arith.theory.numbers.integer_arrays import Array
from arith.theory.setting.encodings import Encoding


@dataclass(frozen=True, eq=False)
class Choices:
    """The addresses of a digit in each shape, by how many spaces are left out.

    Args:
        codes: the addresses, as integers, ``(shapes, choices)``.
        left_out: how many are left out before the digit, and after it, ``(2, choices)``.
        most: how many there are at most, ``(shapes, 2)``; 0 of those that move no address.
    """

    codes: Array
    left_out: Array
    most: Array

    @property
    def possible(self) -> Array:
        """Whether a shape has so many spaces to leave out, ``(shapes, choices)``."""
        return np.all(self.left_out <= self.most[:, :, None], axis=1)

    def shown(self, there: Array) -> Array:
        """The addresses of some shapes, sorted."""
        return np.unique(self.codes[self.possible & there[:, None]])

    def chance(self, wanted: Array) -> Array:
        """The chance of the choices that are wanted, exactly, by shape.

        Each space stands there or not with probability 1/2.

        Args:
            wanted: ``(shapes, choices)``.
        """
        possible = self.possible
        wanted = wanted & possible
        found = np.array([Fraction(0)] * len(wanted), dtype=object)
        found[wanted.any(axis=1) & (wanted == possible).all(axis=1)] = Fraction(1)
        some = wanted.any(axis=1) & (wanted != possible).any(axis=1)
        spend(300 * int(wanted[some].sum()))
        for s in np.flatnonzero(some).tolist():
            before, after = self.most[s].tolist()
            left_out = self.left_out[:, wanted[s]].T.tolist()
            ways = sum(comb(before, x) * comb(after, y) for x, y in left_out)
            found[s] = Fraction(ways, 2 ** (before + after))
        return found


def choices(
    sequences: Sequences, encoding: Encoding, need: Need, position: int, trained: Trained
) -> Choices:
    """The addresses of a need of a result digit for all choices of spaces."""
    before, after = sequences.spaces(need.operand, position - need.below)
    if encoding.reference == "significance":  # a space has no number, and moves none
        before, after = 0 * before, 0 * after
    elif encoding.reference == "relative":  # what moves query and key leaves their offset
        before = 0 * before
    most = np.stack([before, after], axis=1)
    spend(80_000 + 100 * len(most) * int(np.prod(most.max(axis=0, initial=0) + 1)))
    left_out = np.indices(most.max(axis=0, initial=0) + 1).reshape(2, -1)
    moved = left_out[1]
    if encoding.reference != "relative":
        moved = left_out.sum(axis=0) * trained.tokens + left_out[0]
    code = sequences.addresses(encoding, need, position, trained)
    return Choices(code[:, None] - moved, left_out, most)
