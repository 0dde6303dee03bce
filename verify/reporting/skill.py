"""Skill: how far what is said of a length is from what its models get right, and how often within.

Four say something of each shorter and longer length: the claim, the claim with the forecast where
no accuracy is claimed, the published theorem where it speaks, and one number for all, their median.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, median
from typing import Any

from arith.theory.arithmetic.directions import EXTRAPOLATING
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim, Status
from arith.theory.prediction.forecast import INTERVAL, Forecast, class_of
from arith.theory.text.answer import INPUTS
from arith.verify.judging.judge import CellVerdict, published
from arith.verify.judging.premises import speaks_of
from arith.verify.judging.standards import TOLERANCE
from arith.verify.records.predicted import PredictedLength
from arith.verify.reporting.before import StoredForecast
from arith.verify.reporting.blocks import Block, Figure, Heading, Table, text
from arith.verify.reporting.plots import draw_reliability

CLASSES = ("ape", "other", "natural")
"""Padded numbers under APE, padded numbers under others, and numbers of natural length."""
NAMES = {"ape": "APE", "other": "other encodings"}
"""What tables call a class."""
_ALL = "all"
_PUBLISHED: dict[Status | None, float] = {Status.GENERALIZES: 1.0, Status.FAILS: 0.0}
LEAST_DRAWN = 100
"""Answers: of fewer there is no picture."""


@dataclass(frozen=True)
class Answer:
    """What a converged model got right at a length, and what was said of it.

    Args:
        met: whether the model met the premises of the claim, if there is one.
        claim: as one number; None where nothing is claimed.
        within: whether the claim, give or take the tolerance, or the interval of the forecast
            holds it.
        said: the accuracy that is claimed, or else the forecast, from models of other cells.
        theorem: of the paper; None where it says nothing.
    """

    inputs: str
    kind: str
    met: bool
    right: float
    claim: float | None
    within: bool
    said: float
    theorem: float | None

    @property
    def forecast(self) -> float | None:
        """The forecast where nothing is claimed; None elsewhere."""
        return self.said if self.claim is None else None


def answers(verdicts: Iterable[CellVerdict]) -> Iterator[Answer]:
    """Each converged model at each shorter and longer length."""
    for v in verdicts:
        for x, run in product((x.prediction for x in v.lengths), v.converged):
            is_asked = x.direction in EXTRAPOLATING and not v.cell.setting.is_premise(x.digits)
            if is_asked and (m := run.at(x.digits)):
                told, met = v.forecasts[run.noise_kind].get(x.digits), speaks_of(x, run)
                yield answer(v, x, x, told, m.accuracy, met, estimate(x, told, met))


def answer(
    v: CellVerdict,
    x: LengthPrediction,
    stated: LengthPrediction | PredictedLength,
    told: Forecast | StoredForecast | None,
    right: float,
    met: bool,
    said: float,
) -> Answer:
    """What a model got right at a length, beside what was claimed and forecast of it."""
    is_open = stated.claim == Claim.NONE
    return Answer(
        INPUTS[x.direction],
        class_of(v.cell.setting),
        met,
        right,
        None if is_open else point(stated),
        within(stated, told if is_open else None, right),
        said,
        _PUBLISHED.get(published(v.prediction, x)),
    )


def estimate(
    x: LengthPrediction | PredictedLength,
    told: Forecast | StoredForecast | None,
    speaks: bool = True,
) -> float:
    """What is said of a length as one number: the accuracy claimed, or else the forecast.

    The forecast keeps to what is claimed.

    Args:
        speaks: whether the claim speaks of the model; of others the forecast does, if there is one.
    """
    if told is not None and not speaks:
        return told.median
    if x.accuracy is not None or told is None:
        return point(x)
    return min(max(told.median, float(x.at_least)), float(x.at_most))


def point(x: LengthPrediction | PredictedLength) -> float:
    """A claim as one number: a bound is f^ where that keeps to it, and else its own value."""
    if x.accuracy is not None:
        return float(x.accuracy)
    bound = x.at_most if x.claim == Claim.AT_MOST else x.at_least
    expected = bound if x.learned_accuracy is None else x.learned_accuracy
    return float(min(max(expected, x.at_least), x.at_most))


def within(
    x: LengthPrediction | PredictedLength, told: Forecast | StoredForecast | None, right: float
) -> bool:
    """Whether an accuracy is within a forecast, or without one within a claim."""
    if told is not None:
        return told.low <= right <= told.high
    return float(x.at_least) - TOLERANCE <= right <= float(x.at_most) + TOLERANCE


@dataclass(frozen=True)
class Skill:
    """The mean absolute errors over some answers; None where there is none of a kind.

    Args:
        answers: how many.
        claimed: at how many of them something is claimed.
        claims: the error there.
        with_forecasts: of all, the forecast where no accuracy is claimed, but a bound or nothing.
        forecasts: of forecasts alone, where nothing is claimed.
        theorem: where the theorem says something.
        beside_theorem: of claims with forecasts, there.
        constant: of all, by their median, than which no number is nearer.
        claims_within: the share within what is claimed, give or take the tolerance.
        forecasts_within: the share within the interval of the forecast, where nothing is claimed.
    """

    answers: int
    claimed: int
    claims: float | None
    with_forecasts: float | None
    forecasts: float | None
    theorem: float | None
    beside_theorem: float | None
    constant: float | None
    claims_within: float | None
    forecasts_within: float | None

    @property
    def rounded(self) -> Skill:
        """The same to four decimals, as pages and JSON have it."""
        values: Any = (None if x is None else round(x, 4) for x in vars(self).values())
        return Skill(*values)


def skill(found: Sequence[Answer]) -> Skill:
    """The skill over some answers."""
    claimed = [x for x in found if x.claim is not None]
    silent = [x for x in found if x.claim is None]
    spoken = [x for x in found if x.theorem is not None]
    middle = median(x.right for x in found) if found else 0.0
    return Skill(
        len(found),
        len(claimed),
        error(claimed, lambda x: x.claim),
        error(found, lambda x: x.said),
        error(silent, lambda x: x.forecast),
        error(spoken, lambda x: x.theorem),
        error(spoken, lambda x: x.said),
        error(found, lambda x: middle),
        _mean(x.within for x in claimed),
        _mean(x.within for x in silent),
    )


def error(found: Iterable[Answer], said: Callable[[Answer], float | None]) -> float | None:
    """The mean absolute error of what is said; None where nothing is."""
    return _mean(abs(y - x.right) for x in found if (y := said(x)) is not None)


def _mean(values: Iterable[float]) -> float | None:
    some = list(values)
    return fmean(some) if some else None


def skills(found: Sequence[Answer]) -> dict[str, dict[str, Skill]]:
    """The skill by inputs and by class, and over all of either; what has no answer is left out."""
    each: dict[str, dict[str, Skill]] = {}
    for inputs, kind in product((_ALL, *(INPUTS[d] for d in EXTRAPOLATING)), (_ALL, *CLASSES)):
        some = [x for x in found if inputs in (_ALL, x.inputs) and kind in (_ALL, x.kind)]
        if some:
            each.setdefault(inputs, {})[kind] = skill(some).rounded
    return each


def skill_json(verdicts: Iterable[CellVerdict]) -> dict[str, Any]:
    """``skills`` of the models that met the premises, and of all that converged."""
    found = list(answers(verdicts))
    return {
        name: {i: {k: vars(s) for k, s in kinds.items()} for i, kinds in skills(some).items()}
        for name, some in (("premises_met", [x for x in found if x.met]), ("converged", found))
    }


def skill_blocks(verdicts: Iterable[CellVerdict]) -> list[Block]:
    """The section *Skill*: a table for the models that met the premises, one for all."""
    found = list(answers(verdicts))
    met = [x for x in found if x.met]
    if not met:
        return []
    said = {
        "claims": [(x.claim, x.right) for x in met if x.claim is not None],
        "forecasts": [(x.forecast, x.right) for x in met if x.forecast is not None],
    }
    figure = Figure(
        "Reliability: what was measured where so much was said",
        "reliability.svg",
        lambda path: draw_reliability(path, said),
    )
    others = len(found) - len(met)
    rest: list[Block] = [text("skill_all", others=others), _table(found)] if others else []
    return [
        Heading("Skill"),
        text("skill", interval=INTERVAL, tolerance=TOLERANCE),
        _table(met),
        *([figure] if len(met) >= LEAST_DRAWN else []),
        *rest,
    ]


def _table(found: Sequence[Answer]) -> Table:
    each = skills(found)
    return Table(
        [
            {
                "inputs": inputs,
                "class": NAMES.get(kind, kind),
                "answers": f"{x.answers:,}",
                "claims": decimals(x.claims),
                "claimed": f"{x.claimed / x.answers:.0%}",
                "forecasts": decimals(x.forecasts),
                "both": decimals(x.with_forecasts),
                "constant": decimals(x.constant),
                "theorem": decimals(x.theorem),
                "both there": decimals(x.beside_theorem),
                "in claims": percent(x.claims_within),
                "in forecasts": percent(x.forecasts_within),
            }
            for inputs, kinds in each.items()
            for kind, x in kinds.items()
            if len(kinds) > 2 or kind == _ALL or len(each) == 1
        ]
    )


def decimals(x: float | None) -> str:
    """``0.047``; a dash where there is none."""
    return "-" if x is None else f"{x:.3f}"


def percent(x: float | None) -> str:
    """``71%``; a dash where there is none."""
    return "-" if x is None else f"{x:.0%}"
