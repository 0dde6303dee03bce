"""Predicted against measured accuracy: every claim a point, in per cent of a picture's sides.

The claims stand side by side, those of the lowest accuracy first, so that none hides another; what
is claimed is a line through them.  Then come the lengths without a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from arith.theory.display.text import claim_text, count
from arith.theory.prediction.outcomes import Claim
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict
from arith.verify.judging.standards import TOLERANCE, interval
from arith.verify.reporting.terminal import verdict_word

_GAP = 0.04
"""The room between claims and lengths without one, as a part of all of them."""
Tested = tuple[int, CellVerdict, LengthVerdict]
"""The number of a cell, the cell, and a test length of it that was measured."""


@dataclass(frozen=True)
class Point:
    """What was measured at a length; ``top`` and ``bottom`` are the ends of its models' intervals.

    Args:
        cell: its number in the report.
        is_stored: the claim was stored before training.
    """

    cell: int
    text: str
    verdict: Verdict
    is_stored: bool
    x: float
    y: float
    top: float
    bottom: float


@dataclass(frozen=True)
class Line:
    """What is claimed of neighbouring points, within ``top`` and ``bottom``.

    Args:
        y: of the claimed accuracy or bound.
        is_bound: no accuracy is claimed, but a bound.
    """

    left: float
    right: float
    y: float
    top: float
    bottom: float
    is_bound: bool


@dataclass(frozen=True)
class Picture:
    """The points with their lines; and where the lengths without a claim begin, if there are any.

    Args:
        said: what stands there from left to right, in words.
    """

    points: list[Point]
    lines: list[Line]
    silent_from: float | None
    said: str


def picture(verdicts: Sequence[CellVerdict]) -> Picture:
    """The picture of all lengths that were measured outside of training."""
    found = [(i, v, x) for i, v in enumerate(verdicts) for x in v.lengths if x.accuracy is not None]
    claims = [t for t in found if t[2].verdict in (Verdict.AGREE, Verdict.DIVERGE)]
    silent = [t for t in found if t[2].verdict == Verdict.UNDETERMINED]
    claims.sort(key=lambda t: (_claimed(t), _height(t)))
    silent.sort(key=_height)
    start = len(claims) + (_GAP * len(found) if claims and silent else 0)
    width = 100 / max(start + len(silent), 1)
    points = [_point(t, width * (i + 0.5)) for i, t in enumerate(claims)]
    points += [_point(t, width * (start + i + 0.5)) for i, t in enumerate(silent)]
    return Picture(
        points, _lines(claims, width), width * start if silent else None, _said(claims, silent)
    )


def _claimed(t: Tested) -> Fraction:
    """The accuracy that is claimed, or its bound."""
    x = t[2].prediction
    if x.accuracy is None:
        return x.at_least if x.claim == Claim.AT_LEAST else x.at_most
    return x.accuracy


def _height(t: Tested) -> float:
    accuracy = t[2].accuracy
    return accuracy.value if accuracy else 0.0


def _point(t: Tested, x: float) -> Point:
    i, v, length = t
    assert length.accuracy is not None  # only what was measured is drawn
    claim = claim_text(length.prediction)
    text = f"{v.name}, {count(length.digits, 'digit')}: {claim}; "
    text += f"measured {length.accuracy.value:.3f}"
    if length.verdict != Verdict.UNDETERMINED:
        text += f" ({verdict_word(length.verdict)})"
    found = [interval(m) for m in v.judged(length)]
    high, low = max(a.high for a in found), min(a.low for a in found)
    heights = map(_down, (length.accuracy.value, high, low))
    return Point(i, text, length.verdict, length.stored, x, *heights)


def _lines(claims: Sequence[Tested], width: float) -> list[Line]:
    """A line for neighbours of which the same is claimed."""
    lines, start = [], 0
    for (value, least, most, is_bound), some in groupby(claims, key=_claim):
        end = start + len(list(some))
        ends = _down(min(1.0, float(most) + TOLERANCE)), _down(max(0.0, float(least) - TOLERANCE))
        lines.append(Line(width * start, width * end, _down(float(value)), *ends, is_bound))
        start = end
    return lines


def _claim(t: Tested) -> tuple[Fraction, Fraction, Fraction, bool]:
    x = t[2].prediction
    return _claimed(t), x.at_least, x.at_most, x.accuracy is None


def _down(share: float) -> float:
    """How far below the upper side a share stands."""
    return 100 * (1 - share)


def _said(claims: Sequence[Tested], silent: Sequence[Tested]) -> str:
    values = [_claimed(t) for t in claims]
    zeros, ones = values.count(Fraction(0)), values.count(Fraction(1))
    parts = {"of 0": zeros, "in between": len(values) - zeros - ones, "of 1": ones}
    said = [f"{count(n, 'claim')} {what}" for what, n in parts.items() if n]
    if silent:
        said.append(f"{count(len(silent), 'length')} without a claim")
    return ", ".join(said)
