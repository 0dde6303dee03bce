"""What is found, and what is missing, in the shapes of a domain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from arith.theory.inference.shapes import Shapes
from arith.theory.numbers.integer_arrays import Array


@dataclass(frozen=True)
class Missing:
    """A kind of digit that is needed for the result digit of its own weight, and not found.

    Args:
        top: it is the highest of a number of more than one digit, and so not 0.
        by_all: no other query that needs it finds it either.
    """

    operand: int
    top: bool
    by_all: bool


@dataclass(frozen=True, eq=False)
class Where:
    """Where a kind of digit is missing, by shape.

    Args:
        position: the result digit whose query does not find it, 0 for none: of those that miss it
            for most choices of spaces, the lowest.
        chance: of these choices; without spaces, whether it is missing.
    """

    position: Array
    chance: Array

    def note(self, position: int, chance: Array) -> None:
        """A further result digit, and where it misses such a digit."""
        more = chance > self.chance
        self.position[more], self.chance[more] = position, chance[more]

    def always(self) -> Where:
        """Those that are missing whatever the spaces."""
        surely = self.chance == 1
        return Where(np.where(surely, self.position, 0), surely)


@dataclass(frozen=True, eq=False)
class Found:
    """What is found in the shapes of a domain.

    Args:
        trained: the shapes of training.
        rule: those in which every digit is found as in training, and the rule goes on.
        missing: where digits are missing.
        throughout: the same of those that are missing at every length of the result, by the
            operands' lengths, in the order of ``Shapes.firsts``.
        seldom: whether training has lengths among these, but too seldom to count as shown.
    """

    shapes: Shapes
    trained: Array
    rule: Array
    missing: dict[Missing, Where]
    throughout: dict[Missing, Where]
    seldom: bool

    def always(self) -> Found:
        """The same of digits that are missing whatever the spaces."""
        some = {kind: at.always() for kind, at in self.missing.items()}
        throughout = {kind: at.always() for kind, at in self.throughout.items()}
        return replace(self, missing=some, throughout=throughout)
