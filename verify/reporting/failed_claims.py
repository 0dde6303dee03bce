"""The claims that were stored before training and did not come true, a row of a table for each."""

from __future__ import annotations

from collections import defaultdict

from arith.theory.display.text import claim_text
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict
from arith.verify.records.measurement import Measurement
from arith.verify.reporting.tables import claimed_of
from arith.verify.reporting.terminal import verdict_word

_Apart = tuple[str, Measurement]
"""The version of the theory that claimed something of a model, and what was measured."""


def failed_claims(v: CellVerdict) -> list[dict[str, str]]:
    """A row for each length of a cell at which a stored claim diverges, with the models there."""
    return [
        _failure(v, x, claim, models)
        for x in v.lengths
        if x.before == Verdict.DIVERGE
        for claim, models in _models_apart(v, x).items()
    ]


def _failure(v: CellVerdict, x: LengthVerdict, claim: str, models: list[_Apart]) -> dict[str, str]:
    return {
        "cell": v.name,
        "digits": str(x.digits),
        "claimed": claim,
        "theory": ", ".join(dict.fromkeys(theory for theory, _ in models)),
        "measured": ", ".join(f"{m.correct / m.samples:.3f}" for _, m in models),
        "as f^": ", ".join(
            "-" if m.learned is None else f"{m.learned / m.samples:.3f}" for _, m in models
        ),
        "today": claimed_of(x),
        "now": verdict_word(x.verdict),
    }


def _models_apart(v: CellVerdict, x: LengthVerdict) -> dict[str, list[_Apart]]:
    """The models that do not do what was stored of them at a length, by what that was."""
    apart = defaultdict[str, list[_Apart]](list)
    for model in v.by_model:
        [run] = model.runs
        told = run.predicted and run.predicted.at(x.digits)
        [here] = [y for y in model.lengths if y.digits == x.digits]
        if told and run.predicted and here.before == Verdict.DIVERGE:
            measured = (m for m in run.measurements if m.digits == x.digits)
            apart[claim_text(told)] += [(run.predicted.theory, m) for m in measured]
    return apart
