"""Examples of natural lengths in the interleaved layout, as token sequences.

All operands of an example have as many digits as its longest.  ``=`` says that they are over, and
what is left of the result follows, with an end: ``a_1 b_1 c_1 ... a_n b_n c_n = c_n+1 <end>``.

Shapes: n examples, k operands, N digits of the longest, M result digits, T tokens, S of them that a
model writes; units come first.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from arith.theory.setting.layouts import BOS, EQUALS
from arith.verify.plan.natural_sequences import NaturalFormat, lengths
from arith.verify.plan.sequences import LANDMARKS


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
        formats = (replace(self, digits=n) for n in range(1, self.width + 1))
        return np.unique(np.concatenate([x.written_slots for x in formats]))

    def write(
        self,
        operands: np.ndarray,
        result: np.ndarray,
        starts: np.ndarray | None = None,
        spaces: np.ndarray | None = None,
    ) -> np.ndarray:
        """The tokens ``(n, T)`` of operand digits ``(n, k, N)`` and result digits ``(n, M)``."""
        n, k, width = operands.shape
        longest = np.max([lengths(operands[:, j]) for j in range(k)], axis=0)[:, None]
        i = np.arange(self.result_width)
        beside = np.concatenate([operands, result[:, None, :width]], axis=1).swapaxes(1, 2)
        is_beside = np.repeat(i[:width] < longest, k + 1, axis=1)
        is_left = (longest <= i) & (i < lengths(result)[:, None])
        bos, equals = (self.base + LANDMARKS.index(x) for x in (BOS, EQUALS))
        one = np.ones((n, 1), dtype=np.int64)
        tokens = [bos * one, beside.reshape(n, -1), equals * one, result, self.end * one]
        there = np.hstack([one, is_beside, one, is_left, one]) > 0
        return self.moved(np.hstack(tokens), there, np.zeros(n, dtype=np.int64))

    def read(self, said: np.ndarray) -> np.ndarray:
        """The result digits ``(n, M)`` that answers ``(n, S)`` say.

        An answer without an end, or with a zero before it, has -1 in some digit.
        """
        beside, left = said[:, : self.width], said[:, self.width :]
        ends = left == self.end
        count = np.where(ends.any(1), ends.argmax(1), -1)[:, None]  # digits after the operands
        left, i = left[:, :-1], np.arange(left.shape[1] - 1)
        fine = (left < self.base) & ((left > 0) | (i != count - 1))  # no result ends with a zero
        digits = np.where(fine, left, -1) * (i < count)
        digits = np.hstack([np.where(beside < self.base, beside, -1), digits])
        digits[count[:, 0] < 0, -1] = -1
        return digits
