"""Where a test length lies, as seen from the trained ones."""

from __future__ import annotations

from enum import StrEnum


class Direction(StrEnum):
    """A test length against the trained lengths: below, among, or above them."""

    DOWNWARD = "downward"
    IN_DOMAIN = "in_domain"
    BETWEEN = "between"
    UPWARD = "upward"


EXTRAPOLATING = (Direction.DOWNWARD, Direction.UPWARD)
"""The directions that verdicts and the published theorems speak of."""
