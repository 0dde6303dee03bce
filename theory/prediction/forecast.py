"""A forecast where no accuracy is claimed: what models got right in settings most like this one.

Which settings are alike is learned from what was measured.  A forest of regression trees asks for
what theory says of a length and of its setting: what is claimed, what is left open and why, which
views training showed, how far beyond training it lies.  Each tree ends at the measured lengths that
give the same answers.  A measured length counts by the share of trees in which it stands beside the
one asked for; the forecast is the median of what models got right there, and an interval.  To all
of them comes what was never measured: a model that counts ``UNKNOWN`` and may do anything.  Where
the setting has a value that no measured one has the interval is 0 to 1.

How wide an interval has to be is measured too, by group of lengths (``group_of``): so wide that it
holds ``INTERVAL`` of the models of the group, each forecast without its cell.  This is conformal
prediction, with a group as its category (Vovk, Gammerman, Shafer, *Algorithmic learning in a random
world*, 2005, section 4.5).

``forecast.tsv`` has what was measured, and ``forecast.npz`` the trees with what they need of it;
``python -m arith.verify.reporting.forecasts`` makes both from all evidence.  Each tree was grown
without some cells, so a measured cell is forecast by the trees that never saw it.

A forecast is beside what is claimed and never in its place; it keeps to what is claimed, so where
only a bound is it says where below or above that bound.  Where the claim is on models that were
measured to be stable, the forecast is of all models.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, lru_cache
from math import log2, log10
from pathlib import Path
from typing import Any, Self

import numpy as np

from arith.theory.arithmetic.domains import MOST_PAIRS
from arith.theory.arithmetic.properties import base_aligned
from arith.theory.errors import NotCountable
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.observation.views import carry_reach, tokens, views
from arith.theory.rules import Step
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import goes_on, usual_noise

UNKNOWN = 0.01
"""What a model that was never measured counts, where all that were measured count 1."""
INTERVAL = 0.8
"""The share of models that are expected within the interval."""
MOST = 0.8
"""The share of the weight that the cells have together on which a forecast is said to rest."""
TABLE = Path(__file__).with_name("forecast.tsv")
FOREST = Path(__file__).with_name("forecast.npz")
ALL = "all"
"""The group of all lengths together, for those whose own has too few models."""
_NONE = -1.0
"""A number that there is none of."""

Feature = str | float


@dataclass(frozen=True)
class Forecast:
    """What models are expected to get right at a length.

    Args:
        median: of the models that it rests on.
        low: the least share of an interval that ``INTERVAL`` of models are expected in.
        high: the largest.
        models: how many models it rests on.
        cells: their cells, the nearest first.
        near: whether each value of the setting was measured in some; else the interval is 0 to 1.
    """

    median: float
    low: float
    high: float
    models: int
    cells: tuple[str, ...]
    near: bool

    def keeping_to(self, least: float, most: float) -> Forecast:
        """The forecast within what is claimed."""
        median, low, high = (min(max(x, least), most) for x in (self.median, self.low, self.high))
        return replace(self, median=median, low=low, high=high)

    def to_json(self) -> dict[str, Any]:
        """The forecast as a JSON object: how many cells, and their names."""
        return {**vars(self), "cells": len(self.cells), "nearest": list(self.cells)}


def forecast(
    setting: Setting,
    steps: Sequence[Step],
    lengths: Iterable[LengthPrediction],
    without: str = "",
    noise: str = "",
    table: Forecasts | None = None,
) -> dict[int, Forecast]:
    """The forecast at each length of a setting where one is due.

    Args:
        steps: of the derivation.
        without: the name of a cell that is left out, to see how forecasts do without it.
        noise: with which models are trained; by default as usual for such a setting.
        table: another one than what is shipped.
    """
    table = table or _table()
    some = [x for x in lengths if is_forecast(setting, x)]
    of_setting = setting_features(setting) | {"noise": noise or usual_noise(setting)}
    asked = [of_setting | length_features(setting, steps, x) for x in some]
    alike = table.alike(asked, without) if asked else ()
    found = [table.forecast(group_of(x), *y) for x, y in zip(asked, alike, strict=True)]
    return {
        x.digits: y
        if x.requires_measured_stability
        else y.keeping_to(float(x.at_least), float(x.at_most))
        for x, y in zip(some, found, strict=True)
    }


def is_forecast(setting: Setting, x: LengthPrediction) -> bool:
    """Whether a length has a forecast: it was not trained, and some models are left open.

    They are where no accuracy is claimed, and where one is of stable models alone.
    """
    is_open = x.claim != Claim.EXACT or x.requires_measured_stability
    return is_open and not setting.is_premise(x.digits)


# --- what settings have in common ----------------------------------------------------------------


def setting_features(setting: Setting) -> dict[str, Feature]:
    """What a setting is compared by, whatever the length."""
    return {name: _feature(of(setting)) for name, of in OF_SETTING.items()}


def _feature(value: Any) -> Feature:
    """A word, of a fact too, or a number, of what there is none of too."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else _NONE if value is None else float(value)


