"""Examples as token sequences: operands and result in digits, written in a layout.

Operands are padded with zeros to one width (``Format``), or numbers have their natural lengths and
an end token follows (``NaturalFormat``).

Shapes: n examples, k operands, N digits of each, M result digits, T tokens, S of them that a model
writes; units come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.integer_arrays import exact_dtype
from arith.theory.arithmetic.observed import widths_of
from arith.theory.arithmetic.tasks import Task
from arith.theory.transformer.layouts import (
    BLANKS,
    BOS,
    END,
    EQUALS,
    RESULT,
    SIGN,
    SPACE,
    STARTS,
    ZERO,
    Layout,
    Token,
)

LANDMARKS = (BOS, SIGN, EQUALS)
"""The tokens that are no digits, in their order after the digits, where there is one operation."""
_SPACES_SEED = 20231124
"""Of the spaces in tests."""


@dataclass(frozen=True)
class Format:
    """How the examples of one cell are written: task, base, layout and padded width.

    Tokens 0 .. B-1 are digits; B, B+1, B+2 are the landmarks ``<bos>``, ``+``, ``=``.  What else a
    layout writes follows: the end, a minus sign, a space, a blank, carries, and the markers of
    positions 1, 2, ...  A minus is the highest digit of a negative result; that place is always
    written.

    Of several operations each has a sign of its own in place of ``+``, and operand digits have one
    row more, whose units digit says which.

    Args:
        digits: the longest operand that has to fit.
        starts: from how many training draws where markers start, in a layout that has them.
        beside: another layout whose tokens the model knows as well: it reads both.
        result_digits: to how many digits results are padded; 0 for those of the largest.
    """

    task: Task
    base: int
    layout: Layout
    digits: int
    starts: int = STARTS
    beside: Layout | None = None
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

    @cached_property
    def landmarks(self) -> tuple[str, ...]:
        """The tokens that are no digits; of several operations the signs are their names."""
        parts = self.task.operations
        return LANDMARKS if len(parts) == 1 else (BOS, *(part.name for part in parts), EQUALS)

    @property
    def layouts(self) -> list[Layout]:
        """Those that the model reads."""
        return [self.layout, *([self.beside] if self.beside else [])]

    @cached_property
    def end(self) -> int:
        """The token that ends an example, if there is one."""
        return self.base + len(self.landmarks)

    @property
    def first_other(self) -> int:
        """The first token after the digits, the landmarks and the end."""
        return self.end + any(x.end for x in self.layouts)

    @property
    def minus(self) -> int:
        """The token of a minus sign, if results may have one."""
        return self.first_other

    @cached_property
    def space(self) -> int | None:
        """The token that stands before some digits; None where there are no spaces."""
        has_spaces = any(
            x.spaces or x.result_spaces or BLANKS.get(x.blank) == SPACE for x in self.layouts
        )
        return self.first_other + self.task.signed if has_spaces else None

    @cached_property
    def blank(self) -> int | None:
        """The token that stands where an operand has no digit; None where nothing does."""
        blanks = {BLANKS[x.blank] for x in self.layouts if x.blanks}
        if blanks == {ZERO}:
            return 0
        if blanks <= {SPACE}:
            return self.space if blanks else None
        return self.first_other + self.task.signed + (self.space is not None)

    @cached_property
    def _first_carry(self) -> int:
        apart = {None, 0, self.space, self.blank} - {None, 0}
        return self.first_other + self.task.signed + len(apart)

    @cached_property
    def _first_marker(self) -> int:
        writes = any(x.scratchpad for x in self.layouts)
        return self._first_carry + (digit_automaton(self.task, self.base).states if writes else 0)

    @property
    def vocabulary(self) -> int:
        """The number of different tokens."""
        if not any(x.hinted for x in self.layouts):
            return self._first_marker
        return self._first_marker + max(self.width, self.result_width) + self.starts - 1

    @cached_property
    def result_slots(self) -> np.ndarray:
        """``(M,)``: entry i is the index of result digit i + 1 in the sequence."""
        slots = {t.position: slot for slot, t in enumerate(self.tokens) if t.kind == "result"}
        return np.array([slots[i + 1] for i in range(self.result_width)])

    @cached_property
    def written_slots(self) -> np.ndarray:
        """``(S,)``: the indices of what a model writes, ascending."""
        is_written = [
            t.symbol == END or (t.operand == RESULT and t.kind != "landmark") for t in self.tokens
        ]
        return np.flatnonzero(is_written)

    @property
    def trained_slots(self) -> np.ndarray:
        """The indices of what a model writes in examples of training, ascending."""
        return self.written_slots

    def read(self, said: np.ndarray) -> np.ndarray:
        """The result digits ``(n, M)`` of what a model wrote, ``(n, S)``."""
        return said[:, np.searchsorted(self.written_slots, self.result_slots)]

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
            spaces: whether a space stands before an operand digit, in a layout where they stand at
                random, ``(n, k, N)``; None for those of a test.
        """
        numbers = [*np.moveaxis(operands, 1, 0), result]  # the operand of a result digit is -1
        return self._columns(self.tokens, numbers, starts)

    def operand_digits(self, operands: np.ndarray) -> np.ndarray:
        """Which tokens of the examples of operand digits ``(n, k, N)`` are theirs, ``(n, T)``."""
        is_digit = np.array([t.kind == "operand" for t in self.tokens])
        return np.tile(is_digit, (len(operands), 1))

    def _columns(
        self, tokens: Sequence[Token], numbers: list[np.ndarray], starts: np.ndarray | None
    ) -> np.ndarray:
        """What stands for each of some tokens, ``(n, T)``, if it is there."""
        operands = np.stack(numbers[:-1], axis=1)
        carry = self._carries(operands) if self.layout.scratchpad else None
        sequence = np.empty((len(operands), len(tokens)), dtype=np.int64)
        for slot, token in enumerate(tokens):
            i, digits = token.position - 1, numbers[token.operand]
            if token.kind == "landmark":
                sequence[:, slot] = self._landmark(token.symbol, operands)
            elif token.kind == "space":
                assert self.space is not None
                sequence[:, slot] = self.space
            elif token.kind == "blank":
                assert self.blank is not None
                sequence[:, slot] = self.blank
            elif token.kind == "marker":
                sequence[:, slot] = self._first_marker + i + (0 if starts is None else starts)
            elif token.kind == "carry":
                assert carry is not None
                sequence[:, slot] = self._first_carry + carry[:, i]
            else:  # a zero before a number has no digit
                sequence[:, slot] = digits[:, i] if i < digits.shape[1] else 0
        return sequence

    def _landmark(self, symbol: str, operands: np.ndarray) -> np.ndarray | int:
        """The token of a landmark; of the sign the one of each example's operation, ``(n,)``."""
        if symbol == SIGN and len(self.task.operations) > 1:
            return self.base + 1 + operands[:, -1, 0]
        return self.base + (*self.landmarks, END).index(symbol)

    def _carries(self, operands: np.ndarray) -> np.ndarray:
        """The carry into each result digit of operands ``(n, k, N)``; 0 is the least."""
        values = digit_automaton(self.task, self.base).carries
        linear = np.array(self.task.coefficients)
        carry = np.full(len(operands), self.task.constant)
        into = np.empty((len(operands), self.result_width), dtype=np.int64)
        for i in range(self.result_width):
            into[:, i] = carry - values.start
            if i < operands.shape[2]:
                carry = carry + operands[:, :, i] @ linear
            carry = carry // self.base
        return into

    def values(self, operands: np.ndarray) -> list[np.ndarray]:
        """Operand digits ``(n, k, N)`` as k arrays ``(n,)`` of numbers.

        Of several operations the last one says which.
        They are Python integers where 64 bits could not hold all that the task computes.
        """
        dtype = self.task.dtype(self.base**self.width)
        return list(np.moveaxis(values_of(operands, self.base, dtype), 1, 0))

    def to_digits(self, values: np.ndarray) -> np.ndarray:
        """Numbers ``(n,)`` as result digits ``(n, M)``; what is no result as digits -1."""
        digits = np.empty((len(values), self.result_width), dtype=np.int64)
        for i, digit in enumerate(self.task.digits(values, self.base, self.result_width)):
            digits[:, i] = digit
        if self.task.signed:
            digits[:, -1] *= self.minus
        digits[~np.asarray(self.task.is_result(values), dtype=bool)] = -1
        return digits

    def number(self, digits: np.ndarray) -> int | None:
        """The number that is written with result digits ``(M,)``; None if none is."""
        size = sum(d * self.base**i for i, d in enumerate(digits.tolist()) if 0 <= d < self.base)
        is_negative = self.task.signed and self.minus in digits
        value = -size if is_negative else size
        written = self.to_digits(np.array([value], dtype=object))[0]
        return value if (written == digits).all() else None

    def results(self, operands: np.ndarray) -> np.ndarray:
        """The true result digits ``(n, M)`` of operand digits ``(n, k, N)``."""
        return self.to_digits(self.task.evaluate(*self.values(operands)))


