"""The function that a converged model is predicted to have learned, ``f^(x) = f(r(x))``.

``r`` replaces the digits at positions that training kept constant by that constant.
For ``D_n`` this is ``f(a mod B**n, b mod B**n)``: the equivalence generalization of
arXiv 2308.08268 and the learned function of arXiv 2407.17963.
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
    """``f^`` of a task trained on a domain with the given support."""

    task: Task
    support: Support
    base: int

    def evaluate(self, *operands: Any) -> Any:
        """``f^`` of integers, or elementwise of NumPy arrays of one shape.

        Negative where the task is not defined on what the model sees.
        """
        reduced = [self.support.reduce(j, x, self.base) for j, x in enumerate(operands)]
        return self.task.evaluate(*reduced)

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
            parts = [sympy.Integer(self.support.offset(operand, self.base))]
            for i in range(1, self.support.width + 1):
                if self.support.constant((operand, i)) is None:
                    low, high = self.base ** (i - 1), self.base**i
                    parts.append(
                        sympy.Mod(x, high) - sympy.Mod(x, low) if i > 1 else sympy.Mod(x, high)
                    )
            return sympy.Add(*parts)
