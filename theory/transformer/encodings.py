"""Positional encodings: what lets a query tell positions apart."""

from __future__ import annotations

from dataclasses import dataclass

from arith.theory.errors import InvalidInput, Registry, look_up, unknown_name

REFERENCES = ("absolute", "shifted", "random", "relative", "significance", "none")
SELECTIONS = ("any", "order", "none")


@dataclass(frozen=True)
class Encoding:
    """A positional encoding, by the three facts that enter the theory.

    Args:
        reference: what a position is told apart by: ``absolute`` (its index in the sequence),
            ``shifted`` (its index from a random start), ``random`` (an index of a sorted random
            subset that is drawn for each example, by itself or by offsets), ``relative`` (its
            offset from the query), ``significance`` (its digit's weight, from a random start) or
            ``none``.
        own_parameter: every index or offset has learned parameters of its own, so that one that
            carried no information can be switched off alone; otherwise a formula ties them.
        selection: what a query can single out by it: ``any`` one position or offset; ``order``,
            where a learned function changes little from one offset to the next, so that it tells
            near from far but no one offset from its neighbours; ``none``, where that function is
            fixed or there is none.
        by_weight: the numbers that it gives to digits are their weights; otherwise, if it gives
            any, they count from where the number starts.
        merged_from: of ``relative`` alone: the first offset that shares its parameters with others,
            as where offsets are clipped or put into buckets; 0 where none does.  From there on
            training shows all offsets if it shows one.
        label: its usual name, as readers see it; ``name`` where none is given.

    Raises:
        InvalidInput: ``reference`` or ``selection`` is none of these words, or ``merged_from`` is
            given without offsets.
    """

    name: str
    reference: str
    own_parameter: bool
    summary: str
    source: str
    selection: str = "any"
    label: str = ""
    by_weight: bool = False
    merged_from: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or self.name)
        if self.reference not in REFERENCES:
            raise unknown_name("reference", self.reference, REFERENCES)
        if self.selection not in SELECTIONS:
            raise unknown_name("selection", self.selection, SELECTIONS)
        if self.merged_from and self.reference != "relative":
            raise InvalidInput(f"merged_from is for relative encodings; {self.name} is not one")

    def merges(self, tokens: int) -> bool:
        """Whether a query that sees so many tokens has some at the same address."""
        return 0 < self.merged_from < tokens - 1

    def merged(self, offset: int) -> int:
        """The address of an offset: the first that shares its parameters stands for all that do."""
        return min(offset, self.merged_from) if self.merged_from else offset

    @property
    def random_start(self) -> bool:
        """Whether the numbers that it gives start at a random one in training."""
        return self.reference in ("shifted", "significance")

    @property
    def own_positions(self) -> bool:
        """Whether every index in the sequence has a learned vector of its own."""
        return self.reference == "absolute" and self.own_parameter


_ENCODINGS = (
    Encoding(
        "ape", "absolute", True, "learned absolute positions", "Radford et al. 2019", label="APE"
    ),
    Encoding(
        "shifted",
        "shifted",
        False,
        "learned absolute positions, random start",
        "Kiyono et al. 2021",
        label="shifted APE",
    ),
    Encoding(
        "randomized",
        "random",
        False,
        "learned positions, random increasing indices",
        "Ruoss et al. 2023",
        label="randomized APE",
    ),
    Encoding("sinusoidal", "absolute", False, "fixed sine waves", "Vaswani et al. 2017"),
    Encoding("rpe", "relative", True, "a learned key per offset", "Shaw et al. 2018", label="RPE"),
    Encoding(
        "t5",
        "relative",
        True,
        "a learned bias per offset and head",
        "Raffel et al. 2020",
        label="T5",
    ),
    Encoding("rope", "relative", False, "rotation by the offset", "Su et al. 2021", label="RoPE"),
    Encoding(
        "alibi",
        "relative",
        False,
        "a penalty linear in the offset",
        "Press et al. 2022",
        "none",
        label="ALiBi",
    ),
    Encoding(
        "fire",
        "relative",
        False,
        "a learned function of the offset's logarithm",
        "Li et al. 2024",
        "order",
        label="FIRE",
    ),
    Encoding(
        "randomized-fire",
        "random",
        False,
        "FIRE by the offset of random increasing indices",
        "Zhou et al. 2024",
        "order",
        label="randomized FIRE",
    ),
    Encoding(
        "abacus",
        "significance",
        False,
        "digits numbered within each number, random start",
        "McLeish et al. 2024",
        label="Abacus",
    ),
    Encoding(
        "coupled",
        "significance",
        False,
        "digits of equal weight share a position, random start",
        "Cho et al. 2024",
        by_weight=True,
    ),
    Encoding(
        "nope",
        "none",
        False,
        "no encoding; order from the causal mask",
        "Kazemnejad et al. 2023",
        "none",
        label="NoPE",
    ),
)
ENCODINGS = Registry({e.name: e for e in _ENCODINGS})
"""Every encoding.  To add one, add a row here and a module to ``verify.model.positions``."""
SHIPPED = ENCODINGS.ours
"""The names of those that come with a module."""


def encoding(name: str) -> Encoding:
    """The encoding of that name (InvalidInput: there is none)."""
    return look_up("encoding", name, ENCODINGS)
