"""Formulas of tasks and of learned functions, in the words of SymPy.

SymPy reads them back.  It is asked for them where the order of its terms is not plain;
plain polynomials are written here, because to import SymPy takes longer than to predict.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from theory.inference.learned import LearnedFunction
from theory.setting.tasks import Task, expression_text


@lru_cache(maxsize=4096)
def task_formula(task: Task) -> str:
    """The task, ``Mod(2*a + b, 12)``."""
    if _is_plain(task):
        return _polynomial(task, task.names)
    return expression_text(task.expression)


@lru_cache(maxsize=4096)
def learned_formula(learned: LearnedFunction) -> str:
    """The learned function, ``Mod(Mod(a, 100) + Mod(b, 100), 101)``."""
    task = learned.task
    lengths = [learned.support.read_length(j) for j in range(task.operands)]
    seen = [f"Mod({x}, {learned.base**n})" for x, n in zip(task.names, lengths, strict=True) if n]
    if _is_plain(task) and len(seen) == task.operands:
        return _polynomial(task, seen)
    return expression_text(learned.expression)


def _is_plain(task: Task) -> bool:
    """Whether SymPy writes the operands in their order and the terms by their exponents."""
    no_constant = all(any(e) for _, e in task.terms)
    return (
        task.divisor == 1
        and list(task.names) == sorted(set(task.names))
        and len({e for _, e in task.terms}) == len(task.terms)
        and all(c > 0 or (c < 0 and no_constant) for c, _ in task.terms)  # it writes 1 - a
    )


def _polynomial(task: Task, operands: Sequence[str]) -> str:
    """The polynomial of the operands so written, in the lexicographic order of exponents."""
    text = ""
    for coefficient, exponents in sorted(task.terms, key=lambda term: term[1], reverse=True):
        factors = [
            x if e == 1 else f"{x}**{e}" for x, e in zip(operands, exponents, strict=True) if e
        ]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {'*'.join(factors)}"
    body = text.removeprefix(" + ") if text.startswith(" + ") else f"-{text.removeprefix(' - ')}"
    return body if task.modulus is None else f"Mod({body}, {task.modulus})"
