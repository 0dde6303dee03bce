"""What a rule of the theory is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

CONVERGED = "the model has converged"
"""The first premise of nearly every rule."""


class Basis(StrEnum):
    """Why a rule is believed."""

    PREMISE = "premise"
    """It is what the theory presupposes of a model; each model is tested for it."""
    PROVED = "proved"
    """It follows from its premises by mathematics."""
    OBSERVED = "observed"
    """It says what trained models come to do, which no training data decide."""
    CONJECTURE = "conjecture"
    """It is written down to be tested on models that are predicted before, and claims nothing."""
    OPEN = "open"
    """It says where nothing follows, and claims nothing."""


@dataclass(frozen=True)
class Rule:
    """A citable statement.

    Args:
        summary: what it says in at most 55 characters, for lists.
        premises: what has to hold for it to apply.
        source: who published it, or "ours" and where the evidence is told and counted.
        basis: why it is believed.
    """

    name: str
    summary: str
    statement: str
    premises: str
    source: str
    basis: Basis
