"""A forecast at every untrained length: what models got right in the settings most like this one.

Theory says which settings are alike: what is claimed, what is left open and why, which views
training showed.  The lengths that were measured (``forecast.tsv``, made from all evidence) are
ordered by how much they differ in that (``WEIGHTS``), and the nearest of them, at least ``MODELS``
models, are the forecast: the median of what they got right, and an interval that leaves out a tenth
on each side.  One that differs more counts less, by ``exp(-difference)``, and to all of them comes
what was never measured: a model that counts ``UNKNOWN`` and may do anything.  So where nothing is
near the interval is wide.

A forecast is beside what is claimed and never in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from math import ceil, exp, floor, log2
from pathlib import Path
from typing import Any

import numpy as np

from arith.theory.arithmetic.properties import base_aligned
from arith.theory.errors import NotCountable
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.observation.views import carry_reach, tokens, views
from arith.theory.rules import Step
from arith.theory.setting.settings import Setting

MODELS = 8
"""The fewest models that a forecast rests on."""
UNKNOWN = 0.01
"""What a model that was never measured counts, where one of the very same setting counts 1."""
INTERVAL = 0.8
"""The share of models that are expected within the interval."""
TABLE = Path(__file__).with_name("forecast.tsv")
_NONE = -1.0
"""A number that there is none of."""

Feature = str | float
OF_SETTING: dict[str, tuple[float, float]] = {
    "encoding": (1, 0),
    "reference": (2, 0),
    "parameters": (2, 0),
    "interleaved": (4, 0),
    "natural": (1, 0),
    "windowed": (2, 0),
    "layers": (2, 0),
    "room": (2, 8),
    "unmarked": (2, 3),
    "modulus": (1, 0),
    "base": (1, 2),
    "domain": (2, 0),
    "restricted": (1, 0),
}
OF_LENGTH: dict[str, tuple[float, float]] = {
    "least": (8, 0.5),
    "most": (8, 0.5),
    "why": (1, 0),
    "unseen": (2, 0.5),
    "beyond": (4, 3),
}
"""By feature: what a difference counts, and for numbers the difference from which it is a whole one
(0: any difference is).  Chosen by cross-validation with cells, encodings and bases held out
(docs/findings.md, *Forecasts*)."""


@dataclass(frozen=True)
class Forecast:
    """What models are expected to get right at a length.

    Args:
        median: of the models that it rests on.
        low: the least share of an interval that ``INTERVAL`` of models are expected in.
        high: the largest.
        models: how many models it rests on.
        cells: their cells, the nearest first.
        near: whether they are like it; if not, the interval is 0 to 1.
        near: whether what was measured says something of it; else the interval is 0 to 1.
    """

    median: float
    low: float
    high: float
    models: int
    cells: tuple[str, ...]
    near: bool

    def to_json(self) -> dict[str, Any]:
        """The forecast as a JSON object: how many cells, and their names."""
        return {**vars(self), "cells": len(self.cells), "nearest": list(self.cells)}


def forecast(
    setting: Setting,
    steps: Sequence[Step],
    lengths: Iterable[LengthPrediction],
    without: tuple[str, str] | None = None,
) -> dict[int, Forecast]:
    """The forecast at each untrained length of a setting.

    Args:
        steps: of the derivation.
        without: what is left out, to see how a forecast does without it: the cells with a value of
            a feature of settings, as in ``("encoding", "rope")``, or of a name (``cell``).
    """
    table, found = _table(), dict[int, Forecast]()
    known = table.settings(setting_features(setting), without)
    for x in lengths:
        if not setting.is_premise(x.digits):
            differences = known + table.lengths(length_features(setting, steps, x))
            found[x.digits] = table.forecast(differences)
    return found


# --- what settings have in common ----------------------------------------------------------------


def setting_features(setting: Setting) -> dict[str, Feature]:
    """What a setting is compared by, whatever the length."""
    encoding, layout, task = setting.encoding, setting.layout, setting.task
    p = task.without_idle_modulus(setting.base, setting.digits).modulus
    aligned = p is not None and base_aligned(p, setting.base) is not None
    return {
        "encoding": encoding.name,
        "reference": encoding.reference,
        "parameters": "own" if encoding.own_parameter else "shared",
        "interleaved": _word(layout.interleaved),
        "natural": _word(setting.natural),
        "windowed": _word(setting.window > 0),
        "layers": str(setting.layers),
        "modulus": "none" if p is None else "aligned" if aligned else "other",
        "base": log2(setting.base),
        "domain": setting.train.kind,
        "restricted": _word(setting.train.restricted),
        **_of_views(setting),
    }


def length_features(
    setting: Setting, steps: Sequence[Step], x: LengthPrediction
) -> dict[str, Feature]:
    """What a length is compared by: what theory says of it, and how far from training it lies.

    Where nothing is claimed ``why`` is the rule that leaves it open, else the theorems that decide.
    """
    is_open = x.claim == Claim.NONE
    here = [s.rule for s in steps if s.leaves_open and (not s.lengths or x.digits in s.lengths)]
    why = next((rule for rule in here if rule != "two candidates"), "")
    shortest, *_, longest = (*setting.train.every_length, setting.train.every_length[-1])
    return {
        "least": float(x.at_least),
        "most": float(x.at_most),
        "why": why if is_open else " and ".join(x.because),
        "unseen": _number(x.unseen_share),
        "beyond": float(max(0, x.digits - longest) + min(0, x.digits - shortest)),
    }


def _of_views(setting: Setting) -> dict[str, Feature]:
    """What queries see, of tasks of finite carry.

    The tokens in a query's window that its rule does not need (``room``), and the result digits
    that training shows to queries with no landmark in their window (``unmarked``).
    """
    try:
        reach, every = carry_reach(setting.task, setting.base), list(views(setting))
    except NotCountable:
        reach, every = None, []
    if reach is None:
        return {"room": _NONE, "unmarked": _NONE}
    seen = setting.window or len(tokens(setting))
    whole = [v for v in every if reach < v.position <= setting.digits] or every
    trained = (v for v in every if v.position <= setting.train.most_places)
    return {
        "room": float(seen - 1 - min(v.back for v in whole)),
        "unmarked": float(sum(not v.landmarks for v in trained)),
    }


def written(value: Feature) -> str:
    """A feature as it stands in the table."""
    return value if isinstance(value, str) else f"{value:.4g}"


def _word(fact: bool) -> str:
    return "yes" if fact else "no"


def _number(share: Any) -> float:
    return _NONE if share is None else round(float(share), 4)


# --- what was measured ---------------------------------------------------------------------------


class _Columns:
    """Some features of many things, a column each.

    Args:
        weights: of the features, in the order of the columns.
    """

    def __init__(self, weights: dict[str, tuple[float, float]], rows: Iterable[list[str]]) -> None:
        self._weights = weights
        self._words = dict[str, dict[str, int]]()
        self._values = dict[str, Any]()
        for (name, (_, scale)), column in zip(
            weights.items(), zip(*rows, strict=True), strict=True
        ):
            words = {word: n for n, word in enumerate(dict.fromkeys(column))}
            values = np.array(list(map(float, words)) if scale else range(len(words)), np.float32)
            self._words[name] = words
            self._values[name] = values[list(map(words.__getitem__, column))]

    def differences(self, features: dict[str, Feature]) -> Any:
        """How much each differs in these features."""
        found: Any = np.float32(0)
        for name, (weight, scale) in self._weights.items():
            value, values = features[name], self._values[name]
            if scale:
                found = found + weight * np.minimum(np.abs(values - float(value)) / scale, 1)
            else:
                found = found + weight * (values != self._words[name].get(str(value), -1))
        return found


class _Table:
    """What was measured: the features of cells and of their lengths, and what models got right.

    Args:
        text: a line for each cell with its name and features; below it a line for each length,
            which begins with a tab, with its digits, its features and what each model got right.
    """

    def __init__(self, text: str) -> None:
        cells, lengths = list[list[str]](), list[list[str]]()
        of = list[int]()
        for line in text.splitlines():
            if line[0] != "\t":
                cells.append(line.split("\t"))
                continue
            lengths.append(line.split("\t"))
            of.append(len(cells) - 1)
        self._cells = cells
        self._right = [x[-1] for x in lengths]
        self._of = np.array(of)
        self._settings = _Columns(OF_SETTING, (x[1:] for x in cells))
        self._lengths = _Columns(OF_LENGTH, (x[2:-1] for x in lengths))

    def settings(self, features: dict[str, Feature], without: tuple[str, str] | None) -> Any:
        """How much the setting of each length differs; one that is left out, without end."""
        found = self._settings.differences(features)
        if without is not None:
            column = ("cell", *OF_SETTING).index(without[0])
            found[[n for n, x in enumerate(self._cells) if x[column] == without[1]]] = np.inf
        return found[self._of]

    def lengths(self, features: dict[str, Feature]) -> Any:
        """How much each length differs, besides its setting."""
        return self._lengths.differences(features)

    def forecast(self, differences: Any) -> Forecast:
        """The forecast from how much each row differs."""
        near = {n: [*map(float, self._right[n].split())] for n in self._nearest(differences)}
        found = [(0.0, UNKNOWN / 2), (1.0, UNKNOWN / 2)]
        for row, models in near.items():
            counts = exp(-float(differences[row])) / len(models)
            found += [(right, counts) for right in models]
        rest = (1 - INTERVAL) / 2
        low, median, high = _quantiles(sorted(found), (rest, 0.5, 1 - rest))
        cells = dict.fromkeys(self._cells[self._of[n]][0] for n in near)
        is_near = rest * sum(weight for _, weight in found) > UNKNOWN / 2
        # In hundredths, to the safe sides, as they are shown.
        low, high = floor(100 * low) / 100, ceil(100 * high) / 100
        return Forecast(
            round(median, 4), low, high, sum(map(len, near.values())), tuple(cells), is_near
        )

    def _nearest(self, differences: Any) -> Iterator[int]:
        """The rows that differ least, until they have enough models; those alike all together."""
        # Each row has a model: one that differs more than so many others is not among them.
        kept = differences[differences < np.inf]
        furthest = np.partition(kept, MODELS)[MODELS] if len(kept) > MODELS else kept.max()
        near = np.flatnonzero(differences <= furthest)
        ordered = sorted((float(differences[row]), int(row)) for row in near)
        models = 0
        for _, alike in groupby(ordered, key=lambda x: x[0]):
            for _, row in alike:
                models += self._right[row].count(" ") + 1
                yield row
            if models >= MODELS:
                return


def _quantiles(found: Sequence[tuple[float, float]], shares: Sequence[float]) -> list[float]:
    """The values below which such shares of the weight lie; both in their order."""
    left = [share * sum(weight for _, weight in found) for share in shares]
    passed, reached = 0.0, list[float]()
    for value, weight in found:
        passed += weight
        while len(reached) < len(left) and passed >= left[len(reached)] - 1e-12:
            reached.append(value)
    return reached


@cache
def _table() -> _Table:
    return _Table(TABLE.read_text("utf-8"))
