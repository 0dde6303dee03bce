"""What a prediction can say: a status, and how much of it is claimed of a model.

Members are strings, and are written so in JSON.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """What is predicted at a length, or over all lengths of a direction.

    ``PARTIAL`` is of single lengths only, ``NOT_TESTED`` of directions without a test length.
    """

    GENERALIZES = "generalizes"
    PARTIAL = "partial"
    FAILS = "fails"
    UNDETERMINED = "undetermined"
    NOT_TESTED = "none"


class Claim(StrEnum):
    """What is claimed of a model's accuracy at a length: its value, a bound, or nothing.

    Where there are bounds on both sides it is the upper one that is named.
    """

    EXACT = "exact"
    AT_MOST = "at most"
    AT_LEAST = "at least"
    NONE = "none"
