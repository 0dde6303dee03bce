"""The network of a cell."""

from __future__ import annotations

from arith.verify.model.gpt import GPT
from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import RECIPE, Recipe
from arith.verify.plan.sizes import Size


def network(cell: Cell, seed: int, recipe: Recipe = RECIPE, shape: Size | None = None) -> GPT:
    """The network that a cell is trained with, before the first step.

    Args:
        shape: None for that of the cell.
    """
    fmt, s = cell.longest_format, cell.setting
    of_setting = fmt.vocabulary, fmt.tokens[:-1], s.encoding.name, s.window
    return GPT(shape or cell.size, *of_setting, seed, recipe, cell.numbering, s.starts)
