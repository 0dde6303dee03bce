"""Verdicts in words: numbers, sentences, and tables for 80 columns with their legends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from arith.theory.arithmetic.directions import EXTRAPOLATING, Direction
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.training import default_model
from arith.theory.text.answer import INPUTS
from arith.theory.text.text import SIGNS, claim_text, count, in_signs, short_claim
from arith.verify.judging.intervals import CONFIDENCE, Interval
from arith.verify.judging.judge import (
    CellVerdict,
    LengthVerdict,
    Untested,
    Verdict,
    count_verdicts,
    worst,
)
from arith.verify.judging.known_divergences import KnownDivergences, unexplained
from arith.verify.judging.standards import MECHANISM, TOLERANCE
from arith.verify.plan.cells import Cell
from arith.verify.reporting.summary import Judged, judged, summarize

PREDICTION_COLUMNS = ("cell", "model", "by digits (?: no claim, *: if stable)")
CELL_COLUMNS = ("cell", "predicted", "measured", "shorter", "longer")
LENGTH_COLUMNS = ("digits", "inputs", "predicted", "measured", "as f^", "verdict")
_WORDS = {Verdict.UNDETERMINED: Untested.UNCLAIMED, Verdict.PREMISE: "premise met"}
"""Verdicts that a reader would not know by their names."""
_MISSED = "(..): of models that did not converge"


def short_label(cell: Cell) -> str:
    """A cell in few words: ``a + b · RPE interleaved W=6 D_3``; what is usual is left out."""
    s = cell.setting
    parts = [
        s.encoding.label,
        "" if s.layout.name == "aligned" else s.layout.name,
        f"tested {s.test_layout.name}" if s.test_layout else "",
        "natural" if s.natural else "",
        f"W={s.window}" if s.window else "",
        f"N={s.width}" if s.width else "",
        f"L={s.layers}" if s.layers else "",
        s.train.text(),
        "" if s.digit_base == 10 else f"base {s.digit_base}",
        "" if cell.model == default_model(s.task) else cell.model,
    ]
    return f"{s.task.text()} · {' '.join(filter(None, parts))}"


def verdict_word(verdict: Verdict) -> str:
    """A verdict as tables show it."""
    return _WORDS.get(verdict, verdict)


def length_word(x: LengthVerdict) -> str:
    """The verdict on a length as tables show it, or why nothing was tested there."""
    return x.untested or verdict_word(x.verdict)


def interval_text(x: Interval | None) -> str:
    """``0.331 [0.311, 0.352]``; no interval where every input was tested; or a dash."""
    if x is None:
        return "-"
    return f"{x.value:.3f}" + (f" [{x.low:.3f}, {x.high:.3f}]" if x.low < x.high else "")


def claimed_of(x: LengthVerdict, exact: bool = False) -> str:
    """What theory claims of a length, or that it claims it of stable models and none was seen."""
    is_void = x.verdict == Verdict.UNDETERMINED and x.prediction.requires_measured_stability
    return Untested.UNSTABLE if is_void else claim_text(x.prediction, exact)


def prediction_row(cell: Cell, prediction: Prediction) -> list[str]:
    """A cell and what is predicted at each test length, in the order of ``PREDICTION_COLUMNS``."""
    lengths = " ".join(
        f"{x.digits}: {claim_text(x)}{'*' * x.requires_measured_stability}"
        for x in prediction.lengths
    )
    return [short_label(cell), cell.model, in_signs(lengths)]


def cell_line(v: CellVerdict) -> list[str]:
    """One line for a cell, in the order of ``CELL_COLUMNS``."""
    ends = (v.lengths[0], v.lengths[-1])
    shares = [v.shown(x) for x in ends]
    return [
        short_label(v.cell),
        " / ".join(short_claim(x.prediction) for x in ends),
        _parenthesized(v, " / ".join("-" if x is None else f"{x.value:.2f}" for x in shares)),
        *(_outcome(v, longer) for longer in (False, True)),
    ]


def _parenthesized(v: CellVerdict, text: str) -> str:
    """What was measured, in parentheses where the models missed the premise."""
    return text if v.converged or not v.runs else f"({text})"


def _outcome(v: CellVerdict, longer: bool) -> str:
    """The verdict on longer inputs, or on all others that are no premise.

    With the claims that agree of those made and the lengths that diverge.
    """
    lengths = [x for x in v.lengths if (x.prediction.direction == Direction.UPWARD) == longer]
    verdicts = [x.verdict for x in lengths if x.verdict != Verdict.PREMISE]
    if not verdicts:
        return "-"
    verdict = worst(verdicts) if v.converged else Verdict.INCONCLUSIVE
    if verdict in (Verdict.INCONCLUSIVE, Verdict.UNDETERMINED):
        return verdict_word(verdict)
    claims = judged(verdicts)
    wrong = ", ".join(str(x.digits) for x in lengths if x.verdict == Verdict.DIVERGE)
    share = f"{claims.agree}/{claims.tested}"
    return f"{verdict} at {wrong} ({share})" if wrong else f"{verdict} {share}"


def cell_legend(verdicts: Sequence[CellVerdict]) -> list[str]:
    """What the signs mean that a table of cells uses, a line each, and how many models it is of."""
    settings = [v.cell.setting for v in verdicts]
    claimed = " ".join(cell_line(v)[1] for v in verdicts)
    signs = "; ".join(f"{sign}: {meaning}" for sign, meaning in SIGNS.items() if sign in claimed)
    kinds = {s.train.kind for s in settings}
    made = judged(x.verdict for v in verdicts for x in v.lengths).tested
    agree = f"claims at untrained lengths that agree (within {TOLERANCE}), of those made"
    entries = {
        "D_n: trained where the longest operand has n digits": "longest" in kinds,
        "D_n^every: trained where each operand has n digits": "every" in kinds,
        "no layout named: aligned": any(s.layout.name == "aligned" for s in settings),
        "W: attention window in tokens": any(s.window for s in settings),
        "N: digits that operands are padded to": any(s.width for s in settings),
        "L: layers": any(s.layers for s in settings),
        "predicted, measured: accuracy at the shortest / longest test length": True,
        signs: signs != "",
        _MISSED: any(v.runs and not v.converged for v in verdicts),
        "shorter: verdict on what is not longer than trained; -: nothing else was tested": True,
        f"agree 4/4: {agree}": made > 0,
    }
    models = [len(v.runs) for v in verdicts]
    some = "" if min(models) == max(models) else f"{min(models)} to "
    converged = sum(len(v.converged) for v in verdicts)
    return [
        *(text for text, is_used in entries.items() if is_used),
        f"{some}{count(max(models), 'model')} per cell, {converged} of {sum(models)} converged",
    ]


def length_line(v: CellVerdict, x: LengthVerdict) -> list[str]:
    """One line for a test length of a cell, in the order of ``LENGTH_COLUMNS``."""
    found = v.shown(x)
    sampled = f", {found.low:.3f}..{found.high:.3f}" if found and found.low < found.high else ""
    return [
        str(x.digits),
        INPUTS[x.prediction.direction],
        claim_text(x.prediction),
        _parenthesized(v, f"{found.value:.3f}{sampled}" if found else "-"),
        "-" if x.learned is None else f"{x.learned.value:.3f}",
        length_word(x),
    ]


def length_legend(v: CellVerdict) -> list[str]:
    """What the words and signs mean that the table of a cell's lengths uses, a line each."""
    lines = [f"measured: accuracy, with its {CONFIDENCE:.0%} interval if inputs were sampled"]
    if v.runs and not v.converged:
        lines.append(_MISSED)
    if any(x.learned is not None for x in v.lengths):
        lines.append("as f^: the share of answers that are those of the expected function f^")
    return lines + _premises(v) + verdict_legend(v)


