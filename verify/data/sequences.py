"""Examples as token sequences: operands and result in digits, written in a layout.

Operands are padded with zeros to one width (``Format``), or numbers have their natural lengths and
an end token follows (``NaturalFormat``).

Shapes: n examples, k operands, N digits of each, M result digits, T tokens, S of them that a model
writes; units come first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.integer_arrays import exact_dtype
from arith.theory.arithmetic.tasks import Task
from arith.theory.transformer.layouts import BOS, END, EQUALS, SIGN, STARTS, Layout, Token

LANDMARKS = (BOS, SIGN, EQUALS)
"""The tokens that are no digits, in their order after the digits."""
_SPACES_SEED = 20231124
"""Of the spaces in tests."""


@dataclass(frozen=True)
class Format:
    """How the examples of one cell are written: task, base, layout and padded width.

    Tokens 0 .. B-1 are digits; B, B+1, B+2 are the landmarks ``<bos>``, ``+``, ``=``.

    Args:
        digits: the longest operand that has to fit.
        starts: from how many training draws where markers start, in a layout that has them.
        result_digits: to how many digits results are padded; 0 for those of the largest.
    """

    task: Task
    base: int
    layout: Layout
    digits: int
    starts: int = STARTS
    result_digits: int = 0

    @cached_property
    def result_width(self) -> int:
        """Digits M of the result."""
        return self.result_digits or self.task.result_width(self.base, self.digits)

    @cached_property
    def width(self) -> int:
        """Digits N of each operand."""
        return self.layout.operand_width(self.digits, self.result_width)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The T tokens of one example (see ``theory.transformer.layouts``)."""
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


class NaturalFormat(Format):
    """How the examples of one cell are written, if their numbers have natural lengths.

    After the digits and landmarks come the tokens ``<end>``, padding, and the markers of positions
    1, 2, ... in a layout that has them, or the carries, or a space.  No query sees padding, and no
    answer is asked for where it stands.

    The ``=`` of every example stands in one column, so that answers are asked for in the same
    columns of all.  In the interleaved layout examples begin in one column: all operands have as
    many digits as the longest, each beside a result digit, and what is left of the result follows
    ``=``, as in ``a_1 b_1 c_1 ... a_n b_n c_n = c_n+1 <end>``.
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
        """The column of ``=`` in the longest example."""
        return next(s for s, t in enumerate(self.tokens) if t.symbol == EQUALS)

    @property
    def _beside(self) -> int:
        """How many result digits stand beside operand digits, where some operand has N digits."""
        return self.width if self.layout.interleaved else 0

    @cached_property
    def written_slots(self) -> np.ndarray:
        """``(S,)``: the columns that a model writes where some operand has N digits, ascending.

        They have the result, what stands before its digits, and the end.
        """
        beside = (self.task.operands + 1) * np.arange(1, self._beside + 1)
        return np.concatenate([beside, np.arange(self.equals + 1, len(self.tokens))])

    @cached_property
    def trained_slots(self) -> np.ndarray:
        """The columns that a model writes in some example of up to N digits, ascending."""
        formats = (replace(self, digits=n) for n in range(1, self._beside))
        slots = [self.written_slots, *(x.written_slots for x in formats)]
        return np.unique(np.concatenate(slots))

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
        longest = np.max(long[:-1], axis=0)
        tokens = self._all_tokens()
        shape = len(operands), len(tokens)
        sequence, there = np.empty(shape, dtype=np.int64), np.ones(shape, dtype=bool)
        for slot, token in enumerate(tokens):
            if token.kind == "landmark":
                sequence[:, slot] = self.base + (*LANDMARKS, END).index(token.symbol)
                continue
            digit = tokens[slot + 1] if token.kind == "space" else token
            i, number = digit.position - 1, digit.operand
            if not self.layout.interleaved:
                there[:, slot] = i < long[number]
            elif slot < self.equals:
                there[:, slot] = i < longest
            else:
                there[:, slot] = (longest <= i) & (i < long[number])
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
        return self._moved_together(sequence, there)

    def _all_tokens(self) -> tuple[Token, ...]:
        """What may stand in an example; interleaved, any result digit may follow ``=``."""
        if not self.layout.interleaved:
            return self.tokens
        results = (Token("result", i + 1) for i in range(self.result_width))
        return (*self.tokens[: self.equals + 1], *results, self.tokens[-1])

    def _moved_together(self, sequence: np.ndarray, there: np.ndarray) -> np.ndarray:
        """The tokens that are there, ``(n, T)``, without gaps, and padding around them."""
        before = there[:, : self.equals].sum(axis=1)
        first = 0 * before if self.layout.interleaved else self.equals - before
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
        beside, each = self._beside, self.layout.result_tokens
        ends = said[:, beside:] == self.end
        ended = ends.any(1) & (ends.argmax(1) % each == 0)  # no marker or carry is left over
        count = np.where(ended, beside + ends.argmax(1) // each, -1)  # digits; -1: no end
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
        least = max(beside, 1)
        digits[(count < least) | (count > least) & starts_with_zero, -1] = -1
        return digits


def lengths(digits: np.ndarray) -> np.ndarray:
    """How long numbers ``(n, N)`` are without leading zeros, ``(n,)``; 0 has one digit."""
    found = digits.shape[1] - (digits[:, ::-1] != 0).argmax(1)
    return np.where((digits != 0).any(1), found, 1)


def drawn_spaces(operands: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whether a space stands before each digit, ``(n, k, N)``: each with probability 1/2."""
    return rng.integers(2, size=operands.shape, dtype=np.uint8) == 1


def fixed_spaces(operands: np.ndarray) -> np.ndarray:
    """The same in a test: by the row, so that operands that come twice have other spaces."""
    return drawn_spaces(operands, np.random.default_rng(_SPACES_SEED))
