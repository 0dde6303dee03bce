"""Predictions and advice in words: the rows of tables, and legends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from textwrap import wrap
from typing import TYPE_CHECKING, Protocol

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.exact_text import exact_text
from arith.theory.arithmetic.lengths_text import lengths_text, runs_text
from arith.theory.arithmetic.shares import fixed_text, share_text
from arith.theory.generalization.lengths import MOST_UNSEEN, Premise
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.text.answer import (
    INPUTS,
    UNCLAIMED,
    beside_line,
    beside_trained,
    cut,
    decided_by,
)

if TYPE_CHECKING:
    from arith.theory.generalization.lengths import LengthPrediction
    from arith.theory.prediction.convergence import Convergence
    from arith.theory.prediction.forecast import Forecast
    from arith.theory.prediction.predict import Prediction
    from arith.theory.setting.settings import Setting
    from arith.theory.studies.advise import Advice

LENGTH_COLUMNS = ("digits", "inputs", "expected accuracy", "claim")
_WHOSE = {
    "longest": "the longest operand has",
    "every": "each operand has",
    "lengths": "lengths are drawn first, and the longest operand has",
    "total": "lengths are drawn first, and the operands together have",
    "coin": "an operand picked by chance has",
}
_LONGEST_FRACTION = 40
_LONGEST_IN_TABLE = 15
_COMMAND = 74
_MOST_FORECASTS = 4
_MOST_NEAREST = 3
_IF_STABLE = " if stable"
_PROVED = "What is claimed is proved for a model that is right on all of training."
_NOTHING_NEAR = (
    "Nothing like this was measured at {}, so the forecast there is 0 to 1. arith verify, with the "
    "options of this setting, trains models and measures it."
)
NOT_COUNTED = "not counted"
"""What stands for an accuracy whose count was given up."""
_JOINED = "\N{NO-BREAK SPACE}"


def setting_lines(s: Setting) -> list[str]:
    """The setting as the head of an answer: what is computed and trained on, and by what model."""
    lengths = f"{_WHOSE[s.train.kind]} {digits_text(_some_text(s.train.lengths))}"
    if s.train.each:
        first = "lengths are drawn first, and " * (s.train.kind == "lengths")
        lengths = first + " and ".join(_each_text(s, s.train.each))
    trained = f"trained on {s.train.text()}: {lengths}"
    what = f"{cut(s.task.text())} in base {s.digit_base}, {trained}"
    written = set(re.findall(r"\b[a-h]\b", s.task.name))
    out = ", ".join(sorted(written - set(s.task.names)))
    left = [f"{out} cancels: lengths are those of {', '.join(s.task.names)}"] if out else []
    tests = ", and ".join(_tests_text(s))
    tested = [f"tested where {tests}"] if tests else []
    told = s.natural or s.width  # by ``seen_text``
    padded = "" if told else f", operands padded to {s.digits_text(s.operand_width)}"
    starts = [f"training draws from {s.starts} starts (--starts)"] if s.random_starts else []
    return [what, f"{s.encoding.label} encoding, {s.seen_text}{padded}", *starts, *left, *tested]


def _tests_text(s: Setting) -> Iterator[str]:
    """What the operands of tests have, where that is not as in training."""
    each = s.asked_each
    if each or s.test_kind != s.train.kind:
        yield f"{_WHOSE[s.test_kind]} n digits"
    longest = max((x[-1] for x in each), default=0)
    every = tuple(range(1, longest + 1))
    yield from (x for x, y in zip(_each_text(s, each), each, strict=False) if y != every)
    yield from (f"place {i} has only {_some_text(d)}" for i, d in s.test_allowed)


def _each_text(s: Setting, each: Sequence[tuple[int, ...]]) -> list[str]:
    """``a has 1..40 digits``, and so on."""
    named = zip(s.task.names, each, strict=False)
    return [f"{name} has {digits_text(_some_text(lengths))}" for name, lengths in named]


def _some_text(numbers: tuple[int, ...]) -> str:
    """``1..5 or 7 or 8``: three and more numbers that follow each other as one."""
    return runs_text(numbers, apart=" or ", least=3)


def fraction_text(x: Fraction | None) -> str:
    """A rational, cut in the middle where it would fill lines (JSON has it whole)."""
    if x is None:
        return "-"
    text = exact_text(x)
    return text if len(text) <= _LONGEST_FRACTION else f"{text[:16]}...{text[-16:]}"


def length_rows(prediction: Prediction) -> list[list[str]]:
    """One row per test length, in the order of ``LENGTH_COLUMNS``."""
    return [
        [str(x.digits), INPUTS[x.direction], _accuracy_text(x), claim_word(prediction, x)]
        for x in prediction.lengths
    ]


def _accuracy_text(x: LengthPrediction) -> str:
    """``49/4950 ≈ 0.0099 ± 0.01``: of the expected function; ± is what training leaves open.

    ``0.25 to 1`` where that is more than an exact claim bears, or where no exact accuracy follows.
    ``1 or 0`` where a stable model computes one of two functions; ``1 if stable`` where both are
    right.
    """
    if x.candidates:
        return " or ".join(map(_share_in_table, x.candidates)) + _IF_STABLE * _are_alike(x)
    if x.learned_accuracy is None:
        return _range_text(x.at_least, x.at_most) if x.counted else NOT_COUNTED
    if _is_range(x):
        return _range_text(x.at_least, x.at_most)
    return _share_in_table(x.learned_accuracy) + open_share(x)


def _is_range(x: LengthPrediction) -> bool:
    """Whether the training data determine no one accuracy, but for a few inputs."""
    return x.learned_accuracy is None or x.unseen > MOST_UNSEEN


def _range_text(least: Fraction, most: Fraction) -> str:
    """``0 to 0.25``, rounded to the safe sides."""
    return f"{_rounded(least, 3, ROUND_FLOOR)} to {_rounded(most, 3, ROUND_CEILING)}"


def open_share(x: LengthPrediction) -> str:
    """`` ± 0.01``: what training leaves open; empty where that is nothing."""
    return f" ± {share_text(x.unseen, 2)}" if x.unseen else ""


def _share_in_table(x: Fraction) -> str:
    """``49/4950 ≈ 0.0099``; a long fraction as a decimal alone."""
    text = share_text(x)
    if x.denominator == 1 or len(exact_text(x)) > _LONGEST_IN_TABLE:
        return text
    return f"{x} {'=' if Fraction(f'{float(x):.3g}') == x else '≈'} {text}"


def _are_alike(x: LengthPrediction) -> bool:
    """Whether both candidates are right on all inputs."""
    return len(x.candidates) == 1


def claim_word(prediction: Prediction, x: LengthPrediction) -> str:
    """``exact``, ``at most 0.25``, ``0.1 to 0.25``, ``no claim``; ``premise`` where trained.

    ``exact if stable`` where models have to be measured to be stable.
    """
    if prediction.setting.is_premise(x.digits):
        return "premise"
    if x.claim == Claim.NONE:
        return UNCLAIMED
    said = bound_word(x) if x.claim in (Claim.AT_LEAST, Claim.AT_MOST) else x.claim
    return said + _IF_STABLE * x.requires_measured_stability


def bound_word(x: Claimed, digits: int = 3) -> str:
    """The bounds of an accuracy to so many digits, rounded to the safe sides."""
    return _bounds(x, lambda bound, rounding: _rounded(bound, digits, rounding))


def _bounds(x: Claimed, number: Callable[[Fraction, str], str]) -> str:
    """``at most 0.25``, ``0.1 to 0.25``, ``at least 0.9``, ``below 1``.

    Args:
        number: a bound as text, rounded so.
    """
    low, high = number(x.at_least, ROUND_FLOOR), number(x.at_most, ROUND_CEILING)
    if x.claim == Claim.AT_LEAST:
        return f"at least {low}"
    below = "below 1" if high == "1" else ""
    return f"{low} to {below or high}" if x.at_least else below or f"at most {high}"


def _rounded(bound: Fraction, digits: int, rounding: str) -> str:
    context = Context(prec=digits, rounding=rounding)
    quotient = context.divide(Decimal(bound.numerator), Decimal(bound.denominator))
    return share_text(Fraction(quotient), digits)


SIGNS = {
    "?": UNCLAIMED,
    "<=": "at most, rounded up",
    ">=": "at least, rounded down",
    "<1": "wrong on some inputs, how many is not counted",
    "..": "between",
    "*": "of models that are stable there",
}
"""What stands for the words of a claim where there is little room."""


def in_signs(text: str) -> str:
    """The words of a claim as ``SIGNS``."""
    text = text.replace("at most ", "<=").replace("at least ", ">=").replace("below 1", "<1")
    return text.replace(" to ", "..").replace(UNCLAIMED, "?")


def short_claim(x: LengthPrediction) -> str:
    """What is claimed at a length, in few characters: ``0.33``, ``<=0.25``, ``1*``, ``?``."""
    if x.claim == Claim.NONE:
        return "?"
    text = in_signs(bound_word(x, digits=2))
    if x.claim == Claim.EXACT and x.accuracy is not None:
        text = str(x.accuracy) if x.accuracy.denominator == 1 else fixed_text(x.accuracy, 2)
    return text + "*" * x.requires_measured_stability


class Claimed(Protocol):
    """What is claimed at a length, by today's theory or as it was stored."""

    @property
    def claim(self) -> Claim: ...

    @property
    def accuracy(self) -> Fraction | None: ...

    @property
    def at_least(self) -> Fraction: ...

    @property
    def at_most(self) -> Fraction: ...


