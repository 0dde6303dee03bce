"""The function that a converged model is predicted to have learned, ``f^(x) = f(r(x))``.

``r`` replaces the digits that took one value only in training by that value.  For ``D_n`` this is
``f(a mod B**n, b mod B**n)``: the equivalence generalization of arXiv 2308.08268 and the learned
function of arXiv 2407.17963.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arith.theory.arithmetic.lengths_text import runs
from arith.theory.arithmetic.tasks import Operations, Task, one_of
from arith.theory.observation.support import Support

_LONG_NUMBER = 8
"""Powers of the base with so many decimal digits, or more, are written as powers for people."""


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

    def formula(self) -> str:
        """``f^`` as SymPy writes it, such as ``Mod(Mod(a, 100) + Mod(b, 100), 101)``."""
        return self.task.formula([self._reduced(j, name) for j, name in enumerate(self.task.names)])

    def text(self) -> str:
        """``f^`` as a person writes it: ``((a mod 100) + (b mod 100)) mod 101``."""
        seen = [self._seen(j, name) for j, name in enumerate(self.task.names)]
        text = self.task.text(seen)
        return text[1:-1] if text in seen and text.startswith("(") else text

    def _reduced(self, operand: int, name: str) -> str:
        """What the model sees of an operand."""
        read, constant = self._read_runs(operand), self.support.offset(operand)
        upper = [
            f"(-Mod({name}, {self.base ** (low - 1)}) + Mod({name}, {self.base**high}))"
            for low, high in read
            if low > 1
        ]
        lowest = [f"Mod({name}, {self.base**high})" for low, high in read if low == 1]
        parts = [*upper, *lowest, *([str(constant)] if constant or not read else [])]
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"

    def _seen(self, operand: int, name: str) -> str:
        """An operand as the model sees it, in words for people; ``_reduced`` is the formula."""
        read, constant = self._read_runs(operand), self.support.offset(operand)
        if not read:
            return str(constant)
        text = ""
        for low, high in reversed(read):
            text += f" + ({name} mod {self._power(high)})"
            text += f" - ({name} mod {self._power(low - 1)})" if low > 1 else ""
        text = text.removeprefix(" + ") + (f" + {constant}" if constant else "")
        return text if text.count("(") == 1 and not constant else f"({text})"

    def _read_runs(self, operand: int) -> list[tuple[int, int]]:
        """The positions that are read of an operand: the first and last of each run."""
        return runs(sorted(i for j, i in self.support.read if j == operand))

    def _power(self, exponent: int) -> str:
        """A power of the base; a long number as ``10^12``."""
        value = str(self.base**exponent)
        return value if len(value) < _LONG_NUMBER else f"{self.base}^{exponent}"


@dataclass(frozen=True)
class LearnedOperations:
    """``f^`` of a model of several operations: one function for each, and the sign says which."""

    task: Operations
    parts: tuple[LearnedFunction | Task, ...]

    def evaluate(self, *operands: Any) -> Any:
        """``f^`` of the operands and the index of the operation, as ``LearnedFunction``."""
        return one_of(self.parts, operands)

    def formula(self) -> str:
        """``f^`` of each operation as SymPy writes it."""
        return ", ".join(x.formula() for x in self.parts)

    def text(self) -> str:
        """``f^`` of each operation as a person writes it."""
        return " or ".join(x.text() for x in self.parts)
