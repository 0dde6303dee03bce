"""Verdicts for programs: as JSON, as a table of all measurements, as JUnit XML.

docs/data.md says what each column of the table means.
"""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arith.theory.arithmetic.exact_text import text_and_float
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.prediction.predict import predict
from arith.theory.rules import THEORY_VERSION
from arith.theory.setting.requests import setting_columns
from arith.theory.text.text import claim_text, digits_text
from arith.verify.judging.intervals import Interval
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict, judge, published
from arith.verify.judging.standards import interval
from arith.verify.plan.recipe import BY_VERSION, Recipe
from arith.verify.records.budgets import merge
from arith.verify.records.evidence import read_evidence
from arith.verify.records.files import check_inside
from arith.verify.records.measurement import Measurement
from arith.verify.records.predicted import PredictedLength
from arith.verify.records.reading import FORMAT
from arith.verify.records.runs import Identity, Run, by_cell
from arith.verify.reporting.markdown import one_line
from arith.verify.reporting.report import Report, rerun_commands
from arith.verify.reporting.skill import skill_json
from arith.verify.reporting.summary import summarize
from arith.verify.reporting.terminal import interval_text, sentence


def report_json(report: Report) -> dict[str, Any]:
    """The counts of a report and all its cells, trained or not."""
    cells = [cell_json(v, report.recipe) for v in report.verdicts]
    counts = summarize(report.verdicts).to_json()
    return {"summary": counts | {"skill": skill_json(report.verdicts)}, "cells": cells}


def cell_json(v: CellVerdict, recipe: Recipe | None = None) -> dict[str, Any]:
    """A cell: what was asked, predicted, measured and judged.  Fractions are text.

    Measured accuracies are floats with their confidence interval.  What is ``measured`` at a length
    is pooled over the models that are judged there, or all where a claim says nothing; ``seeds``
    has every model.
    """
    told = v.prediction.to_json()
    forecasts = {n: x.to_json() for n, x in v.held_out().items()}
    return {
        "label": v.name,
        "setting": v.cell.to_json(),
        "verdict": v.verdict,
        "sentence": sentence(v),
        "command": "; ".join(rerun_commands(v, recipe)),
        "learned_function": told["learned_function"],
        "published": told["published"],
        "derivation": told["derivation"],
        "models": [
            {
                **_picked(run, "seed", "converged"),
                "in_domain": round(run.premise, 6),
                **_picked(run, "held_out", "indifference", "steps", "budget", "precision"),
            }
            for run in v.runs
        ],
        "lengths": [
            {**predicted, "forecast": forecasts.get(x.digits), **_length_json(v, x)}
            for predicted, x in zip(told["lengths"], v.lengths, strict=True)
        ],
    }


def _length_json(v: CellVerdict, x: LengthVerdict) -> dict[str, Any]:
    return {
        "measured": None if x.accuracy is None else _share(x.accuracy),
        "learned_share": None if x.learned is None else x.learned.value,
        "seeds": [
            {
                "seed": run.seed,
                **_picked(m, "correct", "samples", "exhaustive"),
                **_share(interval(m)),
                **_picked(m, "learned_share", "steady"),
            }
            for run in v.runs
            if (m := run.at(x.digits))
        ],
        "verdict": x.verdict,
        "published": published(v.prediction, x.prediction),
        "published_verdict": x.published,
        "predicted_before": x.before,
        "claim_is_stored": x.stored,
    }


def _share(x: Interval) -> dict[str, float]:
    return {"accuracy": x.value, "low": x.low, "high": x.high}


def _picked(of: Any, *names: str) -> dict[str, Any]:
    """Some attributes by their names."""
    return {name: getattr(of, name) for name in names}


def committed(folder: Path) -> tuple[list[Run], dict[Identity, list[str]]]:
    """The models of every report in a folder, each once; and the grids in which each stands.

    Raises:
        InvalidInput: the evidence is damaged, or a link leads out of the folder.
    """
    runs: list[Run] = []
    grids: dict[Identity, list[str]] = {}
    for path in sorted(folder.glob("*/evidence.jsonl")):
        check_inside(path.parent, folder)
        found = read_evidence(path)
        runs = merge(runs, found)
        for run in found:
            grids.setdefault(run.identity, []).append(path.parent.name)
    return runs, grids


