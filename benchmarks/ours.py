"""Our training step, as something to call and time."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import CHUNK, Recipe
from arith.verify.training.device import has_compiler
from arith.verify.training.ensemble import Ensemble
from arith.verify.training.schedule import LEVELS


class EnsembleTraining:
    """An ensemble in training, as in ``verify.training.train``, always with noise.

    Args:
        jobs: cells of equal shape, and seeds; M of them.
        compiled: whether the step is, where there is a compiler.
    """

    def __init__(
        self, jobs: Sequence[tuple[Cell, int]], recipe: Recipe, device: str, compiled: bool = True
    ) -> None:
        self.ensemble = Ensemble(jobs, device, recipe, compiled and has_compiler(device))
        self.noise = torch.full((len(jobs), LEVELS), float(recipe.noise), device=device)
        self.rate = torch.ones(len(jobs), device=device)
        self.examples: list[torch.Tensor] = []

    def step(self) -> None:
        """One optimizer step of every model, with its share of drawing a chunk of examples."""
        self.examples = self.examples or list(self.ensemble.examples(CHUNK))
        self.ensemble.step(self.examples.pop(), self.noise, self.rate)