class NaturalFormat(Format):
    """How the examples of one cell are written, if their numbers have natural lengths.

    After the digits and landmarks come the tokens ``<end>`` and padding, and what else a layout
    writes.  No query sees padding, and no answer is asked for where it stands.

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
    def padding(self) -> int:
        """The token that is no part of an example."""
        return self.end + 1

    @property
    def first_other(self) -> int:
        """The first token after the digits, the landmarks, the end and padding."""
        return self.padding + 1

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
        """Examples as tokens, without gaps; ``spaces`` are for numbers as long as the longest."""
        tokens, numbers = self._all_tokens(), [*np.moveaxis(operands, 1, 0), result]
        sequence = self._columns(tokens, numbers, starts)
        return self._moved_together(sequence, self._there(operands, result, spaces))

    def operand_digits(self, operands: np.ndarray) -> np.ndarray:
        """Where operand digits stand; any result leaves what stands before it where it is."""
        result = np.zeros((len(operands), self.result_width), dtype=np.int64)
        is_digit = [t.kind == "operand" for t in self._all_tokens()]
        sequence = np.broadcast_to(np.array(is_digit), (len(operands), len(is_digit)))
        return self._moved_together(sequence, self._there(operands, result, None)) == 1

    def _there(
        self, operands: np.ndarray, result: np.ndarray, spaces: np.ndarray | None
    ) -> np.ndarray:
        """Which of all tokens stand in each example, ``(n, T)``."""
        if self.layout.spaced and spaces is None:
            spaces = fixed_spaces(operands, self.layout)
        long = [widths_of(digits) for digits in (*np.moveaxis(operands, 1, 0), result)]
        longest = np.max(long[:-1], axis=0)
        tokens = self._all_tokens()
        there = np.ones((len(operands), len(tokens)), dtype=bool)
        for slot, token in enumerate(tokens):
            i, number = token.position - 1, token.operand
            if token.kind == "landmark":
                continue
            if not self.layout.interleaved:
                zeros = 0 if number == RESULT else self.layout.leading_zeros
                there[:, slot] = i < long[number] + zeros
            elif slot < self.equals:
                there[:, slot] = i < longest
            else:
                there[:, slot] = (longest <= i) & (i < long[number])
            if token.kind == "space" and number != RESULT and self.layout.spaced:
                assert spaces is not None
                there[:, slot] &= spaces[:, number, i]
        return there

    def to_digits(self, values: np.ndarray) -> np.ndarray:
        """The digits of numbers; a minus stands above the highest, and is the only sign."""
        digits = super().to_digits(values)
        if self.task.signed:
            signs = digits[:, -1].copy()
            digits[:, -1] = 0
            digits[np.arange(len(digits)), widths_of(digits)] = signs
        return digits

    def _all_tokens(self) -> tuple[Token, ...]:
        """What may stand in an example; interleaved, any result digit may follow ``=``."""
        if not self.layout.interleaved:
            return self.tokens
        results = (Token("result", i + 1) for i in range(self.result_width))
        return (*self.tokens[: self.equals + 1], *results, self.tokens[-1])

    def _moved_together(self, sequence: np.ndarray, there: np.ndarray) -> np.ndarray:
        """The tokens that are there, ``(n, T)``, without gaps, and padding around them.

        Where a layout has blanks they stand for the digits that an operand does not have.
        """
        if self.layout.blanks:
            assert self.blank is not None
            is_operand = np.array([t.operand != RESULT for t in self._all_tokens()])
            sequence = np.where(~there & is_operand, self.blank, sequence)
            there = there | is_operand
        before = there[:, : self.equals].sum(axis=1)
        first = 0 * before if self.layout.interleaved else self.equals - before
        column = np.arange(len(self.tokens)) - first[:, None]
        found = np.full(column.shape, self.padding, dtype=np.int64)
        found[(column >= 0) & (column < there.sum(axis=1)[:, None])] = sequence[there]
        return found

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
        if self.task.signed:
            fine |= written == self.minus
        if self.layout.hinted:
            markers = np.take_along_axis(said, columns + self.layout.result_spaces, axis=1)
            fine &= markers == self._first_marker + i
        digits = np.where(i < count[:, None], np.where(fine, written, -1), 0)
        starts_with_zero = np.take_along_axis(digits, top, axis=1)[:, 0] == 0
        least = max(beside, 1)
        digits[(count < least) | (count > least) & starts_with_zero, -1] = -1
        return digits


class GroupedFormat(NaturalFormat):
    """Numbers of natural length whose digits stand in tokens of several, from the left.

    After padding come the tokens of two digits, then those of three, ...: ``4``, ``04`` and ``004``
    are three tokens.  Which digits stand in one depends on the length of their number.
    """

    @property
    def first_other(self) -> int:
        """The first token after the digits, the landmarks, the end, padding and the groups."""
        return self._first_group(self.layout.from_left + 1)

    def _first_group(self, digits: int) -> int:
        """The first token of so many digits."""
        before = sum(self.base**size for size in range(2, digits))
        return self.padding + 1 + before if digits > 1 else 0

    def _columns(
        self, tokens: Sequence[Token], numbers: list[np.ndarray], starts: np.ndarray | None
    ) -> np.ndarray:
        sequence = super()._columns(tokens, numbers, starts)
        seen: Counter[int] = Counter()  # the tokens of each number so far
        for slot, token in enumerate(tokens):
            if token.kind in ("operand", "result"):
                before = self.layout.from_left * seen[token.operand]
                seen[token.operand] += 1
                sequence[:, slot] = self._group(token, numbers[token.operand], before)
        return sequence

    def _group(self, token: Token, digits: np.ndarray, before: int) -> np.ndarray:
        """The token ``(n,)`` of a number's digits ``(n, N)``, so many of which stand before it."""
        layout = self.layout
        first = layout.result_first if token.kind == "result" else layout.operands_first
        long = widths_of(digits)
        value, size = np.zeros_like(long), np.minimum(long - before, self.layout.from_left)
        for i in range(before, min(before + self.layout.from_left, digits.shape[1])):
            place = np.clip(long - 1 - i if first == "most" else i, 0, None)
            digit = np.take_along_axis(digits, np.minimum(place, long - 1)[:, None], axis=1)[:, 0]
            value = np.where(i < long, value * self.base + digit, value)
        firsts = np.array([self._first_group(max(n, 1)) for n in range(self.layout.from_left + 1)])
        return firsts[np.maximum(size, 0)] + value

    def _there(
        self, operands: np.ndarray, result: np.ndarray, spaces: np.ndarray | None
    ) -> np.ndarray:
        """Which of all tokens stand in each example, ``(n, T)``: so many as its numbers take."""
        taken = [
            -(-widths_of(digits) // self.layout.from_left)
            for digits in (*np.moveaxis(operands, 1, 0), result)
        ]
        there = np.ones((len(operands), len(self.tokens)), dtype=bool)
        seen: Counter[int] = Counter()
        for slot, token in enumerate(self.tokens):
            if token.kind != "landmark":
                there[:, slot] = seen[token.operand] < taken[token.operand]
                seen[token.operand] += 1
        return there

    def read(self, said: np.ndarray) -> np.ndarray:
        """The result digits ``(n, M)`` that answers ``(n, S)`` say.

        Every token but the last has as many digits as a token holds; else, or without an end, or
        with a zero before its highest digit, an answer has -1 in some digit.
        """
        most, width = self.layout.from_left, self.result_width
        digits = np.full((len(said), width), -1, dtype=np.int64)
        firsts = [self._first_group(n) for n in range(1, most + 1)]
        for row, tokens in enumerate(said.tolist()):
            found: list[int] = []
            for token in tokens[: tokens.index(self.end)] if self.end in tokens else []:
                size = next(
                    (n for n, x in enumerate(firsts, 1) if x <= token < x + self.base**n), 0
                )
                if not size or len(found) % most:
                    found = []
                    break
                value = token - firsts[size - 1]
                found += [value // self.base**i % self.base for i in range(size - 1, -1, -1)]
            if self.layout.result_first == "most":
                found.reverse()
            is_number = 0 < len(found) <= width and (len(found) == 1 or found[-1] > 0)
            if is_number:
                digits[row] = [*found, *[0] * (width - len(found))]
        return digits


def values_of(digits: np.ndarray, base: int, dtype: np.dtype | None = None) -> np.ndarray:
    """Numbers ``(...)`` of digits ``(..., N)``, as Python integers where 64 bits do not hold them.

    Args:
        dtype: one in which more can be computed of them.
    """
    dtype = dtype or exact_dtype(base ** digits.shape[-1])
    weights = np.array([base**i for i in range(digits.shape[-1])], dtype=dtype)
    found: np.ndarray = digits.astype(dtype, copy=False) @ weights
    return found


def drawn_spaces(operands: np.ndarray, layout: Layout, rng: np.random.Generator) -> np.ndarray:
    """Whether a space stands before each digit, ``(n, k, N)``: each by the layout's chance."""
    there, every = layout.spaces.as_integer_ratio()
    return rng.integers(every, size=operands.shape, dtype=np.uint8) >= every - there


def fixed_spaces(operands: np.ndarray, layout: Layout) -> np.ndarray:
    """The spaces of a test, by the row: operands that come twice have other spaces."""
    return drawn_spaces(operands, layout, np.random.default_rng(_SPACES_SEED))
