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

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.setting.layouts import END, EQUALS, Token
from arith.verify.plan.sequences import LANDMARKS, Format
from arith.verify.plan.spaces import fixed_spaces


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
        more = int(self.layout.spaced)
        if self.layout.scratchpad:
            more = digit_automaton(self.task, self.base).states
        if self.layout.hinted:
            more = max(self.width, self.result_width) + self.starts - 1
        return self.padding + 1 + more

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
        if self.layout.spaced and spaces is None:
            spaces = fixed_spaces(operands)
        carry = self._carries(operands) if self.layout.scratchpad else None
        numbers = [*np.moveaxis(operands, 1, 0), result]  # the operand of a result digit is -1
        long = [lengths(digits) for digits in numbers]
        shape = len(operands), len(self.tokens)
        sequence, there = np.empty(shape, dtype=np.int64), np.ones(shape, dtype=bool)
        for slot, token in enumerate(self.tokens):
            if token.kind == "landmark":
                sequence[:, slot] = self.base + (*LANDMARKS, END).index(token.symbol)
                continue
            digit = self.tokens[slot + 1] if token.kind == "space" else token
            i, number = digit.position - 1, digit.operand
            there[:, slot] = i < long[number]
            if token.kind == "marker":
                sequence[:, slot] = self.padding + 1 + i + (0 if starts is None else starts)
            elif token.kind == "space":
                assert spaces is not None
                there[:, slot] &= spaces[:, number, i]
                sequence[:, slot] = self.padding + 1
            elif token.kind == "carry":
                assert carry is not None
                sequence[:, slot] = carry[:, i]
            else:
                sequence[:, slot] = numbers[number][:, i]
        before = there[:, : self.equals].sum(axis=1)
        return self.moved(sequence, there, self.equals - before)

    def moved(self, sequence: np.ndarray, there: np.ndarray, first: np.ndarray) -> np.ndarray:
        """What is there of every token, ``(n, T)``, from a column ``(n,)`` on; else padding."""
        column = np.arange(len(self.tokens)) - first[:, None]
        found = np.full(column.shape, self.padding, dtype=np.int64)
        found[(column >= 0) & (column < there.sum(axis=1)[:, None])] = sequence[there]
        return found

    def _carries(self, operands: np.ndarray) -> np.ndarray:
        """The carry into each result digit of operands ``(n, k, N)``, as tokens ``(n, M)``."""
        values = digit_automaton(self.task, self.base).carries
        linear = np.array(self.task.coefficients)
        carry = np.full(len(operands), self.task.constant)
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
        ended = ends.any(1) & (ends.argmax(1) % each == 0)  # no marker or carry is left over
        count = np.where(ended, ends.argmax(1) // each, -1)  # digits; -1: no end
        i = np.arange(self.result_width)
        top = np.maximum(count - 1, 0)[:, None]
        places = i if self.layout.result_first == "least" else np.maximum(top - i, 0)
        columns = np.broadcast_to(each * places, (len(said), len(i)))
        written = np.take_along_axis(said, columns + each - 1, axis=1)
        fine = written < self.base
        if self.layout.hinted:
            fine &= np.take_along_axis(said, columns, axis=1) == self.padding + 1 + i
        digits = np.where(i < count[:, None], np.where(fine, written, -1), 0)
        starts_with_zero = np.take_along_axis(digits, top, axis=1)[:, 0] == 0
        digits[(count < 1) | (count > 1) & starts_with_zero, -1] = -1
        return digits


def lengths(digits: np.ndarray) -> np.ndarray:
    """How long numbers ``(n, N)`` are without leading zeros, ``(n,)``; 0 has one digit."""
    found = digits.shape[1] - (digits[:, ::-1] != 0).argmax(1)
    return np.where((digits != 0).any(1), found, 1)
