"""Judged answers of models in words, tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count as count_from
from math import ceil
from typing import Any

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.lengths_text import lengths_text
from arith.theory.generalization.lengths import LengthPrediction, Premise
from arith.theory.generalization.outcomes import Claim
from arith.theory.setting.requests import LARGEST_TEST
from arith.theory.text.answer import INPUTS, UNCLAIMED, cut
from arith.theory.text.length_plot import Measured
from arith.theory.text.text import claim_in_table, count
from arith.verify.data.finding import too_long
from arith.verify.judging.answers import (
    MOST_SHOWN,
    AnswersAt,
    JudgedAnswers,
    answers_needed,
    is_near,
    is_too_wide,
    written_width,
)
from arith.verify.judging.intervals import CONFIDENCE
from arith.verify.judging.judge import LengthVerdict, Verdict
from arith.verify.judging.standards import MECHANISM, TOLERANCE
from arith.verify.plan import premise
from arith.verify.plan.sizes import BY_PYTHON
from arith.verify.reporting.measured import named
from arith.verify.reporting.terminal import length_word, verdict_legend

COLUMNS = ("digits", "inputs", "asked", "right", "interval", "predicted", "answers as", "verdict")
SURPRISING = ("digits", "prompt", "answer", "expected", "by")
_LONG_LIST = 8
"""Result digits that are shown of a length."""
_ALL = 1 - TOLERANCE
"""The share of answers from which a function is named without it."""
_OF_SETTING = ("task", "expression", "modulus", "base", "encoding", "layout", "train")
"""What JSON repeats of a prediction."""
_MISSED = "premise not met"
_WHETHER = {
    Premise.NOISE: "noise at digits that training never varied changes answers",
    Premise.STABLE: "disturbing all digits a little changes answers",
    Premise.LOCALITY: "a query depends on a digit that a later query lacks",
}
"""What is asked of each premise, where it is not measured."""
_RECIPE = "models that arith trained, mostly with noise on tokens; others may be far off"
_IGNORED = "docs/ignored-digits.md"


def answer_rows(j: JudgedAnswers) -> list[list[str]]:
    """A line per test length, in the order of ``COLUMNS``."""
    rows = []
    for x in j.verdict.lengths:
        asked, share, between, best = "0", "-", "-", "-"
        if found := j.at(x.digits):
            right = found.right
            asked, share, best = f"{found.inputs:,}", f"{right.value:.3f}", _explained(found)
            between = "all" if found.exhaustive else f"{right.low:.3f}..{right.high:.3f}"
        head = str(x.digits), INPUTS[x.prediction.direction], asked, share, between
        rows.append([*head, _predicted(j, x.prediction), best, _word(j, x)])
    return rows


def _predicted(j: JudgedAnswers, x: LengthPrediction) -> str:
    """What is claimed, in decimals; in parentheses the forecast, where nothing is."""
    if x.claim != Claim.NONE:
        return claim_in_table(x)
    found = j.verdict.prediction.forecasts.get(x.digits)
    return UNCLAIMED if found is None else f"({found.low:.2f}..{found.high:.2f})"


def _explained(x: AnswersAt) -> str:
    """The function that explains most answers, with its share unless it is nearly all."""
    best = x.explained.best
    if best is None:
        return "none"
    share = x.explained.counts[best] / x.explained.answers
    return best if share >= _ALL else f"{best} {share:.2f}"


def _word(j: JudgedAnswers, x: LengthVerdict) -> str:
    """The verdict on a length."""
    if j.misses(x):
        return _MISSED
    return "converged" if _is_converged(x) else length_word(x)


def _is_converged(x: LengthVerdict) -> bool:
    """Whether it says that models are right at a trained length, as was predicted."""
    is_trained = x.prediction.direction == Direction.IN_DOMAIN
    right = is_trained and x.verdict == Verdict.AGREE and x.prediction.accuracy == 1
    return right or x.verdict == Verdict.PREMISE


def verdict_in_one(j: JudgedAnswers) -> str:
    """The worst verdict; *premise not met* where that is why nothing is decided."""
    v = j.verdict
    worst = [x for x in v.lengths if x.verdict == v.verdict and x.prediction.claim != Claim.NONE]
    return _MISSED if worst and all(map(j.misses, worst)) else v.verdict


def explanation_table(j: JudgedAnswers) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: the share of answers that are those of a function, by kind of input.

    f and f^ are always there, any other function where it gives more answers than f at some kind
    of input, and not the same as one before it.
    """
    groups = j.by_direction.values()
    shown: dict[str, tuple[int, ...]] = {}
    for each in j.functions:
        counts = tuple(x.counts[each.name] for x in groups)
        more = any(x.counts[each.name] > max(x.counts["f"], x.answers / 20) for x in groups)
        if each.name in ("f", "f^") or (more and counts not in shown.values()):
            shown[f"{each.name}: {cut(each.text)}"] = counts
    shown["none of those tried"] = tuple(x.unlike for x in groups)
    answers = [x.answers for x in groups]
    rows = [
        [name, *map(_share, counts, answers), f"{sum(counts):,}"] for name, counts in shown.items()
    ]
    return ["the answers are those of", *(INPUTS[x] for x in j.by_direction), "answers"], rows


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if part not in (0, whole) else str(int(part > 0))


