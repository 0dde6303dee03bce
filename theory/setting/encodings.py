"""Positional encodings: what lets a query tell positions apart."""

from __future__ import annotations

from dataclasses import dataclass

from theory.errors import look_up, unknown_name

REFERENCES = ("absolute", "relative", "significance", "none")
SELECTIONS = ("any", "order", "none")


@dataclass(frozen=True)
class Encoding:
    """A positional encoding, by the three facts that enter the theory.

    Args:
        reference: what a position is told apart by: ``absolute`` (its index in the sequence),
            ``relative`` (its offset from the query), ``significance`` (its digit's weight, from a
            random start) or ``none``.
        own_parameter: every index or offset has learned parameters of its own, so that one that
            carried no information can be switched off alone; otherwise a formula ties them.
        selection: what a query can single out by it: ``any`` one position or offset; ``order``,
            where a learned function changes little from one offset to the next, so that it tells
            near from far but no one offset from its neighbours; ``none``, where that function is
            fixed or there is none.

    Raises:
        InvalidInput: ``reference`` or ``selection`` is none of these words.
    """

    name: str
    reference: str
    own_parameter: bool
    summary: str
    source: str
    selection: str = "any"

    def __post_init__(self) -> None:
        if self.reference not in REFERENCES:
            raise unknown_name("reference", self.reference, REFERENCES)
        if self.selection not in SELECTIONS:
            raise unknown_name("selection", self.selection, SELECTIONS)

    @property
    def own_positions(self) -> bool:
        """Whether every index in the sequence has a learned vector of its own."""
        return self.reference == "absolute" and self.own_parameter


_ENCODINGS = (
    Encoding("ape", "absolute", True, "learned absolute positions", "Radford et al. 2019"),
    Encoding("sinusoidal", "absolute", False, "fixed sine waves", "Vaswani et al. 2017"),
    Encoding("rpe", "relative", True, "a learned key per offset", "Shaw et al. 2018"),
    Encoding("t5", "relative", True, "a learned bias per offset and head", "Raffel et al. 2020"),
    Encoding("rope", "relative", False, "rotation by the offset", "Su et al. 2021"),
    Encoding(
        "alibi", "relative", False, "a penalty linear in the offset", "Press et al. 2022", "none"
    ),
    Encoding(
        "fire",
        "relative",
        False,
        "a learned function of the offset's logarithm",
        "Li et al. 2024",
        "order",
    ),
    Encoding(
        "abacus",
        "significance",
        False,
        "digits numbered within each number, random start",
        "McLeish et al. 2024",
    ),
    Encoding(
        "coupled",
        "significance",
        False,
        "digits of equal weight share a position, random start",
        "Cho et al. 2024",
    ),
    Encoding(
        "nope",
        "none",
        False,
        "no encoding; order from the causal mask",
        "Kazemnejad et al. 2023",
        "none",
    ),
)
ENCODINGS = {e.name: e for e in _ENCODINGS}
"""Every encoding.  To add one, add a row here and a module to ``verify.model.positions``."""


def encoding(name: str) -> Encoding:
    """The encoding of that name (InvalidInput: there is none)."""
    return look_up("encoding", name, ENCODINGS)
