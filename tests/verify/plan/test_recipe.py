"""Recipes: which one models are trained by."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builders.cells import cell, natural_cell
from builders.command_line import run_cli

from arith.theory.arithmetic.domains import Domain
from arith.theory.errors import InvalidInput
from arith.theory.transformer.encodings import ENCODINGS
from arith.verify import pipeline
from arith.verify.plan.cells import adapted
from arith.verify.plan.grids import grid, recipe_of
from arith.verify.plan.plan import Plan
from arith.verify.plan.recipe import (
    BY_SETTING,
    BY_VERSION,
    CHOICES,
    DENSE,
    FIFTH,
    FIRST_PAPER,
    PAPER,
    RECIPE,
    RECIPES,
    TENTH,
    Recipe,
)
from arith.verify.training.schedule import Schedule


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        ("--task add", {RECIPE}),
        ("--task add --pe rpe", {RECIPE}),
        ("--task add --pe rpe --window 6 --layout interleaved", {DENSE}),
        ("--task mod_add --modulus 100 --pe rpe", {RECIPE}),
        ("--grid headline", {RECIPE, DENSE}),
        ("--grid factors", {DENSE}),
        ("--grid factors --recipe default", {RECIPE}),
        ("--grid headline --recipe paper", {PAPER, adapted(PAPER, cell("mul").setting)}),
        ("--grid smoke --recipe paper-10", {FIRST_PAPER}),
    ],
)
def test_a_grid_is_trained_by_the_recipe_of_its_evidence_unless_another_is_asked_for(
    asked: str, used: set[Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = []

    def note(plan: Plan, *_: object) -> object:
        plans.append(plan)
        return SimpleNamespace(each=[], sentence=lambda: "nothing")

    monkeypatch.setattr(pipeline, "estimate", note)
    assert run_cli("verify", *asked.split(), "--dry-run").code == 0
    assert {job.recipe for plan in plans for job in plan.models} == used


def test_a_grid_of_ones_own_is_trained_by_the_default_unless_it_says_more(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[[cell]]\ntask = "add"\n')
    assert recipe_of(str(path)) is None
    path.write_text('recipe = "paper"\n[[cell]]\ntask = "add"\n')
    assert recipe_of(str(path)) == RECIPES["paper"] and len(grid(str(path))) == 1
    path.write_text('recipe = "papr"\n[[cell]]\ntask = "add"\n')
    with pytest.raises(InvalidInput, match=r"mine.toml: unknown recipe 'papr'; did you mean 'pap"):
        recipe_of(str(path))


def usual(*where: str, **setting: Any) -> Recipe:
    return cell(*where, **setting).recipe


@pytest.mark.parametrize("pe", ENCODINGS)
def test_noise_is_learned_by_place_where_no_rule_goes_on(pe: str) -> None:
    """Without a window, by index, and where a modulus bounds the result to what training shows."""
    in_window = RECIPE if pe in ("ape", "sinusoidal") else DENSE
    assert usual("add", pe=pe) == RECIPE
    assert usual("add", pe=pe, window=6) == in_window
    assert usual("mod_add", 1001, pe=pe, window=6, train=Domain((2,))) == in_window
    assert usual("mod_add", 1000, pe=pe, window=6, train=Domain((2,))) == RECIPE
    assert natural_cell("ape", "aligned").recipe == DENSE


def test_versions_tell_recipes_apart() -> None:
    assert len(BY_VERSION) == len(RECIPES) + 1 == len(CHOICES) - 1
    assert [x.asked_for for x in (PAPER, FIRST_PAPER, RECIPE)] == ["paper", "paper-10", RECIPE.name]
    assert cell().command(0, recipe=BY_VERSION["10"]).endswith("--recipe paper-10")


def test_a_recipe_that_is_chosen_by_setting_trains_as_the_one_chosen() -> None:
    kinds = {
        "place-noise": cell("add").setting,
        "annealed": natural_cell("ape", "aligned").setting,
        "dense-noise": cell("add", pe="rope", window=6).setting,
    }
    for name, where in kinds.items():
        assert adapted(BY_SETTING, where).trains_as == name
    assert {adapted(x, cell("mul").setting).trains_as for x in (PAPER, FIRST_PAPER)} == {
        *("paper", "paper-10")
    }
    assert [x.trains_as for x in RECIPES.values() if "by-" not in x.name] == [
        x for x in RECIPES if "by-" not in x
    ]


def test_the_published_recipe_is_by_task_what_the_published_code_is() -> None:
    sums, products = (adapted(PAPER, cell(name).setting) for name in ("add", "mul"))
    assert sums == adapted(PAPER, cell("mod_add", 100).setting) == PAPER
    assert (sums.noise, sums.decays, products.noise, products.decays) == (FIFTH, True, TENTH, False)
    assert (
        products
        == adapted(PAPER, cell("mod_mul", 50).setting)
        == adapted(products, cell("mul").setting)
    )
    assert sums.version == products.version  # the task decides
    ends = [Schedule(x, 1000).learning_rate(1000) for x in (sums, products)]
    assert ends == pytest.approx([0.1, 1.0])
