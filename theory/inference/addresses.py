"""Addresses: where the query of a result digit finds each digit that its rule needs.

The *query* of a result digit is the token before it, and a digit that is needed is named by whose
it is and how many places below the asked digit: a *need*.  Its address is what an encoding tells
of where it stands: the indices of query and key, their offset, or the difference of their numbers.
The mathematics is in ``docs/addresses.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arith.theory.numbers.integer_arrays import Array
from arith.theory.setting.encodings import Encoding
from arith.theory.setting.layouts import Layout, Token

RESULT = -1
"""The result among the operands, as ``Token.operand`` has it."""
Indices = dict[tuple[int, int], int]
"""Where each digit stands in a sequence, by whose it is and its position."""
NEVER = -1
"""The address of a digit or a query whose number was never trained."""


@dataclass(frozen=True)
class Need:
    """A digit that a rule needs.

    Args:
        operand: whose digit; ``RESULT`` for the result's.
        below: how many places below the digit that is asked for.
    """

    operand: int
    below: int


def local_needs(operands: int, reach: int) -> list[Need]:
    """The needs of a rule of finite carry that looks ``reach`` places back, the lowest first.

    The digits of the result below the asked one tell the carry.
    """
    back = range(reach, -1, -1)
    needs = [Need(j, below) for below in back for j in range(operands)]
    return needs + [Need(RESULT, below) for below in back if below]


def indices(tokens: tuple[Token, ...]) -> Indices:
    """The index of each digit of a sequence."""
    digits = ("operand", "result")
    return {(t.operand, t.position): s for s, t in enumerate(tokens) if t.kind in digits}


@dataclass(frozen=True)
class Trained:
    """What bounds the addresses.

    Args:
        number: the largest number of a digit that training shows, random starts included.
        tokens: the index after the last that training shows, random starts included.
    """

    number: int
    tokens: int


@dataclass(frozen=True)
class Sequences:
    """Where tokens stand in many examples at once, numbers having lengths of their own.

    It is ``Layout.tokens`` as a formula, for layouts with signs between the numbers.  Of examples
    that differ in their spaces it has the longest.

    Args:
        widths: the digits of the operands, ``(examples, operands)``.
        results: the digits of the result, ``(examples,)``.
    """

    layout: Layout
    widths: Array
    results: Array

    def _start(self, operand: int) -> Array:
        """The index at which a number begins; that of the result where it is none of them."""
        before = self.widths[:, :operand] if operand != RESULT else self.widths
        return 1 + (before * self.layout.operand_tokens + 1).sum(axis=1)

    def width(self, operand: int) -> Array:
        """The digits of an operand, or of the result."""
        return self.results if operand == RESULT else self.widths[:, operand]

    def rank(self, operand: int, position: int) -> Array:
        """How many digits of the number are written before the one at a position."""
        layout, width = self.layout, self.width(operand)
        first = layout.result_first if operand == RESULT else layout.operands_first
        return np.full_like(width, position - 1) if first == "least" else width - position

    def key(self, operand: int, position: int) -> Array:
        """The index of a digit."""
        layout = self.layout
        each = layout.result_tokens if operand == RESULT else layout.operand_tokens
        return self._start(operand) + each * self.rank(operand, position) + each - 1

    def query(self, position: int) -> Array:
        """The index of the token before a result digit."""
        return self.key(RESULT, position) - 1

    def length(self) -> Array:
        """How many tokens there are, the end token included."""
        return self._start(RESULT) + self.layout.result_tokens * self.results + 1

    def spaces(self, operand: int, position: int) -> tuple[Array, Array]:
        """How many spaces stand before an operand digit at most, and how many after it."""
        if not self.layout.spaced:
            return np.zeros_like(self.results), np.zeros_like(self.results)
        before = self.widths[:, :operand].sum(axis=1) + self.rank(operand, position) + 1
        return before, self.widths.sum(axis=1) - before

    def number(self, operand: int, position: int, by_weight: bool) -> Array:
        """The number of a digit: its weight, or its place in the number as it is written."""
        rank = self.rank(operand, position)
        return np.full_like(rank, position) if by_weight else rank + 1

    def query_number(self, position: int, by_weight: bool) -> Array:
        """The number of the token before a result digit; 0 for the sign before the result."""
        if self.layout.result_tokens > 1:  # a marker or a carry has the number of its digit
            return self.number(RESULT, position, by_weight)
        return self.rank(RESULT, position)

    def addresses(self, encoding: Encoding, need: Need, position: int, trained: Trained) -> Array:
        """The address of a need of a result digit, as an integer, or ``NEVER``.

        It is one only where both digits exist.  A pair of indices is one integer, and none that
        training shows if the query is beyond the trained tokens; a difference of numbers is
        counted from the largest number, so that it is positive.
        """
        place = position - need.below
        if encoding.reference == "significance":
            key = self.number(need.operand, place, encoding.by_weight)
            query = self.query_number(position, encoding.by_weight)
            known = (key <= trained.number) & (query <= trained.number)
            return np.where(known, key - query + trained.number, NEVER)
        query, key = self.query(position), self.key(need.operand, place)
        if encoding.reference == "relative":
            return query - key
        return query * trained.tokens + key
