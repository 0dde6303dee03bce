"""Cases of a digit rule: which of the digits that it reads exist, and which are highest.

A rule that training showed in one case says nothing of another: a highest digit is never 0, and
the first digits of a result have little or no carry to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arith.theory.inference.shapes import Shapes
from arith.theory.inference.views import carry_reach
from arith.theory.numbers.integer_arrays import Array
from arith.theory.setting.properties import carry_ranges
from arith.theory.setting.tasks import Task


@dataclass(frozen=True)
class DigitCases:
    """The cases of a task of finite carry in a base.

    Args:
        reach: how many places back the rule looks.
        alike_from: the result digit from which on the place makes no difference: every carry that
            there is can come in below the digits that the rule reads.
    """

    reach: int
    alike_from: int

    def _codes(self, found: Shapes) -> Iterator[tuple[Array, Array]]:
        """The case of each result digit in each shape, as an integer, and where there is one.

        The digit after the last is the end.
        """
        kinds = self.reach + 3  # above all of an operand's digits, at the top, below, or far below
        for i in range(1, int(found.results.max()) + 2):
            code = np.full(len(found.results), min(i, self.alike_from))
            for width in found.widths.T:
                above = np.clip(width - i, -self.reach - 1, 1)
                code = code * kinds + above + self.reach + 1
            yield code, i <= found.results + 1

    def shown(self, trained: Shapes) -> Array:
        """The cases that training shows."""
        return np.unique(np.concatenate([code[there] for code, there in self._codes(trained)]))

    def all_shown(self, found: Shapes, shown: Array) -> Array:
        """Whether training shows every case of a shape."""
        each = [np.isin(code, shown) | ~there for code, there in self._codes(found)]
        return np.logical_and.reduce(each)


def digit_cases(task: Task, base: int) -> DigitCases:
    """The cases of a task of finite carry (ValueError: it has none)."""
    reach = carry_reach(task, base)
    if reach is None:
        raise ValueError(f"{task.text()} has no finite carry")
    return DigitCases(reach, len(carry_ranges(task, base)) + reach)
