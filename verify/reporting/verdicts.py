"""Verdicts in words, as a terminal of 80 columns shows them: a line per cell, or per length of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from theory.display.answer import INPUTS, UNCLAIMED
from theory.display.text import claim_text
from theory.prediction.lengths import LengthPrediction
from theory.prediction.outcomes import Claim
from theory.setting.directions import EXTRAPOLATING
from verify.judging.judge import (
    AGREE,
    CONFIDENCE,
    DIVERGE,
    INCONCLUSIVE,
    MECHANISM,
    PREMISE_MET,
    TOLERANCE,
    UNDECIDED,
    CellVerdict,
    Interval,
    LengthVerdict,
    pooled,
)
from verify.judging.known_divergences import Causes, name
from verify.plan.cells import Cell, default_model

CELL_COLUMNS = ("cell", "predicted", "measured", "verdict")
LENGTH_COLUMNS = ("digits", "inputs", "predicted", "measured", "as f^", "verdict")
_WORDS = {UNDECIDED: UNCLAIMED, PREMISE_MET: "premise met"}
"""Verdicts that a reader would not know by their names."""


def short_label(cell: Cell) -> str:
    """A cell in few words: ``a + b · RPE interleaved W=6 D_3``; what is usual is left out."""
    s = cell.setting
    parts = [
        s.encoding.name.upper(),
        "" if s.layout.name == "aligned" else s.layout.name,
        f"W={s.window}" if s.window else "",
        s.train.text(),
        "" if s.base == 10 else f"base {s.base}",
        "" if cell.model == default_model(s.task) else cell.model,
    ]
    return f"{s.task.text()} · {' '.join(filter(None, parts))}"


def cell_legend(verdicts: Sequence[CellVerdict]) -> list[str]:
    """What the signs mean that a table of cells uses, a line each, and how many models it is of."""
    settings = [v.cell.setting for v in verdicts]
    said = " ".join(cell_line(v)[1] for v in verdicts)
    signs = [f"{sign}: {meaning}" for sign, meaning in _SIGNS.items() if sign in said]
    lines = [
        f"D_n: trained where {whose} n digits" + (f" ({kind})" if kind == "every" else "")
        for kind, whose in (("longest", "the longest operand has"), ("every", "each operand has"))
        if any(s.train.kind == kind for s in settings)
    ]
    if any(s.layout.name == "aligned" for s in settings):
        lines.append("no layout named: aligned")
    if any(s.window for s in settings):
        lines.append("W: attention window in tokens")
    lines.append("predicted, measured: accuracy at the shortest / longest test length")
    if signs:
        lines.append("; ".join(signs))
    if any(v.runs and not v.converged for v in verdicts):
        lines.append(_MISSED)
    if any(x.verdict in (AGREE, DIVERGE) for v in verdicts for x in v.lengths):
        lines.append(
            f"agree 4/4: claims at untrained lengths that agree (within {TOLERANCE}), of those made"
        )
    return [*lines, _models(verdicts)]


def _models(verdicts: Sequence[CellVerdict]) -> str:
    """``2 models per cell, 26 of 26 converged``."""
    numbers = [len(v.runs) for v in verdicts]
    least, most = min(numbers), max(numbers)
    each = count(most, "model") if least == most else f"{least} to {count(most, 'model')}"
    converged = sum(len(v.converged) for v in verdicts)
    return f"{each} per cell, {converged} of {sum(numbers)} converged"


_MISSED = "(..): of models that did not converge"
_SIGNS = {"?": UNCLAIMED, "<=": "at most", "<1": "below 1"}


def length_legend(v: CellVerdict) -> list[str]:
    """What the words and signs mean that the table of a cell's lengths uses, a line each."""
    lines = [f"measured: accuracy, with its {CONFIDENCE:.0%} interval"]
    if v.runs and not v.converged:
        lines.append(_MISSED)
    if any(x.learned is not None for x in v.lengths):
        lines.append("as f^: the share of answers that are those of the expected function f^")
    if any(x.verdict in (AGREE, DIVERGE) for x in v.lengths):
        lines.append(f"agree: the interval comes within {TOLERANCE} of the prediction")
    return lines


