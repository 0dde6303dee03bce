"""Examples as token sequences: operands and result in digits, written in a layout.

Shapes: n examples, k operands, N digits of each, M result digits, T tokens; units come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arith.theory.numbers.integer_arrays import exact_dtype
from arith.theory.setting.layouts import BOS, EQUALS, SIGN, STARTS, Layout, Token
from arith.theory.setting.tasks import Task

LANDMARKS = (BOS, SIGN, EQUALS)
"""The tokens that are no digits, in their order after the digits."""


@dataclass(frozen=True)
class Format:
    """How the examples of one cell are written: task, base, layout and padded width.

    Tokens 0 .. B-1 are digits; B, B+1, B+2 are the landmarks ``<bos>``, ``+``, ``=``.

    Args:
        digits: the longest operand that has to fit.
        starts: from how many training draws where markers start, in a layout that has them.
    """

    task: Task
    base: int
    layout: Layout
    digits: int
    starts: int = STARTS

    @cached_property
    def result_width(self) -> int:
        """Digits M of the result."""
        return self.task.result_width(self.base, self.digits)

    @cached_property
    def width(self) -> int:
        """Digits N of each operand."""
        return self.layout.operand_width(self.digits, self.result_width)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The T tokens of one example (see ``theory.setting.layouts``)."""
        return self.layout.tokens((self.width,) * self.task.operands, self.result_width)

    @property
    def vocabulary(self) -> int:
        """The number of different tokens."""
        return self.base + len(LANDMARKS)

    @cached_property
    def result_slots(self) -> np.ndarray:
        """``(M,)``: entry i is the index of result digit i + 1 in the sequence."""
        slots = {t.position: slot for slot, t in enumerate(self.tokens) if t.kind == "result"}
        return np.array([slots[i + 1] for i in range(self.result_width)])

    @cached_property
    def written_slots(self) -> np.ndarray:
        """``(S,)``: the indices of what a model writes, ascending."""
        return np.sort(self.result_slots)

    @property
    def trained_slots(self) -> np.ndarray:
        """The indices of what a model writes in examples of training, ascending."""
        return self.written_slots

    def read(self, said: np.ndarray) -> np.ndarray:
        """The result digits ``(n, M)`` of what a model wrote, ``(n, S)``."""
        return said[:, np.searchsorted(self.written_slots, self.result_slots)]

    def write(self, operands: np.ndarray, result: np.ndarray) -> np.ndarray:
        """The tokens ``(n, T)`` of operand digits ``(n, k, N)`` and result digits ``(n, M)``."""
        sequence = np.empty((len(operands), len(self.tokens)), dtype=np.int64)
        for slot, token in enumerate(self.tokens):
            if token.kind == "landmark":
                sequence[:, slot] = self.base + LANDMARKS.index(token.symbol)
            elif token.kind == "operand":
                sequence[:, slot] = operands[:, token.operand, token.position - 1]
            else:
                sequence[:, slot] = result[:, token.position - 1]
        return sequence

    def values(self, operands: np.ndarray) -> list[np.ndarray]:
        """Operand digits ``(n, k, N)`` as k arrays ``(n,)`` of numbers.

        They are Python integers where 64 bits could not hold all that the task computes.
        """
        top = self.base**self.width
        task = self.task
        most = sum(abs(c) * top ** sum(e) for c, e in task.terms)
        largest = max(top, most, task.modulus or 0)
        dtype = exact_dtype(largest)
        weights = np.array([self.base**i for i in range(operands.shape[2])], dtype=dtype)
        return list(np.moveaxis(operands.astype(dtype, copy=False) @ weights, 1, 0))

    def to_digits(self, values: np.ndarray) -> np.ndarray:
        """Numbers ``(n,)`` as result digits ``(n, M)``; a negative number as digits -1."""
        negative = np.asarray(values < 0, dtype=bool)
        rest = np.where(negative, 0, values)
        digits = np.empty((len(values), self.result_width), dtype=np.int64)
        for i in range(self.result_width):
            digits[:, i] = rest % self.base
            rest = rest // self.base
        digits[negative] = -1
        return digits

    def results(self, operands: np.ndarray) -> np.ndarray:
        """The true result digits ``(n, M)`` of operand digits ``(n, k, N)``."""
        return self.to_digits(self.task.evaluate(*self.values(operands)))
