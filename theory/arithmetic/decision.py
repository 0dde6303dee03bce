"""Decisions: answers to yes-or-no questions that may be left open."""

from __future__ import annotations

from enum import Enum
from typing import NoReturn


class Decision(Enum):
    """Yes, no, or not decided.

    What is not decided is taken neither for yes nor for no, and so ``if decision`` is an error:
    compare with ``is``.
    """

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"

    def __bool__(self) -> NoReturn:
        raise TypeError("a decision is YES, NO or UNDECIDED: compare it with 'is'")

    @property
    def answer(self) -> bool | None:
        """The answer as JSON has it; None where it is left open."""
        return None if self is Decision.UNDECIDED else self is Decision.YES

    @classmethod
    def of(cls, answer: bool) -> Decision:
        """The decision for a question that was answered."""
        return cls.YES if answer else cls.NO