def verdict_word(verdict: str) -> str:
    """A verdict as tables show it."""
    return _WORDS.get(verdict, verdict)


def cell_line(v: CellVerdict) -> list[str]:
    """One line for a cell, in the order of ``CELL_COLUMNS``."""
    shortest, longest = v.lengths[0], v.lengths[-1]
    return [
        short_label(v.cell),
        " / ".join(_claimed(v, x.prediction) for x in (shortest, longest)),
        _parenthesized(v, " / ".join(_share(measured(v, x)) for x in (shortest, longest))),
        _found(v),
    ]


def _found(v: CellVerdict) -> str:
    if v.verdict in (INCONCLUSIVE, UNDECIDED):
        return verdict_word(v.verdict)
    counts = Counter(x.verdict for x in v.lengths)
    found = f"{v.verdict} {counts[AGREE]}/{counts[AGREE] + counts[DIVERGE]}"
    wrong = ", ".join(str(x.prediction.digits) for x in v.lengths if x.verdict == DIVERGE)
    return f"{found}, not {wrong}" if wrong else found


def _claimed(v: CellVerdict, x: LengthPrediction) -> str:
    """What is claimed at a length, in at most six characters."""
    claim = v.prediction.claim(x)
    if claim == Claim.EXACT and x.accuracy is not None:
        return str(x.accuracy) if x.accuracy.denominator == 1 else f"{float(x.accuracy):.2f}"
    bound = f"{float(x.at_most):.2f}"
    return ("<1" if bound == "1.00" else f"<={bound}") if claim == Claim.AT_MOST else "?"


def _share(x: Interval | None) -> str:
    return "-" if x is None else f"{x.value:.2f}"


def _parenthesized(v: CellVerdict, text: str) -> str:
    """What was measured, in parentheses where the models missed the premise."""
    return text if v.converged or not v.runs else f"({text})"


def measured(v: CellVerdict, x: LengthVerdict) -> Interval | None:
    """The accuracy at a length: of the models that met the premise, or of all where none did."""
    counts = [
        (m.correct, m.samples)
        for run in v.shown
        for m in run.measurements
        if m.digits == x.prediction.digits
    ]
    return pooled(counts) if counts else None


def length_line(v: CellVerdict, x: LengthVerdict) -> list[str]:
    """One line for a test length of a cell, in the order of ``LENGTH_COLUMNS``."""
    p, accuracy = x.prediction, measured(v, x)
    text = "-" if accuracy is None else _interval(accuracy)
    return [
        str(p.digits),
        INPUTS[p.direction],
        claim_text(v.prediction, p),
        _parenthesized(v, text),
        "-" if x.learned is None else f"{x.learned.value:.3f}",
        verdict_word(x.verdict),
    ]


def _interval(x: Interval) -> str:
    """``0.331, 0.31..0.35``: the value and its interval."""
    return f"{x.value:.3f}, {x.low:.2f}..{x.high:.2f}"


def sentence(v: CellVerdict) -> str:
    """One cell in a sentence: whether theory and experiment agree, and why."""
    if not v.runs:
        return "Not trained yet."
    if not v.converged:
        return (
            f"Inconclusive: {v.reason}. The answers in parentheses are of models that "
            "the theory does not speak of."
        )
    models = f"{len(v.converged)} of {count(len(v.runs), 'model')} met the premise"
    counts = Counter(x.verdict for x in v.lengths)
    wrong = [_apart(v, x) for x in v.lengths if x.verdict == DIVERGE]
    if wrong:
        return f"Theory and experiment diverge: {'; '.join(wrong)}. {models}."
    if not counts[AGREE]:
        return f"No claim was made that these measurements could contradict. {models}."
    silent = counts[UNDECIDED]
    rest = f"; {count(silent, 'length')} without a claim" if silent else ""
    return f"Theory and experiment agree: {_holds(counts[AGREE])}{rest}. {models}."