def _premises(v: CellVerdict) -> list[str]:
    """How many answers of converged models stayed under noise; nothing where it was not measured.

    Of several models the least and the largest share.
    """
    kept = [run.indifference for run in v.converged if run.indifference is not None]
    lines = [f"noise invariance: {_spread(kept)} of the answers stay"] if kept else []
    found = {x.digits: [run.at(x.digits) for run in v.converged] for x in v.lengths}
    steady = {
        n: [m.steady for m in some if m and m.steady is not None] for n, some in found.items()
    }
    at = [f"{_spread(some)} at {count(n, 'digit')}" for n, some in steady.items() if some]
    return lines + ([f"stability: {', '.join(at)} of the answers stay"] if at else [])


def _spread(shares: Sequence[float]) -> str:
    """``0.991 to 1.000``, or one share."""
    return " to ".join(dict.fromkeys(f"{x:.3f}" for x in (min(shares), max(shares))))


def verdict_legend(v: CellVerdict) -> list[str]:
    """What the verdicts on its lengths mean, a line each."""
    meanings: dict[Verdict | Untested, str] = {
        Verdict.AGREE: f"the interval of each model lies within {TOLERANCE} of the claim",
        Untested.WEAK: f"the bound is within {TOLERANCE} of 0 or 1, so it cannot fail",
        Untested.UNSTABLE: "the claim is of models that were measured to be stable, and none was",
    }
    found = {x.untested or x.verdict for x in v.lengths}
    if Verdict.DIVERGE in found:
        found.add(Verdict.AGREE)
    return [f"{word}: {meaning}" for word, meaning in meanings.items() if word in found]


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
    agree = counts[Verdict.AGREE]
    if v.diverging:
        apart = "; ".join(_apart(v, x) for x in v.diverging)
        return f"Theory and experiment diverge: {apart}. {models}."
    untested = counts[Verdict.INCONCLUSIVE]
    because = f"{count(untested, 'length')} not tested, for {v.reason}" if untested else ""
    if not agree:
        said = because or "No claim was made that these measurements could contradict"
        return f"{said[0].upper()}{said[1:]}. {models}."
    holds = "the one claim holds" if agree == 1 else f"{agree} of {agree} claims hold"
    parts = "; ".join(filter(None, (holds, *_undetermined([v]), because)))
    return f"Theory and experiment agree: {parts}. {models}."


