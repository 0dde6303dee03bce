"""The digit automaton: a linear form ``c_0 + sum c_j x_j`` in base B, read from the units up.

Its state is the carry.  One step takes the digits ``d_j`` at a position: with ``total = carry + sum
c_j d_j`` the digit that is written is ``total mod B``, and the carry onward ``total // B``.  Where
the last carry is negative the form is, and the task is not defined there.

Run over sets the automaton gives the carries that a domain reaches; run over counts, how many
operands have a result of so many digits; run over pairs of carries, how often two results of one
input have the same digits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import count, groupby, pairwise
from math import prod
from operator import attrgetter

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.effort import memoize_with_cost, spend
from arith.theory.arithmetic.integer_arrays import Array
from arith.theory.arithmetic.tasks import Task, digit_count

_Multiples = tuple[int, Sequence[int]]
"""A coefficient, and the ascending values that are multiplied by it."""
_FEW_STEPS = 10_000


def sums(
    column: Iterable[_Multiples], charge: Callable[[int], None] = lambda steps: None
) -> Counter[int]:
    """How often numbers add up to each sum: of each coefficient any one of its multiples.

    Args:
        charge: is told the steps that it takes, before they are taken.
    """
    found = Counter({0: 1})
    for c, values in column:
        steps, span = len(found) * len(values), max(found) - min(found) + abs(c) * len(values)
        is_run = values and values[-1] - values[0] == len(values) - 1
        if is_run and steps > max(_FEW_STEPS, 4 * span):
            charge(300 * span)
            found = _plus_run(found, c, values)
            continue
        charge(300 * steps)
        wider: dict[int, int] = {}
        for total, ways in found.items():
            for d in values:
                here = total + c * d
                wider[here] = wider.get(here, 0) + ways
        found = Counter(wider)
    return found


def _plus_run(found: Counter[int], c: int, values: Sequence[int]) -> Counter[int]:
    """Sums with one more term, whose values follow each other: a window slides over the counts."""
    step, last = abs(c), abs(c) * (len(values) - 1)
    low, high = min(found), max(found)
    start = c * (values[0] if c > 0 else values[-1])
    wider: Counter[int] = Counter()
    for total in range(low, high + last + 1):
        before = wider[total - step + start] if total - step >= low else 0
        ways = before + found[total] - found[total - last - step]
        if ways:
            wider[total + start] = ways
    return wider


_Carries = tuple[int, int]
"""The carries of f and of f^ between two positions."""
_Read = tuple[Sequence[int], int | None]
"""The values of an operand's digit, and what a model reads in its place; None: the digit."""


@dataclass
class _Alike:
    """What is known of positions with the same digits: their sums, and the steps of carries."""

    sums: Counter[tuple[int, int]]
    steps: dict[_Carries, dict[tuple[_Carries, bool], int]] = field(default_factory=dict)


