"""Known divergences: what was found out about claims that fail and cells that do not converge.

A claim that diverges and has been looked into is a finding; one that has not fails the gate.  Every
text has to be about something that the evidence shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arith.theory.errors import InvalidInput
from arith.theory.text.text import digits_text
from arith.verify.judging.judge import CellVerdict
from arith.verify.plan.given import read_toml
from arith.verify.records.reading import Length, Line, read


@dataclass(frozen=True)
class KnownDivergences:
    """What has been found out; cells are named as ``CellVerdict.name`` does.

    Args:
        causes: the likely cause of a divergence, by cell and test length.
        tried: what was tried with a cell that did not meet the premise.
    """

    causes: dict[tuple[str, int], str] = field(default_factory=dict)
    tried: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Cause:
    """A table of the file: why a cell diverges at some test lengths."""

    cell: Line
    digits: tuple[Length, ...]
    likely: str


@dataclass(frozen=True)
class _Tried:
    """A table of the file: what was tried with a cell."""

    cell: Line
    what: str


@dataclass(frozen=True)
class _File:
    cause: tuple[_Cause, ...] = ()
    tried: tuple[_Tried, ...] = ()


def read_known_divergences(path: Path) -> KnownDivergences:
    """Read the file ``causes.toml`` beside the evidence; it may be missing.

    It has ``[[cause]]`` tables with ``cell``, ``digits`` and ``likely``, and ``[[tried]]`` tables
    with ``cell`` and ``what`` (InvalidInput: it cannot be read, or a table lacks something).
    """
    if not path.exists():
        return KnownDivergences()
    try:
        file = read(_File, read_toml(path, "the causes"))
    except InvalidInput as error:
        raise InvalidInput(f"cannot read the causes {path}: {error}") from None
    return KnownDivergences(
        {(x.cell, n): " ".join(x.likely.split()) for x in file.cause for n in x.digits},
        {x.cell: " ".join(x.what.split()) for x in file.tried},
    )


def unexplained(verdicts: Sequence[CellVerdict], known: KnownDivergences) -> list[str]:
    """The claims that diverge without a cause, a line each."""
    return [
        f"{v.name}, {digits_text(x.digits)}: diverges, and no cause is named"
        for v in verdicts
        for x in v.diverging
        if (v.name, x.digits) not in known.causes
    ]


def out_of_date(verdicts: Sequence[CellVerdict], known: KnownDivergences) -> list[str]:
    """The texts about a divergence that is none, or a premise that was met, a line each."""
    diverging = {(v.name, x.digits) for v in verdicts for x in v.diverging}
    missed = {v.name for v in verdicts if v.runs and not v.converged}
    agreeing = [at for at in known.causes if at not in diverging]
    met = [cell for cell in known.tried if cell not in missed]
    return [
        *(f"{v}, {digits_text(n)}: a cause is named, and it does not diverge" for v, n in agreeing),
        *(f"{cell}: what was tried is told, and no model missed the premise" for cell in met),
    ]