def answer_legend(j: JudgedAnswers) -> list[str]:
    """What the columns are."""
    asks = [x.prediction for x in j.verdict.lengths]
    lines = [
        f"right: the share of answers that are right, with its {CONFIDENCE:.0%} interval",
        "answers as: the function that gives more than half of the answers; a number is how many, "
        f"if below {_ALL}",
    ]
    if j.verdict.prediction.learned is not None:
        lines.append("f^: what a model is expected to compute that ignores digits as predicted")
    if any(x.claim == Claim.NONE and x.digits in j.verdict.prediction.forecasts for x in asks):
        lines.append(f"(..): a forecast, where nothing is claimed. It is of {_RECIPE}")
    lines += verdict_legend(j.verdict)
    setting = j.verdict.cell.setting
    of_all, k = replace(setting, tests=()), setting.task.operands
    lack, seldom = "have not all", "have, less often than inputs do, some"
    found: dict[str, list[int]] = {}
    for domain in setting.tests:
        [n] = domain.lengths
        has = {*domain.operand_lengths(n, k)}
        has_all = all(widths in has for widths in of_all.test(n).operand_lengths(n, k))
        found.setdefault(seldom if has_all else lack, []).append(n)
    for what, at in found.items():
        lines.append(
            f"At {lengths_text(at)} answers {what} combinations of operand lengths: predicted is "
            "for those that they have"
        )
    return lines


def premise_lines(j: JudgedAnswers) -> list[str]:
    """What the claims ask of a model, and whether this one meets it."""
    v, unmeasured = j.verdict, unmeasured_premises(j)
    asks = [x.prediction for x in v.lengths]
    noise = [x.digits for x in asks if x.requires_noise_invariance]
    reads = [x.digits for x in asks if x.requires_noise_sensitivity]
    stable = [x.digits for x in asks if x.requires_stability]
    head = "Premises of the claim"
    unknown = [f"whether {_WHETHER[x]} (asked at {lengths_text(n)})" for x, n in unmeasured.items()]
    if not v.runs or not (noise or reads or stable or unknown):
        return []
    if not j.measured:
        return [f"{head}, not measured. Answers do not show {', nor '.join(unknown)}."]
    [run] = v.runs
    said = []
    if run.indifference is not None:
        changes = (
            "Noise at digits that training never varied changes "
            f"{_changed(run.indifference)} of the answers where it was trained; "
        )
        may = _changed(premise.INDIFFERENT)
        said += [f"{changes}{may} may change: {_met(run.indifferent)}"] * bool(noise)
        said += [f"{changes}more than {may} have to: {_met(not run.indifferent)}"] * bool(reads)
    for x in asks:
        measured = run.at(x.digits)
        if x.digits in stable and measured and (kept := measured.steady) is not None:
            least = premise.least_kept(x.requires_measured_stability) - float(x.may_change)
            said.append(
                f"Disturbing all digits a little changes {_changed(kept)} at "
                f"{count(x.digits, 'digit')}; {_changed(least)} may change: {_met(kept >= least)}"
            )
    said += [f"Not measured: {x}" for x in unknown]
    return [f"{head}, as measured. {'. '.join(said)}."] if said else []


def unmeasured_premises(j: JudgedAnswers) -> dict[Premise, list[int]]:
    """What was not measured of a model and claims ask for, with the lengths where they do."""
    asks = [x.prediction for x in j.verdict.lengths]
    each = {
        Premise.NOISE: [
            x.digits for x in asks if x.requires_noise_invariance or x.requires_noise_sensitivity
        ],
        Premise.STABLE: [x.digits for x in asks if x.requires_stability],
        Premise.LOCALITY: [x.digits for x in asks if Premise.LOCALITY in x.premises],
    }
    return {x: at for x, at in each.items() if at and not (j.measured and x != Premise.LOCALITY)}


def _changed(kept: float) -> str:
    """``18.5%``: the share that does not stay, rounded up."""
    return f"{ceil(round(1000 * (1 - kept), 6)) / 10:g}%"


def _met(is_met: bool) -> str:
    return "met" if is_met else "not met"


