"""Recipes: which one models are trained by."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from builders.command_line import run_cli

from verify import pipeline
from verify.plan.grids import recipe_of
from verify.plan.plan import Plan
from verify.plan.recipe import DENSE, PAPER, RECIPE, RECIPES


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        ("--task add", RECIPE),
        ("--grid headline", RECIPE),
        ("--grid factors", DENSE),
        ("--grid factors --recipe default", RECIPE),
        ("--grid headline --recipe paper", PAPER),
    ],
)
def test_a_grid_is_trained_by_the_recipe_of_its_evidence_unless_another_is_asked_for(
    asked: str, used: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = []

    def note(plan: Plan, _: object) -> object:
        plans.append(plan)
        return SimpleNamespace(each=[], sentence=lambda: "nothing")

    monkeypatch.setattr(pipeline, "estimate", note)
    assert run_cli("verify", *asked.split(), "--dry-run").code == 0
    assert [plan.recipe for plan in plans] == [used]


def test_a_grid_of_ones_own_is_trained_by_the_default() -> None:
    assert recipe_of("mine.toml") == RECIPE


def test_versions_tell_recipes_apart() -> None:
    assert len({recipe.version for recipe in RECIPES.values()}) == len(RECIPES)