def _modulus(setting: Setting) -> int | None:
    """The modulus, if answers reach it."""
    return setting.without_idle_modulus.modulus


def _aligned_digits(setting: Setting) -> int | None:
    """How many digits decide a result modulo p, if p divides a power of the base."""
    p = _modulus(setting)
    return None if p is None else base_aligned(p, setting.base)


def _modulus_kind(setting: Setting) -> str:
    if _modulus(setting) is None:
        return "none"
    return "other" if _aligned_digits(setting) is None else "aligned"


def _power(setting: Setting) -> float | None:
    """The modulus as a power of the base."""
    p = _modulus(setting)
    return None if p is None else log2(p) / log2(setting.base)


def _carry(setting: Setting) -> str:
    task = setting.task
    return "none" if not task.has_finite_carry else "repeats" if task.repeats else "finite"


@lru_cache(maxsize=8)
def _seen(setting: Setting) -> tuple[int | None, int | None]:
    """What queries see, of tasks of finite carry.

    The tokens in a query's window that its rule does not need, and the result digits that training
    shows to queries with no landmark in their window.
    """
    try:
        reach, every = carry_reach(setting.task, setting.base), list(views(setting))
    except NotCountable:
        reach = None
    if reach is None:
        return None, None
    seen = setting.window or len(tokens(setting))
    whole = [v for v in every if reach < v.position <= setting.digits] or every
    trained = (v for v in every if v.position <= setting.train.most_places)
    return seen - 1 - min(v.back for v in whole), sum(not v.landmarks for v in trained)


OF_SETTING: dict[str, Callable[[Setting], Any]] = {
    "encoding": lambda s: s.encoding.name,
    "reference": lambda s: s.encoding.reference,
    "selection": lambda s: s.encoding.selection,
    "parameters": lambda s: "own" if s.encoding.own_parameter else "shared",
    "interleaved": lambda s: s.layout.interleaved,
    "operands first": lambda s: s.layout.operands_first,
    "result first": lambda s: s.layout.result_first,
    "wide": lambda s: s.layout.wide,
    "signs": lambda s: s.layout.marked,
    "bos": lambda s: s.layout.bos,
    "markers": lambda s: s.layout.hinted,
    "carries": lambda s: s.layout.scratchpad,
    "spaces": lambda s: s.layout.spaces,
    "in token": lambda s: s.layout.in_token if s.layout.from_left == 1 else s.layout.from_left,
    "tested otherwise": lambda s: s.test_layout is not None,
    "natural": lambda s: s.natural,
    "window": lambda s: s.window or len(tokens(s)),
    "layers": lambda s: s.layers,
    "room": lambda s: _seen(s)[0],
    "unmarked": lambda s: _seen(s)[1],
    "operations": lambda s: len(s.task.operations),
    "operands": lambda s: s.task.operands,
    "products": lambda s: not s.task.is_linear,
    "carry": _carry,
    "ordered": lambda s: s.task.needs_order,
    "coefficient": lambda s: max((abs(c) for c, _ in s.task.terms), default=0),
    "modulus": _modulus_kind,
    "power": _power,
    "aligned digits": _aligned_digits,
    "base": lambda s: log2(s.base),
    "domain": lambda s: s.train.kind,
    "restricted": lambda s: s.train.restricted,
    "examples": lambda s: log10(s.train.limit or MOST_PAIRS),
    "longest": lambda s: s.train.every_length[-1],
    "lengths": lambda s: len(s.train.every_length),
    "digits": lambda s: s.digits,
    "starts": lambda s: s.starts,
    "goes on": goes_on,
}
"""What a setting is compared by."""
OF_LENGTH = ("claim", "least", "most", "expected", "why", "unseen", "inputs", "beyond", "times")
ASKED = (*OF_SETTING, *OF_LENGTH, "noise")
"""What is asked of a setting, of a length and of how models were trained, in the order of the
table's columns."""


