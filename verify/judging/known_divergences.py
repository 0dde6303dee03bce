"""Causes: what is known of each divergence and each inconclusive cell, beside the evidence.

A claim that diverges and has been looked into is a finding; one that has not fails the gate, and
so does a new measurement of that kind.  Beside committed evidence no text may be about something
that is not there: the evidence or the theory has moved on.  Where a learned function is not met, and was not
claimed to be, a cause may be named too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from theory.errors import InvalidInput
from verify.judging.judge import DIVERGE, CellVerdict


@dataclass(frozen=True)
class Causes:
    """What has been found out; cells are named by their label with their model.

    Args:
        likely: the likely cause of a divergence, by cell and test length.
        tried: what was tried with a cell that did not meet the premise.
    """

    likely: dict[tuple[str, int], str] = field(default_factory=dict)
    tried: dict[str, str] = field(default_factory=dict)


def read_causes(path: Path) -> Causes:
    """The causes of a file.

    It has ``[[cause]]`` tables with ``cell``, ``digits`` and ``likely``, and ``[[tried]]`` tables
    with ``cell`` and ``what``.

    Returns:
        none where there is no such file.

    Raises:
        InvalidInput: the file cannot be read, or a table lacks something.
    """
    if not path.exists():
        return Causes()
    try:
        data = tomllib.loads(path.read_text())
        return Causes(
            {
                (t["cell"], n): _line(t["likely"])
                for t in data.get("cause", [])
                for n in t["digits"]
            },
            {t["cell"]: _line(t["what"]) for t in data.get("tried", [])},
        )
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"cannot read the causes {path}: {error}") from None


def _line(text: str) -> str:
    return " ".join(text.split())


def divergences(verdicts: Sequence[CellVerdict]) -> list[tuple[str, int]]:
    """What diverges, if only from the learned function, as ``Causes`` names it."""
    return [
        (name(v), x.prediction.digits)
        for v in verdicts
        for x in v.lengths
        if DIVERGE in (x.verdict, x.exact)
    ]


def name(v: CellVerdict) -> str:
    """A cell and its model in a few words."""
    return f"{v.cell.label()} · {v.cell.model}"


def unexplained(verdicts: Sequence[CellVerdict], causes: Causes) -> list[str]:
    """The claims that diverge without a cause, a line each."""
    return [
        f"{name(v)}, {x.prediction.digits} digits: diverges, and no cause is named"
        for v in verdicts
        for x in v.lengths
        if x.verdict == DIVERGE and (name(v), x.prediction.digits) not in causes.likely
    ]


def out_of_date(verdicts: Sequence[CellVerdict], causes: Causes) -> list[str]:
    """Texts about a divergence or an inconclusive cell that is none, a line each."""
    found = divergences(verdicts)
    inconclusive = [name(v) for v in verdicts if v.runs and not v.converged]
    return [
        *(
            f"{cell}, {n} digits: a cause is named, and it does not diverge"
            for cell, n in causes.likely
            if (cell, n) not in found
        ),
        *(
            f"{cell}: what was tried is told, and it is not inconclusive"
            for cell in causes.tried
            if cell not in inconclusive
        ),
    ]
