"""Cases of a digit rule: which of the digits that it reads exist, and which are highest.

A rule that training showed in one case says nothing of another: a highest digit is never 0, and
the first digits of a result have little or no carry to read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.inference.shapes import Shapes
from theory.inference.views import carry_reach
from theory.numbers.integer_arrays import Array
from theory.setting.properties import carry_ranges
from theory.setting.tasks import Task


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

    @property
    def number(self) -> int:
        """How many tell an operand's digits apart: above all, at the top, below, or far below."""
        return self.reach + 3

    def codes(self, found: Shapes, position: int) -> Array:
        """The case of a result digit in each shape, as an integer from 0."""
        code = np.full(len(found.results), min(position, self.alike_from))
        for width in found.widths.T:
            above = np.clip(width - position, -self.reach - 1, 1)
            code = code * self.number + above + self.reach + 1
        return code

    def shown(self, trained: Shapes) -> Array:
        """By its code, whether training shows a case; the digit after the last is the end."""
        size = (self.alike_from + 1) * self.number ** trained.widths.shape[1]
        table = np.zeros(size, bool)
        for i in range(1, int(trained.results.max()) + 2):
            table[self.codes(trained, i)[i <= trained.results + 1]] = True
        return table

    def all_shown(self, found: Shapes, shown: Array) -> Array:
        """Whether training shows every case of a shape."""
        whole = np.ones(len(found.results), bool)
        for i in range(1, int(found.results.max()) + 2):
            whole &= shown[self.codes(found, i)] | (i > found.results + 1)
        return whole


def digit_cases(task: Task, base: int) -> DigitCases:
    """The cases of a task of finite carry (ValueError: it has none)."""
    reach = carry_reach(task, base)
    if reach is None:
        raise ValueError(f"{task.text()} has no finite carry")
    return DigitCases(reach, len(carry_ranges(task, base)) + reach)
