"""Shapes: the lengths of the operands and of the result, and how many inputs have them.

Within a shape every token has one role, so that a rule finds its digits at one place each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from arith.theory.inference.result_lengths import longest_result, number_of_tuples, result_lengths
from arith.theory.numbers.effort import spend
from arith.theory.numbers.integer_arrays import Array
from arith.theory.setting.domains import Domain
from arith.theory.setting.layouts import Layout
from arith.theory.setting.settings import Setting

_Widths = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Shapes:
    """The shapes of a domain; those of the same operands' lengths stand together.

    Args:
        widths: the digits of the operands, ``(shapes, operands)``.
        results: the digits of the result, ``(shapes,)``.
        counts: how many inputs have the shape.
    """

    widths: Array
    results: Array
    counts: tuple[int, ...]

    @cached_property
    def firsts(self) -> Array:
        """The first shape of each tuple of operands' lengths."""
        changes = np.any(self.widths[1:] != self.widths[:-1], axis=1)
        return np.concatenate([[0], np.flatnonzero(changes) + 1])


def shapes(setting: Setting, lengths: tuple[int, ...], kind: str) -> Shapes:
    """The shapes of ``Domain(lengths, kind)``, each with its number of inputs.

    Where the result is written least significant first its length moves no digit that a rule
    needs.  Then the shapes are told apart by the operands alone, and the result is as long as it
    can be; but for a difference, whose result may be shorter than the operands.

    Raises:
        NotCountable: a task that is defined on a part of the inputs only, and is no difference.
        TooMuchWork: too many of them.
    """
    task, base = setting.task, setting.base
    by_result = task.needs_order or (task.has_finite_carry and not writes_carry(setting.layout))
    domain = Domain(lengths, kind)
    found: list[tuple[_Widths, int, int]] = []
    width_of = cache(partial(task.result_width, base))
    for widths in (w for n in lengths for w in domain.operand_lengths(n, task.operands)):
        spend(20_000 + 20 * sum(widths))
        if by_result:
            counts = result_lengths(task, base, widths)
        elif task.has_finite_carry:
            counts = {longest_result(task, base, widths): number_of_tuples(widths, base)}
        else:
            counts = {width_of(max(widths)): number_of_tuples(widths, base)}
        found += [(widths, m, count) for m, count in counts.items()]
    every, results, numbers = zip(*found, strict=True)
    return Shapes(np.array(every), np.array(results), numbers)


def writes_carry(layout: Layout) -> bool:
    """Whether what is written of the result tells the carry into its next digit."""
    return layout.result_first == "least"
