"""Causes: what is known of each divergence, beside the evidence.

A divergence that has been looked into is a finding; one that has not fails the gate.  So does a
cause without its divergence: either the evidence or the theory has moved on.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from theory.tasks import InvalidInput
from verify.judge import DIVERGE, CellVerdict

Causes = dict[tuple[str, int], str]
"""The likely cause, by the cell's label with its model, and the test length."""


def read_causes(path: Path) -> Causes:
    """The causes of a file: ``[[cause]]`` tables with ``cell``, ``digits`` and ``likely``.

    Returns:
        none where there is no such file.

    Raises:
        InvalidInput: the file cannot be read, or a table lacks something.
    """
    if not path.exists():
        return {}
    try:
        tables = tomllib.loads(path.read_text()).get("cause", [])
        return {(t["cell"], n): " ".join(t["likely"].split()) for t in tables for n in t["digits"]}
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"cannot read the causes {path}: {error}") from None


def divergences(verdicts: Sequence[CellVerdict]) -> list[tuple[str, int]]:
    """What diverges, as ``Causes`` names it."""
    return [
        (name(v), x.prediction.digits) for v in verdicts for x in v.lengths if x.verdict == DIVERGE
    ]


def name(v: CellVerdict) -> str:
    """A cell and its model in a few words."""
    return f"{v.cell.label()} · {v.cell.model}"


def unexplained(verdicts: Sequence[CellVerdict], causes: Causes) -> list[str]:
    """What fails the gate, a line each: divergences without a cause, causes without one."""
    found = divergences(verdicts)
    return [
        *(
            f"{cell}, {n} digits: diverges, and no cause is named"
            for cell, n in found
            if (cell, n) not in causes
        ),
        *(
            f"{cell}, {n} digits: a cause is named, and it does not diverge"
            for cell, n in causes
            if (cell, n) not in found
        ),
    ]
