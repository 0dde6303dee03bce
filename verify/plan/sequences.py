"""Examples as token sequences: sampling operands, writing them in a layout, holding pairs out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from theory.errors import InvalidInput
from theory.setting.boxes import Box
from theory.setting.domains import Domain
from theory.setting.layouts import BOS, EQUALS, SIGN, Layout
from theory.setting.tasks import Task

HELD_OUT = 20
"""One operand tuple in this many is held out of training, by its hash."""

_ANCHORS = (BOS, SIGN, EQUALS)
_MAX_INT64 = 2**62
_EMPTY_DRAWS = 50
"""So many draws of eight or more tuples without a single new one that is wanted: there is none."""


@dataclass(frozen=True)
class Format:
    """How the examples of one cell are written: task, base, layout and padded width.

    Tokens 0 .. B-1 are digits; B, B+1, B+2 are the anchors ``<bos>``, ``+``, ``=``.

    Args:
        digits: the longest operand that has to fit.
    """

    task: Task
    base: int
    layout: Layout
    digits: int

    @cached_property
    def result_width(self) -> int:
        """Digits M of the result."""
        return self.task.result_width(self.base, self.digits)

    @cached_property
    def width(self) -> int:
        """Digits N of each operand."""
        return self.layout.operand_width(self.digits, self.result_width)

    @cached_property
    def tokens(self):
        """The places of one example (see ``theory.setting.layouts``)."""
        return self.layout.tokens(self.task.operands, self.width, self.result_width)

    @property
    def vocabulary(self) -> int:
        """The number of different tokens."""
        return self.base + len(_ANCHORS)

    @cached_property
    def result_slots(self) -> np.ndarray:
        """``result_slots[i]`` is the index of result digit ``i + 1`` in the sequence."""
        slots = {t.position: s for s, t in enumerate(self.tokens) if t.kind == "result"}
        return np.array([slots[i + 1] for i in range(self.result_width)])

    def write(self, operands: np.ndarray, result: np.ndarray) -> np.ndarray:
        """The token sequences of some examples.

        Args:
            operands: digits ``(n, k, N)``, units first.
            result: digits ``(n, M)``, units first.

        Returns:
            tokens ``(n, T)``.
        """
        sequence = np.empty((len(operands), len(self.tokens)), dtype=np.int64)
        for slot, token in enumerate(self.tokens):
            if token.kind == "landmark":
                sequence[:, slot] = self.base + _ANCHORS.index(token.symbol)
            elif token.kind == "operand":
                sequence[:, slot] = operands[:, token.operand, token.position - 1]
            else:
                sequence[:, slot] = result[:, token.position - 1]
        return sequence

    def values(self, operands: np.ndarray) -> list[np.ndarray]:
        """The operands as numbers, one array per operand (Python integers where 64 bits are few)."""
        safe = self.task.largest(self.base, self.width) < _MAX_INT64 > self.base**self.width
        if self.task.modulus is not None:
            top = self.base**self.width
            safe = sum(abs(c) * top ** sum(e) for c, e in self.task.terms) < _MAX_INT64
        weights = np.array([self.base**i for i in range(operands.shape[2])], dtype=object)
        if safe:
            return list(np.moveaxis(operands @ weights.astype(np.int64), 1, 0))
        return list(np.moveaxis(operands.astype(object) @ weights, 1, 0))

    def to_digits(self, values: np.ndarray) -> np.ndarray:
        """Numbers as ``(n, M)`` result digits, units first; a negative number as digits -1."""
        rest = np.where(values < 0, 0, values)
        columns = []
        for _ in range(self.result_width):
            columns.append((rest % self.base).astype(np.int64))
            rest = rest // self.base
        digits = np.stack(columns, axis=1)
        digits[np.asarray(values < 0, dtype=bool)] = -1
        return digits

    def results(self, operands: np.ndarray) -> np.ndarray:
        """The true result digits ``(n, M)`` of operand digits ``(n, k, N)``."""
        return self.to_digits(self.task.evaluate(*self.values(operands)))


class Sampler:
    """Samples of operand digits from a domain, uniform but for its priming."""

    def __init__(self, format: Format, domain: Domain) -> None:
        self.format = format
        self.domain = domain
        weighted = domain.weighted_boxes(format.base, format.task.operands)
        self.boxes = [box for box, _ in weighted]
        self.size = sum(box.size for box in self.boxes)
        """Operand tuples in the domain (before a task's order constraint)."""
        self._cumulative = np.cumsum([float(weight) for _, weight in weighted])
        shape = (len(self.boxes), format.task.operands, format.width)
        self._table = np.zeros((*shape, format.base), dtype=np.int64)
        self._sizes = np.ones(shape, dtype=np.float64)
        for b, box in enumerate(self.boxes):
            for j in range(shape[1]):
                for i in range(shape[2]):
                    values = box.values(j, i + 1)
                    self._table[b, j, i, : len(values)] = values
                    self._sizes[b, j, i] = len(values)

    def _draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        box = np.searchsorted(self._cumulative, rng.random(n) * self._cumulative[-1])
        sizes = self._sizes[box]
        index = (rng.random(sizes.shape) * sizes).astype(np.int64)
        return np.take_along_axis(self._table[box], index[..., None], axis=3)[..., 0]

    def sample(self, n: int, rng: np.random.Generator, held_out: bool | None = None) -> np.ndarray:
        """Operand digits ``(n, k, N)``, uniform and with replacement.

        Args:
            held_out: True for held-out tuples only, False for the others, None for all.

        Raises:
            InvalidInput: there seem to be none.
        """
        kept: list[np.ndarray] = []
        empty = 0
        missing = n
        share = {None: 1.0, True: 1 / HELD_OUT, False: 1 - 1 / HELD_OUT}[held_out]
        while missing > 0:
            draw = self._draw(int(missing / share * 1.1) + 8, rng)
            good = self._allowed(draw, held_out)
            draw = draw[good][:missing]
            kept.append(draw)
            missing -= len(draw)
            empty = 0 if len(draw) else empty + 1
            if empty > _EMPTY_DRAWS:
                which = {None: "", True: " held-out", False: " training"}[held_out]
                raise InvalidInput(f"{self.domain.text()} has no{which} examples to sample")
        return np.concatenate(kept)

    def distinct(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Operand digits ``(n, k, N)`` of different training tuples.

        Raises:
            InvalidInput: there are fewer.
        """
        found: dict[bytes, np.ndarray] = {}
        for _ in range(_EMPTY_DRAWS):
            for digits in self.sample(2 * n, rng, held_out=False):
                found.setdefault(digits.tobytes(), digits)
            if len(found) >= n:
                return np.stack(list(found.values())[:n])
        raise InvalidInput(f"{self.domain.text()} asks for more tuples than there seem to be")

    def everything(self, held_out: bool | None = None) -> np.ndarray:
        """Every operand tuple of the domain as digits ``(n, k, N)``, for small domains."""
        rows = [_box_digits(box, self.format.width) for box in self.boxes]
        digits = np.concatenate(rows)
        return digits[self._allowed(digits, held_out)]

    def _allowed(self, digits: np.ndarray, held_out: bool | None) -> np.ndarray:
        good = np.ones(len(digits), dtype=bool)
        if held_out is not None:
            good &= is_held_out(digits) == held_out
        if self.format.task.needs_order:
            values = self.format.task.evaluate(*self.format.values(digits))
            good &= np.asarray(values >= 0, dtype=bool)
        return good


def _box_digits(box: Box, width: int) -> np.ndarray:
    """All tuples of a box as digits ``(n, k, width)``."""
    axes = [np.array(box.values(j, i + 1)) for j in range(len(box.digits)) for i in range(width)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return grid.reshape(-1, len(box.digits), width)


def is_held_out(operands: np.ndarray) -> np.ndarray:
    """Whether each operand tuple ``(n, k, N)`` of digits is held out, by a hash of its value.

    Leading zeros do not change the hash, so a tuple is held out at every width.
    """
    state = np.zeros(len(operands), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for j in range(operands.shape[1]):
            number = np.zeros(len(operands), dtype=np.uint64)
            for i in reversed(range(operands.shape[2])):
                number = number * np.uint64(0x9E3779B97F4A7C15) + operands[:, j, i].astype(
                    np.uint64
                )
            state = _mix(state * np.uint64(0xD1342543DE82EF95) + number + np.uint64(j + 1))
    return state % np.uint64(HELD_OUT) == 0


def _mix(z: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64 (Steele et al. 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
