"""The accuracy of each digit of a result, where one is predicted of the whole."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from arith.theory.arithmetic.effort import PART, budget
from arith.theory.arithmetic.exact_text import exact_text
from arith.theory.counting.accuracy import DigitAccuracy, digit_accuracies
from arith.theory.counting.learned import LearnedFunction
from arith.theory.prediction.predict import Prediction


def single_digits(prediction: Prediction) -> dict[int, DigitAccuracy] | None:
    """By test length the accuracy of the result's digits, where an accuracy is predicted.

    None where no expected function is predicted, or it is the task itself.
    """
    learned, test = prediction.learned, prediction.setting.test
    if not isinstance(learned, LearnedFunction):
        return None
    known = [x.digits for x in prediction.lengths if x.accuracy is not None]
    with budget(PART):
        return {n: digit_accuracies(learned, test(n)) for n in known}


def single_digits_json(found: dict[int, DigitAccuracy] | None) -> list[dict[str, Any]] | None:
    """Such accuracies exactly, an object per length."""

    def exactly(values: Iterable[Fraction | None]) -> list[str | None]:
        return [None if v is None else exact_text(v) for v in values]

    if found is None:
        return None
    return [
        {"digits": digits, "each": exactly(x.digit), "lowest": exactly(x.lowest)}
        for digits, x in found.items()
    ]
