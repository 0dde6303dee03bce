"""Examples of natural lengths in the interleaved layout, as token sequences.

All operands of an example have as many digits as its longest.  ``=`` says that they are over, and
what is left of the result follows, with an end: ``a_1 b_1 c_1 ... a_n b_n c_n = c_n+1 <end>``.

Shapes: n examples, k operands, N digits of the longest, M result digits, T tokens, S of them that a
model writes; units come first.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from theory.setting.layouts import BOS, EQUALS
from verify.plan.natural_sequences import NaturalFormat, lengths
from verify.plan.sequences import LANDMARKS


class InterleavedFormat(NaturalFormat):
    """How the examples of one cell are written, if digits of one weight stand together."""

    @cached_property
    def written_slots(self) -> np.ndarray:
        """``(S,)``: the columns that a model writes where some operand has N digits."""
        beside = (self.task.operands + 1) * np.arange(1, self.width + 1)
        return np.concatenate([beside, np.arange(self.equals + 1, len(self.tokens))])

    @cached_property
    def trained_slots(self) -> np.ndarray:
        """The columns that a model writes in some example of up to N digits, ascending."""
        together, left = self.task.operands + 1, []
        for n in range(1, self.width + 1):
            after = 2 + n * together  # the sign
            more = max(self.task.result_width(self.base, n) - n, 0)
            left.append(np.arange(after, after + more + 1))  # and the end
        return np.unique(np.concatenate([together * np.arange(1, self.width + 1), *left]))

    def write(
        self,
        operands: np.ndarray,
        result: np.ndarray,
        starts: np.ndarray | None = None,
        spaces: np.ndarray | None = None,
    ) -> np.ndarray:
        """The tokens ``(n, T)`` of operand digits ``(n, k, N)`` and result digits ``(n, M)``."""
        k, rows = self.task.operands, np.arange(len(operands))
        sequence = np.full((len(operands), len(self.tokens)), self.padding, dtype=np.int64)
        longest = np.max([lengths(operands[:, j]) for j in range(k)], axis=0)
        sequence[:, 0] = self.base + LANDMARKS.index(BOS)
        for i in range(operands.shape[2]):
            there = rows[i < longest]
            first = 1 + i * (k + 1)
            sequence[there, first : first + k] = operands[there, :, i]
            sequence[there, first + k] = result[there, i]
        column = 1 + longest * (k + 1)
        sequence[rows, column] = self.base + LANDMARKS.index(EQUALS)
        left = np.maximum(lengths(result) - longest, 0)
        for i in range(int(left.max(initial=0))):
            there = rows[i < left]
            sequence[there, column[there] + 1 + i] = result[there, longest[there] + i]
        sequence[rows, column + 1 + left] = self.end
        return sequence

    def read(self, said: np.ndarray) -> np.ndarray:
        """The result digits ``(n, M)`` that answers ``(n, S)`` say.

        An answer without an end, or with a zero before it, has -1 in some digit.
        """
        beside, left = said[:, : self.width], said[:, self.width :]
        ends = left == self.end
        count = np.where(ends.any(1), ends.argmax(1), -1)  # digits after the operands
        digits = np.zeros((len(said), self.result_width), dtype=np.int64)
        digits[:, : self.width] = np.where(beside < self.base, beside, -1)
        for i in range(self.result_width - self.width):
            inside = i < count
            last = left[:, i] == 0  # no result has a zero there before its end
            fine = (left[:, i] < self.base) & ~(last & (i == count - 1))
            digits[inside, self.width + i] = np.where(fine, left[:, i], -1)[inside]
        digits[count < 0, -1] = -1
        return digits
