"""Joint support: what training fixes for combinations of digits that it never showed together.

``D_n`` never shows 0 at position n of all operands at once, and shorter inputs consist of
nothing else.  A combination of digits that was never seen together is still fixed by what was
seen in two cases (a rule of ours, after the least-degree interpolator of Abbe et al.):

1. *Equivalent digits.*  Some digits make no difference to each other modulo p: in
   ``a * b mod 125`` the digits 0 and 5 at position 3.  A combination that was seen up
   to equivalent digits counts as seen.
2. *No interaction.*  The task is digit causal and no term multiplies the digits, so
   that each enters the result by itself, as in ``a + b``.  What else enters there is the carry:
   one that was the same in all of training, and not 0, is built into the answers instead of
   being added, and need not be there for a combination that was never seen.  And where two operands
   showed two values each, three of the four pairs are fitted without adding (in base 2: 1 unless
   both are 1).

What is not decided (whether the task is digit causal, whether a carry varied) counts against a
combination: its digits are then taken to interact.  Otherwise nothing follows: in ``a * b`` the term ``a_n * b_n * B**(2n-2)`` couples the
digits, and in ``(a + b) mod 101`` the wrap at 101 couples all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import product
from math import factorial, gcd, prod
from operator import and_

from theory.errors import NotCountable
from theory.inference.support import Place, Support, feasible, possible
from theory.numbers.effort import remembered, spend
from theory.setting.domains import Box
from theory.setting.properties import digit_causal
from theory.setting.tasks import Task

LARGEST_WORK = 50_000
"""Combinations of places, and of digits, that are looked at at most (about a second)."""
_CUT = 3_000
"""Steps to look at one class of digits beside those that were chosen at other places."""


@lru_cache(maxsize=16384)
def period(task: Task, place: Place, base: int) -> int | None:
    """Digits at a place that differ by a multiple of this are equivalent; None if none are.

    ``p`` over its common divisor with everything that one step of the digit changes.
    1 means that the digit cannot change the result: position 3 in ``a * b mod 50``.
    """
    operand, position = place
    steps = [c * base ** (position - 1) for c, e in task.terms if e[operand]]
    modulus = task.full_modulus
    if not steps:  # a constant function
        return 1
    return None if modulus is None else modulus // gcd(modulus, *steps)


@lru_cache(maxsize=4096)
def interactions(task: Task, support: Support, base: int) -> tuple[frozenset[Place], ...]:
    """The sets of read places whose digits the result depends on together.

    Places that training kept constant, or that cannot change the result, are left out.
    A digit causal task couples the digits that a term multiplies (unless the product is
    0 modulo p) and the digits at a position where adding them was not shown, and reads the others
    one by one; a task that is not known to be digit causal couples all of them.

    Raises:
        NotCountable: there are too many such sets.
    """
    read = {
        j: [
            i
            for i in range(1, support.width + 1)
            if support.constant((j, i)) is None and period(task, (j, i), base) != 1
        ]
        for j in range(task.operands)
    }
    if not any(read.values()):
        return ()
    if digit_causal(task, base)[0] is not True:
        return (frozenset((j, i) for j in read for i in read[j]),)
    found = {frozenset({(j, i)}) for j in read for i in read[j]}
    modulus = task.full_modulus
    work = 0
    for coefficient, exponents in task.terms:
        if sum(exponents) < 2:
            continue
        factors = [j for j, e in enumerate(exponents) for _ in range(e)]
        work += prod(len(read[j]) for j in factors)
        if work > LARGEST_WORK:
            raise NotCountable(f"'{task.name}' multiplies too many digits to tell which interact")
        for positions in product(*(read[j] for j in factors)):
            weight = coefficient * base ** sum(i - 1 for i in positions)
            if modulus is None or _multiplicity(factors, positions) * weight % modulus:
                found.add(frozenset(zip(factors, positions, strict=True)))
    for i in range(1, support.width + 1):
        together = frozenset((j, i) for j in read if i in read[j])
        if together and not _adding_shown(task, support, together, i, base):
            found.add(together)
    return tuple(sorted(found, key=lambda s: (len(s), sorted(s))))


def _adding_shown(
    task: Task, support: Support, together: frozenset[Place], position: int, base: int
) -> bool:
    """Whether training is known to have shown that the digits at a position are added up.

    It has not where the carry into the position is built in, or may be, and where two operands
    showed two values each.
    """
    carry = carry_range(task, support, position, base)
    if carry is None or carry[0] == carry[1] != 0:
        return False
    values = [
        {d % (period(task, place, base) or base) for d in support.digits(place)}
        for place in together
    ]
    return [len(v) for v in values] != [2, 2]


def _multiplicity(factors: list[int], positions: tuple[int, ...]) -> int:
    """How often the expanded power holds this product of digits (a multinomial coefficient)."""
    total = 1
    for j in set(factors):
        mine = [i for f, i in zip(factors, positions, strict=True) if f == j]
        total *= factorial(len(mine)) // prod(factorial(mine.count(i)) for i in set(mine))
    return total


def carry_range(task: Task, support: Support, position: int, base: int) -> tuple[int, int] | None:
    """The least and the largest carry into a position that training is known to have shown.

    Of a linear form without order, and where nothing is subtracted, they are the least and the
    largest of all.

    Returns:
        None where one carry is known and there may be others: decided is neither that it is built in
        nor that it varied.
    """
    monotone = task.is_linear or all(c > 0 for c, _ in task.terms)
    shown: set[int] = set()
    every = True
    for box in support.boxes:
        below = [_numbers_below(row, base) for row in box.digits]
        corners = set(product(*(ends[min(position, len(ends)) - 1] for ends in below)))
        total = {x: _polynomial(task, x) for x in corners}
        if task.is_linear:
            extremes = {min(corners, key=total.__getitem__), max(corners, key=total.__getitem__)}
            reachable = {x for x in extremes if _defined_above(task, box, position, base, total[x])}
            every &= reachable == extremes
            corners = reachable
        shown |= {total[x] // base ** (position - 1) for x in corners}
        every &= monotone or len(corners) == 1
    if not shown or (len(shown) == 1 and not every):
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


def _polynomial(task: Task, x: tuple[int, ...]) -> int:
    """The value of the polynomial, neither divided nor reduced."""
    return sum(c * prod(v**e for v, e in zip(x, es, strict=True)) for c, es in task.terms)


def _defined_above(task: Task, box: Box, position: int, base: int, low: int) -> bool:
    """Whether digits from a position on can make a linear form defined that is ``low`` below them."""
    if not task.needs_order:
        return True
    for coefficient, exponents in task.terms:
        if any(exponents):
            pick = max if coefficient > 0 else min
            row = range(position, box.width + 1)
            values = (pick(box.values(exponents.index(1), i)) * base ** (i - 1) for i in row)
            low += coefficient * sum(values)
    return low >= 0


Combination = dict[Place, frozenset[int]]
"""Digits at some places: any choice of one at each."""


def unseen(task: Task, support: Support, test: Sequence[Box], base: int) -> tuple[Combination, ...]:
    """The combinations of digits that matter together, that a test asks for, and that training lacks.

    Returns:
        each combination as ``place -> digits``: any choice of those digits was never seen.

    Raises:
        NotCountable: there are too many to look at.
    """
    missing: list[Combination] = []
    groups = interactions(task, support, base)
    classes = {
        place: _classes(task, support, place, _shown(test, place), base)
        for place in frozenset().union(*groups)
    }
    # The boxes that hold whatever is asked for at a place.
    held = {place: reduce(and_, (boxes for boxes, _ in found)) for place, found in classes.items()}
    for places in groups:
        ordered = sorted(places)
        if task.needs_order and len(ordered) > 1:  # what the order rules out was not seen
            digits = [_shown(test, place) for place in ordered]
            if prod(map(len, digits)) > LARGEST_WORK:
                raise NotCountable(f"'{task.name}' has too many combinations of digits to look at")
            missing += [
                {place: frozenset({d}) for place, d in zip(ordered, chosen, strict=True)}
                for chosen in product(*digits)
                if not any(
                    feasible(task, box, dict(zip(ordered, chosen, strict=True)), base)
                    for box in support.boxes
                )
            ]
            continue
        if not reduce(and_, (held[place] for place in places)):
            missing += _never_together(ordered, [classes[p] for p in ordered], len(support.boxes))
    return tuple(missing)


def _never_together(
    places: list[Place], classes: Sequence[Sequence[tuple[int, frozenset[int]]]], boxes: int
) -> Iterator[Combination]:
    """The combinations of classes that no box holds, cut short where no further place counts."""
    everywhere = [2**boxes - 1]  # the boxes that hold whatever stands at the places still to come
    for choices in reversed(classes):
        everywhere.append(reduce(and_, (held for held, _ in choices), everywhere[-1]))
    everywhere.reverse()
    ahead: list[tuple[int, list[frozenset[int]]]] = [(2**boxes - 1, [])]
    work = 0
    while ahead:
        held, chosen = ahead.pop()
        if not held:
            yield dict(zip(places, chosen, strict=False))
        elif not held & everywhere[len(chosen)]:
            work += len(classes[len(chosen)])
            if work > LARGEST_WORK:
                raise NotCountable("too many combinations of digits were never shown together")
            spend(_CUT * len(classes[len(chosen)]))
            ahead += [(held & more, [*chosen, d]) for more, d in reversed(classes[len(chosen)])]


def _shown(test: Sequence[Box], place: Place) -> tuple[int, ...]:
    """The digits that a test shows at a place."""
    return tuple(sorted({d for b in test for d in b.values(*place)}))


@lru_cache(maxsize=4096)
def _classes(
    task: Task, support: Support, place: Place, digits: tuple[int, ...], base: int
) -> tuple[tuple[int, frozenset[int]], ...]:
    """Digits at a place, grouped by the training boxes that hold them (a bit for each box)."""
    step = period(task, place, base) or base  # digits differ by less than the base
    held = [{v % step for v in possible(task, b, place, base)} for b in support.boxes]
    groups: dict[int, set[int]] = {}
    for d in digits:
        which = sum((d % step in have) << k for k, have in enumerate(held))
        groups.setdefault(which, set()).add(d)
    return tuple((which, frozenset(ds)) for which, ds in sorted(groups.items()))


def split_unseen(task: Task, support: Support, box: Box, base: int, known: bool) -> list[Box]:
    """The part of a test box that training fixes (known), or the rest, as disjoint boxes."""
    return [
        box.restrict(dict(digits))
        for is_missing, digits in _cuts(task, support, box.lowest(support.width), base)
        if is_missing != known
    ]


@remembered(4096)
def _cuts(
    task: Task, support: Support, low: Box, base: int
) -> tuple[tuple[bool, tuple[tuple[Place, frozenset[int]], ...]], ...]:
    """The pieces of a test box: whether training lacks a piece, and its digits at some places.

    Args:
        low: the positions of the test box that training wrote.  No others interact, and so
            all longer tests share one answer.
    """
    missing = unseen(task, support, (low,), base)
    places = sorted({place for combination in missing for place in combination})
    classes = []
    for place in places:
        groups: dict[tuple[bool, ...], set[int]] = {}
        for d in _shown((low,), place):
            groups.setdefault(tuple(d in c[place] for c in missing if place in c), set()).add(d)
        classes.append([frozenset(ds) for _, ds in sorted(groups.items())])
    cuts: list[tuple[bool, tuple[tuple[Place, frozenset[int]], ...]]] = []
    ahead: list[tuple[tuple[frozenset[int], ...], list[Combination]]] = [((), list(missing))]
    work = 0
    while ahead:
        chosen, left = ahead.pop()  # what is missing may still be among these digits
        is_missing = bool(chosen) and any(max(c) <= places[len(chosen) - 1] for c in left)
        if is_missing or not left:
            cuts.append((is_missing, tuple(zip(places, chosen, strict=False))))
            continue
        place = places[len(chosen)]
        more = len(classes[len(chosen)]) * len(left)
        work += more
        if work > LARGEST_WORK:
            raise NotCountable("too many combinations of digits were never shown together")
        spend(_CUT * more)
        ahead += [
            ((*chosen, d), [c for c in left if place not in c or d <= c[place]])
            for d in reversed(classes[len(chosen)])
        ]
    return tuple(cuts)
