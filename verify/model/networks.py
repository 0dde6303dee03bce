"""The network of a cell."""

from __future__ import annotations

import torch

from arith.verify.model.gpt import GPT
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import RECIPE, Recipe
from arith.verify.plan.sizes import Size

_SMALL = 10**7
"""Numbers that are drawn in less time than torch takes to import its compiler."""


def network(cell: Cell, seed: int, recipe: Recipe = RECIPE, shape: Size | None = None) -> GPT:
    """The network that a cell is trained with, before the first step.

    Args:
        shape: None for that of the cell.
    """
    fmt, s = cell.longest_format, cell.setting
    of_setting = fmt.vocabulary, fmt.tokens[:-1], s.encoding.name, s.window
    return GPT(shape or cell.size, *of_setting, seed, recipe, cell.numbering, s.starts)


def parameter_count(cell: Cell, recipe: Recipe) -> int:
    """How many numbers the network of a cell learns."""
    # A large one has no values: they would take the memory.  For that torch imports its compiler.
    with torch.device("meta" if cell.size.in_layers > _SMALL else "cpu"):
        return sum(p.numel() for p in network(cell, 0, recipe).parameters())