def _apart(v: CellVerdict, x: LengthVerdict) -> str:
    """``at 4 digits 1 was predicted and 0.952 measured (by model 0.907, 0.997)``."""
    n = x.prediction.digits
    alone = [m.correct / m.samples for r in v.converged for m in r.measurements if m.digits == n]
    text = f"at {count(n, 'digit')} {claim_text(v.prediction, x.prediction)} was predicted and "
    text += "-" if x.accuracy is None else f"{x.accuracy.value:.3f} measured"
    if len(alone) > 1:
        text += f" (by model {', '.join(f'{a:.3f}' for a in alone)})"
    if x.learned is not None and x.learned.value < MECHANISM:
        text += f", and f^ explains {x.learned.value:.3f} of the answers"
    return text


def _holds(claims: int) -> str:
    return "the one claim holds" if claims == 1 else f"{claims} of {claims} claims hold"


_THEOREM = {
    AGREE: "as measured",
    DIVERGE: "not as measured",
    INCONCLUSIVE: "not tested",
    UNDECIDED: "not judged",
}


def theorem_sentence(v: CellVerdict) -> str:
    """What the published theorem says of shorter and longer inputs, and how that was judged."""
    parts = []
    for direction in EXTRAPOLATING:
        judged = [x.published for x in v.lengths if x.prediction.direction == direction]
        if judged:
            says = v.prediction.published_verdict(direction)
            worst = next((w for w in (INCONCLUSIVE, DIVERGE, AGREE) if w in judged), UNDECIDED)
            parts.append(f"{INPUTS[direction]} inputs: {says} ({_THEOREM[worst]})")
    return f"Published theorem: {', '.join(parts) or 'not tested'}."


def summary_line(verdicts: Sequence[CellVerdict]) -> str:
    """All cells in a line: how many could be judged, and what became of the claims.

    Claims are made of lengths that were not trained; those that were are the premise.
    """
    trained = [v for v in verdicts if v.runs]
    conclusive = [v for v in trained if v.converged]
    counts = Counter(x.verdict for v in conclusive for x in v.lengths)
    text = (
        f"{len(conclusive)} of {count(len(verdicts), 'cell')} converged; "
        f"{_agree(counts[AGREE])}, {_diverge(counts[DIVERGE])}"
    )
    if counts[UNDECIDED]:
        text += f"; {count(counts[UNDECIDED], 'length')}: no claim"
    lost = len(trained) - len(conclusive)
    if lost:
        text += f". Inconclusive: {lost}; a larger --budget may help"
    left = len(verdicts) - len(trained)
    return text + (f". Not trained yet: {left}." if left else ".")


def gate_line(verdicts: Sequence[CellVerdict], causes: Causes) -> str:
    """What the gate found: the claims that agree, those that diverge with a cause, and without."""
    counts = Counter(x.verdict for v in verdicts for x in v.lengths)
    agree = f"gate: {_agree(counts[AGREE])}"
    if not counts[DIVERGE]:
        return f"{agree}, none diverges."
    explained = sum(
        x.verdict == DIVERGE and (name(v), x.prediction.digits) in causes.likely
        for v in verdicts
        for x in v.lengths
    )
    known = f"{_diverge(explained)} and {'is' if explained == 1 else 'are'} explained"
    return f"{agree}, {known}, {counts[DIVERGE] - explained or 'none'} unexplained."


def _agree(number: int) -> str:
    return f"{count(number, 'claim')} agree{'s' if number == 1 else ''}"


def _diverge(number: int) -> str:
    return f"{number} diverge{'s' if number == 1 else ''}"


def count(number: int, what: str) -> str:
    """``1 cell``, ``2 cells``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
