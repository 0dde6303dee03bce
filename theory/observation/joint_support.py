"""Joint support: what training fixes for combinations of digits that it never showed together.

``D_n`` never shows 0 at position n of all operands at once, and shorter inputs consist of nothing
else.  Rule *joint support* (``theory.rules``) names the cases in which the answer is
fixed nevertheless:

1. *Equivalent values*, as 0 and 5 at position 3 in ``a * b mod 125``, if training shows that they
   are: beside the same other digits.
2. *No interaction*, as in ``a + b``, if training shows that the digits are added.  It does not
   where a carry was the same in all of training, and not 0: it is built into the answers.

Of neither anything follows where the shown pairs fall apart, as (0, 0) and pairs without 0: what 0
does beside 7 is open.  A digit that can change nothing is taken as not read even there, and a set
of interacting digits as fixed wherever it was shown, whatever others overlap with it: both are
observations, and training data alone would leave them open.

Otherwise nothing follows: ``a_n * b_n * B**(2n-2)`` couples the digits of ``a * b``, and the wrap
at 101 all of ``(a + b) mod 101``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import combinations_with_replacement, product
from math import factorial, prod
from operator import and_

from arith.theory.arithmetic.boxes import Box, largest_value
from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.effort import memoize_with_cost, spend
from arith.theory.arithmetic.properties import digit_causal
from arith.theory.observation.support import OperandDigit, Support

Combination = dict[OperandDigit, frozenset[int]]
"""Values of some digits: any choice of one for each."""
_Class = tuple[int, frozenset[int]]
"""Values that the same training boxes hold: these boxes (a bit for each), and the values."""
_STEPS_PER_PRODUCT = 30_000
"""Steps for one product of digits, and for looking later whether training showed it."""
_STEPS_PER_CLASS = 3_000
"""Steps to look at one class of values beside those that were chosen for other digits."""
_STEPS_PER_CHOICE = 100
"""Further steps for each of these: a combination of many digits takes long to write down."""


def carry_range(support: Support, position: int) -> tuple[int, int] | None:
    """The least and the largest carry into a position that training is known to have shown.

    None where one carry is known and there may be others: it is then decided neither that the
    carry is built in nor that it varied.  There are no others if the task subtracts nothing, or is
    a linear form that is defined everywhere.
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
            # What the digits from the position upward add at most.
            room = largest_value(task, box, base) - max(values.values())
            corners = {x for x in extremes if not task.needs_order or values[x] + room >= 0}
            is_complete &= corners == extremes
        shown |= {values[x] // base ** (position - 1) for x in corners}
        is_complete &= monotone or len(corners) == 1
    if not shown or (len(shown) == 1 and not is_complete):
        return None
    return min(shown), max(shown)


@lru_cache(maxsize=1024)
def _numbers_below(row: tuple[tuple[int, ...], ...], base: int) -> tuple[tuple[int, int], ...]:
    """The least and the largest number that an operand's digits below each position make."""
    ends = [(0, 0)]
    for i, values in enumerate(row):
        least, most = ends[-1]
        ends.append((least + values[0] * base**i, most + values[-1] * base**i))
    return tuple(ends)


@memoize_with_cost(64)
def interactions(support: Support) -> tuple[frozenset[OperandDigit], ...]:
    """The sets of needed digits that the result depends on together.

    A digit causal task couples the digits that a term multiplies, unless the product is 0 modulo p,
    and those at a position where training did not show that they are added; another couples all.

    Raises:
        TooMuchWork: a term multiplies too many digits.
    """
    task, base = support.task, support.base
    if digit_causal(task, base)[0] is not Decision.YES:
        return (frozenset(support.needed),) if support.needed else ()
    groups = {frozenset({digit}) for digit in support.needed}
    positions = [[i for k, i in support.needed if k == j] for j in range(task.operands)]
    for coefficient, exponents in task.terms:
        if sum(exponents) < 2:
            continue
        factors = [j for j, e in enumerate(exponents) for _ in range(e)]
        spend(_STEPS_PER_PRODUCT * prod(len(positions[j]) for j in factors))
        for chosen in product(*(positions[j] for j in factors)):
            digits = tuple(zip(factors, chosen, strict=True))
            weight = coefficient * base ** sum(i - 1 for i in chosen)
            if task.modulus is None or _times(digits) * weight % task.modulus:
                groups.add(frozenset(digits))
    for i in range(1, support.width + 1):
        together = frozenset(digit for digit in support.needed if digit[1] == i)
        if together and not _adding_shown(support, together, i):
            groups.add(together)
    return tuple(sorted(groups, key=lambda s: (len(s), sorted(s))))


def _times(digits: tuple[OperandDigit, ...]) -> int:
    """How often a monomial, multiplied out, has this product of digits."""
    powers = Counter(j for j, _ in digits)
    orders = prod(map(factorial, powers.values()))
    return orders // prod(map(factorial, Counter(digits).values()))


def _adding_shown(support: Support, together: frozenset[OperandDigit], position: int) -> bool:
    """Whether training is known to have shown that the digits at a position are added."""
    carry = carry_range(support, position)
    if carry is None or carry[0] == carry[1] != 0:
        return False
    digits = sorted(together)
    alike = [equivalent(support, d) for d in digits]
    boxes = [
        [
            frozenset(same[v] for v in support.possible(box, d))
            for d, same in zip(digits, alike, strict=True)
        ]
        for box in support.boxes
    ]
    values = [frozenset().union(*seen) for seen in zip(*boxes, strict=True)]
    # A sum of one number for each value has so many free: any answers to no more tuples fit.
    free = sum(map(len, values)) - len(values) + 1
    return _more_shown(boxes, free) and connected(boxes, values)


def _more_shown(boxes: Sequence[Sequence[frozenset[int]]], number: int) -> bool:
    """Whether boxes hold more than so many tuples together."""
    if any(prod(map(len, box)) > number for box in boxes):
        return True
    spend(_STEPS_PER_DIGIT * number * len(boxes))
    return len({x for box in boxes for x in product(*box)}) > number


def unseen(support: Support, test: Box) -> Iterator[Combination]:
    """The combinations of interacting digits that a test box asks for and that training lacks.

    Any choice of values from a combination was never seen (TooMuchWork: there are too many).
    """
    groups = interactions(support)
    classes = {
        digit: _classes(support, digit, test.values(*digit)) for digit in frozenset().union(*groups)
    }
    # The boxes that hold whatever a digit is.
    held = {d: reduce(and_, (boxes for boxes, _ in choices)) for d, choices in classes.items()}
    for digits in map(sorted, groups):
        if support.task.needs_order and len(digits) > 1:
            yield from _ruled_out_by_order(support, digits, test)
        elif not reduce(and_, (held[digit] for digit in digits)):
            yield from _never_together(digits, [classes[d] for d in digits], len(support.boxes))


def _ruled_out_by_order(
    support: Support, digits: list[OperandDigit], test: Box
) -> Iterator[Combination]:
    """The combinations of single values that no training tuple has on which the task is defined."""
    choices = [test.values(*digit) for digit in digits]
    spend(_STEPS_PER_CLASS * prod(map(len, choices)) * len(support.boxes))
    for values in product(*choices):
        fixed = dict(zip(digits, values, strict=True))
        if not any(support.defined(box, fixed) for box in support.boxes):
            yield {digit: frozenset({value}) for digit, value in fixed.items()}


def _never_together(
    digits: list[OperandDigit], classes: Sequence[Sequence[_Class]], boxes: int
) -> Iterator[Combination]:
    """The combinations of classes that no box holds, cut short where no further digit counts."""
    everywhere = [2**boxes - 1]  # the boxes that hold whatever the digits still to come are
    for choices in reversed(classes):
        everywhere.append(reduce(and_, (held for held, _ in choices), everywhere[-1]))
    everywhere.reverse()
    ahead: list[tuple[int, list[frozenset[int]]]] = [(2**boxes - 1, [])]
    while ahead:
        held, chosen = ahead.pop()
        if not held:
            yield dict(zip(digits, chosen, strict=False))
        elif not held & everywhere[len(chosen)]:
            choices = classes[len(chosen)]
            spend((_STEPS_PER_CLASS + _STEPS_PER_CHOICE * len(chosen)) * len(choices))
            ahead += [(held & more, [*chosen, values]) for more, values in reversed(choices)]


@memoize_with_cost(1024)
def _classes(support: Support, digit: OperandDigit, values: tuple[int, ...]) -> tuple[_Class, ...]:
    """The values of a digit, grouped by the training boxes that hold them or equivalent ones."""
    alike = equivalent(support, digit)
    held = [{alike[v] for v in support.possible(box, digit)} for box in support.boxes]
    groups: dict[int, set[int]] = {}
    for value in values:
        boxes = sum((alike[value] in have) << k for k, have in enumerate(held))
        groups.setdefault(boxes, set()).add(value)
    return tuple((boxes, frozenset(group)) for boxes, group in sorted(groups.items()))


def split_unseen(support: Support, box: Box, known: bool) -> list[Box]:
    """The part of a test box whose answers training fixes (known), or the rest, as boxes."""
    return [
        box.restrict(values)
        for is_unseen, values in _pieces(support, box.lowest(support.width))
        if is_unseen != known
    ]


@memoize_with_cost(256)
def _pieces(support: Support, low: Box) -> list[tuple[bool, Combination]]:
    """Disjoint pieces that make up a test box: whether training lacks a piece, and its values.

    Args:
        low: the positions of the test box that training wrote.  No others interact, and so
            all longer tests share one answer.
    """
    missing = list(unseen(support, low))
    digits = sorted({digit for combination in missing for digit in combination})
    classes = []  # of each digit: its values by the combinations that they may complete
    for digit in digits:
        asked = list(dict.fromkeys(c[digit] for c in missing if digit in c))  # often the same
        groups: dict[tuple[bool, ...], set[int]] = {}
        for value in low.values(*digit):
            completes = tuple(value in values for values in asked)
            groups.setdefault(completes, set()).add(value)
        classes.append([frozenset(values) for _, values in sorted(groups.items())])
    pieces: list[tuple[bool, Combination]] = []
    ahead: list[tuple[tuple[frozenset[int], ...], list[Combination]]] = [((), missing)]
    while ahead:
        chosen, possible = ahead.pop()
        is_unseen = bool(chosen) and any(max(c) <= digits[len(chosen) - 1] for c in possible)
        if is_unseen or not possible:
            pieces.append((is_unseen, dict(zip(digits, chosen, strict=False))))
            continue
        digit, choices = digits[len(chosen)], classes[len(chosen)]
        spend(_STEPS_PER_CLASS * len(choices) * len(possible))
        ahead += [
            ((*chosen, values), [c for c in possible if digit not in c or values <= c[digit]])
            for values in reversed(choices)
        ]
    return pieces


# --- which values training shows to be alike ----------------------------------------------

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
