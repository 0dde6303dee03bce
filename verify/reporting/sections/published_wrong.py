"""Where the published theorem says what was not measured, and what the refined theory says."""

from __future__ import annotations

from arith.theory.display.answer import INPUTS
from arith.theory.display.markdown import Markdown, plain
from arith.theory.display.text import claim_text, count
from arith.theory.setting.directions import EXTRAPOLATING, Direction
from arith.verify.judging.judge import CellVerdict, Verdict
from arith.verify.reporting.blocks import Block, Heading, Items
from arith.verify.reporting.report import Report

ORDER = 8


def section(report: Report) -> list[Block]:
    """A line for each cell and direction in which the theorem is wrong at some length."""
    items = [text for v in report.trained for d in EXTRAPOLATING if (text := _line(v, d))]
    if not items:
        return []
    wrong = sum(x.published == Verdict.DIVERGE for v in report.trained for x in v.lengths)
    return [
        Heading("Where the published theorem is wrong"),
        Markdown(
            f"At {count(wrong, 'length')} the theorem of arXiv 2407.17963 says *generalizes* "
            "(right on all inputs) or *fails* (wrong on some), and the models do otherwise. It "
            "does not ask how examples are written, so it is held to every layout. By cell, the "
            "accuracy measured at so many digits, and what the refined theory claims there:"
        ),
        Items(items),
    ]


def _line(v: CellVerdict, direction: Direction) -> str:
    """Empty where the theorem is not wrong."""
    lengths = [x for x in v.lengths if x.prediction.direction == direction]
    wrong = [x for x in lengths if x.published == Verdict.DIVERGE]
    if not wrong:
        return ""
    found = [(x.digits, v.measured(x.digits)) for x in wrong]
    measured = ", ".join(f"{value.value:.3f} at {n}" for n, value in found if value)
    claims = ", ".join(dict.fromkeys(claim_text(x.prediction) for x in wrong))
    says = v.prediction.published_verdict(direction)
    upward = direction == Direction.UPWARD
    because = f" ({v.prediction.published.theorem})" if upward else ""
    return Markdown(
        f"{plain(v.name)}: *{says}* on {INPUTS[direction]} inputs{because}; measured {measured}. "
        f"Refined theory: {claims}."
    )
