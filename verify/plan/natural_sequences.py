"""Examples whose numbers have their natural lengths, as token sequences.

The ``=`` of every example stands in one column, so that answers are asked for in the same columns
of all.  Before the example and after its end there is padding, which no query sees and no answer
is asked for.

Shapes: n examples, k operands, N digits of the longest, M result digits, T tokens, S of them after
``=``; units come first.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from theory.inference.result_lengths import coefficients
from theory.setting.layouts import BOS, EQUALS, SIGN, STARTS, Token
from theory.setting.properties import carries, carry_values
from verify.plan.sequences import LANDMARKS, Format
from verify.plan.spaces import fixed_spaces

_LEFT = (BOS, SIGN, EQUALS)


class NaturalFormat(Format):
    """How the examples of one cell are written, if their numbers have natural lengths.

    After the digits and landmarks come the tokens ``<end>``, padding, and the markers of positions
    1, 2, ... in a layout that has them, or the carries, or a space.
    """

    @cached_property
    def width(self) -> int:
        """Digits N of the longest operand."""
        return self.digits

    @property
    def end(self) -> int:
        """The token that ends an example."""
        return self.base + len(LANDMARKS)

    @property
    def padding(self) -> int:
        """The token that is no part of an example."""
        return self.end + 1

    @property
    def space(self) -> int | None:
        """The token that stands before some operand digits, at random; None in other layouts."""
        return self.padding + 1 if self.layout.spaced else None

    @property
    def vocabulary(self) -> int:
        """The number of different tokens."""
        if self.layout.scratchpad:
            return self.padding + 1 + (carries(self.task, self.base) or 0)
        if self.space is not None:
            return self.space + 1
        markers = self.result_width + STARTS - 1 if self.layout.hinted else 0
        return self.padding + 1 + markers

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The T tokens of the longest example."""
        return self.layout.tokens((self.width,) * self.task.operands, self.result_width, ends=True)

    @cached_property
    def equals(self) -> int:
        """The column of ``=``."""
        return next(s for s, t in enumerate(self.tokens) if t.symbol == EQUALS)

    @cached_property
    def written_slots(self) -> np.ndarray:
        """``(S,)``: the columns that a model writes: the result, its markers, and the end."""
        return np.arange(self.equals + 1, len(self.tokens))

    def write(
        self,
        operands: np.ndarray,
        result: np.ndarray,
        starts: np.ndarray | None = None,
        spaces: np.ndarray | None = None,
    ) -> np.ndarray:
        """The tokens ``(n, T)`` of operand digits ``(n, k, N)`` and result digits ``(n, M)``.

        Args:
            starts: what is added to the position of every marker of an example, ``(n,)``.
            spaces: whether a space stands before an operand digit, in a layout that has spaces,
                ``(n, k, N)``; None for those of a test.
        """
        sequence = np.full((len(operands), len(self.tokens)), self.padding, dtype=np.int64)
        rows = np.arange(len(operands))
        markers = self.padding + (np.zeros_like(rows) if starts is None else starts)
        stops = np.full(len(operands), self.equals)
        each = 1 if self.layout.spaced else self.layout.operand_tokens
        if self.layout.spaced and spaces is None:
            spaces = fixed_spaces(operands)
        for j in reversed(range(self.task.operands)):
            sequence[rows, stops] = self.base + _LEFT.index(self._after(j))
            length = lengths(operands[:, j])
            starting = stops - each * length
            there = None if spaces is None else _up_to(spaces[:, j], length)
            if there is not None:
                starting = starting - there.sum(axis=1)
            where = (starting, each, self.layout.operands_first)
            self._write(sequence, operands[:, j], *where, markers, there)
            stops = starting - 1
        sequence[rows, stops] = self.base + _LEFT.index(BOS)
        first = np.full(len(operands), self.equals + 1)
        where = (first, self.layout.result_tokens, self.layout.result_first)
        self._write(sequence, result, *where, markers)
        sequence[rows, first + self.layout.result_tokens * lengths(result)] = self.end
        if self.layout.scratchpad:
            carry = self._carries(operands)
            for i in range(self.result_width):
                there = rows[i < lengths(result)]
                sequence[there, self.equals + 1 + 2 * i] = carry[there, i]
        return sequence

    def _carries(self, operands: np.ndarray) -> np.ndarray:
        """The carry into each result digit of operands ``(n, k, N)``, as tokens ``(n, M)``."""
        values, linear = carry_values(self.task, self.base), np.array(coefficients(self.task))
        assert values is not None
        carry = np.full(len(operands), sum(c for c, e in self.task.terms if not any(e)))
        into = np.empty((len(operands), self.result_width), dtype=np.int64)
        for i in range(self.result_width):
            into[:, i] = self.padding + 1 + carry - values.start
            if i < operands.shape[2]:
                carry = carry + operands[:, :, i] @ linear
            carry = carry // self.base
        return into

    def read(self, said: np.ndarray) -> np.ndarray:
        """The result digits ``(n, M)`` that answers ``(n, S)`` say.

        An answer without an end, with a zero before its highest digit, or with a marker that is not
        that of its place has -1 in some digit.
        """
        ends = said == self.end
        each = self.layout.result_tokens
        count = np.where(ends.any(1), ends.argmax(1), -1) // each  # digits; -1: no end
        digits = np.zeros((len(said), self.result_width), dtype=np.int64)
        rows = np.arange(len(said))
        for i in range(self.result_width):
            inside = i < count
            place = i if self.layout.result_first == "least" else np.maximum(count - 1 - i, 0)
            column = place * each
            digit = said[rows, column + each - 1]
            fine = digit < self.base
            if self.layout.hinted:
                fine &= said[rows, column] == self.padding + 1 + i
            digits[inside, i] = np.where(fine, digit, -1)[inside]
        top = np.maximum(count - 1, 0)
        digits[rows[(count > 1) & (digits[rows, top] == 0)], -1] = -1
        digits[count < 1, -1] = -1
        return digits

    def _after(self, operand: int) -> str:
        return SIGN if operand < self.task.operands - 1 else EQUALS

    def _write(
        self,
        sequence: np.ndarray,
        digits: np.ndarray,
        first: np.ndarray,
        each: int,
        order: str,
        markers: np.ndarray,
        spaces: np.ndarray | None = None,
    ) -> None:
        """Write a number of each example, digits ``(n, N)``, from column ``first`` ``(n,)`` on.

        Args:
            each: how many tokens a digit takes; it is the last of them.
            spaces: whether a space stands before a digit, ``(n, N)``; it takes one token more.
        """
        length = lengths(digits)
        if spaces is not None:
            written = spaces if order == "least" else spaces[:, ::-1]
            before = written.cumsum(axis=1)
            before = before if order == "least" else before[:, ::-1]
        for i in range(digits.shape[1]):
            rows = np.flatnonzero(i < length)
            place = i if order == "least" else length[rows] - 1 - i
            column = first[rows] + each * np.asarray(place) + each - 1
            if spaces is not None:
                column = column + before[rows, i]
                sequence[rows[spaces[rows, i]], column[spaces[rows, i]] - 1] = self.padding + 1
            if self.layout.hinted:
                sequence[rows, column - 1] = markers[rows] + i + 1
            sequence[rows, column] = digits[rows, i]


def _up_to(there: np.ndarray, length: np.ndarray) -> np.ndarray:
    """What is there ``(n, N)`` up to a length ``(n,)``, and nothing beyond."""
    return there & (np.arange(there.shape[1]) < length[:, None])


def lengths(digits: np.ndarray) -> np.ndarray:
    """How long numbers ``(n, N)`` are without leading zeros, ``(n,)``; 0 has one digit."""
    found = digits.shape[1] - (digits[:, ::-1] != 0).argmax(1)
    return np.where((digits != 0).any(1), found, 1)
