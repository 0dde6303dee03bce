"""Carries that training showed: was the carry into a position always the same?"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from theory.inference.support import Support


def carry_range(support: Support, position: int) -> tuple[int, int] | None:
    """The least and the largest carry into a position that training is known to have shown.

    They are the least and the largest of all carries if the task is a linear form that is defined
    everywhere, or subtracts nothing.

    Returns:
        None where one carry is known and there may be others.  It is then decided neither that the
        carry is built in nor that it varied.
    """
    task, base = support.task, support.base
    monotone = task.is_linear or all(c > 0 for c, _ in task.terms)
    shown: set[int] = set()
    is_complete = True
    for box in support.boxes:
        below = [_numbers_below(row, base) for row in box.digits]
        corners = set(product(*(ends[min(position, len(ends)) - 1] for ends in below)))
        values = {x: task.polynomial(*x) for x in corners}
        if task.is_linear:
            extremes = {min(corners, key=values.__getitem__), max(corners, key=values.__getitem__)}
            corners = {
                x for x in extremes if support.defined(box, _digits_below(x, position, base))
            }
            is_complete &= corners == extremes
        shown |= {values[x] // base ** (position - 1) for x in corners}
        is_complete &= monotone or len(corners) == 1
    if not shown or (len(shown) == 1 and not is_complete):
        return None
    return min(shown), max(shown)


@lru_cache(maxsize=4096)
def _numbers_below(row: tuple[tuple[int, ...], ...], base: int) -> tuple[tuple[int, int], ...]:
    """The least and the largest number that an operand's digits below each position make."""
    ends = [(0, 0)]
    for i, values in enumerate(row):
        least, most = ends[-1]
        ends.append((least + values[0] * base**i, most + values[-1] * base**i))
    return tuple(ends)


def _digits_below(x: tuple[int, ...], position: int, base: int) -> dict[tuple[int, int], int]:
    """The values of the operands' digits below a position."""
    return {
        (j, i): value // base ** (i - 1) % base
        for j, value in enumerate(x)
        for i in range(1, position)
    }