def claim_in_table(x: LengthPrediction) -> str:
    """A claim in decimals alone: ``0.333 ± 0.01``, ``at most 0.25``."""
    if x.accuracy is not None:
        return share_text(x.accuracy) + open_share(x)
    return UNCLAIMED if x.claim == Claim.NONE else bound_word(x)


def claim_text(x: Claimed, exact: bool = False) -> str:
    """What is claimed at a length: ``49/4950``, ``1/8 to 1/4``, ``no claim``.

    Args:
        exact: keep long fractions, where otherwise a decimal stands, a bound to its safe side.
    """
    if x.claim == Claim.NONE:
        return UNCLAIMED
    if x.claim == Claim.EXACT:
        return _fraction_or_decimal(x.accuracy, ROUND_HALF_EVEN, exact)
    return _bounds(x, lambda bound, rounding: _fraction_or_decimal(bound, rounding, exact))


def _fraction_or_decimal(x: Fraction | None, rounding: str, exact: bool) -> str:
    """``49/4950``; of a long fraction three digits, rounded."""
    if x is None or exact or len(exact_text(x)) <= _LONGEST_IN_TABLE:
        return fraction_text(x)
    return _rounded(x, 3, rounding)


def forecast_lines(prediction: Prediction, named: bool = False) -> list[str]:
    """What was measured in settings like this one, where no more than a loose bound is claimed.

    Args:
        named: add the nearest cells.
    """
    asked = [x.digits for x in prediction.lengths if x.is_open]
    told = [(n, found) for n in asked if (found := prediction.forecasts.get(n))]
    if not told:
        return []
    if not any(x.near for _, x in told):
        return [_NOTHING_NEAR.format(lengths_text([n for n, _ in told]))]
    said = [f"at {digits_text(n)} {_forecast_text(x)}" for n, x in told]
    if len(said) > _MOST_FORECASTS:
        said[_MOST_FORECASTS - 1 : -1] = ["..."]
    firm = any(x.requires_measured_stability for x in prediction.lengths)
    of = ", of stable models and others" * firm
    lines = [f"Measured in settings like this{of} (a forecast, no claim): {'; '.join(said)}."]
    first = {prediction.setting.train.direction(n): (n, x) for n, x in reversed(told)}
    for n, x in sorted(first.values()) if named else ():
        nearest = "; ".join(cut(cell) for cell in x.cells[:_MOST_NEAREST])
        lines.append(f"Nearest that was measured, for {digits_text(n)}: {nearest}.")
    return lines


