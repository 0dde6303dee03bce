"""What a rule of the theory is."""

from __future__ import annotations

from dataclasses import dataclass

CONVERGED = "the model has converged"
"""The first premise of nearly every rule."""


@dataclass(frozen=True)
class Rule:
    """A citable statement.

    Args:
        summary: what it says in at most 55 characters, for lists.
        premises: what has to hold for it to apply.
        source: who published it, or "ours" and where the evidence is told and counted.
    """

    name: str
    summary: str
    statement: str
    premises: str
    source: str
