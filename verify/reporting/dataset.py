"""All measurements as one table: what was asked, predicted, measured and judged, a line for each.

docs/data.md says what each column means.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from arith.theory.inference.rules import THEORY_VERSION
from arith.theory.numbers.exact_text import text_and_float
from arith.theory.prediction.lengths import LengthPrediction
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import setting_texts
from arith.verify.judging.judge import CellVerdict, LengthVerdict, judge, published
from arith.verify.plan.recipe import BY_VERSION
from arith.verify.records.budgets import merge
from arith.verify.records.evidence import read_evidence
from arith.verify.records.files import check_inside
from arith.verify.records.measurement import Measurement
from arith.verify.records.predicted import PredictedLength
from arith.verify.records.reading import FORMAT
from arith.verify.records.runs import Identity, Run


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
    """The table as CSV: a line per measurement, sorted by cell, recipe, precision, seed and length.

    Args:
        runs: at least one, with a measurement.
        grids: the names of the grids in which a model stands, where they are known.
    """
    rows = []
    ordered = sorted(runs, key=lambda r: (r.cell.key, r.recipe, r.precision, r.seed))
    for _, of_cell in groupby(ordered, key=lambda r: r.cell.key):
        prediction = None
        for run in of_cell:
            prediction = prediction or predict(run.cell.setting)
            v = judge(run.cell, [run], prediction)
            judged = {x.digits: x for x in v.lengths}
            asked = {"format": FORMAT, "grids": " ".join(grids.get(run.identity, ()))}
            asked |= _model(run)
            for m in sorted(run.measurements, key=lambda m: m.digits):
                rows.append(asked | _prediction(v, judged[m.digits], run) | _measurement(m))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _model(run: Run) -> dict[str, Any]:
    """What was asked, and how the model was trained."""
    recipe = BY_VERSION.get(run.recipe)
    task, found = run.cell.setting.task, re.search(r"torch ([^,]+)", run.machine)
    return {
        "cell": run.cell.label(),
        "task": task.name,
        "modulus": task.modulus,
        "expression": task.text(),
        **setting_texts(run.cell.setting),
        "model": run.cell.model,
        "seed": run.seed,
        "command": run.cell.command(run.seed, run.budget, 1, run.precision, recipe),
        "recipe": recipe and recipe.name,
        "recipe_version": run.recipe,
        "precision": run.precision,
        "torch": found[1] if found else None,
        "machine": run.machine,
        "steps": run.steps,
        "budget": run.budget,
        "seconds": run.seconds,
        "premise": run.premise,
        "held_out": run.held_out,
        "converged": run.converged,
        "indifference": run.indifference,
    }


def _prediction(v: CellVerdict, x: LengthVerdict, run: Run) -> dict[str, Any]:
    """What is predicted at a length today, what was before the training, and the verdicts."""
    now, told = x.prediction, run.predicted
    before = next((y for y in told.lengths if y.digits == x.digits), None) if told else None
    return {
        "digits": x.digits,
        "direction": now.direction,
        "theory": THEORY_VERSION,
        "learned_function": v.prediction.learned_text,
        "status": now.status,
        "claim": now.claim,
        **_shares("", now),
        "before_theory": told and told.theory,
        "before_learned_function": told and told.learned,
        "before_status": before and before.status,
        "before_claim": before and before.claim,
        **_shares("before_", before),
        "published": published(v.prediction, now),
        "verdict": x.verdict,
        "before_verdict": x.before,
        "published_verdict": x.published,
    }


def _shares(head: str, x: LengthPrediction | PredictedLength | None) -> dict[str, Any]:
    """The predicted shares, exact and as decimals."""
    found: dict[str, Any] = {}
    for name in ("accuracy", "learned_accuracy", "unseen_share", "at_most", "at_least"):
        found |= text_and_float(head + name, getattr(x, name, None))
    return found


def _measurement(m: Measurement) -> dict[str, Any]:
    """What was measured; the counts of single digits are joined, units first."""
    return {
        name: " ".join(map(str, value)) if isinstance(value, tuple) else value
        for name, value in vars(m).items()
    }
