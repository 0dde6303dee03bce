"""A cell as the page shows it: its row in the table, and what opens below it."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

from arith.theory.display.answer import INPUTS, answer_line, cut, expected_function
from arith.theory.display.text import bound_word, claim_text, count, fraction_text
from arith.theory.numbers.shares import fixed_text
from arith.theory.prediction.outcomes import Claim
from arith.theory.setting.directions import Direction
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict
from arith.verify.plan.recipe import Recipe
from arith.verify.records.trajectory import Trajectory
from arith.verify.reporting.figures import cell_name
from arith.verify.reporting.json_data import cell_json
from arith.verify.reporting.terminal import theorem_sentence, verdict_word
from arith.verify.reporting.totals import totals

_LONGEST = 9
"""Characters of a fraction in the table of cells."""
NOT_TRAINED = "not trained"


def cell_view(v: CellVerdict, recipe: Recipe | None) -> dict[str, Any]:
    """What the template asks of a cell: its data, and the same in words."""
    task, encoding, rest = cell_name(v).split(" · ", 2)
    data = cell_json(v, recipe)
    expected = expected_function(v.prediction)
    by_length = zip(data["lengths"], v.lengths, strict=True)
    return {
        **data,
        "task": task,
        "encoding": encoding,
        "rest": rest,
        "shortest": _end(v, v.lengths[0], Direction.DOWNWARD),
        "longest": _end(v, v.lengths[-1], Direction.UPWARD),
        "theorem": _theorem(v),
        "outcome": outcome(v),
        "counted": _counted(v),
        "answer": answer_line(v.prediction),
        "theorem_sentence": theorem_sentence(v),
        "expected": expected and cut(expected),
        "is_compared": any(x.learned is not None for x in v.lengths),
        "by_length": [{**told, **_words(x)} for told, x in by_length],
        **_training(v),
    }


def outcome(v: CellVerdict) -> str:
    """The verdict in a word or two, by which cells are filtered."""
    return verdict_word(v.verdict) if v.runs else NOT_TRAINED


def _counted(v: CellVerdict) -> str:
    """``4 of 4``: the claims that agree, of those tested; and at how many lengths there is none."""
    t = totals([v])
    text = f"{t.claims.agree} of {t.claims.tested}" if t.claims.tested else ""
    return f"{text}, {t.silent} without" if text and t.silent else text


def _end(v: CellVerdict, x: LengthVerdict, direction: Direction) -> dict[str, Any] | None:
    """What was predicted and measured at the first or last length; None where it was trained."""
    if x.prediction.direction != direction:
        return None
    measured, exact = v.shown(x), x.prediction.accuracy
    least, most = x.prediction.at_least, x.prediction.at_most
    bound = most if most < 1 else least or -1
    predicted = claim_text(x.prediction)
    if len(predicted) > _LONGEST:
        predicted = bound_word(x.prediction) if exact is None else fixed_text(exact, 4)
    return {
        "digits": x.digits,
        "predicted": predicted,
        "order": float(bound if exact is None else exact),
        "measured": None if measured is None else measured.value,
        "missed": not v.converged,
    }


def _theorem(v: CellVerdict) -> str:
    """Whether the published theorem says what was measured."""
    wrong = [str(x.digits) for x in v.lengths if x.published == Verdict.DIVERGE]
    if wrong:
        return f"false at {', '.join(wrong)}"
    right = any(x.published == Verdict.AGREE for x in v.lengths)
    return "true" if right else ""


def _words(x: LengthVerdict) -> dict[str, Any]:
    unseen = x.prediction.unseen_share if x.prediction.claim == Claim.EXACT else None
    return {
        "inputs": INPUTS[x.prediction.direction],
        "claimed": claim_text(x.prediction),
        "give_or_take": fraction_text(unseen) if unseen else "",
        "word": verdict_word(x.verdict),
        "before": verdict_word(x.before),
    }


def _training(v: CellVerdict) -> dict[str, Any]:
    """Right answers along training at every test length, and at the longest those of f^, if known.

    A curve has a line for each model, of points in per cent, the second coordinate downwards.  The
    ticks are round numbers of steps, and where they stand from left to right, by their logarithm.
    """
    runs = [r.trajectory for r in v.runs if r.trajectory]
    if not runs:
        return {"curves": [], "ticks": []}
    steps = [step for r in runs for step in r.steps]
    first, last = log(min(steps)), log(max(steps) + 1)

    def place(step: int) -> float:
        return 100 * (log(step) - first) / (last - first)

    def line(run: Trajectory, shares: Sequence[float]) -> str:
        points = zip(run.steps, shares, strict=False)
        return " ".join(f"{place(step):.1f},{100 * (1 - y):.1f}" for step, y in points)

    curves = []
    for x in v.lengths:
        lines = [line(r, r.correct[x.digits]) for r in runs if x.digits in r.correct]
        kind = "trained" if v.cell.setting.is_premise(x.digits) else "other"
        label = f"{count(x.digits, 'digit')} ({INPUTS[x.prediction.direction]})"
        curves.append({"label": label, "kind": kind, "lines": lines})
    longest = v.lengths[-1].digits
    followed = [line(r, r.learned[longest]) for r in runs if r.learned]
    if followed and not v.cell.setting.is_premise(longest):
        label = f"{count(longest, 'digit')}, as f^"
        curves.append({"label": label, "kind": "expected", "lines": followed})
    round_ones = [a * 10**b for b in range(7) for a in (1, 3)]
    ticks = [(n, place(n)) for n in round_ones if min(steps) <= n <= max(steps)]
    return {"curves": curves, "ticks": ticks}