def _forecast_text(x: Forecast) -> str:
    """``0.00 to 0.18, median 0.02 (8 models of 3 cells)``."""
    if not x.near:
        return f"nothing near, so {x.low:g} to {x.high:g}"
    return f"{x.low:.2f} to {x.high:.2f}, median {x.median:.2f} ({_rests(x.models, len(x.cells))})"


def convergence_line(x: Convergence) -> str:
    """How many models like one converge, and how soon half of these do."""
    if not x.near:
        return "Nothing near this setting was trained: no forecast of how many models converge."
    half = f", half of these by {x.steps.median:,}" if x.steps else ""
    weighted = ", weighted by likeness" if x.share and not x.steps else ""
    return (
        f"Trained in settings like this (a forecast, no claim): {x.share:.0%} of models converge "
        f"within {x.budget:,} steps{half} ({_rests(x.models, x.cells)}{weighted})."
    )


def _rests(models: int, cells: int) -> str:
    """``8 models of 3 cells``."""
    return f"{count(models, 'model')} of {count(cells, 'cell')}"


def legend(prediction: Prediction, leaps: Decision) -> list[str]:
    """What the answer presupposes, and what the words and signs in the table of lengths mean."""
    s, lengths = prediction.setting, prediction.lengths
    claims = {x.claim for x in lengths if not s.is_premise(x.digits)}
    lines = [f"Premises: {'. '.join(_premises(prediction, claims))}."]
    lines += _basis_lines(prediction, claims)
    if leaps is Decision.YES:
        lines.append("It may take long to converge, or never do so (arith theorems leap).")
    beside = beside_trained(prediction)
    if beside and all(x.accuracy == 1 for x in beside):  # else the answer says so
        lines.append(beside_line(prediction))
    if any(x.status == Status.UNDETERMINED for x in lengths):
        lines.append(
            "Where the answer is open, --explain says why, and arith advise what to change."
        )
    lines += _candidate_lines(lengths)
    decided = [x for x in lengths if not x.candidates]
    unseen = [x.unseen for x in decided if x.unseen and x.learned_accuracy is not None]
    if any(x <= MOST_UNSEEN for x in unseen):
        lines.append("±: the share of inputs whose answer the training data do not determine.")
    uncounted = [x for x in decided if x.learned_accuracy is None and not x.counted]
    ranges = [_accuracy_text(x) for x in decided if x not in uncounted and _is_range(x)]
    if ranges:
        lines.append(f"{ranges[0]}: the training data determine no more than this range.")
    if uncounted:
        lines.append(f"{NOT_COUNTED}: that would take too long.")
    open_too = any(x.unseen and x.claim == Claim.EXACT for x in lengths)
    meaning = {
        Claim.EXACT: f"exact, the accuracy is the one shown{', give or take its ±' * open_too}",
        Claim.AT_MOST: "at most, the accuracy is not above this, rounded up",
        Claim.AT_LEAST: "at least, it is not below this, rounded down",
    }
    from_below = [x.at_least > 0 for x in lengths if x.claim == Claim.AT_MOST]
    if all(from_below):
        meaning[Claim.AT_MOST] = (
            "a range, the accuracy lies within it; its ends are rounded outward"
        )
    elif any(from_below):
        meaning[Claim.AT_MOST] += "; a range, it lies within it"
    if any(claim_word(prediction, x).startswith("below 1") for x in lengths):
        meaning[Claim.AT_MOST] += " (below 1: some inputs are wrong, how many is not counted)"
    said = "; ".join(text for claim, text in meaning.items() if claim in claims)
    return [*lines, f"claim: {said}."] if said else lines


