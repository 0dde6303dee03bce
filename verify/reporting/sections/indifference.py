"""Indifference: whether the test in domain tells which models ignore digits on longer inputs."""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.display.markdown import Markdown
from arith.theory.display.text import count
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.standards import TOLERANCE
from arith.verify.plan.premise import INDIFFERENT
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import Block, Heading, Table
from arith.verify.reporting.report import Report
from arith.verify.reporting.tables import by_kept

ORDER = 35
FOLLOWS = 1 - TOLERANCE
"""The share of answers from which a model counts as following f^."""
_UP = {1: "one digit up", 2: "two", 3: "three"}


def section(report: Report) -> list[Block]:
    """How many models follow f^ on longer inputs, by how many answers they kept in the test."""
    found = [
        (run.indifference, shares)
        for v in report.trained
        for run in v.converged
        if run.indifference is not None and (shares := _followed(v, run))
    ]
    if not found:
        return []
    rows = by_kept(found, INDIFFERENT)
    kept, *others = rows.values()
    rest = [shares for models in others for shares in models]
    return [
        Heading("Indifference"),
        f"Of {count(len(kept), 'model')} that kept all answers when ignored digits were disturbed "
        f"in domain, {_following(kept)} follow f^ at every longer length tested"
        + (f"; of {len(rest)} that did not, {_following(rest)}." if rest else "."),
        Table([_row(name, some) for name, some in rows.items() if some]),
        Markdown(
            "*answers kept*: of held-out inputs of the trained lengths, the share whose answer "
            "stays when half of another token's vector is mixed into every token that should be "
            f"ignored. A model follows f^ where that gives {FOLLOWS:g} of its answers or more, "
            "give or take the inputs that training leaves open. Of models that met the premise, at "
            "lengths whose claim rests on ignored digits."
        ),
    ]


def _followed(v: CellVerdict, run: Run) -> dict[int, float]:
    """By how many digits are too many, the share of answers that follow f^ or need not.

    Of the lengths whose claim rests on ignored digits.
    """
    asked = {x.digits: float(x.prediction.unseen) for x in v.longer if x.prediction.ignores}
    trained = max(v.cell.setting.train.every_length)
    return {
        m.digits - trained: m.learned / m.samples + asked[m.digits]
        for m in run.measurements
        if m.digits in asked and m.learned is not None
    }


def _following(models: Sequence[dict[int, float]]) -> int:
    return sum(min(shares.values()) >= FOLLOWS for shares in models)


def _row(name: str, models: Sequence[dict[int, float]]) -> dict[str, str]:
    cells = {"answers kept": name, "models": str(len(models))}
    for up, text in _UP.items():
        tested = [shares[up] for shares in models if up in shares]
        following = sum(share >= FOLLOWS for share in tested)
        cells[f"follow f^ {text}"] = f"{following} of {len(tested)}" if tested else ""
    return cells
