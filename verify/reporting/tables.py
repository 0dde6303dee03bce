"""Tables and numbers as reports show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from arith.theory.display.text import claim_text
from arith.verify.judging.intervals import Interval
from arith.verify.judging.judge import LengthVerdict, Verdict

T = TypeVar("T")


def interval_text(x: Interval | None) -> str:
    """``0.331 [0.311, 0.352]``; no interval where every input was tested; or a dash."""
    if x is None:
        return "-"
    return f"{x.value:.3f}" + (f" [{x.low:.3f}, {x.high:.3f}]" if x.low < x.high else "")


def claimed_of(x: LengthVerdict) -> str:
    """What theory claims of a length, or that it claims it of steady models and none was seen."""
    is_void = x.verdict == Verdict.UNDETERMINED and x.prediction.tried
    return "none steady" if is_void else claim_text(x.prediction)


def by_kept(
    found: Iterable[tuple[float, T]], least: float, firm: float | None = None
) -> dict[str, list[T]]:
    """What was found of models, as the rows of a table, by the share of answers that they kept.

    Args:
        found: the share that was kept, and what was found.
        least: the share from which a model is judged.
        firm: a higher share, above which models have a row of their own.
    """
    names = {least: f"{least:g} or more, not all"}
    if firm is not None:
        names = {firm: f"{firm:g} or more, not all", least: f"{least:g} or more, not {firm:g}"}
    names = {1.0: "all", **names, 0.0: f"less than {least:g}: not judged"}
    rows: dict[str, list[T]] = {name: [] for name in names.values()}
    for kept, x in found:
        rows[next(name for share, name in names.items() if kept >= share)].append(x)
    return rows
