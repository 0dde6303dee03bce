"""What a report found, in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from arith.theory.display.text import count
from arith.verify.judging.judge import CellVerdict
from arith.verify.reporting.totals import Judged, Totals, ledger, totals


def answer(verdicts: Sequence[CellVerdict]) -> list[str]:
    """What became of stored claims and of today's; where theory is silent; what of the theorem."""
    t = totals(verdicts)
    said = [*_claims(t), _silence(t, verdicts), _theorem(t)]
    return [f"{text[0].upper()}{text[1:]}." for text in said]


def _claims(t: Totals) -> list[str]:
    """What became of the claims stored before training, and of today's beside them."""
    stored = [_became(t.before, "stored before training")] if t.before.tested else []
    if not t.claims.tested:
        return [*stored, f"No claim{' of today' * bool(stored)} could be tested"]
    if not stored:
        today = _became(t.claims, "of today's theory")
    elif not ledger(t):
        today = "today's theory claims the same"
    else:
        others = count(t.after.tested, "other") if t.after.tested else "no others"
        today = f"today's theory makes {t.kept.tested or 'none'} of them still, and {others}: "
        today += _became(t.claims, "in all")
    if t.fractional:
        are = "is a fraction" if t.fractional == 1 else "are fractions"
        today += f"; {t.fractional} of those that came true {are} well between 0 and 1"
    return [*stored, today]


def _became(claims: Judged, which: str) -> str:
    """``of 472 claims in all 462 came true and 10 did not``."""
    if claims.diverge:
        of = f"of {count(claims.tested, 'claim')} {which}"
        return f"{of} {claims.agree or 'none'} came true and {claims.diverge} did not"
    one = claims.tested == 1
    return f"{'the one claim' if one else f'all {claims.tested} claims'} {which} came true"


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
