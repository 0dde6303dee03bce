"""Expressibility: what C-RASP and RASP-L say of longer inputs, beside our own prediction.

Both ask whether one program solves a task at all lengths.  Neither asks which lengths or which
digits were trained, and neither gives an accuracy.  What is here is what their papers say of
addition, copying and parity; a task that they do not name gets nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from arith.theory.generalization.outcomes import Status
from arith.theory.setting.settings import Setting

_HUANG = "Huang et al. 2024, arXiv 2410.02140"
_ZHOU = "Zhou et al. 2023, arXiv 2310.16028"


@dataclass(frozen=True)
class Expressibility:
    """What one criterion says of longer inputs, the reason in a clause, and the paper."""

    criterion: str
    says: Status
    reason: str
    source: str

    def text(self) -> str:
        """``RASP-L: right on longer inputs, as it has ... (Zhou et al. 2023, ...).``."""
        right = "right" if self.says == Status.GENERALIZES else "wrong"
        return f"{self.criterion}: {right} on longer inputs, as {self.reason} ({self.source})."


def expressibility(setting: Setting) -> tuple[Expressibility, ...]:
    """What the criteria say of a setting; empty where they do not speak of it."""
    what = _named(setting)
    layout = setting.layout
    own = layout.interleaved or layout.scratchpad or layout.spaced
    own = own or layout.from_left > 1 or layout.fills_with_zeros
    written_as_theirs = setting.natural and not own
    if not what or not written_as_theirs or setting.encoding.name not in ("ape", "nope"):
        return ()
    if layout.hinted:
        why = f"{what} with index hints has a short RASP-L program"
        right = Expressibility("RASP-L", Status.GENERALIZES, why, _ZHOU)
        return (right,) if what == "addition" else ()
    none = f"{what} has no"
    return (
        Expressibility("C-RASP", Status.FAILS, f"{none} C-RASP program", _HUANG),
        Expressibility("RASP-L", Status.FAILS, f"{none} short RASP-L program without hints", _ZHOU),
    )


def _named(setting: Setting) -> str:
    """The task as the papers call it; empty for another."""
    task, base = setting.task, setting.base
    ones = sorted(task.terms) == [(1, (0, 1)), (1, (1, 0))]
    if ones and task.modulus is None:
        return "addition"
    if task.name == "parity":
        return "parity"
    if task.terms != ((1, (1,)),):
        return ""
    if task.modulus is None:
        return "copying with repeated digits"
    # A number is as its digits' sum modulo 2, in an odd base; in an even one it is as its units.
    return "parity" if task.modulus == 2 and base % 2 else ""
