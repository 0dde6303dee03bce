"""The function that a converged model is predicted to have learned, ``f^(x) = f(r(x))``.

``r`` replaces the digits that took one value only in training by that value.  For ``D_n`` this is
``f(a mod B**n, b mod B**n)``: the equivalence generalization of arXiv 2308.08268 and the learned
function of arXiv 2407.17963.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from theory.inference.support import Support
from theory.setting.lengths_text import runs
from theory.setting.tasks import Task


@dataclass(frozen=True)
class LearnedFunction:
    """``f^`` of a model that has converged on what training showed."""

    support: Support

    @property
    def task(self) -> Task:
        """f."""
        return self.support.task

    @property
    def base(self) -> int:
        """B."""
        return self.support.base

    def evaluate(self, *operands: Any) -> Any:
        """``f^`` of integers, or elementwise of NumPy arrays of one shape.

        Negative where the task is not defined on what the model sees.
        """
        return self.task.evaluate(*(self.support.reduce(j, x) for j, x in enumerate(operands)))

    @cached_property
    def formula(self) -> str:
        """``f^`` as SymPy writes it, such as ``Mod(Mod(a, 100) + Mod(b, 100), 101)``."""
        return self.task.formula([self._reduced(j, name) for j, name in enumerate(self.task.names)])

    def _reduced(self, operand: int, name: str) -> str:
        """What the model sees of an operand."""
        n = self.support.read_length(operand)
        if n is not None:
            return f"Mod({name}, {self.base**n})" if n else "0"
        read = runs(sorted(i for j, i in self.support.read if j == operand))
        upper = [
            f"(-Mod({name}, {self.base ** (low - 1)}) + Mod({name}, {self.base**high}))"
            for low, high in read
            if low > 1
        ]
        lowest = [f"Mod({name}, {self.base**high})" for low, high in read if low == 1]
        constant = self.support.offset(operand)
        parts = [*upper, *lowest, *([str(constant)] if constant or not read else [])]
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"