def length_features(
    setting: Setting, steps: Sequence[Step], x: LengthPrediction
) -> dict[str, Feature]:
    """What a length is compared by: what theory says of it, and how far from training it lies.

    Where nothing is claimed ``why`` is the rule that leaves it open, else the theorems that decide.
    ``expected`` is how often f^ is right, also where it is but one of two candidates.
    """
    is_open = x.claim == Claim.NONE
    here = [s.rule for s in steps if s.leaves_open and (not s.lengths or x.digits in s.lengths)]
    why = next((rule for rule in here if rule != "two candidates"), "")
    shortest, *_, longest = (*setting.train.every_length, setting.train.every_length[-1])
    beyond = float(max(0, x.digits - longest) + min(0, x.digits - shortest))
    return {
        "claim": x.claim,
        "least": float(x.at_least),
        "most": float(x.at_most),
        "expected": _number(x.candidates[-1] if x.candidates else x.learned_accuracy),
        "why": why if is_open else " and ".join(x.because),
        "unseen": _number(x.unseen_share),
        "inputs": x.direction,
        "beyond": beyond,
        "times": beyond / longest,
    }


def class_of(setting: Setting) -> str:
    """The class of a setting: in each, forecasts are scored by themselves."""
    return _class(setting.encoding.name, setting.natural)


def _class(encoding: Feature, natural: bool) -> str:
    return "natural" if natural else "ape" if encoding == "ape" else "other"


def group_of(features: Mapping[str, Feature] | Mapping[str, str]) -> str:
    """The group that a length belongs to: which inputs, which settings, and what is claimed."""
    setting = _class(features["encoding"], features["natural"] == "yes")
    return f"{features['inputs']}, {setting}, {features['claim']}"


def written(value: Feature) -> str:
    """A feature as it stands in the table."""
    return value if isinstance(value, str) else f"{value:.4g}"


def _number(share: Any) -> float:
    return _NONE if share is None else round(float(share), 4)


