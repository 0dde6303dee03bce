"""Predictions in words: the rows of tables, the derivation, and Markdown for notebooks."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from theory.effort import budget
from theory.leaps import FEW, leaps
from theory.predict import AT_MOST, GENERALIZES, NO_CLAIM

if TYPE_CHECKING:
    from theory.advise import Advice, Suggestion
    from theory.digit_accuracy import DigitAccuracy
    from theory.predict import LengthPrediction, Prediction
    from theory.settings import Setting

LENGTH_COLUMNS = ("digits", "direction", "status", "accuracy", "")
_LONGEST_FRACTION = 40


def setting_text(s: Setting) -> str:
    """``(a + b) mod 101, base 10, ape, aligned layout, trained on D_2``."""
    window = f", window {s.window}" if s.window else ""
    return (
        f"{s.task.text()}, base {s.base}, {s.encoding.name}, {s.layout.name} layout{window}, "
        f"trained on {s.train.text()}"
    )


def fraction_text(x: Fraction | None) -> str:
    """A rational, cut in the middle where it would fill lines (JSON has it whole)."""
    if x is None:
        return "-"
    text = str(x)
    return text if len(text) <= _LONGEST_FRACTION else f"{text[:16]}...{text[-16:]}"


def length_rows(prediction: Prediction) -> list[list[str]]:
    """One row per test length, in the order of ``LENGTH_COLUMNS``."""
    return [
        [
            str(x.digits),
            x.direction.replace("_", " "),
            x.status,
            fraction_text(x.accuracy),
            _claimed(prediction, x),
        ]
        for x in prediction.lengths
    ]


def _claimed(prediction: Prediction, x: LengthPrediction) -> str:
    """The accuracy in decimals, with how far it is claimed."""
    claim = prediction.claim(x)
    if claim == AT_MOST:
        return f"at most {float(x.at_most):.6g}"
    if x.accuracy is None:
        return ""
    # Where training leaves the answer open on a share of the inputs, those may go either way.
    room = f" ± {float(x.unseen):.2g}" if x.unseen else ""
    return f"{float(x.accuracy):.6g}{room}" + (" (not claimed)" if claim == NO_CLAIM else "")


def claim_text(prediction: Prediction, x: LengthPrediction) -> str:
    """What is predicted at a length, exactly: ``49/4950``, ``at most 1/4``, ``1 (not claimed)``."""
    claim = prediction.claim(x)
    if claim == AT_MOST:
        return f"at most {fraction_text(x.at_most)}"
    if x.accuracy is None:
        return x.status
    return fraction_text(x.accuracy) + (" (not claimed)" if claim == NO_CLAIM else "")


def verdict_text(prediction: Prediction, direction: str) -> str:
    """The refined verdict, and that it is not claimed where nothing else is (rule ``leak``)."""
    verdict = prediction.verdict(direction)
    claims = {prediction.claim(x) for x in prediction.lengths if x.direction == direction}
    return f"{verdict} (not claimed)" if verdict == GENERALIZES and NO_CLAIM in claims else verdict


def verdict_rows(prediction: Prediction) -> list[list[str]]:
    """Direction, refined verdict, published verdict."""
    return [
        [d, verdict_text(prediction, d), f"(published theorem: {prediction.published_verdict(d)})"]
        for d in ("downward", "upward")
    ]


_PLAIN = {
    "generalizes": "it will be right at every length tested in that direction",
    "fails": "it will be wrong on some of them; the accuracy, where known, is the share it gets right",
    "undetermined": "nothing follows: a premise is missing, named below",
    "none": "no such length is tested",
}


def explanation(prediction: Prediction) -> list[str]:
    """The published theorem and the verdicts in plain words, then the numbered derivation."""
    lines = [f"Published theorem: {prediction.published.theorem}."]
    for direction, longer in (("downward", "Shorter inputs"), ("upward", "Longer inputs")):
        lines.append(f"{longer}: {_PLAIN[prediction.verdict(direction)]}.")
    if prediction.leaks:
        lines.append(
            "This holds where the learned function is met, which is not claimed (rule: leak)."
        )
    lines.append("")
    for number, step in enumerate(prediction.derivation, 1):
        lines.append(f"{number}. {step.statement}")
        lines.append(f"   rule: {step.rule}; source: {step.source}")
    return lines + _before_convergence(prediction) + _how_soon(prediction)


def _before_convergence(prediction: Prediction) -> list[str]:
    """What a model is right on that has not learned the task, where that is known."""
    from theory.plateaus import plateaus

    s = prediction.setting
    found = plateaus(s.task, s.base, s.train)
    if not found:
        return []
    lines = [
        "",
        "Before it converges (rule: plateau), right in domain at the most on",
    ]
    for x in found:
        share = f"{fraction_text(x.accuracy)} = {float(x.accuracy):.4g}"
        lines.append(f"   {share}, reading {reads_text(x.read)}")
    return lines


def _how_soon(prediction: Prediction) -> list[str]:
    """How many digits the task asks for at once, where that can be counted."""
    s = prediction.setting
    more = leaps(s.task, s.base, s.train) if s.encoding.own_positions else None
    if more is None:
        return []
    how = f"more than {FEW} digits at once (rule: leap): often learned late, or not at all"
    few = f"up to {FEW} digits at once (rule: leap): mostly learned soon"
    return ["", f"Asks for {how if more else few}"]


def reads_text(digits: int) -> str:
    """``the lowest 2 digits of each operand``."""
    if not digits:
        return "no digit"
    return f"the lowest {'digit' if digits == 1 else _digits_text(digits)} of each operand"


def _digits_text(number: int) -> str:
    return f"{number} digit{'' if number == 1 else 's'}"


def advice_text(advice: Advice) -> list[str]:
    """Advice in words: what stands in the way, then the changes, cheapest first."""
    s = advice.current.setting
    tested = f"tested on {', '.join(map(str, s.test_lengths))} digits"
    lines = [f"{setting_text(s)}, {tested}"]
    if advice.generalizes:
        return [*lines, f"Generalizes as it is{_unclaimed(advice)}: nothing has to be changed."]
    lines += ["", "In the way:"] + [f"- {text}." for text in advice.obstacles]
    if not advice.complete:
        lines += ["", "Not every change was tried: that would take too long for such lengths."]
    if not advice.suggestions and not advice.complete:
        return lines
    if not advice.suggestions:
        why = (
            "every combination of our encodings, windows and layouts with one change of the training "
            "domain (short of training on every length) was put to the theory"
        )
        return [*lines, "", f"None of ours makes it generalize, by exhaustion: {why}."]
    lines += ["", "Any of these makes it generalize, cheapest first:"]
    return lines + [f"{n}. {x.text}{_unclaimed(x)}" for n, x in enumerate(advice.suggestions, 1)]


def _unclaimed(advice: Advice | Suggestion) -> str:
    return "" if advice.claimed else " (not claimed: rule leak)"


def predicted_digits(prediction: Prediction) -> list[tuple[int, DigitAccuracy]]:
    """The accuracy of the result's digits at each length with a predicted accuracy.

    Nothing where no learned function is predicted.
    """
    from theory.digit_accuracy import MOST_WORK, digit_accuracies

    if prediction.learned is None:
        return []
    with budget(MOST_WORK):
        return [
            (x.digits, digit_accuracies(prediction.learned, prediction.setting.test(x.digits)))
            for x in prediction.lengths
            if x.accuracy is not None
        ]


def digit_rows(prediction: Prediction) -> list[list[str]]:
    """Per length of ``predicted_digits``: the accuracy of each result digit, units first."""
    rows = []
    for digits, found in predicted_digits(prediction):
        for what, values in (("each", found.digit), ("lowest", found.lowest)):
            shown = " ".join("?" if v is None else f"{float(v):.4g}" for v in values)
            rows.append([str(digits), what, shown])
    return rows


def markdown(prediction: Prediction) -> str:
    """The prediction as Markdown, as a notebook shows it."""
    from tabulate import tabulate

    verdicts = [
        row[:2] + [prediction.published_verdict(row[0])] for row in verdict_rows(prediction)
    ]
    parts = [
        f"**{setting_text(prediction.setting)}**",
        tabulate(verdicts, ("direction", "refined", "published"), tablefmt="github"),
    ]
    if prediction.learned_text:
        parts.append(f"Learned function: `{prediction.learned_text}`")
    rows = length_rows(prediction)
    parts.append(tabulate(rows, LENGTH_COLUMNS, tablefmt="github", disable_numparse=True))
    return "\n\n".join(parts)
