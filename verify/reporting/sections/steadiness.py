"""Steadiness: whether firm answers tell which models are right on digits never shown together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from theory.display.tables import markdown_table
from verify.judging.judge import CellVerdict
from verify.judging.premises import presumes_steady
from verify.judging.standards import TOLERANCE, meets
from verify.plan.premise import STEADY
from verify.reporting.report import Report
from verify.reporting.tables import by_kept, count

ORDER = 37


def section(report: Report) -> list[str]:
    """How many measurements are as predicted, by how many answers were kept in the test."""
    found = [one for v in report.trained for one in _measured(v)]
    if not found:
        return []
    rows = by_kept([(x.kept, x.right) for x in found], STEADY)
    since = [x for x in found if x.foretold]
    return [
        "## Steadiness",
        f"Of {_outcome(found)}",
        f"Counting only models that were trained since this is a premise: {_outcome(since)}",
        markdown_table(
            [
                {
                    "answers kept": name,
                    "measurements": str(len(some)),
                    "as predicted": f"{sum(some)} of {len(some)}",
                }
                for name, some in rows.items()
                if some
            ]
        ),
        "*answers kept*: the share of answers at this length that stay when a tenth of another "
        "digit's vector is mixed into every operand digit. A measurement is as predicted where "
        f"the interval of its accuracy is within {TOLERANCE:g} of the claim, give or take what "
        "training leaves open. Of models that met the premise, at lengths with digits that "
        "training never showed together (rule *joint support*).",
    ]


@dataclass(frozen=True)
class _Tried:
    """What one model did at one length.

    Args:
        kept: the share of answers that stayed.
        right: whether its accuracy is as predicted.
        foretold: whether the premise was stated before it was trained.
    """

    kept: float
    right: bool
    foretold: bool


def _outcome(found: Sequence[_Tried]) -> str:
    """``3 measurements that kept 0.99 .., 3 are as predicted; of 2 that did not, 0.``"""
    firm, others = (
        [x.right for x in found if (x.kept >= STEADY) == kept] for kept in (True, False)
    )
    return (
        f"{count(len(firm), 'measurement')} that kept {STEADY:g} of the answers when operand "
        f"digits were a little disturbed, {sum(firm)} are as predicted; of {len(others)} that did "
        f"not, {sum(others)}."
    )


def _measured(v: CellVerdict) -> Iterator[_Tried]:
    """Of each model and each length where it was tried."""
    for x in v.lengths:
        expected = x.prediction
        if not expected.infers or expected.accuracy is None:
            continue
        goal, unseen = float(expected.accuracy), float(expected.unseen)
        for run in v.converged:
            for m in run.measurements:
                if m.digits == x.digits and m.steady is not None:
                    right = meets([m], goal, goal, unseen)
                    told = run.predicted is not None and presumes_steady(run.predicted)
                    yield _Tried(m.steady, right, told)
