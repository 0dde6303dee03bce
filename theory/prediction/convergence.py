"""Whether a model is likely to converge: how models did in the settings most like this one.

Which settings are alike is asked of trees, as for a forecast (``forecast.py``), here of what a
setting is compared by, the recipe and the model size.  A model counts if it was trained by the
same recipe.  One that converged tells after how many steps it did; one that did not tells that its
budget was not enough.  From both, the Kaplan-Meier estimate gives the share that converges within
any budget.

``convergence.npz`` has the trees and the models; ``python -m arith.verify.reporting.forecasts``
makes it from all evidence.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from arith.theory.prediction.forecast import INTERVAL, Feature, Table, setting_features
from arith.theory.setting.settings import Setting
from arith.theory.setting.training import DEFAULT_BUDGET, default_model, default_recipe

MODELS = Path(__file__).with_name("convergence.npz")
MISSED = 0.5
"""Added to the budget of a model that did not converge: whole numbers are the steps of others."""
SELDOM = 0.5
"""Of models with a smaller share few converge."""
HIGHER, FEWEST = 0.1, 5
"""By so much a better recipe has a higher share, which rests on so many cells."""
ENOUGH = 0.2
"""The share of what is most alike that the recipe asked for needs: of less nothing is near."""


TELLING = 2
"""Of how many models that converged, by weight, their steps tell those of others."""


@dataclass(frozen=True)
class Steps:
    """The steps of models that converge: the median, and an interval that holds ``INTERVAL``."""

    median: int
    low: int
    high: int


@dataclass(frozen=True)
class Convergence:
    """How many models are expected to converge within a budget.

    Args:
        recipe: by which they are trained.
        share: of the models, those of settings more alike with more weight; 0 where no such model
            was trained.
        models: how many models it rests on.
        cells: of how many cells these are.
        steps: of those that converge; None where by weight fewer than ``TELLING`` do.
        near: whether each value of the setting and the size was trained in some, and ``ENOUGH`` of
            what is most alike by the recipe.
    """

    recipe: str
    budget: int
    share: float
    models: int
    cells: int
    steps: Steps | None
    near: bool

    def to_json(self) -> dict[str, Any]:
        """It as a JSON object."""
        return asdict(self)


def convergence(
    setting: Setting,
    recipe: str = "",
    model: str = "",
    budget: int = DEFAULT_BUDGET,
    without: str = "",
    table: Models | None = None,
) -> Convergence:
    """How many models of a setting are expected to converge within a budget.

    Args:
        recipe: its name; by default the usual one.
        model: its size; by default the usual one.
        without: the name of a cell that is left out, to see how this does without it.
        table: another one than what is shipped.
    """
    table, recipe = table or _models(), recipe or default_recipe(setting)
    asked = training_features(setting, recipe, model or default_model(setting.task))
    [(weights, near)] = table.alike([asked], without)
    return table.converging(weights, near, recipe, budget)


def better_recipe(setting: Setting) -> tuple[Convergence, Convergence] | None:
    """The usual recipe, if models seldom converge by it, and a better one, if there is one."""
    usual = convergence(setting)
    if not usual.near or usual.share >= SELDOM:
        return None
    each = (convergence(setting, recipe) for recipe in _models().recipes)
    known = (x for x in each if x.near and x.cells >= FEWEST)
    best = max(known, key=lambda x: x.share, default=usual)
    return (usual, best) if best.share >= usual.share + HIGHER else None


def training_features(setting: Setting, recipe: str, model: str) -> dict[str, Feature]:
    """What a training is compared by."""
    return setting_features(setting) | {"recipe": recipe, "model": model}


@dataclass(frozen=True)
class Models(Table):
    """The models that were trained, each cell and recipe in the place of a measured length.

    Their values are the steps after which they converged, or their budget and ``MISSED``.

    Args:
        recipe: of each cell and recipe, its place among the recipes.
    """

    recipe: Any

    @property
    def recipes(self) -> list[str]:
        """The names of the recipes."""
        return list(self.columns.words["recipe"])

    def converging(self, weights: Any, near: bool, recipe: str, budget: int) -> Convergence:
        """How many converge, by how much each cell and recipe counts."""
        is_known = recipe in self.recipes
        by_it = self.recipe == (self.recipes.index(recipe) if is_known else -1)
        weights = np.where(by_it, weights, 0.0)
        if not (total := weights.sum()):
            return Convergence(recipe, budget, 0.0, 0, 0, None, False)
        weights /= total
        each = (weights * self.shares)[self.rows]
        alike = np.flatnonzero(each)
        each, times = each[alike], self.values[alike]
        left = 1 - np.cumsum(each) + each  # those still in training, with the one itself
        converges = times % 1 == 0
        last = np.searchsorted(times, budget, side="right")
        lost = np.where(converges, each / np.maximum(left, each), 0.0)[:last]
        by = 1 - np.cumprod(1 - lost)
        share = float(by[-1]) if last else 0.0
        models, cells = self.rests_on(weights)
        steps = _steps(times, by, share) if share * models >= TELLING else None
        near &= bool(total >= ENOUGH)
        return Convergence(recipe, budget, round(share, 4), models, len(cells), steps, near)


def _steps(times: Any, by: Any, share: float) -> Steps:
    """The steps by which parts of those have converged that do.

    Args:
        by: the share that has converged by each time.
        share: of those that do.
    """
    parts = share * np.array([0.5, (1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
    return Steps(*(int(x) for x in times[np.searchsorted(by, parts - 1e-9)]))


@cache
def _models() -> Models:
    return Models.read(MODELS)
