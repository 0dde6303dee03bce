"""Models in folders of their own, as ``arith verify --keep-models`` keeps them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch

from arith.verify.model.gpt import GPT
from arith.verify.model.kept import keep
from arith.verify.model.networks import network
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import RECIPE, Recipe
from arith.verify.plan.sizes import Size
from arith.verify.records.runs import Run
from builders.runs import run


def kept_run(c: Cell, recipe: Recipe = RECIPE, **changes: object) -> Run:
    """A made-up run of a cell by a recipe that there is."""
    measured = run(c, dict.fromkeys(c.setting.test_lengths, 1.0))
    return replace(measured, **{"recipe": recipe.version, **changes})  # type: ignore[arg-type]


def kept_untrained(folder: Path, c: Cell, recipe: Recipe = RECIPE) -> tuple[Path, GPT]:
    """A small model with large random weights, so that every part of it counts, and its folder."""
    net = network(c, 0, recipe, Size(2, 2, 16)).eval()
    for p in net.parameters():
        torch.nn.init.normal_(p, std=0.5)
    return keep(folder, net, kept_run(c, recipe), recipe), net
