"""Judged answers of models in words, tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count as count_from
from typing import Any

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.setting.requests import LARGEST_TEST
from arith.theory.text.answer import INPUTS, cut
from arith.theory.text.length_plot import Measured
from arith.theory.text.text import claim_in_table, count
from arith.verify.data.finding import too_long
from arith.verify.judging.answers import MOST_SHOWN, AnswersAt, JudgedAnswers, is_too_wide
from arith.verify.judging.intervals import CONFIDENCE
from arith.verify.judging.judge import LengthVerdict, Verdict
from arith.verify.judging.standards import TOLERANCE, interval
from arith.verify.plan import premise
from arith.verify.reporting.terminal import verdict_word

COLUMNS = ("digits", "inputs", "asked", "right", "interval", "predicted", "answers as", "verdict")
SURPRISING = ("digits", "prompt", "answer", "expected", "by")
_LONG_LIST = 8
"""Result digits that are shown of a length."""


def answer_rows(j: JudgedAnswers) -> list[list[str]]:
    """A line per test length, in the order of ``COLUMNS``."""
    rows = []
    for x in j.verdict.lengths:
        p, found = x.prediction, j.at(x.digits)
        measured = ["0", "-", "-"] if found is None else _measured(found)
        explained = "-" if found is None else found.explained.best or "none"
        words = claim_in_table(p), explained, verdict_word(x.verdict)
        rows.append([str(x.digits), INPUTS[p.direction], *measured, *words])
    return rows


def _measured(x: AnswersAt) -> list[str]:
    right = x.right
    between = "all" if x.exhaustive else f"{right.low:.3f}..{right.high:.3f}"
    return [f"{x.inputs:,}", f"{right.value:.3f}", between]


def explanation_table(j: JudgedAnswers) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: the share of answers that are those of a function, by kind of input.

    f and f^ are always there, any other function where it gives more answers than f at some kind
    of input, and not the same as one before it.
    """
    groups = j.by_direction
    rows, shown = [], set[tuple[int, ...]]()
    for each in j.functions:
        counts = tuple(x.counts[each.name] for x in groups.values())
        more = any(
            x.counts[each.name] > max(x.counts["f"], x.answers / 20) for x in groups.values()
        )
        if each.name in ("f", "f^") or (more and counts not in shown):
            shown.add(counts)
            shares = (_share(n, x.answers) for n, x in zip(counts, groups.values(), strict=True))
            rows.append([f"{each.name}: {cut(each.text)}", *shares, f"{sum(counts):,}"])
    unlike = [x.unlike for x in groups.values()]
    shares = (_share(n, x.answers) for n, x in zip(unlike, groups.values(), strict=True))
    rows.append(["none of those tried", *shares, f"{sum(unlike):,}"])
    return ["the answers are those of", *(INPUTS[x] for x in groups), "answers"], rows


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if part not in (0, whole) else str(int(part > 0))


def answer_legend(j: JudgedAnswers) -> list[str]:
    """What the columns are."""
    lines = [
        f"right: the share of answers that are right, with its {CONFIDENCE:.0%} interval",
        "answers as: the function that more than half of the answers are those of",
        f"agree: the interval of each model lies within {TOLERANCE} of the claim",
    ]
    if others := [x.lengths[0] for x in j.verdict.cell.setting.tests]:
        lines.append(
            f"At {lengths_text(others)} answers have not all combinations of operand lengths, or "
            "not as often as inputs have: predicted is for those that they have"
        )
    asks = [x.prediction for x in j.verdict.lengths]
    unseen = [
        x.digits for x in asks if x.requires_noise_invariance or x.requires_measured_stability
    ]
    if unseen:
        lines.append(
            f"At {lengths_text(unseen)} the claim is of models that bear noise, which answers do "
            "not show: others than predicted would be inconclusive there, and no divergence"
        )
    return lines


def digit_lines(j: JudgedAnswers) -> list[str]:
    """Which result digits are wrong, a line per length that has errors."""
    lines = []
    for x in j.lengths:
        if x.correct < x.inputs:
            shares = [f"{share:.3f}" for share in x.wrong_digits[:_LONG_LIST]]
            more = " ..." if len(x.wrong_digits) > _LONG_LIST else ""
            silent = f" ({x.silent:,} answers have no number)" if x.silent else ""
            lines.append(f"at {count(x.digits, 'digit')}: {' '.join(shares)}{more}{silent}")
    head = "Wrong, as a share of the answers, in each result digit, units first:"
    return [head, *lines] if lines else []


def surprising_rows(j: JudgedAnswers) -> list[list[str]]:
    """The first answers that are not as predicted, in the order of ``SURPRISING``."""
    return [
        [str(x.digits), cut(x.prompt), _quoted(x.answer), x.expected, x.function]
        for x in j.surprising
    ]


def _quoted(text: str) -> str:
    """An answer on one line, short enough for a table."""
    line = " ".join(text.split())
    return (line if len(line) <= 40 else f"{line[:40]}...") or "(empty)"


def surprising_title(j: JudgedAnswers) -> str:
    """What the table of surprising answers is."""
    first = f"the first {MOST_SHOWN} " if len(j.surprising) == MOST_SHOWN else ""
    return f"Answers that are not as predicted ({first}of f where all are to be right, else of f^):"