# --- what was measured ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """What was measured: cells with their lengths.

    Args:
        cells: by their names.
        of: the cell of each length.
        features: of each length, as texts by their names.
        right: what each model got right at each length.
    """

    cells: list[str]
    of: list[int]
    features: list[dict[str, str]]
    right: list[list[float]]

    @classmethod
    def read(cls, text: str) -> Measured:
        """The table: a line for each cell with its name and features.

        Below it are lines for each length, which begin with a tab: its digits, its features, the
        noise of some models, and what each of them got right.
        """
        found = cls([], [], [], [])
        above: list[str] = []
        for line in text.splitlines():
            name, *values = line.split("\t")
            if name:
                found.cells.append(name)
                above = values
                continue
            found.of.append(len(found.cells) - 1)
            found.features.append(dict(zip(ASKED, [*above, *values[1:-1]], strict=True)))
            found.right.append([*map(float, values[-1].split())])
        return found


@dataclass(frozen=True)
class Columns:
    """Features as numbers: one for each word that was measured, or the number itself.

    Args:
        words: by feature, the column of each word.
        ranges: by feature, its column, and the least and the largest number.
        number: of columns.
    """

    words: dict[str, dict[str, int]]
    ranges: dict[str, tuple[int, float, float]]
    number: int

    @classmethod
    def of(cls, features: Sequence[dict[str, str]]) -> Columns:
        """The columns of what was measured."""
        words: dict[str, dict[str, int]] = {}
        ranges: dict[str, tuple[int, float, float]] = {}
        number = 0
        for name in features[0]:
            values = list(dict.fromkeys(each[name] for each in features))
            try:
                numbers = list(map(float, values))
                ranges[name] = number, min(numbers), max(numbers)
                number += 1
            except ValueError:
                words[name] = {value: number + n for n, value in enumerate(sorted(values))}
                number += len(values)
        return cls(words, ranges, number)

    def vector(self, features: dict[str, Feature] | dict[str, str]) -> tuple[Any, bool]:
        """The numbers, and whether each is within what was measured."""
        found, near = np.zeros(self.number, np.float32), True
        for name, words in self.words.items():
            column = words.get(str(features[name]))
            if column is None:
                near = False
            else:
                found[column] = 1
        for name, (column, low, high) in self.ranges.items():
            value = float(features[name])
            found[column] = value
            near &= low - 1e-3 <= value <= high * (1 + 1e-3) + 1e-3
        return found, near

    def matrix(self, features: Sequence[dict[str, str]]) -> Any:
        """The numbers of many, a row each."""
        return np.array([self.vector(x)[0] for x in features])


@dataclass(frozen=True)
class Forest:
    """Regression trees, one after the other.

    A node that asks has the next node as the one that follows for values up to the threshold.

    Args:
        roots: the first node of each tree.
        column: what a node asks for; -1 for a leaf.
        threshold: of the node.
        skipped: how many nodes further the one stands that follows for larger values.
        members: the measured lengths at each leaf, one leaf after the other.
        sizes: how many these are, of each node.
        grown: on which cells each tree was grown, ``(trees, cells)``.
    """

    roots: Any
    column: Any
    threshold: Any
    skipped: Any
    members: Any
    sizes: Any
    grown: Any

    def fallen(self, vectors: Any) -> Any:
        """The leaf at which each of some lengths ends in each tree, ``(lengths, trees)``."""
        nodes = np.tile(self.roots, len(vectors))
        rows = np.repeat(np.arange(len(vectors)), len(self.roots))
        asking = np.flatnonzero(self.column[nodes] >= 0)
        while len(asking):
            at = nodes[asking]
            follows = vectors[rows[asking], self.column[at]] <= self.threshold[at]
            nodes[asking] = at = at + np.where(follows, 1, self.skipped[at])
            asking = asking[self.column[at] >= 0]
        return nodes.reshape(len(vectors), -1)


@dataclass(frozen=True)
class Table:
    """What was measured, and the trees that say what is alike.

    Args:
        cells: by their names.
        of: the cell of each length.
        models: how many were measured at each length.
        values: what all of them got right, in order.
        rows: the length of each of these.
    """

    cells: list[str]
    columns: Columns
    forest: Forest
    of: Any
    models: Any
    values: Any
    rows: Any

    @classmethod
    def made(cls, measured: Measured, columns: Columns, forest: Forest, **more: Any) -> Self:
        """The table of what was measured, with trees that were grown on it.

        Args:
            more: what else a table has of each length.
        """
        models = np.array([len(x) for x in measured.right])
        rows = np.repeat(np.arange(len(models)), models)
        values = np.concatenate([np.array(x) for x in measured.right])
        order = np.argsort(values, kind="stable")
        of = np.array(measured.of)
        return cls(measured.cells, columns, forest, of, models, values[order], rows[order], **more)

    @classmethod
    def read(cls, path: Path) -> Self:
        """The table as it was written."""
        with np.load(path) as kept:
            found = {name: kept[name] for name in kept.files}
        texts = json.loads(found.pop("texts").tobytes())
        columns = Columns(**texts.pop("columns"))
        trees = Forest(**{name: found.pop(name) for name in Forest.__dataclass_fields__})
        return cls(columns=columns, forest=trees, **texts, **found)

    def write(self, path: Path) -> None:
        """Write all that forecasts need in one file."""
        each = {x.name: getattr(self, x.name) for x in fields(self) if x.name != "forest"}
        numbers = {name: x for name, x in each.items() if isinstance(x, np.ndarray)}
        small = {n: x.astype(np.int32) if x.dtype == np.int64 else x for n, x in numbers.items()}
        others = {name: x for name, x in each.items() if name not in numbers}
        texts = json.dumps(others | {"columns": vars(self.columns)}).encode()
        kept = {"texts": np.frombuffer(texts, np.uint8), **vars(self.forest), **small}
        np.savez_compressed(path, **kept)

    def alike(
        self, asked: Sequence[dict[str, Feature]], without: str = ""
    ) -> Iterator[tuple[Any, bool]]:
        """How much each measured length counts for each of some, and whether it is near them.

        Args:
            without: the name of a cell that is left out.
        """
        vectors, near = zip(*map(self.columns.vector, asked), strict=True)
        fallen = self.forest.fallen(np.array(vectors))
        others = np.array([name != without for name in self.cells]) if without else None
        trees = slice(None) if others is None else ~self.forest.grown[:, ~others].any(axis=1)
        for leaves, is_near in zip(fallen, near, strict=True):
            yield self._weights(leaves[trees], others), is_near

    def rests_on(self, weights: Any) -> tuple[int, tuple[str, ...]]:
        """How many models have ``MOST`` of the weight, and their cells, the nearest first."""
        rows = np.flatnonzero(weights)
        rows = rows[np.argsort(-weights[rows], kind="stable")]
        kept = rows[: int(np.searchsorted(np.cumsum(weights[rows]), MOST)) + 1]
        cells = dict.fromkeys(self.cells[n] for n in self.of[kept].tolist())
        return int(self.models[kept].sum()), tuple(cells)

    @cached_property
    def _starts(self) -> Any:
        """Where the lengths of each node begin among the members."""
        return np.cumsum(self.forest.sizes, dtype=np.int64) - self.forest.sizes

    @cached_property
    def shares(self) -> Any:
        """What each model counts of its length."""
        return 1 / self.models

    def _weights(self, leaves: Any, others: Any) -> Any:
        """How much each measured length counts; together 1.

        Args:
            others: the cells that count, ``(cells,)``; None if all do.
        """
        sizes = self.forest.sizes[leaves].astype(np.int64)
        tree = np.repeat(np.arange(len(leaves)), sizes)
        first = self._starts[leaves] - (np.cumsum(sizes) - sizes)
        rows = self.forest.members[np.arange(len(tree)) + first[tree]]
        if others is not None:
            kept = others[self.of[rows]]
            rows, tree = rows[kept], tree[kept]
        counts = np.bincount(tree, minlength=len(leaves))
        found = np.bincount(rows, 1 / counts[tree], minlength=len(self.of))
        return found / max(found.sum(), 1e-9)

    def spread(self, weights: Any, left_out: Any) -> tuple[Any, Any, Any]:
        """The lows, the median and the highs of what the models got right.

        The lows and highs are of the intervals that leave out some shares of the weight on either
        side, in hundredths, rounded to the safe sides, as they are shown.
        """
        each = (weights * self.shares)[self.rows]
        alike = np.flatnonzero(each)
        # The model that was never measured is half at 0 and half at 1.
        values = np.concatenate(([0.0], self.values[alike], [1.0]))
        below = np.cumsum(np.concatenate(([UNKNOWN / 2], each[alike], [UNKNOWN / 2])))
        parts = np.concatenate((left_out, [0.5], 1 - left_out)) * below[-1] - 1e-12
        found, n = values[np.searchsorted(below, parts)], len(left_out)
        hundredths = (100 * found).round(6)
        return np.floor(hundredths[:n]) / 100, found[n], np.ceil(hundredths[n + 1 :]) / 100


@dataclass(frozen=True)
class Forecasts(Table):
    """What was measured, and how wide the interval of a forecast has to be.

    Args:
        left_out: by group, the share of the weight below an interval, and above it; ``ALL`` is of
            all lengths.
    """

    left_out: dict[str, float]

    def forecast(self, group: str, weights: Any, near: bool) -> Forecast:
        """The forecast of a length of a group, by how much each measured length counts."""
        left_out = np.array([self.left_out.get(group, self.left_out[ALL])])
        [low], median, [high] = (x.tolist() for x in self.spread(weights, left_out))
        if not near:
            low, high = 0.0, 1.0
        return Forecast(round(median, 4), low, high, *self.rests_on(weights), near)


@cache
def _table() -> Forecasts:
    return Forecasts.read(FOREST)
