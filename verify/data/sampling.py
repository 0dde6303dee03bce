"""Sampling operands from a domain, and which of them are held out of training.

Shapes: n operand tuples, k operands, N digits of each; units come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from arith.theory.arithmetic.boxes import Box
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.integer_arrays import combinations
from arith.theory.arithmetic.tasks import Task
from arith.theory.errors import InvalidInput
from arith.theory.prediction.mixture import defined_share
from arith.verify.data.sequences import Format

HELD_OUT = 20
"""One operand tuple in this many is held out of training, by its hash."""
_FILE_SEED = 20240717
"""Of the tuples that are drawn once for all models."""
_EMPTY_DRAWS = 50
"""After so many draws of eight or more tuples without a new one that is wanted, there is none."""
_KINDS = {
    None: ("", 1.0),
    True: (" held-out", 1 / HELD_OUT),
    False: (" training", 1 - 1 / HELD_OUT),
}
"""By whether held-out tuples are wanted: a word for those wanted, and their share of all."""


class Sampler:
    """Samples of operand digits from a domain, as often as its weights say.

    They are so as far as the task is defined on it (and drawn pairs differ).
    Of several operations every one is as likely as any other where ``evenly``, and otherwise as its
    share of all inputs says.
    Tuples that differ only in the order of operands that can change places are held out together.
    """

    def __init__(self, format: Format, domain: Domain, evenly: bool = False) -> None:
        self.format, self.domain = format, domain
        task = format.task
        of_one = domain.weighted_boxes(format.base, task.operands)
        more = [Fraction(1)] * len(task.operations)
        if evenly:  # as many of each, when those on which it is not defined are drawn again
            shares = (defined_share(x, format.base, domain) for x in task.operations)
            more = [1 / share for share in shares]
        weighted = [
            (box, weight * more[i])
            for one, weight in of_one
            for i, box in enumerate(with_operations(one, len(more)))
        ]
        self.boxes = [box for box, _ in weighted]
        self.size = sum(box.size for box in self.boxes)
        """Operand tuples in the domain (before a task's order constraint)."""
        self._cumulative = np.cumsum([float(weight) for _, weight in weighted])
        shape = (len(self.boxes), len(self.boxes[0].digits), format.width)
        number: dict[tuple[int, ...], int] = {}  # few rows of values, at many places
        self._row = np.empty(shape, dtype=np.int64)
        for b, j, i in np.ndindex(shape):
            self._row[b, j, i] = number.setdefault(self.boxes[b].values(j, i + 1), len(number))
        self._number = np.array([len(values) for values in number], dtype=np.float64)
        self._digits = np.zeros((len(number), format.base), dtype=np.int64)
        for row, values in enumerate(number):
            self._digits[row, : len(values)] = values

    def _draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        box = np.searchsorted(self._cumulative, rng.random(n) * self._cumulative[-1])
        row = self._row[box]
        index = (rng.random(row.shape) * self._number[row]).astype(np.int64)
        return self._digits[row, index]

    def sample(self, n: int, rng: np.random.Generator, held_out: bool | None = None) -> np.ndarray:
        """Operand digits ``(n, k, N)``, uniform and with replacement.

        Args:
            held_out: True for held-out tuples only, False for the others, None for all.

        Raises:
            InvalidInput: there seem to be none.
        """
        _, share = _KINDS[held_out]
        kept: list[np.ndarray] = []
        missing, empty = n, 0
        while missing > 0:
            drawn = self._draw(int(missing / share * 1.1) + 8, rng)
            drawn = drawn[self._wanted(drawn, held_out)][:missing]
            kept.append(drawn)
            missing -= len(drawn)
            empty = 0 if len(drawn) else empty + 1
            if empty > _EMPTY_DRAWS:
                raise self.nothing(held_out)
        return np.concatenate(kept)

    def nothing(self, held_out: bool | None) -> InvalidInput:
        """The error that says that there are no such tuples."""
        return InvalidInput(f"{self.domain.text()} has no{_KINDS[held_out][0]} examples to sample")

    def distinct(
        self, n: int, rng: np.random.Generator, held_out: bool | None = False
    ) -> np.ndarray:
        """Digits ``(n, k, N)`` of different tuples (InvalidInput: there are fewer).

        Args:
            held_out: as for ``sample``.
        """
        different: dict[bytes, np.ndarray] = {}
        for _ in range(_EMPTY_DRAWS):
            for digits in self.sample(2 * n, rng, held_out):
                different.setdefault(digits.tobytes(), digits)
            if len(different) >= n:
                return np.stack(list(different.values())[:n])
        raise InvalidInput(f"{self.domain.text()} asks for more tuples than there seem to be")

    def everything(self, held_out: bool | None = None) -> np.ndarray:
        """Every operand tuple of the domain as digits ``(n, k, N)``, for small domains."""
        digits = box_digits(self.boxes, self.format.width)
        return digits[self._wanted(digits, held_out)]

    def _wanted(self, digits: np.ndarray, held_out: bool | None) -> np.ndarray:
        task = self.format.task
        ordered = self.format if is_partial(task) else None
        return wanted(digits, held_out, task.symmetric_operands, ordered)


def with_operations(box: Box, number: int) -> list[Box]:
    """A box for each operation, its index as one number more; the box itself for a single one."""
    return [box] if number == 1 else [Box((*box.digits, ((i,),))) for i in range(number)]


def is_partial(task: Task) -> bool:
    """Whether the task, or some operation of it, is defined on a part of all operands only."""
    return any(part.needs_order for part in task.operations)


@lru_cache(maxsize=4)
def drawn_file(format: Format, domain: Domain) -> tuple[np.ndarray, np.ndarray]:
    """The tuples of a domain that are drawn once for all models, ``(n, k, N)``.

    Those trained on, and those held out by their position, which are the last.
    """
    assert domain.pairs is not None
    drawn = Sampler(format, domain).distinct(domain.pairs, np.random.default_rng(_FILE_SEED), None)
    return drawn[: domain.trained_pairs], drawn[domain.trained_pairs :]


def wanted(
    digits: np.ndarray,
    held_out: bool | None,
    alike: Sequence[Sequence[int]],
    ordered: Format | None,
) -> np.ndarray:
    """Which tuples ``(n, k, N)`` the task is defined on and are held out or not, ``(n,)``.

    Args:
        alike: as for ``is_held_out``.
        ordered: how examples are written, if the task is not defined on all of them.
    """
    found = np.ones(len(digits), dtype=bool)
    if held_out is not None:
        found &= is_held_out(digits, alike) == held_out
    if ordered is not None:
        values = ordered.task.evaluate(*ordered.values(digits))
        found &= np.asarray(values >= 0, dtype=bool)
    return found


def box_digits(boxes: Sequence[Box], width: int) -> np.ndarray:
    """All tuples of some boxes as digits ``(n, k, width)``."""
    each = []
    for box in boxes:
        axes = [box.values(j, i + 1) for j in range(len(box.digits)) for i in range(width)]
        each.append(combinations(axes).T.reshape(-1, len(box.digits), width))
    return np.concatenate(each)


def is_held_out(operands: np.ndarray, alike: Sequence[Sequence[int]] = ()) -> np.ndarray:
    """Whether operand tuples ``(n, k, N)`` of digits are held out ``(n,)``, by a hash.

    Leading zeros do not change the hash, so a tuple is held out at every width.

    Args:
        alike: operands in groups within which their order does not change the hash.
    """
    digits = operands.astype(np.uint64)
    numbers = np.zeros(operands.shape[:2], dtype=np.uint64)
    state = np.zeros(len(operands), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for i in reversed(range(operands.shape[2])):
            numbers = numbers * np.uint64(0x9E3779B97F4A7C15) + digits[:, :, i]
        for group in alike:
            numbers[:, list(group)] = np.sort(numbers[:, list(group)], axis=1)
        for j, number in enumerate(numbers.T):
            state = _mix(state * np.uint64(0xD1342543DE82EF95) + number + np.uint64(j + 1))
    return state % np.uint64(HELD_OUT) == 0


def _mix(z: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64 (Steele et al. 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
