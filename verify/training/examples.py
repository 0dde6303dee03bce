"""What one model is fed with, step by step, from its seed: examples, and random bytes.

The bytes are those of its noise, and of positions that are drawn at random.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import torch
from torch import Tensor

from arith.verify.plan.cells import Cell
from arith.verify.plan.recipe import Recipe
from arith.verify.plan.sampling import Sampler
from arith.verify.plan.sequences import drawn_spaces


class Examples:
    """The training examples of one model.  Shapes: B examples of a step, T tokens of each."""

    def __init__(self, cell: Cell, seed: int, recipe: Recipe) -> None:
        self.format, self.batch_size = cell.training_format, recipe.batch_size
        self._sampler = Sampler(self.format, cell.setting.train)
        self._rng = np.random.default_rng([seed, 1])
        pairs = cell.setting.train.pairs
        self._drawn = None if pairs is None else self._sampler.distinct(pairs, self._rng)

    def state(self) -> str:
        """How far the generator has come, as text."""
        return _text(self._rng.bit_generator.state)

    def restore(self, state: str) -> None:
        """Go on from what ``state`` gave."""
        self._rng.bit_generator.state = json.loads(state)

    def draw(self, steps: int) -> Tensor:
        """The tokens of the next steps, ``(steps, B, T)``."""
        number = self.batch_size * steps
        if self._drawn is None:
            operands = self._sampler.sample(number, self._rng, held_out=False)
        else:
            operands = self._drawn[self._rng.integers(len(self._drawn), size=number)]
        tokens = self._write(operands)
        return torch.from_numpy(tokens).unflatten(0, (steps, self.batch_size))

    def _write(self, operands: np.ndarray) -> np.ndarray:
        """The tokens ``(n, T)``; markers start at random, and spaces stand at random."""
        results, layout = self.format.results(operands), self.format.layout
        more: dict[str, np.ndarray] = {}
        if layout.spaced:
            more["spaces"] = drawn_spaces(operands, self._rng)
        if layout.hinted:
            more["starts"] = self._rng.integers(self.format.starts, size=len(results))
        return self.format.write(operands, results, **more)


def _text(state: Any) -> str:
    """The state of a generator of NumPy, whose numbers are longer than other readers take."""
    return json.dumps(state, default=np.ndarray.tolist)


class Noise:
    """The random bytes of one model; on a CPU they are NumPy's, which are the fastest there."""

    def __init__(self, seed: int, size: int, device: str) -> None:
        self.size, self.device = size, device
        self._rng = np.random.SFC64(seed)
        self._generator = torch.Generator(device).manual_seed(seed)

    def state(self) -> str:
        """How far the generator has come, as text."""
        if self.device == "cpu":
            return _text(self._rng.state)
        return bytes(self._generator.get_state().tolist()).hex()

    def restore(self, state: str) -> None:
        """Go on from what ``state`` gave."""
        if self.device == "cpu":
            self._rng.state = json.loads(state)
        else:
            self._generator.set_state(torch.tensor(list(bytes.fromhex(state)), dtype=torch.uint8))

    def draw(self) -> Tensor:
        """The bytes of one step, ``(size,)``."""
        if self.device == "cpu":
            words = self._rng.random_raw(-(-self.size // 8))
            return torch.from_numpy(words.view(np.uint8)[: self.size])
        noise = torch.empty(self.size, dtype=torch.uint8, device=self.device)
        return noise.random_(generator=self._generator)
