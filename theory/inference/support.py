"""Support: which digits each position showed in training, and what follows for the others.

The support rule (ours; the published ``f(a mod B**n, b mod B**n)`` is its case for
``D_n``): a position that showed one digit only is ignored, as if that digit stood
there; a position that showed several is read.  It is the least-degree interpolator of
Abbe et al. (*Generalization on the Unseen*) applied to digits: what never varied does
not enter the function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from theory.setting.domains import Box, Domain
from theory.setting.tasks import Task

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
    boxes = tuple(b for b in domain.boxes(base, task.operands) if feasible(task, b, {}, base))
    width = max((b.width for b in boxes), default=0)
    seen = tuple(
        tuple(
            frozenset(d for b in boxes for d in possible(task, b, (j, i), base))
            for i in range(1, width + 1)
        )
        for j in range(task.operands)
    )
    return Support(seen, boxes)


def feasible(task: Task, box: Box, fixed: dict[Place, int], base: int) -> bool:
    """Whether a box has a member with the given digits on which the task is defined."""
    if any(d not in box.values(*place) for place, d in fixed.items()):
        return False
    if not task.needs_order:
        return True
    largest = _largest(task, box, base)
    for (j, i), d in fixed.items():  # what it takes off that another digit would be best there
        coefficient = sum(c for c, e in task.terms if e[j])
        best = max(coefficient * value for value in box.values(j, i))
        largest -= (best - coefficient * d) * base ** (i - 1)
    return largest >= 0


@lru_cache(maxsize=4096)
def _largest(task: Task, box: Box, base: int) -> int:
    """The largest value of a linear form on a box."""
    largest = 0
    for coefficient, exponents in task.terms:
        if not any(exponents):
            largest += coefficient
            continue
        j = exponents.index(1)
        pick = max if coefficient > 0 else min
        for i in range(1, box.width + 1):
            largest += coefficient * pick(box.values(j, i)) * base ** (i - 1)
    return largest


def possible(task: Task, box: Box, place: Place, base: int) -> tuple[int, ...]:
    """The digits that members of a box on which the task is defined have at a place."""
    values = box.values(*place)
    if not task.needs_order:
        return values
    return tuple(d for d in values if feasible(task, box, {place: d}, base))
