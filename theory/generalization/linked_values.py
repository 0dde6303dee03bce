"""Linked values: which values of digits training shows to be alike, beside the same other digits.

What it shows of two values that never stood beside the same digit is not linked: each could mean
more in a and less in b, or the other way round, and fit all that was shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement

from arith.theory.arithmetic.effort import memoize_with_cost, spend
from arith.theory.generalization.support import OperandDigit, Support

_STEPS_PER_DIGIT = 100
"""Steps to see whether two boxes share a value of a digit."""


def connected(boxes: Sequence[Sequence[frozenset[int]]], values: Sequence[frozenset[int]]) -> bool:
    """Whether sums of one number for each digit's value are fixed by those on the boxes.

    They are if all values of each digit hang together: two do if they stand in one box, or in two
    boxes whose other digits hang together.  Of two digits it takes that: where pairs fall apart
    into two parts, the numbers of a in one part can grow by what those of b there become less.

    Args:
        boxes: of each the values of every digit, any of which stand together.
        values: all values of every digit.
    """
    spend(_STEPS_PER_DIGIT * sum(len(vs) for box in boxes for vs in box))
    parts = [{v: v for v in vs} for vs in values]
    rows = [[min(vs) for vs in box] for box in boxes]
    for box, row in zip(boxes, rows, strict=True):
        for part, vs, v in zip(parts, box, row, strict=True):
            _join(part, vs, v)
    changed = True
    while changed:
        changed = False
        found: dict[tuple[int, tuple[int, ...]], int] = {}
        for row in rows:
            at = [_found(part, v) for part, v in zip(parts, row, strict=True)]
            for k, v in enumerate(at):
                others = (k, (*at[:k], *at[k + 1 :]))
                first = found.setdefault(others, v)
                if _found(parts[k], first) != _found(parts[k], v):
                    _join(parts[k], {v}, first)
                    changed = True
    return all(len({_found(part, v) for v in part}) == 1 for part in parts)


def equivalent(support: Support, digit: OperandDigit) -> dict[int, int]:
    """What each value of a digit counts as, where training shows that it counts so.

    Values that differ by a multiple of the digit's period are equivalent.  Training shows that of
    two if it has inputs that differ in this digit only, among those that are needed, and of values
    that are so linked.  Where 0 has stood beside 0 only, and 2 never did, what 0 does beside 7 is
    open even in sums modulo 2.  (That 0 and 0 count as 2 and 2 do may be shown all the same; from
    that nothing is taken to follow.)
    """
    every = {v: v for v in range(support.base)}
    return _all_equivalent(support).get(digit, every)


@memoize_with_cost(64)
def _all_equivalent(support: Support) -> dict[OperandDigit, dict[int, int]]:
    """The values that count alike of every needed digit that has some."""
    needed, base = support.needed, support.base
    periods = [support.period(d) or base for d in needed]
    parts = {
        d: {v: v for v in range(base)} for d, p in zip(needed, periods, strict=True) if p < base
    }
    if not parts:
        return {}
    boxes = [[frozenset(support.possible(box, d)) for d in needed] for box in support.boxes]
    spend(_STEPS_PER_DIGIT * len(needed) * len(boxes) ** 2)
    done = set[tuple[OperandDigit, frozenset[int], frozenset[int]]]()
    for one, other in combinations_with_replacement(boxes, 2):
        apart = {d for d, x, y in zip(needed, one, other, strict=True) if not x & y}
        if len(apart) > 1:
            continue
        for d, period, x, y in zip(needed, periods, one, other, strict=True):
            if d in parts and apart <= {d} and (d, x, y) not in done:
                done.add((d, x, y))
                first = {v % period: v for v in x}
                for v in y:
                    _join(parts[d], {v}, first.get(v % period, v))
    return {d: {v: _found(part, v) for v in part} for d, part in parts.items()}


def _join(part: dict[int, int], some: Iterable[int], other: int) -> None:
    """Let values hang together with another; each leads to one that stands for its part."""
    for v in some:
        part[_found(part, v)] = _found(part, other)


def _found(part: dict[int, int], v: int) -> int:
    """The value that stands for the part of this one."""
    while part[v] != v:
        part[v] = v = part[part[v]]  # half of the way is gone only once
    return v
