"""Linear forms over N, digit by digit: where do f and its learned function f^ agree?

The digits below a position and those above it meet only in the pair (carry of f, carry of f^).  Per
pair the ways to come there and the ways on to two natural numbers (final carries >= 0) are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arith.theory.errors import NotCountable
from arith.theory.inference.support import Support
from arith.theory.numbers.effort import spend
from arith.theory.setting.boxes import Box
from arith.theory.setting.tasks import Task, digit_count

_Pair = tuple[int, int]
"""The same quantity of f and of f^."""


@dataclass(frozen=True)
class Agreement:
    """How many members of a box have natural f and f^, and which of their digits are equal.

    ``digit[i - 1]`` of them have digit i equal, ``lowest[j - 1]`` digits 1..j.
    """

    natural: int
    digit: tuple[int, ...]
    lowest: tuple[int, ...]


def agreement(task: Task, box: Box, base: int, support: Support | None, width: int) -> Agreement:
    """How often the digits 1..width of a linear form and its learned function are equal.

    Args:
        task: a linear form without a modulus.
        support: what the learned function reads; None: everything.

    Raises:
        NotCountable: a divisor that is no power of the base.
        TooMuchWork: too many carries, as with a coefficient of many digits.
    """
    dropped = digit_count(task.divisor, base) - 1
    if width and task.divisor != base**dropped:
        raise NotCountable(f"// {task.divisor} does not drop digits of base {base}")
    positions = max(box.width, support.width if support else 0, dropped + width)
    rows = [_contributions(task, box, support, i) for i in range(1, positions + 1)]
    constant = task.constant
    start = Counter({(constant, constant): 1})
    everything, equal = [start], [start]
    for i, row in enumerate(rows):
        spend(2_000 * len(everything[-1]) * len(row))
        reached: Counter[_Pair] = Counter()
        agreeing: Counter[_Pair] = Counter()
        for before, after, same, n in _steps(everything[-1], row, base):
            reached[after] += n * everything[-1][before]
            if same or i < dropped:
                agreeing[after] += n * equal[-1][before]
        everything.append(reached)
        equal.append(agreeing)
    onward = Counter({pair: 1 for pair in everything[-1] if min(pair) >= 0})
    natural = sum(everything[-1][pair] for pair in onward)
    if not width:
        return Agreement(natural, (), ())
    digit, lowest = [0] * positions, [0] * positions
    for i in reversed(range(positions)):
        lowest[i] = sum(n * onward[pair] for pair, n in equal[i + 1].items())
        ways: Counter[_Pair] = Counter()
        for before, after, same, n in _steps(everything[i], rows[i], base):
            ways[before] += n * onward[after]
            if same:
                digit[i] += everything[i][before] * n * onward[after]
        onward = ways
    wanted = slice(dropped, dropped + width)
    return Agreement(natural, tuple(digit[wanted]), tuple(lowest[wanted]))


def _contributions(task: Task, box: Box, support: Support | None, position: int) -> Counter[_Pair]:
    """What the operands' digits at a position add to f and to f^, and how often."""
    sums: Counter[_Pair] = Counter({(0, 0): 1})
    for j in range(task.operands):
        coefficient = task.coefficients[j]
        constant = support.constant((j, position)) if support else None
        values = box.values(j, position)
        spend(300 * len(sums) * len(values))
        wider: Counter[_Pair] = Counter()
        for (s, t), n in sums.items():
            for d in values:
                shown = d if constant is None else constant
                wider[s + coefficient * d, t + coefficient * shown] += n
        sums = wider
    return sums


def _steps(
    carries: Iterable[_Pair], row: Counter[_Pair], base: int
) -> Iterator[tuple[_Pair, _Pair, bool, int]]:
    """Carries before and after a position, whether f and f^ write the same digit, how often."""
    for x, y in carries:
        for (s, t), n in row.items():
            high, digit = divmod(x + s, base)
            high_seen, digit_seen = divmod(y + t, base)
            yield (x, y), (high, high_seen), digit == digit_seen, n