def next_lines(j: JudgedAnswers) -> list[str]:
    """What holds all the same where a claim is not agreed with, why it may not be, what to do."""
    v = j.verdict
    lines = [text for x in v.lengths if x.verdict != Verdict.AGREE if (text := _bound_met(j, x))]
    missed = [x for x in v.lengths if j.misses(x)]
    ignores = any(run.indifferent for run in v.runs)
    if not ignores and any(x.prediction.requires_noise_invariance for x in missed):
        lines.append(
            "The model uses digits that were always the same in training, and the claim is on "
            f"models that do not. Train with noise on tokens, and they do not ({_IGNORED})."
        )
    elif missed:
        lines.append(
            "Another answer is near for many inputs, and the claim is on models whose answers are "
            f"firm. Longer training with noise on tokens makes them so ({_IGNORED})."
        )
    lost = [x for x in j.surprising if x.answer != x.expected == x.answer.zfill(len(x.expected))]
    if lost:
        lines.append(
            f"Answers lack zeros in front, as '{lost[0].answer}' for '{lost[0].expected}': numbers "
            "in JSON or CSV lose them, text keeps them."
        )
    others = [x for x in v.lengths if not _is_explained(x)]
    if apart := [x.digits for x in others if is_near(x)]:
        lines.append(
            f"At {lengths_text(apart)} the accuracy is as predicted, and the answers are not: to "
            f"agree {MECHANISM:.0%} of them have to be those of f^, right or wrong."
        )
    if not j.measured and any(_is_unknown(x) for x in v.lengths):
        uses = [x.digits for x in others if x.prediction.requires_noise_invariance]
        used = (
            f"Answers other than f^ at {lengths_text(uses)} show that the model uses digits that "
            "were always the same in training. If noise there changes its answers too,"
        )
        unknown = (
            "Not known: whether the model uses digits that were always the same in training. Then"
        )
        lines.append(
            f"{used if uses else unknown} the claim does not speak of it, and noise on tokens in "
            f"training helps ({_IGNORED}). To know, hand the model over, and it is measured: "
            f"{BY_PYTHON}, or arith judge --model hf:FOLDER (docs/your-data.md)."
        )
    return lines


def _is_explained(x: LengthVerdict) -> bool:
    """Whether answers are those of f^ as a claim asks, or none asks for it."""
    if x.prediction.accuracy is None or x.learned is None or x.verdict == Verdict.PREMISE:
        return True
    return x.learned.value >= MECHANISM


def _is_unknown(x: LengthVerdict) -> bool:
    """Whether it is inconclusive as answers do not show the premise."""
    asks = x.prediction.requires_noise_invariance or x.prediction.requires_measured_stability
    known = x.accuracy is None or is_too_wide(x)
    return x.verdict == Verdict.INCONCLUSIVE and asks and not known


def _bound_met(j: JudgedAnswers, x: LengthVerdict) -> str:
    """The bound of a claim that the answers are within, and how many are those of f^."""
    found, p = j.at(x.digits), x.prediction
    if found is None or p.claim == Claim.NONE or x.verdict == Verdict.PREMISE:
        return ""
    wrong, right = int(100 * (1 - p.at_most)), int(100 * p.at_least)
    if wrong and found.right.high <= p.at_most:
        what, least, share = "wrong", wrong, 1 - found.right.value
    elif right and p.claim == Claim.AT_LEAST and found.right.low >= p.at_least:
        what, least, share = "right", right, found.right.value
    else:
        return ""
    said = f"{what} on at least {least}% of the inputs: it is {what} on {share:.0%}"
    learned = found.explained.counts.get("f^")
    told = f", and {learned / found.inputs:.0%} of its answers are those of f^" if learned else ""
    at = f"At {count(x.digits, 'digit')} a bound of the prediction holds all the same"
    return f"{at}, {said}{told}."


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
        [str(x.digits), cut(x.prompt), _line(x.answer, 40) or "(empty)", x.expected, x.function]
        for x in j.surprising
    ]


def surprising_title(j: JudgedAnswers) -> str:
    """What the table of surprising answers is."""
    first = f"The first {MOST_SHOWN} answers" if len(j.surprising) == MOST_SHOWN else "Answers"
    return f"{first} that are not as predicted. Expected: f where all are to be right, else f^."


def left_out_lines(j: JudgedAnswers) -> list[str]:
    """Which prompts were not judged; no line where all were."""
    s = j.verdict.cell.setting
    counts = [
        (
            *j.too_long,
            f"with operands that are longer than {written_width(s)} digits, to which "
            f"training pads (--width N asks as if it padded to N)",
        ),
        (
            j.unread[0] - j.too_long[0],
            *(j.unread[1:] if j.unread != j.too_long else (0, "")),
            "that are no inputs of the task as training writes them",
        ),
        (j.repeated, 0, "", "that repeat an earlier one"),
        (j.untested, 0, "", "of lengths neither trained nor tested"),
    ]
    said = []
    for number, line, text, what in counts:
        first = f", the first is number {line:,}: '{_line(text, 60)}'{too_long(text, LARGEST_TEST)}"
        said += [f"{number:,} {what}{first * bool(line)}"] * bool(number)
    return [f"Prompts left out: {'; '.join(said)}."] if said else []


