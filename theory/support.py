"""Support: which digits each position showed in training, and what follows for the others.

The support rule (ours; the published ``f(a mod B**n, b mod B**n)`` is its case for
``D_n``): a position that showed one digit only is ignored, as if that digit stood
there; a position that showed several is read.  It is the least-degree interpolator of
Abbe et al. (*Generalization on the Unseen*) applied to digits: what never varied does
not enter the function.

Joint support (ours).  ``D_n`` never shows 0 at position n of all operands at once, and
shorter inputs consist of nothing else.  A combination of digits that was never seen
together is still fixed by what was seen in two cases:

1. *Equivalent digits.*  Some digits make no difference to each other modulo p: in
   ``a * b mod 125`` the digits 0 and 5 at position 3.  A combination that was seen up
   to equivalent digits counts as seen.
2. *No interaction.*  The task is digit causal and no term multiplies the digits, so
   that each enters the result by itself, as in ``a + b``.

Otherwise nothing follows: in ``a * b`` the term ``a_n * b_n * B**(2n-2)`` couples the
digits, and in ``(a + b) mod 101`` the wrap at 101 couples all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import factorial, gcd, prod

from theory.domains import Box, Domain
from theory.properties import digit_causal
from theory.tasks import Task

Place = tuple[int, int]
"""An operand index and a digit position (1 = units)."""


@dataclass(frozen=True, eq=False)
class Support:
    """What a training domain showed.  Made once per task and domain, and compared by identity.

    Args:
        seen: ``seen[j][i]`` is the set of digits at position ``i + 1`` of operand j;
            every position above was always 0.
        boxes: the training domain, cut into boxes.
    """

    seen: tuple[tuple[frozenset[int], ...], ...]
    boxes: tuple[Box, ...]

    def digits(self, place: Place) -> frozenset[int]:
        """The digits seen at a place."""
        operand, position = place
        row = self.seen[operand]
        return row[position - 1] if position <= len(row) else frozenset({0})

    @cached_property
    def _constants(self) -> tuple[tuple[int | None, ...], ...]:
        """``constant`` of the places that training wrote."""
        return tuple(tuple(min(d) if len(d) == 1 else None for d in row) for row in self.seen)

    def constant(self, place: Place) -> int | None:
        """The digit that the model acts as if it stood there, or None where it reads."""
        operand, position = place
        row = self._constants[operand]
        return row[position - 1] if position <= len(row) else 0

    @cached_property
    def width(self) -> int:
        """Positions that training wrote; above, everything is the constant 0."""
        return max(len(row) for row in self.seen)

    def offset(self, operand: int, base: int) -> int:
        """What the constants of one operand add up to."""
        constants = ((i, self.constant((operand, i))) for i in range(1, self.width + 1))
        return sum((c or 0) * base ** (i - 1) for i, c in constants)

    def reduce(self, operand: int, value: int, base: int) -> int:
        """An operand as the model sees it: ignored positions replaced by their constant."""
        total = self.offset(operand, base)
        for i in range(1, self.width + 1):
            if self.constant((operand, i)) is None:
                total += value // base ** (i - 1) % base * base ** (i - 1)
        return total

    def read_length(self, operand: int) -> int | None:
        """n if exactly positions 1..n are read and the rest is 0, else None (no short formula)."""
        reads = [self.constant((operand, i)) is None for i in range(1, self.width + 1)]
        n = sum(reads)
        plain = all(reads[:n]) and all(
            self.constant((operand, i)) == 0 for i in range(n + 1, self.width + 1)
        )
        return n if plain else None


@lru_cache(maxsize=1024)
def support(task: Task, domain: Domain, base: int) -> Support:
    """The support of a training domain for a task (its order constraint included)."""
    boxes = tuple(b for b in domain.boxes(base, task.operands) if _feasible(task, b, {}, base))
    width = max((b.width for b in boxes), default=0)
    seen = tuple(
        tuple(
            frozenset(d for b in boxes for d in _possible(task, b, (j, i), base))
            for i in range(1, width + 1)
        )
        for j in range(task.operands)
    )
    return Support(seen, boxes)


def _feasible(task: Task, box: Box, fixed: dict[Place, int], base: int) -> bool:
    """Whether a box has a member with the given digits on which the task is defined."""
    for (j, i), d in fixed.items():
        if d not in box.values(j, i):
            return False
    if not task.needs_order:
        return True
    largest = 0
    for coefficient, exponents in task.terms:
        if not any(exponents):
            largest += coefficient
            continue
        j = exponents.index(1)
        pick = max if coefficient > 0 else min
        for i in range(1, box.width + 1):
            digit = fixed.get((j, i), pick(box.values(j, i)))
            largest += coefficient * digit * base ** (i - 1)
    return largest >= 0


def _possible(task: Task, box: Box, place: Place, base: int) -> tuple[int, ...]:
    """The digits that members of a box on which the task is defined have at a place."""
    values = box.values(*place)
    if not task.needs_order:
        return values
    return tuple(d for d in values if _feasible(task, box, {place: d}, base))


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


@lru_cache(maxsize=4096)
def interactions(task: Task, support: Support, base: int) -> tuple[frozenset[Place], ...]:
    """The sets of read places whose digits the result depends on together.

    Places that training kept constant, or that cannot change the result, are left out.
    A digit causal task couples the digits that a term multiplies (unless the product is
    0 modulo p), and reads the others one by one; any other task couples all of them.
    """
    read = {
        j: [
            i
            for i in range(1, support.width + 1)
            if support.constant((j, i)) is None and period(task, (j, i), base) != 1
        ]
        for j in range(task.operands)
    }
    if not digit_causal(task, base)[0]:
        return (frozenset((j, i) for j in read for i in read[j]),)
    found = {frozenset({(j, i)}) for j in read for i in read[j]}
    for coefficient, exponents in task.terms:
        if sum(exponents) < 2:
            continue
        factors = [j for j, e in enumerate(exponents) for _ in range(e)]
        for positions in product(*(read[j] for j in factors)):
            weight = coefficient * base ** sum(i - 1 for i in positions)
            modulus = task.full_modulus
            if modulus is None or _multiplicity(factors, positions) * weight % modulus:
                found.add(frozenset(zip(factors, positions, strict=True)))
    return tuple(sorted(found, key=lambda s: (len(s), sorted(s))))


def _multiplicity(factors: list[int], positions: tuple[int, ...]) -> int:
    """How often the expanded power holds this product of digits (a multinomial coefficient)."""
    total = 1
    for j in set(factors):
        mine = [i for f, i in zip(factors, positions, strict=True) if f == j]
        total *= factorial(len(mine)) // prod(factorial(mine.count(i)) for i in set(mine))
    return total


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
    for places in interactions(task, support, base):
        ordered = sorted(places)
        classes = [_classes(task, support, place, _shown(test, place), base) for place in ordered]
        for combination in product(*classes):
            seen_in = [all(profile) for profile in zip(*(p for p, _ in combination), strict=True)]
            if not any(seen_in):
                missing.append(
                    {place: d for place, (_, d) in zip(ordered, combination, strict=True)}
                )
    return tuple(missing)


def _shown(test: Sequence[Box], place: Place) -> tuple[int, ...]:
    """The digits that a test shows at a place."""
    return tuple(sorted({d for b in test for d in b.values(*place)}))


@lru_cache(maxsize=4096)
def _classes(
    task: Task, support: Support, place: Place, digits: tuple[int, ...], base: int
) -> tuple[tuple[Profile, frozenset[int]], ...]:
    """Digits at a place, grouped by the training boxes that hold them."""
    step = period(task, place, base) or base  # digits differ by less than the base
    held = [{v % step for v in _possible(task, b, place, base)} for b in support.boxes]
    groups: dict[Profile, set[int]] = {}
    for d in digits:
        groups.setdefault(tuple([d % step in have for have in held]), set()).add(d)
    return tuple((profile, frozenset(ds)) for profile, ds in sorted(groups.items()))


def split_unseen(task: Task, support: Support, box: Box, base: int, known: bool) -> list[Box]:
    """The part of a test box that training fixes (known), or the rest, as disjoint boxes."""
    return [
        box.restrict(dict(digits))
        for is_missing, digits in _cuts(task, support, box.lowest(support.width), base)
        if is_missing != known
    ]


@lru_cache(maxsize=4096)
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
    for digits in product(*classes):
        chosen = dict(zip(places, digits, strict=True))
        is_missing = any(all(chosen[p] == d for p, d in c.items()) for c in missing)
        cuts.append((is_missing, tuple(chosen.items())))
    return tuple(cuts)