class DigitAutomaton:
    """The automaton of a linear form.

    Args:
        task: a linear form without a modulus.
        base: B.
    """

    def __init__(self, task: Task, base: int) -> None:
        self.coefficients, self.constant, self.base = task.coefficients, task.constant, base
        self.signed = task.signed
        self._powers: dict[tuple[tuple[range, ...], bool, int], Array] = {}
        self._few_alike = memoize_with_cost(64)(self._alike_of)
        spread = sum(abs(c) for c in self.coefficients) * base
        self._cost = 5_000 + 100 * base * spread + 200 * self.states**3
        """Steps to go through some positions alike; what is kept of another count costs again."""

    def step(self, carry: int, digits: Sequence[int]) -> tuple[int, int]:
        """The carry onward and the digit that is written."""
        products = (c * d for c, d in zip(self.coefficients, digits, strict=True))
        return divmod(carry + sum(products), self.base)

    @property
    def digit_sums(self) -> tuple[int, int]:
        """The least and the largest sum that one digit of each operand makes."""
        negative = sum(c for c in self.coefficients if c < 0)
        highest = self.base - 1
        return negative * highest, (sum(self.coefficients) - negative) * highest

    @cached_property
    def ranges(self) -> list[range]:
        """The carries that there are into each position, from the units until they stay the same.

        The digits take all values, whether the result is negative or not.
        """
        bottom, top = self.digit_sums
        low = high = self.constant
        found: list[range] = []
        while not found or found[-1] != range(low, high + 1):
            found.append(range(low, high + 1))
            low, high = (bottom + low) // self.base, (top + high) // self.base
        return found

    @cached_property
    def carries(self) -> range:
        """All carries that there are."""
        return range(min(r.start for r in self.ranges), max(r.stop for r in self.ranges))

    @property
    def states(self) -> int:
        """How many carries there are."""
        return self.carries.stop - self.carries.start  # ``len`` has a limit

    @cached_property
    def reach(self) -> int:
        """How many positions back a result digit looks: digits of r positions tell B**r carries."""
        return next(r for r in count() if self.base**r >= self.states)

    # --- f against f^ ------------------------------------------------------------------

    def agreeing(
        self,
        box: Box,
        positions: int,
        compared: Sequence[range],
        constant: Callable[[tuple[int, int]], int | None] = lambda digit: None,
    ) -> list[int]:
        """How many members of a box have the same result digits where a model reads constants.

        Two results are made from each member: f from its digits, f^ with constants in place of
        some.  Counted are the members on which neither is negative; of signed results, whose
        digits here are those of a complement, the members with the same digits above as well.

        Args:
            positions: how many positions the digits, the constants and what is compared fill.
            compared: the result digits that are compared, 1 the units, for one count each.
            constant: what is read in place of a digit (operand, position); None: the digit.
        """
        alone = compared[0] if len({*compared}) == 1 else range(0)
        ways = [{(self.constant, self.constant): 1}]
        """By position, the pairs of carries out of it, and by how many digits each is reached."""
        places: list[_Alike] = []
        alike = memoize_with_cost(64)(self._alike)  # most positions have the digits of another one
        for i in range(1, max(box.width, positions) + 1):
            read = [(box.values(j, i), constant((j, i))) for j in range(len(self.coefficients))]
            known = alike(tuple(read))
            spend(2_000 * len(ways[-1]) * len(known.sums))
            places.append(known)
            ways.append(self._onward(known, ways[-1], i in alone))
        ends = {
            (carry, seen): int(carry == seen if self.signed else min(carry, seen) >= 0)
            for carry, seen in ways[-1]
        }
        if alone in compared:
            return [sum(n * ends[pair] for pair, n in ways[-1].items())] * len(compared)
        follows = [ends]
        """By position, how many digits above it end well, by the carries out of it."""
        for known, pairs in zip(reversed(places), reversed(ways[:-1]), strict=True):
            follows.insert(0, self._back(known, pairs, follows[0]))
        found = {}
        ordered = sorted({*compared}, key=attrgetter("start", "stop"))
        for start, several in groupby(ordered, attrgetter("start")):
            done = max(start - 1, 0)
            chosen = ways[done]
            for digits in several:
                for known in places[done : max(digits.stop - 1, 0)]:
                    chosen, done = self._onward(known, chosen, True), done + 1
                found[digits] = sum(n * follows[done][pair] for pair, n in chosen.items())
        return [found[digits] for digits in compared]

    def _steps(
        self, known: _Alike, pairs: Collection[_Carries]
    ) -> Iterator[tuple[_Carries, dict[tuple[_Carries, bool], int]]]:
        """The steps from each of some pairs of carries, at positions with the same digits."""
        is_kept = len(pairs) * len(known.sums) <= _FEW_STEPS
        for pair in pairs:
            steps = known.steps.get(pair)
            if steps is None:
                steps = self._steps_of(*pair, known.sums)
                if is_kept:
                    known.steps[pair] = steps
            yield pair, steps

    def _onward(
        self, known: _Alike, ways: dict[_Carries, int], compared: bool
    ) -> dict[_Carries, int]:
        """In how many ways the carries out of a position are reached, from those into it.

        Args:
            compared: only by steps on which both results write the same digit.
        """
        after: dict[_Carries, int] = {}
        for pair, steps in self._steps(known, ways):
            for (onward, same), times in steps.items():
                if same or not compared:
                    after[onward] = after.get(onward, 0) + ways[pair] * times
        return after

    def _back(
        self, known: _Alike, pairs: Collection[_Carries], follows: dict[_Carries, int]
    ) -> dict[_Carries, int]:
        """How many digits from a position up end well, by the carries into it."""
        return {
            pair: sum(times * follows[onward] for (onward, _), times in steps.items())
            for pair, steps in self._steps(known, pairs)
        }

    def _alike(self, digits: tuple[_Read, ...]) -> _Alike:
        """What is known of positions with such digits; where they are few, counts share it."""
        is_few = prod(len(values) for values, _ in digits) <= _FEW_STEPS
        return (self._few_alike if is_few else self._alike_of)(digits)

    def _alike_of(self, digits: tuple[_Read, ...]) -> _Alike:
        """What the digits at a position add to f and to f^, and how often."""
        read, missed, offset = list[_Multiples](), list[_Multiples](), 0
        for c, (values, constant) in zip(self.coefficients, digits, strict=True):
            (read if constant is None else missed).append((c, values))
            offset += c * (constant or 0)
        both, in_f = sums(read, spend), sums(missed, spend)
        pairs = {
            (s + t, s + offset): ways * more for s, ways in both.items() for t, more in in_f.items()
        }
        return _Alike(Counter(pairs))

    def _steps_of(
        self, carry: int, carry_seen: int, pairs: Counter[tuple[int, int]]
    ) -> dict[tuple[_Carries, bool], int]:
        """The carries onward in f and in f^, whether they write the same digit, and how often."""
        steps: dict[tuple[_Carries, bool], int] = {}
        for (s, t), times in pairs.items():
            onward, digit = divmod(carry + s, self.base)
            onward_seen, digit_seen = divmod(carry_seen + t, self.base)
            step = (onward, onward_seen), digit == digit_seen
            steps[step] = steps.get(step, 0) + times
        return steps

    # --- how long results are ----------------------------------------------------------

    def result_lengths(self, widths: Sequence[int]) -> range:
        """How many digits results of operands of these lengths may have; none: all are negative."""
        intervals = zip(self.coefficients, (interval(w, self.base) for w in widths), strict=True)
        ends = (sorted((c * low, c * high)) for c, (low, high) in intervals)
        least, most = (self.constant + sum(x) for x in zip(*ends, strict=True))
        if most < 0:
            return range(0)
        return range(digit_count(max(least, 0), self.base), digit_count(most, self.base) + 1)

    def lengths(self, widths: Sequence[int]) -> dict[int, int]:
        """By the digits of the result, how many operands of these lengths have such a result."""
        found, before = {}, 0
        for m in self.result_lengths(widths):
            up_to = self._below(widths, m)
            if up_to > before:
                found[m] = up_to - before
            before = up_to
        return found

    def _below(self, widths: Sequence[int], digits: int) -> int:
        """How many operands of these lengths have a result from 0 to below ``B**digits``.

        Above ``digits`` every position has to write 0, and the last carry has to be 0.
        """
        ways = np.array([int(c == self.constant) for c in self.carries], dtype=object)
        marks = {0, digits, *(x for w in widths for x in (w - 1, w))}
        spend(self._cost * len(marks))
        for start, end in pairwise(sorted(marks)):
            column = tuple(_digits_at(end, w, self.base) for w in widths)
            ways = ways @ self._power(column, start >= digits, end - start)
        return int(ways[-self.carries.start])

    def _power(self, column: tuple[range, ...], zero: bool, positions: int) -> Array:
        """From carry to carry over so many positions alike, in how many ways.

        Args:
            zero: every position writes the digit 0.
        """
        key = column, zero, positions
        if key not in self._powers:
            if positions == 1:
                power = np.zeros((len(self.carries),) * 2, dtype=object)
                for total, ways in sums(zip(self.coefficients, column, strict=True)).items():
                    for row, carry in enumerate(self.carries):
                        onward, digit = divmod(carry + total, self.base)
                        if onward in self.carries and not (zero and digit):
                            power[row, onward - self.carries.start] += ways
            else:
                half = self._power(column, zero, positions // 2)
                power = half @ half
                if positions % 2:
                    power = power @ self._power(column, zero, 1)
            self._powers[key] = power
        return self._powers[key]


@lru_cache(maxsize=256)
def digit_automaton(task: Task, base: int) -> DigitAutomaton:
    """The automaton of a task of finite carry; settings share it and what it has worked out."""
    return DigitAutomaton(task, base)


def interval(width: int, base: int) -> tuple[int, int]:
    """The least and the largest number of so many digits; numbers of one digit begin with 0."""
    return (base ** (width - 1) if width > 1 else 0), base**width - 1


def number_of_tuples(widths: Sequence[int], base: int) -> int:
    """How many operand tuples have these lengths."""
    return prod(high - low + 1 for low, high in (interval(w, base) for w in widths))


def _digits_at(position: int, width: int, base: int) -> range:
    """The digits that an operand can have at a position; 0 above its highest."""
    return range(int(position == width > 1), base if position <= width else 1)
