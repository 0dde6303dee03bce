"""What a report found, in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.display.text import count
from arith.verify.judging.judge import CellVerdict
from arith.verify.reporting.totals import Judged, Totals, totals


def answer(verdicts: Sequence[CellVerdict]) -> list[str]:
    """What became of stored claims and of today's; where theory is silent; what of the theorem."""
    t = totals(verdicts)
    said = [*_stored(t), _today(t), _silence(t, verdicts), _theorem(t)]
    return [f"{text}." for text in said]


def _stored(t: Totals) -> list[str]:
    """What became of the claims that were stored before training, where there are any."""
    if not t.before.tested:
        return []
    return [f"Of {count(t.before.tested, 'claim')} stored before training {_became(t.before)}"]


def _became(claims: Judged) -> str:
    """``456 came true and 14 did not``."""
    if claims.diverge:
        return f"{claims.agree or 'none'} came true and {claims.diverge} did not"
    return f"{'all' if claims.agree > 1 else claims.agree} came true"


def _today(t: Totals) -> str:
    """What today's theory claims beside what was stored, and what became of it."""
    if not t.claims.tested:
        return "No claim of today's theory could be tested"
    if not t.before.tested:
        text = f"Of {count(t.claims.tested, 'claim')} of today's theory {_became(t.claims)}"
    elif not t.after.tested and not t.given_up.tested:
        text = "Today's theory claims the same"
    else:
        others = f"{count(t.after.tested, 'other')}" if t.after.tested else "no others"
        text = (
            f"Today's theory makes {t.kept.tested or 'none'} of them still and {others}: of these "
            f"{count(t.claims.tested, 'claim')} {_became(t.claims)}"
        )
    if t.fractional:
        of, are = f"{t.fractional} of those that came true", "are fractions"
        if t.fractional == 1:
            of, are = "one of those that came true", "is a fraction"
        text += f"; {of} {are} well between 0 and 1"
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