def dataset(runs: Iterable[Run], grids: Mapping[Identity, Sequence[str]]) -> str:
    """All measurements as CSV: a line each, sorted by cell, recipe, precision, seed and length.

    Args:
        runs: at least one, with a measurement.
        grids: the names of the grids in which a model stands, where they are known.
    """
    rows = []
    ordered = sorted(runs, key=lambda r: (r.cell.key, r.recipe, r.precision, r.seed))
    for of_cell in by_cell(ordered).values():
        prediction = predict(of_cell[0].cell.setting)
        for run in of_cell:
            v = judge(run.cell, [run], prediction)
            judged = {x.digits: x for x in v.lengths}
            asked = {"format": FORMAT, "grids": " ".join(grids.get(run.identity, ()))}
            asked |= _model_columns(run)
            for m in sorted(run.measurements, key=lambda m: m.digits):
                rows.append(
                    asked | _prediction_columns(v, judged[m.digits], run) | _measured_columns(m)
                )
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _model_columns(run: Run) -> dict[str, Any]:
    """What was asked, and how the model was trained."""
    recipe = BY_VERSION.get(run.recipe)
    asked, found = setting_columns(run.cell.setting), re.search(r"torch ([^,]+)", run.machine)
    return {
        "cell": run.cell.label(),
        "task": asked.pop("task"),
        "modulus": asked.pop("modulus"),
        "expression": run.cell.setting.task.text(),
        **{"pe" if name == "encoding" else name: value for name, value in asked.items()},
        "model": run.cell.model,
        "seed": run.seed,
        "command": run.cell.command(run.seed, run.budget, 1, run.precision, recipe),
        "recipe": recipe and recipe.name,
        "recipe_version": run.recipe,
        "precision": run.precision,
        "torch": found[1] if found else None,
        **_picked(run, "machine", "steps", "budget", "seconds"),
        **_picked(run, "premise", "held_out", "converged", "indifference"),
    }


def _prediction_columns(v: CellVerdict, x: LengthVerdict, run: Run) -> dict[str, Any]:
    """What is predicted at a length today, what was before the training, and the verdicts."""
    now, told = x.prediction, run.predicted
    before = told.at(x.digits) if told else None
    return {
        "digits": x.digits,
        "direction": now.direction,
        "theory": THEORY_VERSION,
        "learned_function": v.prediction.learned_text,
        "status": now.status,
        "claim": now.claim,
        **_predicted_shares("", now),
        "before_theory": told and told.theory,
        "before_learned_function": told and told.learned,
        "before_status": before and before.status,
        "before_claim": before and before.claim,
        **_predicted_shares("before_", before),
        "published": published(v.prediction, now),
        "verdict": x.verdict,
        "before_verdict": x.before,
        "published_verdict": x.published,
    }


def _predicted_shares(head: str, x: LengthPrediction | PredictedLength | None) -> dict[str, Any]:
    """The predicted shares, exact and as decimals."""
    found: dict[str, Any] = {}
    for name in ("accuracy", "learned_accuracy", "unseen_share", "at_most", "at_least"):
        found |= text_and_float(head + name, getattr(x, name, None))
    return found


def _measured_columns(m: Measurement) -> dict[str, Any]:
    """What was measured; the counts of single digits are joined, units first."""
    return {
        name: " ".join(map(str, value)) if isinstance(value, tuple) else value
        for name, value in vars(m).items()
    }


def junit(verdicts: Sequence[CellVerdict]) -> str:
    """The verdicts as JUnit XML: a case per length, failed where it diverges."""
    suite = ET.Element("testsuite", name="arith verify")
    for v in verdicts:
        for x in v.lengths:
            name = digits_text(x.digits)
            case = ET.SubElement(suite, "testcase", classname=one_line(v.name), name=name)
            if x.verdict == Verdict.DIVERGE:
                predicted = claim_text(x.prediction)
                message = f"predicted {predicted}, measured {interval_text(x.accuracy)}"
                ET.SubElement(case, "failure", message=one_line(message))
            elif x.verdict not in (Verdict.AGREE, Verdict.PREMISE):
                is_untested = x.verdict == Verdict.INCONCLUSIVE
                why = f"{x.verdict}: {v.reason}" if is_untested else x.verdict
                ET.SubElement(case, "skipped", message=one_line(why))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
