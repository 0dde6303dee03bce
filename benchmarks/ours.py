"""Our training step, as something to call and time."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from verify.plan.cells import Cell
from verify.plan.recipe import CHUNK, Recipe
from verify.training.device import has_compiler
from verify.training.ensemble import Stack


class StackTraining:
    """A stack in training as ``verify.training.train`` does it: compiled, here always with dropout.

    Args:
        jobs: cells of equal shape, and seeds; M of them.
    """

    def __init__(self, jobs: Sequence[tuple[Cell, int]], recipe: Recipe, device: str) -> None:
        self.stack = Stack(jobs, device, recipe, has_compiler(device))
        self.cut = torch.full((len(jobs),), float(recipe.dropout), device=device)
        self.rate = torch.ones(len(jobs), device=device)
        self.examples: list[torch.Tensor] = []

    def step(self) -> None:
        """One optimizer step of every model, with its share of drawing a chunk of examples."""
        self.examples = self.examples or list(self.stack.examples(CHUNK))
        self.stack.step(self.examples.pop(), self.cut, self.rate)
