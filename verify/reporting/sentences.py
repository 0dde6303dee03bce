"""Verdicts in sentences: one cell in a sentence, all cells in a line, the gate in a line."""

from __future__ import annotations

from collections.abc import Sequence

from theory.display.answer import INPUTS
from theory.display.text import claim_text
from theory.setting.directions import EXTRAPOLATING
from verify.judging.judge import (
    MECHANISM,
    CellVerdict,
    LengthVerdict,
    Verdict,
    count_verdicts,
    worst,
)
from verify.judging.known_divergences import KnownDivergences, unexplained
from verify.reporting.tables import count


def sentence(v: CellVerdict) -> str:
    """Whether theory and experiment agree on a cell, and why."""
    if not v.runs:
        return "Not trained yet."
    if not v.converged:
        return (
            f"Inconclusive: {v.reason}. The answers in parentheses are of models that "
            "the theory does not speak of."
        )
    models = f"{len(v.converged)} of {count(len(v.runs), 'model')} met the premise"
    counts = count_verdicts([v])
    agree, silent = counts[Verdict.AGREE], counts[Verdict.UNDETERMINED]
    if counts[Verdict.DIVERGE]:
        apart = [_apart(v, x) for x in v.lengths if x.verdict == Verdict.DIVERGE]
        return f"Theory and experiment diverge: {'; '.join(apart)}. {models}."
    if not agree:
        return f"No claim was made that these measurements could contradict. {models}."
    holds = "the one claim holds" if agree == 1 else f"{agree} of {agree} claims hold"
    rest = f"; {count(silent, 'length')} without a claim" if silent else ""
    return f"Theory and experiment agree: {holds}{rest}. {models}."


def _apart(v: CellVerdict, x: LengthVerdict) -> str:
    """``at 4 digits 1 was predicted and 0.952 measured (by model 0.907, 0.997)``."""
    text = f"at {count(x.digits, 'digit')} {claim_text(v.prediction, x.prediction)} was predicted"
    text += f" and {'-' if x.accuracy is None else f'{x.accuracy.value:.3f} measured'}"
    measured = [m for r in v.converged for m in r.measurements if m.digits == x.digits]
    if len(measured) > 1:
        text += f" (by model {', '.join(f'{m.correct / m.samples:.3f}' for m in measured)})"
    if x.learned is not None and x.learned.value < MECHANISM:
        text += f", and f^ explains {x.learned.value:.3f} of the answers"
    return text


_THEOREM = {
    Verdict.AGREE: "as measured",
    Verdict.DIVERGE: "not as measured",
    Verdict.INCONCLUSIVE: "not tested",
    Verdict.UNDETERMINED: "not judged",
}


def theorem_sentence(v: CellVerdict) -> str:
    """What the published theorem says of shorter and longer inputs, and how that was judged."""
    parts = []
    for direction in EXTRAPOLATING:
        judged = [x.published for x in v.lengths if x.prediction.direction == direction]
        if judged:
            says = v.prediction.published_verdict(direction)
            parts.append(f"{INPUTS[direction]} inputs: {says} ({_THEOREM[worst(judged)]})")
    return f"Published theorem: {', '.join(parts) or 'not tested'}."


def summary_line(verdicts: Sequence[CellVerdict]) -> str:
    """All cells in a line: how many could be judged, and what became of the claims.

    Claims are made of lengths that were not trained; those that were are the premise.
    """
    trained = [v for v in verdicts if v.runs]
    converged = [v for v in trained if v.converged]
    counts = count_verdicts(converged)
    silent = counts[Verdict.UNDETERMINED]
    lost, left = len(trained) - len(converged), len(verdicts) - len(trained)
    return (
        f"{len(converged)} of {count(len(verdicts), 'cell')} converged; "
        f"{_agree(counts[Verdict.AGREE])}, {_diverge(counts[Verdict.DIVERGE])}"
        + (f"; {count(silent, 'length')}: no claim" if silent else "")
        + (f". Inconclusive: {lost}; a larger --budget may help" if lost else "")
        + (f". Not trained yet: {left}." if left else ".")
    )


def gate_line(verdicts: Sequence[CellVerdict], known: KnownDivergences) -> str:
    """What the gate found: the claims that agree, those that diverge with a cause, and without."""
    counts = count_verdicts(verdicts)
    agree = f"gate: {_agree(counts[Verdict.AGREE])}"
    if not counts[Verdict.DIVERGE]:
        return f"{agree}, none diverges."
    open_ = len(unexplained(verdicts, known))
    explained = counts[Verdict.DIVERGE] - open_
    are = "is" if explained == 1 else "are"
    return f"{agree}, {_diverge(explained)} and {are} explained, {open_ or 'none'} unexplained."


def _agree(number: int) -> str:
    return f"{count(number, 'claim')} agree{'s' if number == 1 else ''}"


def _diverge(number: int) -> str:
    return f"{number} diverge{'s' if number == 1 else ''}"