def _premises(prediction: Prediction, claims: set[Claim]) -> list[str]:
    """What is presupposed of the model and of its training."""
    s, lengths = prediction.setting, prediction.lengths
    premises = ["the model is right on held-out inputs (converged)"]
    if noise := any(x.requires_noise_invariance for x in lengths):
        premises.append(
            "Noise on ignored digits changes no answer (arith theorems noise invariance)"
        )
    none = "none" if noise else "no answer"
    asked = {
        "Noise on digits that never varied changes answers, at {} (arith theorems two "
        "candidates)": [x.digits for x in lengths if x.requires_noise_sensitivity],
        f"Disturbing all digits a little changes {none} at {{}} (arith theorems stability)": [
            x.digits for x in lengths if x.requires_stability
        ],
        "At {} that has to have been measured": [
            x.digits for x in lengths if x.requires_measured_stability
        ],
        "At {} no query depends on a digit that a later query lacks (arith theorems address)": [
            x.digits for x in lengths if Premise.LOCALITY in x.premises
        ],
    }
    premises += [text.format(lengths_text(at)) for text, at in asked.items() if at]
    if s.random_starts and claims != {Claim.NONE}:
        premises.append(f"Training drew from {s.starts} starts")
    return premises


def _candidate_lines(lengths: Iterable[LengthPrediction]) -> list[str]:
    """What is shown where a stable model is expected to compute the task or f^."""
    named = {_are_alike(x) for x in lengths if x.candidates}
    means = {
        False: "1 or c: no claim, but a stable model is expected either to be right, or to ignore "
        "digits that never varied in training, which is right on a share of c",
        True: f"1{_IF_STABLE}: no claim, but a stable model is expected to be right",
    }
    return [
        f"{text} (arith theorems two candidates)." for key, text in means.items() if key in named
    ]


