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
   being added, and need not be there for a combination that was never seen.  And two digits of
   base 2 are too few: three of the four pairs are fitted without adding (1 unless both are 1).

Otherwise nothing follows: in ``a * b`` the term ``a_n * b_n * B**(2n-2)`` couples the
digits, and in ``(a + b) mod 101`` the wrap at 101 couples all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import factorial, gcd, prod

from theory.domains import Box
from theory.effort import remembered, spend
from theory.properties import digit_causal
from theory.support import Place, Support, possible
from theory.tasks import Task


def period(task: Task, place: Place, base: int) -> int | None:
    """Digits at a place that differ by a multiple of this are equivalent; None if none are.

    ``p`` over its common divisor with everything that one step of the digit changes.
    1 means that the digit cannot change the result: position 3 in ``a * b mod 50``.
    """
    modulus = task.full_modulus
    if modulus is None:
        return None
    operand, position = place
    steps = (c * base ** (position - 1) for c, e in task.terms if e[operand])
    return modulus // gcd(modulus, *steps)


@remembered(4096)
def interactions(task: Task, support: Support, base: int) -> tuple[frozenset[Place], ...]:
    """The sets of read places whose digits the result depends on together.

    Places that training kept constant, or that cannot change the result, are left out.
    A digit causal task couples the digits that a term multiplies (unless the product is
    0 modulo p), the digits at a position with a built-in carry and two of base 2 (where it
    asks for no order of its operands), and reads the others one by one; any other task couples
    all of them.
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
    if not digit_causal(task, base)[0]:
        return (frozenset((j, i) for j in read for i in read[j]),)
    found = {frozenset({(j, i)}) for j in read for i in read[j]}
    for coefficient, exponents in task.terms:
        if sum(exponents) < 2:
            continue
        factors = [j for j, e in enumerate(exponents) for _ in range(e)]
        spend(3_000 * prod(len(read[j]) for j in factors))
        for positions in product(*(read[j] for j in factors)):
            weight = coefficient * base ** sum(i - 1 for i in positions)
            modulus = task.full_modulus
            if modulus is None or _multiplicity(factors, positions) * weight % modulus:
                found.add(frozenset(zip(factors, positions, strict=True)))
    if task.is_linear and not task.needs_order:
        for i in range(1, support.width + 1):
            together = frozenset((j, i) for j in read if i in read[j])
            low, high = carry_range(task, support, i, base)
            if together and (low == high != 0 or (base == 2 and len(together) == 2)):
                found.add(together)
    return tuple(sorted(found, key=lambda s: (len(s), sorted(s))))


def _multiplicity(factors: list[int], positions: tuple[int, ...]) -> int:
    """How often the expanded power holds this product of digits (a multinomial coefficient)."""
    total = 1
    for j in set(factors):
        mine = [i for f, i in zip(factors, positions, strict=True) if f == j]
        total *= factorial(len(mine)) // prod(factorial(mine.count(i)) for i in set(mine))
    return total


def carry_range(task: Task, support: Support, position: int, base: int) -> tuple[int, int]:
    """The least and the largest carry of a linear form into a position, in training.

    An order that the task asks of its operands is not used: the range may be too wide.
    """
    below = [_below(task, box, base) for box in support.boxes]
    least, most = zip(*(sums[min(position, len(sums)) - 1] for sums in below), strict=True)
    return min(least) // base ** (position - 1), max(most) // base ** (position - 1)


@lru_cache(maxsize=4096)
def _below(task: Task, box: Box, base: int) -> tuple[tuple[int, int], ...]:
    """The least and the largest value of a linear form on the digits below each position."""
    least = most = sum(c for c, e in task.terms if not any(e))
    found = [(least, most)]
    for i in range(1, box.width + 1):
        for coefficient, exponents in task.terms:
            if any(exponents):
                values = [coefficient * d for d in box.values(exponents.index(1), i)]
                least += min(values) * base ** (i - 1)
                most += max(values) * base ** (i - 1)
        found.append((least, most))
    return tuple(found)


Profile = tuple[bool, ...]
"""Which training boxes hold a digit, up to equivalence, at one place."""


def unseen(
    task: Task, support: Support, test: Sequence[Box], base: int
) -> tuple[dict[Place, frozenset[int]], ...]:
    """The combinations of digits that matter together, that a test asks for, and that training lacks.

    Returns:
        each combination as ``place -> digits``: any choice of those digits was never seen.
    """
    missing = []
    known: dict[Place, tuple[tuple[Profile, frozenset[int]], ...]] = {}
    for places in interactions(task, support, base):
        ordered = sorted(places)
        for place in ordered:
            if place not in known:
                known[place] = _classes(task, support, place, _shown(test, place), base)
        classes = [known[place] for place in ordered]
        if all(map(_everywhere, classes)):
            continue
        spend(2_000 * len(classes) * prod(map(len, classes)))
        for combination in product(*classes):
            seen_in = [all(profile) for profile in zip(*(p for p, _ in combination), strict=True)]
            if not any(seen_in):
                missing.append(
                    {place: d for place, (_, d) in zip(ordered, combination, strict=True)}
                )
    return tuple(missing)


def _everywhere(classes: tuple[tuple[Profile, frozenset[int]], ...]) -> bool:
    """Whether every training box holds every digit that is asked for at a place."""
    return all(all(profile) for profile, _ in classes)


def _shown(test: Sequence[Box], place: Place) -> tuple[int, ...]:
    """The digits that a test shows at a place."""
    return tuple(sorted({d for b in test for d in b.values(*place)}))


@lru_cache(maxsize=4096)
def _classes(
    task: Task, support: Support, place: Place, digits: tuple[int, ...], base: int
) -> tuple[tuple[Profile, frozenset[int]], ...]:
    """Digits at a place, grouped by the training boxes that hold them."""
    step = period(task, place, base) or base  # digits differ by less than the base
    held = [{v % step for v in possible(task, b, place, base)} for b in support.boxes]
    groups: dict[Profile, set[int]] = {}
    for d in digits:
        groups.setdefault(tuple([d % step in have for have in held]), set()).add(d)
    return tuple((profile, frozenset(ds)) for profile, ds in sorted(groups.items()))


def split_unseen(task: Task, support: Support, box: Box, base: int, known: bool) -> list[Box]:
    """The part of a test box that training fixes (known), or the rest, as disjoint boxes.

    Raises:
        NotCountable: there are too many of them.
    """
    cuts = _cuts(task, support, box.lowest(support.width), base)
    spend(300 * len(cuts) * task.operands * box.width)
    return [box.restrict(dict(digits)) for is_missing, digits in cuts if is_missing != known]


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
    classes = [
        [d for _, d in _classes(task, support, place, _shown((low,), place), base)]
        for place in places
    ]
    cuts = []
    spend(1_000 * (len(missing) + len(places)) * prod(map(len, classes)))
    for digits in product(*classes):
        chosen = dict(zip(places, digits, strict=True))
        is_missing = any(all(chosen[p] == d for p, d in c.items()) for c in missing)
        cuts.append((is_missing, tuple(chosen.items())))
    return tuple(cuts)
