"""The function that a converged model is predicted to have learned, ``f^(x) = f(r(x))``.

``r`` replaces the digits that took one value only in training by that value.  For ``D_n`` this is
``f(a mod B**n, b mod B**n)``: the equivalence generalization of arXiv 2308.08268 and the learned
function of arXiv 2407.17963.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from theory.inference.support import Support
from theory.setting.tasks import Task

if TYPE_CHECKING:
    import sympy


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

    @property
    def expression(self) -> sympy.Expr:
        """``f^`` as a SymPy expression, such as ``Mod(Mod(a, 100) + Mod(b, 100), 101)``."""
        import sympy

        symbols = [sympy.Symbol(n, integer=True, nonnegative=True) for n in self.task.names]
        return self.task.expression_at(*(self._reduced(j, s) for j, s in enumerate(symbols)))

    def _reduced(self, operand: int, x: sympy.Symbol) -> sympy.Expr:
        import sympy

        n = self.support.read_length(operand)
        with sympy.evaluate(False):
            if n is not None:
                return sympy.Mod(x, self.base**n) if n else sympy.Integer(0)
            parts = [sympy.Integer(self.support.offset(operand))]
            for i in range(1, self.support.width + 1):
                if self.support.constant((operand, i)) is None:
                    low, high = self.base ** (i - 1), self.base**i
                    parts.append(
                        sympy.Mod(x, high) - sympy.Mod(x, low) if i > 1 else sympy.Mod(x, high)
                    )
            return sympy.Add(*parts)
