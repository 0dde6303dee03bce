"""A report as data: the values of its one JSON object."""

from __future__ import annotations

from typing import Any

from arith.verify.judging.intervals import Interval
from arith.verify.judging.judge import CellVerdict, LengthVerdict, published
from arith.verify.judging.standards import interval
from arith.verify.plan.recipe import Recipe
from arith.verify.records.measurement import Measurement
from arith.verify.records.runs import Run
from arith.verify.reporting.report import Report
from arith.verify.reporting.rerun import commands
from arith.verify.reporting.terminal import sentence
from arith.verify.reporting.totals import Totals, totals


def report_json(report: Report) -> dict[str, Any]:
    """The counts of a report and all its cells, trained or not."""
    cells = [cell_json(v, report.recipe) for v in report.verdicts]
    return {"summary": summary_json(totals(report.verdicts)), "cells": cells}


def summary_json(t: Totals) -> dict[str, Any]:
    """The counts; ``arith.verify.reporting.totals.Totals`` says what each is of."""
    return {
        "cells": t.cells,
        "conclusive": t.conclusive,
        "models": t.models,
        "converged": t.converged,
        "claims": {**vars(t.claims), "silent": t.silent, "inconclusive": t.inconclusive},
        "predicted_before": vars(t.before),
        "stored_and_kept": vars(t.kept),
        "stored_and_given_up": vars(t.given_up),
        "explained_after": vars(t.after),
        "published": vars(t.theorem),
        "wins_over_published": t.wins,
        "losses_to_published": t.losses,
        "fractional_agree": t.fractional,
        "silent_upward": {name: x.silent for name, x in t.upward.items()},
    }


def cell_json(v: CellVerdict, recipe: Recipe | None = None) -> dict[str, Any]:
    """A cell: what was asked, predicted, measured and judged.  Fractions are text.

    Measured accuracies are floats with their confidence interval.  What is ``measured`` at a length
    is pooled over the models that are judged there, or all where a claim says nothing; ``seeds``
    has every model.
    """
    told = v.prediction.to_json()
    lengths = zip(told["lengths"], v.lengths, strict=True)
    return {
        "label": v.name,
        "setting": v.cell.to_json(),
        "verdict": v.verdict,
        "sentence": sentence(v),
        "command": "; ".join(commands(v, recipe)),
        "learned_function": told["learned_function"],
        "published": told["published"],
        "derivation": told["derivation"],
        "models": [_model(run) for run in v.runs],
        "lengths": [{**predicted, **_judged_length(v, x)} for predicted, x in lengths],
    }


def _judged_length(v: CellVerdict, x: LengthVerdict) -> dict[str, Any]:
    return {
        "measured": None if x.accuracy is None else _share(x.accuracy),
        "learned_share": None if x.learned is None else x.learned.value,
        "seeds": [
            {"seed": run.seed, **_measured(m)}
            for run in v.runs
            for m in run.measurements
            if m.digits == x.digits
        ],
        "verdict": x.verdict,
        "published": published(v.prediction, x.prediction),
        "published_verdict": x.published,
        "predicted_before": x.before,
        "claim_is_stored": x.stored,
    }


def _measured(m: Measurement) -> dict[str, Any]:
    """What one model answered at a length."""
    return {
        "correct": m.correct,
        "samples": m.samples,
        "exhaustive": m.exhaustive,
        **_share(interval(m)),
        "learned_share": None if m.learned is None else m.learned / m.samples,
        "steady": m.steady,
    }


def _share(x: Interval) -> dict[str, float]:
    return {"accuracy": x.value, "low": x.low, "high": x.high}


def _model(run: Run) -> dict[str, Any]:
    return {
        "seed": run.seed,
        "converged": run.converged,
        "in_domain": round(run.premise, 6),
        "held_out": run.held_out,
        "indifference": run.indifference,
        "steps": run.steps,
        "budget": run.budget,
        "precision": run.precision,
    }
