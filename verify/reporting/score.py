"""The score of what was said before training: claims and forecasts as they were stored.

It is made where ``forecasts.jsonl`` stands beside the evidence, of what is trained so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import median

from arith.theory.arithmetic.directions import EXTRAPOLATING
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.forecast import INTERVAL
from arith.theory.text.answer import INPUTS
from arith.theory.text.text import claim_text
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.premises import claim_applied, forecasts_are_of_all
from arith.verify.judging.standards import TOLERANCE
from arith.verify.plan.cells import Cell
from arith.verify.plan.premise import SEEN_STEADY
from arith.verify.reporting.before import StoredLength, read_before
from arith.verify.reporting.blocks import Block, Heading, Items, Table, text
from arith.verify.reporting.report import Report
from arith.verify.reporting.skill import (
    NAMES,
    Answer,
    answer,
    decimals,
    error,
    estimate,
    percent,
    skill,
)
from arith.verify.reporting.summary import FRACTIONAL, summarize

Row = tuple[str, str, str, Answer]
"""A cell, digits, what was said, and what was measured."""
LEAST_AGREE, MOST_ERROR, COVERAGE = 0.97, 0.5, (0.74, 0.86)
"""What is asked, set before any was trained: the share of claims that agree, the error as a share
of the theorem's and of the best constants', and the share of accuracies within the intervals."""


def score_blocks(report: Report) -> list[Block]:
    """The section *Score*: nothing where no forecast was stored, or nothing is trained."""
    before = read_before(report.folder)
    rows = [row for v in report.trained for row in _rows(v, before.get(v.cell, {}))]
    found = [x for *_, x in rows]
    if not found:
        return []
    claims = summarize(report.verdicts).predicted_before
    share = claims.agree / claims.tested if claims.tested else None
    best = {i: median(x.right for x in found if x.inputs == i) for i in {x.inputs for x in found}}
    two, of_all = error(found, lambda x: best[x.inputs]), skill(found)
    both, theorem, inside = of_all.beside_theorem, of_all.theorem, of_all.forecasts_within
    every, constant = of_all.with_forecasts, of_all.constant
    misses = [
        {"cell": cell, "digits": digits, "said": said, "measured": decimals(x.right)}
        for cell, digits, said, x in rows
        if x.met and not x.within
    ]
    missed: list[Block] = [text("missed", misses=len(misses)), Table(misses)] if misses else []
    return [
        Heading("Score"),
        text(
            "score",
            cells=len(report.verdicts),
            trained=len(report.trained),
            converged=sum(bool(v.converged) for v in report.trained),
            lengths=len(found),
        ),
        Items(
            [
                f"{claims.agree} of {claims.tested} claims agree"
                + _asked(share, share is not None and share >= LEAST_AGREE, f"{LEAST_AGREE:.0%}"),
                f"where the published theorem speaks, claims with forecasts are off by "
                f"{decimals(both)}, the theorem by {decimals(theorem)}" + _half(both, theorem),
                f"at all lengths claims with forecasts are off by {decimals(every)}, the best "
                f"constant by {decimals(constant)}" + _half(every, constant),
                f"the best two constants, one of shorter and one of longer inputs, by "
                f"{decimals(two)}" + _half(every, two),
                f"of {of_all.answers - of_all.claimed} accuracies without a claim "
                f"{percent(inside)} are within the {INTERVAL:.0%} interval of the forecast"
                + _asked(
                    inside,
                    inside is not None and COVERAGE[0] <= inside <= COVERAGE[1],
                    " to ".join(f"{x:.0%}" for x in COVERAGE),
                ),
            ]
        ),
        Table([*_by_class(found)]),
        *_candidates(report, before),
        *missed,
    ]


def _rows(v: CellVerdict, before: dict[int, StoredLength]) -> Iterator[Row]:
    """What was said and measured of each converged model at each shorter and longer length."""
    expected = {x.digits: x.prediction for x in v.lengths}
    for run in v.converged:
        for m in run.measurements:
            x, told = expected.get(m.digits), before.get(m.digits)
            stored = run.predicted.at(m.digits) if run.predicted else None
            if x is None or stored is None or told is None or x.direction not in EXTRAPOLATING:
                continue
            forecast, is_open = told.forecast, stored.claim == Claim.NONE
            met = is_open or claim_applied(x, v.cell.setting, run)
            of_all = run.predicted is not None and forecasts_are_of_all(run.predicted)
            said = estimate(stored, forecast, met or not of_all)
            words = claim_text(stored)
            if is_open and forecast is not None:
                words = f"forecast {forecast.low:.2f} to {forecast.high:.2f}"
            found = answer(v, x, stored, forecast, m.accuracy, met, said)
            yield v.name, str(m.digits), words, found


def _by_class(found: Sequence[Answer]) -> Iterator[dict[str, str]]:
    inputs_, kinds = dict.fromkeys(x.inputs for x in found), dict.fromkeys(x.kind for x in found)
    for inputs, kind in product(inputs_, kinds):
        x = skill([x for x in found if (x.inputs, x.kind) == (inputs, kind)])
        if x.answers:
            yield {
                "inputs": inputs,
                "class": NAMES.get(kind, kind),
                "lengths": str(x.answers),
                "claimed": str(x.claimed),
                "claims": decimals(x.claims),
                "forecasts": decimals(x.forecasts),
                "both": decimals(x.with_forecasts),
                "constant": decimals(x.constant),
                "theorem": decimals(x.theorem),
                "in forecasts": percent(x.forecasts_within),
            }


def _candidates(report: Report, before: Mapping[Cell, Mapping[int, StoredLength]]) -> list[Block]:
    """Of stable models where nothing was claimed: how many had one of the accuracies named."""
    found: dict[tuple[str, str], list[tuple[bool, bool, bool]]] = {}
    for v in report.trained:
        kind = "natural" if v.cell.setting.natural else "padded"
        for m in (m for run in v.converged for m in run.measurements):
            x = before.get(v.cell, {}).get(m.digits)
            is_open = x is not None and x.claim == Claim.NONE and bool(x.candidates)
            if x is None or not is_open or m.steady is None or m.steady < SEEN_STEADY:
                continue
            near = [abs(m.accuracy - float(c)) <= TOLERANCE for c in x.candidates]
            is_fraction = FRACTIONAL <= x.candidates[-1] <= 1 - FRACTIONAL
            found.setdefault((kind, INPUTS[x.inputs]), []).append((near[0], near[-1], is_fraction))
    rows = [
        {
            "numbers": kind,
            "inputs": inputs,
            "stable lengths": str(len(some)),
            "either": str(sum(one or c for one, c, _ in some)),
            "near 1": str(sum(one for one, _, _ in some)),
            "near c": str(sum(c for _, c, _ in some)),
            "c a fraction": str(sum(fraction for *_, fraction in some)),
            "of these either": str(sum(fraction and (one or c) for one, c, fraction in some)),
        }
        for (kind, inputs), some in sorted(found.items())
    ]
    return [text("either", stable=SEEN_STEADY, tolerance=TOLERANCE), Table(rows)] if rows else []


def _half(error: float | None, other: float | None) -> str:
    """Whether an error is at most half of another."""
    is_met = error is not None and other is not None and error <= MOST_ERROR * other
    return _asked(error if other is not None else None, is_met, "at most half")


def _asked(value: float | None, is_met: bool, what: str) -> str:
    return "" if value is None else f" (asked: {what}; {'met' if is_met else 'not met'})"
