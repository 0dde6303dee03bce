"""Support: which values each digit of the operands took in training, and what follows from it.

The support rule (ours; the published ``f(a mod B**n, b mod B**n)`` is its case for ``D_n``): a
digit that took one value only is ignored, as if it always had that value; a digit that took
several is read.  What never varied does not enter the least-degree interpolator of Abbe et al.
(*Generalization on the Unseen*).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd

from arith.theory.arithmetic.boxes import Box, largest_value
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import spend
from arith.theory.arithmetic.tasks import Task

_STEPS_PER_DIGIT = 100
"""Steps to look at a digit of a box."""
OperandDigit = tuple[int, int]
"""A digit of the operands: the operand's index, and the digit's position (1 = units)."""


@dataclass(frozen=True)
class Support:
    """What training on a domain shows of a task's operands, in some base."""

    task: Task
    train: Domain
    base: int

    @property
    def steps(self) -> int:
        """What it takes to see which values each digit took: every digit of every box."""
        each, lengths = self.task.operands, self.train.every_length
        boxes = sum(self.train.number_of_boxes(n, each) for n in lengths)
        return boxes * each * lengths[-1] * (3_000 + 10 * self.base)

    @property
    def is_defined(self) -> bool:
        """Whether the task is defined anywhere on the domain (TooMuchWork: too many boxes)."""
        if not self.task.needs_order:
            return True
        operands = self.task.operands
        for n in self.train.every_length:
            spend(_STEPS_PER_DIGIT * self.train.number_of_boxes(n, operands) * operands * n)
            if any(self.defined(box, {}) for box in self.train.cut(n, self.base, operands)):
                return True
        return False

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """The boxes of the training domain, without those on which the task is defined nowhere."""
        boxes = self.train.boxes(self.base, self.task.operands)
        return tuple(box for box in boxes if self.defined(box, {}))

    @cached_property
    def seen(self) -> tuple[tuple[frozenset[int], ...], ...]:
        """``seen[j][i]``: the values of digit ``i + 1`` of operand j; every higher one was 0."""
        positions = range(1, max((box.width for box in self.boxes), default=0) + 1)
        return tuple(
            tuple(
                frozenset[int]().union(*{self.possible(b, (j, i)) for b in self.boxes})
                for i in positions
            )
            for j in range(self.task.operands)
        )

    def constant(self, digit: OperandDigit) -> int | None:
        """The value that a model takes a digit to have always, None for a digit that it reads."""
        operand, position = digit
        written = self._constants[operand]
        return written[position - 1] if position <= len(written) else 0

    @cached_property
    def _constants(self) -> list[list[int | None]]:
        """``constant`` of the digits that training wrote; it is asked very often."""
        return [[min(x) if len(x) == 1 else None for x in operand] for operand in self.seen]

    @property
    def width(self) -> int:
        """How many positions training wrote; above them every digit is the constant 0."""
        return len(self.seen[0])

    @cached_property
    def read(self) -> tuple[OperandDigit, ...]:
        """The digits that a model reads."""
        digits = [(j, i) for j in range(self.task.operands) for i in range(1, self.width + 1)]
        return tuple(digit for digit in digits if self.constant(digit) is None)

    @cached_property
    def needed(self) -> tuple[OperandDigit, ...]:
        """The digits that a model reads and that can change the result."""
        return tuple(digit for digit in self.read if self.period(digit) != 1)

    def period(self, digit: OperandDigit) -> int | None:
        """Values of a digit that differ by a multiple of this are equivalent; None if none are.

        1 means that the digit cannot change the result, as position 3 in ``a * b mod 50``.
        """
        operand, position = digit
        if not self.task.follows_polynomial:
            return None
        steps = [c * self.base ** (position - 1) for c, e in self.task.terms if e[operand]]
        modulus = self.task.modulus
        if not steps:  # a constant function
            return 1
        return None if modulus is None else modulus // gcd(modulus, *steps)

    def offset(self, operand: int) -> int:
        """What the constants of one operand add up to."""
        constants = (self.constant((operand, i)) or 0 for i in range(1, self.width + 1))
        return sum(constant * self.base**i for i, constant in enumerate(constants))

    def reduce(self, operand: int, value: int) -> int:
        """An operand (or an array) as the model sees it: constants in place of ignored digits."""
        total = self.offset(operand)
        for j, i in self.read:
            if j == operand:
                weight = self.base ** (i - 1)
                total += value // weight % self.base * weight
        return total

    @cached_property
    def read_lengths(self) -> tuple[int | None, ...]:
        """Of each operand n if a model reads its digits 1..n and takes the rest for 0, or None."""
        found: list[int | None] = []
        for operand in range(self.task.operands):
            n = sum(j == operand for j, _ in self.read)
            constants = [self.constant((operand, i)) for i in range(1, self.width + 1)]
            found.append(n if constants == [None] * n + [0] * (self.width - n) else None)
        return tuple(found)

    def defined(self, box: Box, fixed: dict[OperandDigit, int]) -> bool:
        """Whether the task is defined on some member of a box that has the fixed values."""
        if any(value not in box.values(*digit) for digit, value in fixed.items()):
            return False
        if not self.task.needs_order:
            return True
        largest = largest_value(self.task, box, self.base)
        for (j, i), value in fixed.items():
            coefficient = self.task.coefficients[j]
            best = max(coefficient * v for v in box.values(j, i))
            largest -= (best - coefficient * value) * self.base ** (i - 1)
        return largest >= 0

    def possible(self, box: Box, digit: OperandDigit) -> tuple[int, ...]:
        """The values of a digit in those members of a box on which the task is defined."""
        values = box.values(*digit)
        if not self.task.needs_order or not values:
            return values
        room, (operand, position) = largest_value(self.task, box, self.base), digit
        steps = [self.task.coefficients[operand] * v for v in values]
        most, weight = max(steps), self.base ** (position - 1)
        if (most - min(steps)) * weight <= room:
            return values
        return tuple(v for v, s in zip(values, steps, strict=True) if (most - s) * weight <= room)


@lru_cache(maxsize=64)
def support(task: Task, train: Domain, base: int) -> Support:
    """What training shows; settings that differ in other things share it and what it works out."""
    return Support(task, train, base)
