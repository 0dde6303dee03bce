"""Bayes classifiers of the digits of long sums, which read whole positions downward.

``theory.learning.digit_classifier`` tells apart the values of a sum, and so ends at a few digits.
Where each result digit is made from the digits at its position and a carry, the digits below
enter by that carry only.  So what is read, from a position downward, counts by what it makes of
the carry into the lowest position read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

from theory.counting.accuracy import defined
from theory.errors import NotCountable
from theory.numbers.effort import spend
from theory.setting.boxes import Box
from theory.setting.tasks import Task, digit_count

_STEP = 1_500
"""What one step from carries to carries is charged."""
_Boxes = int
"""Some of the domain's boxes, a bit for each."""
_Map = tuple[tuple[int, int], ...]
"""For each carry into the lowest position read: the result digit, and the carry out of its own."""
_Kinds = Counter[tuple[_Map, _Boxes]]
"""How many combinations of digits make the same of the carry, and stand in the same boxes."""


class CarryClassifier:
    """The Bayes classifiers of a linear form's result digits, each from its position downward.

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
        self._task, self._base, self._boxes = task, base, boxes
        self._factors = [sum(c * e[j] for c, e in task.terms) for j in range(task.operands)]
        self._width = max(box.width for box in boxes)
        self.total = sum(defined(task, box, base) for box in boxes)
        self._sums: dict[tuple[tuple[tuple[int, ...], ...], ...], Counter[tuple[int, _Boxes]]] = {}
        constant = sum(c for c, e in task.terms if not any(e))
        self._into = [[Counter({constant: 1}) for _ in boxes]]

    def right(self, r: int) -> Iterator[int]:
        """On how many tuples the classifier of result digit r is right.

        One for each number of positions that it reads: 0, 1, 2, ...  The last one reads them all,
        and is right on the whole domain.

        Raises:
            NotCountable: the digit is not made from the digits at one position and a carry.
            TooMuchWork: the budget is spent.
        """
        position = r + digit_count(self._task.divisor, self._base)  # 1 = units
        modulus = self._modulus(position)
        kinds: _Kinds = Counter()
        carries, sums = self._carries(position), self._digits(position)
        spend(_STEP * len(sums) * len(carries))
        for (s, boxes), n in sums.items():
            made = tuple(((s + c) % modulus, (s + c) // self._base) for c in carries)
            kinds[made, boxes] += n
        above = self._ways_above(position, {out for made, _ in kinds for _, out in made})
        blind: Counter[int] = Counter()
        for kind, n in kinds.items():
            for digit, count in self._counts(kind, position, above).items():
                blind[digit] += n * count
        yield max(blind.values())
        for lowest in range(position, 0, -1):
            if lowest < position:
                kinds = self._extended(kinds, lowest)
            kinds = self._alike(kinds, modulus)
            yield sum(
                n * max(self._counts(kind, lowest, above).values()) for kind, n in kinds.items()
            )

    def blank(self, r: int) -> int:
        """At how many positions, from that of result digit r downward, no operand has a digit."""
        return max(0, r + digit_count(self._task.divisor, self._base) - self._width)

    def _modulus(self, position: int) -> int:
        """What the sum at a position is taken modulo to give the result digit."""
        n = self._task.full_modulus
        if n is None:
            return self._base
        left, below = divmod(n, self._base ** (position - 1))
        modulus = min(self._base, left)
        if below or left % modulus or self._base % modulus:  # digits further up would count
            raise NotCountable(f"'{self._task.name}' is no sum of digits and a carry")
        return modulus

    def _digits(self, position: int) -> Counter[tuple[int, _Boxes]]:
        """What the operands' digits at a position add up to, and the boxes that have them."""
        rows = tuple(
            tuple(box.values(j, position) for box in self._boxes) for j in range(len(self._factors))
        )
        if rows not in self._sums:
            sums: Counter[tuple[int, _Boxes]] = Counter({(0, 2 ** len(self._boxes) - 1): 1})
            for factor, row in zip(self._factors, rows, strict=True):
                having = {
                    d: sum((d in values) << k for k, values in enumerate(row))
                    for d in set().union(*row)
                }
                spend(_STEP * len(sums) * len(having))
                wider: Counter[tuple[int, _Boxes]] = Counter()
                for (s, boxes), n in sums.items():
                    for d, mine in having.items():
                        if boxes & mine:
                            wider[s + factor * d, boxes & mine] += n
                sums = wider
            self._sums[rows] = sums
        return self._sums[rows]

    def _carries(self, position: int) -> list[int]:
        """The carries into a position; ``_into`` then has how often each is, box by box."""
        while len(self._into) < position:
            into, sums = self._into[-1], self._digits(len(self._into))
            spend(_STEP * len(sums) * sum(map(len, into)))
            after: list[Counter[int]] = [Counter() for _ in self._boxes]
            for (s, boxes), n in sums.items():
                for k, carries in enumerate(into):
                    if boxes >> k & 1:
                        for c, m in carries.items():
                            after[k][(c + s) // self._base] += n * m
            self._into.append(after)
        return sorted(set().union(*self._into[position - 1]))

    def _ways_above(self, position: int, outs: set[int]) -> list[Counter[int]]:
        """Per box: how many digits above a position are possible, by the carry out of it."""
        if not self._task.needs_order:
            sizes = [prod(len(d) for row in b.digits for d in row[position:]) for b in self._boxes]
            return [Counter(dict.fromkeys(outs, size)) for size in sizes]
        carried = [Counter({(c, c): 1 for c in outs}) for _ in self._boxes]
        for i in range(position + 1, self._width + 1):
            sums = self._digits(i)
            spend(_STEP * len(sums) * sum(map(len, carried)))
            after: list[Counter[tuple[int, int]]] = [Counter() for _ in self._boxes]
            for (s, boxes), n in sums.items():
                for k, pairs in enumerate(carried):
                    if boxes >> k & 1:
                        for (out, c), m in pairs.items():
                            after[k][out, (c + s) // self._base] += n * m
            carried = after
        ways: list[Counter[int]] = [Counter() for _ in self._boxes]
        for k, pairs in enumerate(carried):
            for (out, c), n in pairs.items():
                ways[k][out] += n if c >= 0 else 0
        return ways

    def _counts(
        self, kind: tuple[_Map, _Boxes], lowest: int, above: list[Counter[int]]
    ) -> Counter[int]:
        """How often the result digit has each value, where so much is read down to a position."""
        made, boxes = kind
        carries = self._carries(lowest)
        counts: Counter[int] = Counter()
        for k, into in enumerate(self._into[lowest - 1]):
            if boxes >> k & 1:
                spend(_STEP * len(carries))
                for c, (digit, out) in zip(carries, made, strict=True):
                    counts[digit] += into[c] * above[k][out]
        return counts

    def _extended(self, kinds: _Kinds, lowest: int) -> _Kinds:
        """What is read with one position more, the lowest."""
        where = {c: k for k, c in enumerate(self._carries(lowest + 1))}
        carries, sums = self._carries(lowest), self._digits(lowest)
        spend(_STEP * len(sums) * len(carries))
        carried: Counter[tuple[tuple[int, ...], _Boxes]] = Counter()
        for (s, boxes), n in sums.items():
            # A carry of one box and digits of another may lead nowhere; it never happens.
            carried[tuple(where.get((c + s) // self._base, 0) for c in carries), boxes] += n
        spend(_STEP * len(kinds) * len(carried) * len(carries))
        after: _Kinds = Counter()
        for (made, boxes), n in kinds.items():
            for (outs, mine), m in carried.items():
                if boxes & mine:
                    after[tuple(made[k] for k in outs), boxes & mine] += n * m
        return after

    def _alike(self, kinds: _Kinds, modulus: int) -> _Kinds:
        """Kinds that differ by a shift of the result digit, taken together: they count alike."""
        alike: _Kinds = Counter()
        for (made, boxes), n in kinds.items():
            shifted = tuple(((d - made[0][0]) % modulus, out) for d, out in made)
            alike[shifted, boxes] += n
        return alike