def left_out_line(j: JudgedAnswers) -> str:
    """Which prompts were not judged; empty where all were."""
    unread, number, first = j.unread
    shown = " ".join(first.split())
    shown = f"'{shown if len(shown) <= 60 else f'{shown[:60]}...'}'{too_long(first, LARGEST_TEST)}"
    what = "no inputs of the task as training writes them"
    parts = {
        f"{unread:,} that are {what}, the first is number {number:,}: {shown}": unread,
        f"{j.repeated:,} that repeat an earlier one": j.repeated,
        f"{j.untested:,} of lengths neither trained nor tested": j.untested,
    }
    said = "; ".join(text for text, number in parts.items() if number)
    return f"Prompts left out: {said}." if said else ""


def answer_sentence(j: JudgedAnswers) -> str:
    """What the answers say of the prediction: on shorter inputs, and on longer ones."""
    v = j.verdict
    train = v.cell.setting.train.every_length
    if not j.trained:
        return (
            f"Inconclusive: there are no answers at the trained lengths ({lengths_text(train)}), "
            "where a model has to be right before theory speaks of it."
        )
    if not v.converged and not v.held_out_too_few:
        share = v.runs[0].premise_text if len(v.runs) == 1 else "too few"
        return (
            f"Inconclusive: it is right on {share} of the inputs at the trained length where it is "
            "worst, and theory speaks of models that are right there."
        )
    if not v.converged:
        task = v.cell.setting.task
        needed = next(n for n in count_from(1) if premise.independent(task, n) >= premise.needed())
        return (
            f"Inconclusive: too few answers at trained lengths ({j.trained:,}) to know whether a "
            f"model is right there; {needed} are needed, and more where some are wrong."
        )
    parts = [_of_direction(j, d) for d in (Direction.DOWNWARD, Direction.BETWEEN, Direction.UPWARD)]
    met = f"{len(v.converged)} of {count(len(v.runs), 'model')} met the premise"
    return f"{' '.join(filter(None, parts))} {met}.".strip()


def _of_direction(j: JudgedAnswers, direction: Direction) -> str:
    """``Longer inputs: agree at 3..5 digits.``"""
    there = [x for x in j.verdict.lengths if x.prediction.direction == direction]
    there = [x for x in there if x.verdict != Verdict.PREMISE]
    said = []
    for verdict in dict.fromkeys(x.verdict for x in there):
        some = [x for x in there if x.verdict == verdict]
        text = f"{verdict_word(verdict)} at {lengths_text([x.digits for x in some])}"
        said.append(text + (_why(some) if verdict == Verdict.INCONCLUSIVE else ""))
    return f"{INPUTS[direction].capitalize()} inputs: {', '.join(said)}." if said else ""


def _why(lengths: Sequence[LengthVerdict]) -> str:
    """Why nothing is decided there."""
    if all(x.accuracy is None for x in lengths):
        return " (no answers, or of no model that the claim speaks of)"
    if all(map(is_too_wide, lengths)):
        return " (too few answers: their interval has what is claimed, and more)"
    return (
        " (not as predicted, but the claim is on models that ignore digits, or are stable, which "
        "answers do not show)"
    )


def models_measured(j: JudgedAnswers, names: Sequence[str]) -> list[Measured]:
    """The models for a picture of the prediction."""
    return [
        Measured(
            name,
            run.converged,
            {m.digits: (x.value, x.low, x.high) for m in run.measurements for x in [interval(m)]},
        )
        for name, run in zip(names, j.verdict.runs, strict=True)
    ]


def answers_json(j: JudgedAnswers, names: Sequence[str]) -> dict[str, Any]:
    """All of it as plain values; fractions are text and floats, as those of a prediction."""
    v = j.verdict
    told = v.prediction.to_json()
    return {
        "setting": v.cell.setting.text(),
        **{
            name: told[name]
            for name in ("task", "expression", "modulus", "base", "encoding", "layout", "train")
        },
        "learned_function": told["learned_function"],
        "verdict": v.verdict,
        "sentence": answer_sentence(j),
        "models": [
            {"name": name, "in_domain": round(run.premise, 6), "converged": run.converged}
            for name, run in zip(names, v.runs, strict=True)
        ],
        "functions": {x.name: x.text for x in j.functions},
        "lengths": [
            {**predicted, "verdict": x.verdict, **_length_json(j, x.digits)}
            for predicted, x in zip(told["lengths"], v.lengths, strict=True)
        ],
        "surprising": [vars(x) for x in j.surprising],
        "left_out": {"unread": j.unread[0], "repeated": j.repeated, "untested": j.untested},
    }


def _length_json(j: JudgedAnswers, digits: int) -> dict[str, Any]:
    x = j.at(digits)
    if x is None:
        return {"asked": 0, "correct": 0, "measured": None}
    return {
        "asked": x.inputs,
        "correct": x.correct,
        "no_number": x.silent,
        "measured": {"accuracy": x.right.value, "low": x.right.low, "high": x.right.high},
        "explained_by": x.explained.best,
        "explained": x.explained.counts,
        "unexplained": x.explained.unlike,
        "wrong_digits": list(x.wrong_digits),
    }