def _line(text: str, most: int) -> str:
    """A text on one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}..."


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
        needed = next(n for n in count_from(1) if premise.independent(task, n) >= premise.NEEDED)
        return (
            f"Inconclusive: too few answers at trained lengths ({j.trained:,}) to know whether a "
            f"model is right there; {needed} are needed, and more where some are wrong."
        )
    parts = [_of_direction(j, direction) for direction in INPUTS]
    met = f"{len(v.converged)} of {count(len(v.runs), 'model')} converged"
    return f"{' '.join(filter(None, parts))} {met} (right where trained).".strip()


def _of_direction(j: JudgedAnswers, direction: Direction) -> str:
    """``Longer inputs: agree at 3..5 digits.``"""
    there = [x for x in j.verdict.lengths if x.prediction.direction == direction]
    setting = j.verdict.cell.setting
    there = [x for x in there if not (_is_converged(x) or setting.is_premise(x.digits))]
    said = []
    for kind in dict.fromkeys((_word(j, x), _is_open(x)) for x in there):
        some = [x for x in there if (_word(j, x), _is_open(x)) == kind]
        said.append(f"{kind[0]} at {lengths_text([x.digits for x in some])}{_why(j, some)}")
    return f"{INPUTS[direction].capitalize()} inputs: {', '.join(said)}." if said else ""


def _is_open(x: LengthVerdict) -> bool:
    """Whether answers are too few to decide."""
    return x.verdict == Verdict.INCONCLUSIVE and is_too_wide(x)


def _why(j: JudgedAnswers, lengths: Sequence[LengthVerdict]) -> str:
    """Why nothing is decided there."""
    if all(map(j.misses, lengths)):
        [run] = j.verdict.runs
        if not run.indifferent and any(x.prediction.requires_noise_invariance for x in lengths):
            return f" (noise changes {_changed(run.indifference or 0)} of the answers)"
        return " (its answers are not stable)"
    if all(map(_is_open, lengths)):
        needed = max(map(answers_needed, lengths))
        return f" (too few answers; {needed:,} of each model are enough if they are as claimed)"
    if all(x.prediction.direction == Direction.IN_DOMAIN for x in lengths):
        return " (with inputs that training lacks)"
    if any(x.verdict != Verdict.INCONCLUSIVE for x in lengths):
        return ""
    if all(x.accuracy is None for x in lengths):
        return " (no answers)"
    return " (not as predicted, and the premises are not known)"


def models_measured(j: JudgedAnswers, names: Sequence[str]) -> list[Measured]:
    """The models for a picture of the prediction."""
    return [named(name, run) for name, run in zip(names, j.verdict.runs, strict=True)]


def answers_json(j: JudgedAnswers, names: Sequence[str]) -> dict[str, Any]:
    """All of it as plain values; fractions are text and floats, as those of a prediction."""
    v = j.verdict
    told = v.prediction.to_json()
    return {
        "setting": v.cell.setting.text(),
        **{name: told[name] for name in _OF_SETTING},
        "learned_function": told["learned_function"],
        "verdict": verdict_in_one(j),
        "sentence": answer_sentence(j),
        "premises": _premises_json(j),
        "premises_not_measured": unmeasured_premises(j),
        "next": next_lines(j),
        "models": [
            {"name": name, "in_domain": round(run.premise, 6), "converged": run.converged}
            for name, run in zip(names, v.runs, strict=True)
        ],
        "functions": {x.name: x.text for x in j.functions},
        "lengths": [
            {
                **predicted,
                "verdict": _MISSED if j.misses(x) else x.verdict,
                "premise_met": None if not j.measured else not j.misses(x),
                **_length_json(j, x.digits),
            }
            for predicted, x in zip(told["lengths"], v.lengths, strict=True)
        ],
        "surprising": [vars(x) for x in j.surprising],
        "left_out": {
            "unread": j.unread[0],
            "too_long": j.too_long[0],
            "repeated": j.repeated,
            "untested": j.untested,
        },
    }


def _premises_json(j: JudgedAnswers) -> dict[str, Any] | None:
    """The shares of answers that stay under noise and when disturbed; None where not measured."""
    if not j.measured:
        return None
    [stays] = j.stays
    assert stays is not None
    stable = {str(n): round(x, 6) for n, x in stays.stable.items()}
    noise = None if stays.noise is None else round(stays.noise, 6)
    return {"stay_under_noise": noise, "stay_when_disturbed": stable}


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
