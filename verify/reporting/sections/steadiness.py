"""Steadiness: whether firm answers tell which models do as predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from arith.theory.display.markdown import Markdown
from arith.theory.display.text import count
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.premises import asked_then, presumes_steady
from arith.verify.judging.standards import MECHANISM, TOLERANCE, explains, meets
from arith.verify.plan.premise import SEEN_STEADY, STEADY, least_kept
from arith.verify.reporting.blocks import Block, Heading, Table
from arith.verify.reporting.report import Report
from arith.verify.reporting.tables import by_kept

ORDER = 37
_SEEN = "has to be seen"


def section(report: Report) -> list[Block]:
    """How many measurements are as predicted, by how many answers were kept in the test."""
    found = [one for v in report.trained for one in _measured(v)]
    if not found:
        return []
    kinds = {
        "digits never shown together": [x for x in found if x.inferred and not x.tried],
        "ignored digits": [x for x in found if not x.inferred and not x.tried],
        _SEEN: [x for x in found if x.tried],
    }
    tables = {
        name: by_kept([(x.kept, x.right) for x in some], STEADY, SEEN_STEADY)
        for name, some in kinds.items()
        if some
    }
    names = list(next(iter(tables.values())))
    since = [x for x in found if x.foretold]
    return [
        Heading("Steadiness"),
        f"Of {_outcome([(x.firm, x.right) for x in found])} Enough are {STEADY:g} of them, and "
        f"{SEEN_STEADY:g} where only models that were seen to be steady are spoken of.",
        "Counting only models that were trained since this is a premise, by what it asked then: "
        + _outcome([(x.firm_then, x.right) for x in since]),
        Table(
            [
                {
                    "answers kept": name,
                    **{kind: _of(t[name]) for kind, t in tables.items()},
                }
                for name in names
                if any(t[name] for t in tables.values())
            ]
        ),
        Markdown(
            "*answers kept*: the share of answers at this length that stay when a tenth of another "
            "digit's vector is mixed into every operand digit, and of those that are open. Beside "
            "it, how many measurements are as predicted: the interval of the accuracy is within "
            f"{TOLERANCE:g} of the claim, give or take what training leaves open, and f^ explains "
            f"{MECHANISM:.0%} of the answers. Of models that met the premise, at lengths with "
            "digits that training never showed together (rule *joint support*), and at others "
            "whose exact claim rests on ignored digits."
            + (
                f" *{_SEEN}*: claims that speak only of models that were seen to be steady (rules "
                f"*shared parameters* and *neighbours*); those that kept less than {SEEN_STEADY:g} "
                "are not judged there."
                if _SEEN in tables
                else ""
            )
        ),
    ]


@dataclass(frozen=True)
class _Tried:
    """What one model did at one length.

    Args:
        kept: the share of answers that stayed.
        right: whether its accuracy is as predicted.
        foretold: whether the premise was stated before it was trained.
        firm_then: whether so many answers stayed as it asked then.
        inferred: whether joint support decides, not ignored digits.
        tried: whether the claim speaks only of models that were seen to be steady.
    """

    kept: float
    right: bool
    foretold: bool
    firm_then: bool
    inferred: bool
    tried: bool

    @property
    def firm(self) -> bool:
        """Whether so many answers stayed as it asks."""
        return self.kept >= least_kept(self.tried)


def _of(right: Sequence[bool]) -> str:
    return f"{sum(right)} of {len(right)}" if right else "-"


def _outcome(found: Sequence[tuple[bool, bool]]) -> str:
    """``3 measurements that kept enough .., 3 are as predicted; of 2 that did not, 0.``

    Args:
        found: whether so many answers stayed, and whether it is as predicted.
    """
    firm, others = ([right for is_firm, right in found if is_firm == x] for x in (True, False))
    return (
        f"{count(len(firm), 'measurement')} that kept enough answers when operand "
        f"digits were a little disturbed, {sum(firm)} are as predicted; of {len(others)} that did "
        f"not, {sum(others)}."
    )


def _measured(v: CellVerdict) -> Iterator[_Tried]:
    """Of each model and each length where it was tried."""
    for x in v.lengths:
        expected = x.prediction
        if not expected.asks_steady or expected.accuracy is None:
            continue
        goal, unseen = float(expected.accuracy), float(expected.unseen)
        for run in v.converged:
            for m in run.measurements:
                if m.digits == x.digits and m.steady is not None:
                    # Where there is no f^ any more, a former one was compared.
                    compared = m if v.prediction.learned else replace(m, learned=None)
                    right = meets([m], goal, goal, unseen) and explains([compared])
                    told = run.predicted
                    foretold = told is not None and presumes_steady(expected, told)
                    kept = min(1.0, m.steady + unseen)
                    tried = expected.tried
                    firm_then = told is not None and kept >= asked_then(told, tried)
                    yield _Tried(kept, right, foretold, firm_then, expected.infers, tried)
