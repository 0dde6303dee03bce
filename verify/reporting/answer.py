"""What a report found, in three sentences."""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.display.text import count
from arith.verify.judging.judge import CellVerdict
from arith.verify.reporting.totals import Totals, totals


def answer(verdicts: Sequence[CellVerdict]) -> list[str]:
    """Whether the claims agree; where theory is silent or was not tested; what of the theorem."""
    t = totals(verdicts)
    return [f"{text}." for text in (_claims(t), _silence(t, verdicts), _theorem(t))]


def _claims(t: Totals) -> str:
    tested, apart = t.claims.tested, t.claims.diverge
    if not tested:
        return "No claim could be tested"
    text = f"All {tested} tested claims of today's theory agree with what was measured"
    if tested == 1 and not apart:
        text = "The one tested claim of today's theory agrees with what was measured"
    if apart:
        of = f"Of {count(tested, 'tested claim')} of today's theory"
        does = "does" if apart == 1 else "do"
        text = f"{of} {t.claims.agree} agree with what was measured, and {apart} {does} not"
    if t.fractional:
        are = "is a fraction" if t.fractional == 1 else "are fractions"
        text += f"; {t.fractional} of those that agree {are} well between 0 and 1"
    return text


def _silence(t: Totals, verdicts: Sequence[CellVerdict]) -> str:
    lengths = t.claims.tested + t.silent
    text = f"The theory is silent at {t.silent} of {count(lengths, 'measured length')}"
    if not t.silent:
        text = "The theory has a claim wherever a converged model was measured"
    if not lengths:
        met = [v for v in verdicts if v.converged]
        asked = [v for v in met if any(v.measured(x.digits) for x in v.lengths if not x.accuracy)]
        text = "Nothing was measured outside of training" if met else "No model met the premises"
        text = "No model passed the test that the claims ask for" if asked else text
    if t.inconclusive:
        left = sum(not v.runs for v in verdicts)
        lost = sum(bool(v.runs) and not v.converged for v in verdicts)
        why = [f"{count(left, 'cell')} not trained yet"] if left else []
        why += [f"{count(lost, 'cell')} without a converged model"] if lost else []
        more = count(t.inconclusive, "more claim" if t.claims.tested else "claim")
        text += f"; {more} could not be tested" + (f" ({', '.join(why)})" if why else "")
    return text


def _theorem(t: Totals) -> str:
    if not t.theorem.tested:
        return "The published theorem says nothing that was measured"
    return (
        "The published theorem, judged beside it, is true of the models at "
        f"{count(t.theorem.agree, 'length')} and false at {t.theorem.diverge}"
    )
