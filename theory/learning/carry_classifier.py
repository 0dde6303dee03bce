"""Bayes classifiers of the digits of long sums, which read whole positions downward.

``theory.learning.digit_classifier`` tells apart the values of a sum, and so ends at a few digits.
Where each result digit is made from the digits at its position and a carry, the digits below
enter by that carry only.  So what is read, from a position downward, counts by what it makes of
the carry into the lowest position read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.effort import spend
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import NotCountable

_STEP = 1_500
"""What one step from a carry to a carry is charged."""
_State = tuple[int, int]
"""One of the domain's boxes, and a carry into a position of its members."""
_Outcome = tuple[int, int]
"""A value of the result digit, and in how many ways digits can stand above it."""
_Kinds = Counter[tuple[_Outcome, ...]]
"""How many combinations of the digits that are read give each state its outcome."""
_IMPOSSIBLE = (0, 0)
"""The outcome where a box lacks the digits that are read."""


class CarryClassifier:
    """The Bayes classifiers of a linear form's result digits, each from its position downward.

    Positions are counted from 0, the units.

    Args:
        boxes: of the domain, disjoint.

    Attributes:
        total: how many tuples of the domain the task is defined on.

    Raises:
        NotCountable: the task is no linear form, or has too many carries.
    """

    def __init__(self, task: Task, base: int, boxes: tuple[Box, ...]) -> None:
        if not task.is_linear:
            raise NotCountable(f"'{task.name}' is no sum of digits and a carry")
        self._task, self._base = task, base
        self._width = max(box.width for box in boxes)
        positions = max(self._width, task.result_width(base, self._width))
        sums = cache(self._sums)  # most positions are alike
        rows = [
            tuple(tuple(box.values(j, i) for box in boxes) for j in range(task.operands))
            for i in range(1, positions + 1)
        ]
        self._digits = [sums(row) for row in rows]
        """By position: what its digits add up to and the boxes that have them, how often."""
        constant = task.constant
        self._into = [Counter({(k, constant): 1 for k in range(len(boxes))})]
        """By position: how often each state is."""
        for i in range(positions):
            after: Counter[_State] = Counter()
            for (k, carry), s, n in self._steps(i):
                after[k, s // base] += n * self._into[i][k, carry]
            self._into.append(after)
        top = Counter({(k, c): 1 for k, c in self._into[-1] if c >= 0 or not task.needs_order})
        self._onward = [top]
        """By position: in how many ways the digits from there upward go on from each state."""
        for i in reversed(range(positions)):
            ways: Counter[_State] = Counter()
            for (k, carry), s, n in self._steps(i):
                ways[k, carry] += n * self._onward[0][k, s // base]
            self._onward.insert(0, ways)
        self.total = self._onward[0].total()

    def _sums(self, rows: tuple[tuple[tuple[int, ...], ...], ...]) -> Counter[tuple[int, int]]:
        """The sums of digits that take, operand by operand and box by box, these values.

        Each comes with the boxes that have them, a bit for each.
        """
        sums = Counter({(0, 2 ** len(rows[0]) - 1): 1})
        for j, row in enumerate(rows):
            factor = self._task.coefficients[j]
            spend(_STEP * (len(row) + len(sums) * self._base))
            alike: Counter[tuple[int, ...]] = Counter()  # the boxes of the same values
            for k, values in enumerate(row):
                alike[values] += 1 << k
            having: Counter[int] = Counter()
            for values, boxes in alike.items():
                having.update(dict.fromkeys(values, boxes))
            wider: Counter[tuple[int, int]] = Counter()
            for d, others in having.items():
                for (s, boxes), n in sums.items():
                    if boxes & others:
                        wider[s + factor * d, boxes & others] += n
            sums = wider
        return sums

    def _steps(self, i: int) -> Iterator[tuple[_State, int, int]]:
        """Each state, each sum that digits of a position make of it, and how many digits do."""
        spend(_STEP * len(self._into[i]) * len(self._digits[i]))
        for (s, boxes), n in self._digits[i].items():
            for k, carry in self._into[i]:
                if boxes >> k & 1:
                    yield (k, carry), carry + s, n

    def right(self, r: int) -> Iterator[int]:
        """On how many tuples the classifier of result digit r is right.

        One for each number of positions that it reads of those where operands have digits, from
        that of the result digit downward: 0, 1, 2, ...  The last one reads them all, and is right
        on the whole domain.

        Raises:
            NotCountable: the digit is not made from the digits at one position and a carry.
            TooMuchWork: the budget is spent.
        """
        modulus, onward = self._modulus(r), self._onward[r + 1]
        read: Counter[_State] = Counter()  # by the sum at the position, in place of a carry
        for (k, carry), s, n in self._steps(r):
            read[k, s] += n * self._into[r][k, carry]
        made = tuple((s % modulus, onward[k, s // self._base]) for k, s in read)
        yield _most(made, read)
        kinds, before, divisor = Counter({made: 1}), read, 1
        for lowest in reversed(range(r + 1)):
            kinds = self._extended(kinds, before, lowest, divisor)
            before, divisor = self._into[lowest], self._base
            if lowest < self._width:
                spend(_STEP * len(kinds) * len(before))
                yield sum(n * _most(outcomes, before) for outcomes, n in kinds.items())

    def _modulus(self, i: int) -> int:
        """What the sum at a position is taken modulo to give the result digit."""
        n = self._task.modulus
        if n is None:
            return self._base
        left, below = divmod(n, self._base**i)
        modulus: int = min(self._base, left)
        if below or left % modulus or self._base % modulus:  # digits further up would count
            raise NotCountable(f"'{self._task.name}' is no sum of digits and a carry")
        return modulus

    def _extended(
        self, kinds: _Kinds, states: Iterable[_State], lowest: int, divisor: int
    ) -> _Kinds:
        """What is read with one position more, the lowest.

        Args:
            kinds: what is read without it, with an outcome for each of these states; a sum at the
                lowest position divided by the divisor gives one.
        """
        where = {state: place for place, state in enumerate(states)}
        into, carried = self._into[lowest], Counter[tuple[int | None, ...]]()
        spend(_STEP // 10 * len(self._digits[lowest]) * len(into))
        for (s, boxes), n in self._digits[lowest].items():
            led = (where[k, (c + s) // divisor] if boxes >> k & 1 else None for k, c in into)
            carried[tuple(led)] += n
        spend(_STEP * len(kinds) * len(carried) * len(into))
        after: _Kinds = Counter()
        for outcomes, n in kinds.items():
            for places, m in carried.items():
                made = [_IMPOSSIBLE if at is None else outcomes[at] for at in places]
                labels: dict[int, int] = {}
                after[tuple((labels.setdefault(d, len(labels)), w) for d, w in made)] += n * m
        return after


def _most(outcomes: tuple[_Outcome, ...], often: Counter[_State]) -> int:
    """How often the most frequent value of the result digit is right, by the outcome of states."""
    counts: Counter[int] = Counter()
    for (digit, ways), n in zip(outcomes, often.values(), strict=True):
        counts[digit] += ways * n
    return max(counts.values())