def _undetermined(verdicts: Iterable[CellVerdict]) -> list[str]:
    """At how many lengths nothing that was claimed could be tested, for each reason."""
    found = Counter(x.untested for v in verdicts for x in v.lengths)
    return [f"{count(found[why], 'length')}{text}" for why, text in _WHY.items() if found[why]]


def _apart(v: CellVerdict, x: LengthVerdict) -> str:
    """``at 4 digits 1 was predicted and 0.952 measured (by model 0.907, 0.997)``."""
    text = f"at {count(x.digits, 'digit')} {claim_text(x.prediction)} was predicted"
    text += f" and {'-' if x.accuracy is None else f'{x.accuracy.value:.3f} measured'}"
    measured = v.judged(x)
    if len(measured) > 1:
        text += f" (by model {', '.join(f'{m.accuracy:.3f}' for m in measured)})"
    if x.learned is not None and x.learned.value < MECHANISM:
        text += f", and f^ explains {x.learned.value:.3f} of the answers"
    return text


_WHY = {
    Untested.UNCLAIMED: " without a claim",
    Untested.WEAK: f": {Untested.WEAK}",
    Untested.UNSTABLE: ": no model stable",
}
"""Why nothing was tested at a length, as summaries say it."""

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
    """All cells in a line: how many could be judged, and what became of the claims."""
    converged = [v for v in verdicts if v.converged]
    counts = count_verdicts(converged)
    agree = counts[Verdict.AGREE]
    left, few = sum(not v.runs for v in verdicts), sum(v.held_out_too_few for v in verdicts)
    lost = len(verdicts) - left - len(converged) - few
    untested = [x for v in converged for x in v.lengths if x.verdict == Verdict.INCONCLUSIVE]
    failed = all(x.accuracy is None for x in untested)
    why = "no model passed the test that the claim asks for" if failed else "not tested"
    counted, agrees = summarize(verdicts), "agrees" if agree == 1 else "agree"
    parts = {
        f"{len(converged)} of {count(len(verdicts), 'cell')} converged; ": True,
        f"{count(agree, 'claim')} {agrees}, {_diverge(counts[Verdict.DIVERGE])}": True,
        f" (stored before training: {came_true(counted.predicted_before)})": counted.ledger,
        "".join(f"; {lengths}" for lengths in _undetermined(converged)): True,
        f"; {count(len(untested), 'length')}: {why}": untested,
        f". In {count(lost, 'cell')} no model converged; a larger --budget may help": lost,
        f". In {count(few, 'cell')} too few inputs are held out to know": few,
        f". Not trained yet: {left}": left,
    }
    return "".join(text for text, is_said in parts.items() if is_said) + "."


def outcome_line(verdicts: Sequence[CellVerdict], known: KnownDivergences) -> str:
    """What was found: what became of the stored claims, and of today's, with a cause or without."""
    counted = summarize(verdicts)
    claims, before = counted.claims, counted.predicted_before
    if not claims.tested and not before.tested:
        return "No claim was tested."
    stored = ""
    if before.tested:
        # Where today's theory claims the same, one count says all.
        today = f"{came_true(before)}. Today's theory: " if counted.ledger else ""
        stored = f"Stored before training: {today}"
    agree = f"{claims.agree} of {count(claims.tested, 'claim')} agree"
    if not claims.diverge:
        return f"{stored}{agree}, none diverges."
    open_ = len(unexplained(verdicts, known))
    named = _diverge(claims.diverge - open_)
    return f"{stored}{agree}, {named} with a named cause, {open_ or 'none'} without."


def came_true(claims: Judged) -> str:
    """``24 of 25 claims came true``."""
    return f"{claims.agree} of {count(claims.tested, 'claim')} came true"


def _diverge(number: int) -> str:
    return f"{number} diverge{'s' if number == 1 else ''}"