def _basis_lines(prediction: Prediction, claims: set[Claim]) -> list[str]:
    """What decides the lengths beyond the trained ones where something is claimed."""
    if claims <= {Claim.NONE}:
        return []
    return decided_by(prediction) if prediction.observed else [_PROVED]


def reads_text(digits: int) -> str:
    """``the lowest 2 digits of each operand``."""
    if not digits:
        return "no digit"
    return f"the lowest {'digit' if digits == 1 else digits_text(digits)} of each operand"


def count(number: int | str, noun: str) -> str:
    """``1 cell``, ``2 cells``, ``4 or 5 cells``: the one way to say how many there are."""
    return f"{number} {noun}{'' if str(number) == '1' else 's'}"


def digits_text(number: int | str) -> str:
    """``1 digit``, ``2 digits``, ``4 or 5 digits``."""
    return count(number, "digit")


def advice_text(advice: Advice) -> list[str]:
    """Advice in words: the answer, the changes, and what stands in the way."""
    s = advice.current.setting
    lines = [*setting_lines(s), f"tested on {digits_text(', '.join(map(str, s.test_lengths)))}", ""]
    if advice.generalizes:
        lines.append("Nothing has to be changed: a model that meets the premises generalizes.")
        return [*lines, *_recipe_lines(advice)]
    if advice.suggestions:
        lines.append("A model generalizes after any one of these changes, cheapest first:")
        for n, x in enumerate(advice.suggestions, 1):
            limit = [] if x.goes_on else [f"up to {digits_text(max(s.test_lengths))} only"]
            more = lengths_text(x.then_trained) if x.then_trained else ""
            sure = [f"trains on the tested {more}"] if more else []
            sure += ["proved"] * (x.proved and not x.trained)
            notes = ", ".join([*limit, *sure, *["may take long to learn"] * x.slow])
            lines += [f"{n}. {x.text}{f' ({notes})' if notes else ''}", _command_lines(x.command)]
        lines += _how_sure([x.proved for x in advice.suggestions if not x.trained])
    if not advice.complete:
        found = "" if advice.suggestions else "No change was found. "
        lines.append(f"{found}Not every change was tried: that would take too long.")
    elif not advice.suggestions:
        lines.append(
            "No change makes it generalize: every combination of our encodings, windows and "
            "layouts with one change of the training domain (short of training on every length) "
            "was tried."
        )
    lines += ["", "As it is, it does not:", *(f"- {text}." for text in advice.obstacles)]
    return [*lines, *_recipe_lines(advice)]


def _recipe_lines(advice: Advice) -> list[str]:
    """The recipe by which more models converge, where few do by the usual one."""
    if advice.recipes is None:
        return []
    usual, best = advice.recipes
    return [
        "",
        f"Few models like it converge (a forecast, no claim): by the usual recipe, "
        f"{usual.recipe}, {usual.share:.0%} within {usual.budget:,} steps "
        f"({_rests(usual.models, usual.cells)}); with --recipe {best.recipe} {best.share:.0%} "
        f"({_rests(best.models, best.cells)}).",
    ]


def _command_lines(words: Iterable[str]) -> str:
    """A command on lines that fit a terminal of 80 columns and can be pasted as they are."""
    whole = " ".join(word.replace(" ", _JOINED) for word in words)
    lines = wrap(whole, _COMMAND, break_on_hyphens=False, break_long_words=False)
    return "  " + " \\\n    ".join(lines).replace(_JOINED, " ")


def _how_sure(proved: list[bool]) -> list[str]:
    """What stands behind the suggestions that claim something."""
    if all(proved):
        return [_PROVED] if proved else []
    rest = "The others rest" if any(proved) else "They rest"
    return [f"{rest} on rules observed in trained models, not proved (arith predict --explain)."]
