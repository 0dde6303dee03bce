"""A stack: models of one shape that train together, step by step.

Each model has its own task, data, seed, dropout and learning rate; they share nothing but the
operations.  ``vmap`` turns the operations of one model into those of all.

Shapes: M models, B examples, T tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call, vmap
from torch.nn import functional as F

from verify.model.gpt import GPT
from verify.model.positions import Places
from verify.plan.cells import Cell
from verify.plan.recipe import Recipe
from verify.plan.sequences import Sampler
from verify.plan.sizes import size
from verify.training.device import precision
from verify.training.optimizer import Optimizer
from verify.training.weights import Weights


def shape_of(cell: Cell) -> Hashable:
    """What the models of a stack have in common: cells of equal shape can train together."""
    form, setting = cell.format, cell.setting
    slots = tuple(form.result_slots.tolist())
    encoding = (setting.encoding.name, setting.window)
    return (cell.model, form.vocabulary, tuple(form.tokens), slots, encoding)


class Stack:
    """Models of one shape in training.

    Args:
        jobs: cells of equal ``shape_of``, and seeds.
        compiled: whether the step is compiled (once, at the first).
    """

    def __init__(
        self, jobs: Sequence[tuple[Cell, int]], device: str, recipe: Recipe, compiled: bool
    ) -> None:
        self.device = device
        self.models = [_model(cell, seed).to(device) for cell, seed in jobs]
        self.weights = Weights([dict(model.named_parameters()) for model in self.models])
        self._examples = [_Examples(cell, seed, recipe.batch) for cell, seed in jobs]
        form = jobs[0][0].format
        needed = self.models[0].noise_size(
            recipe.batch, len(form.tokens) - 1, len(form.result_slots)
        )
        self._noise = [_Noise(seed, needed, device) for _, seed in jobs]
        rates, number = (recipe.matrix_rate, recipe.other_rate), precision(device)
        self._optimizer = Optimizer(self.weights, rates, recipe.decay, recipe.clip, number)
        self.slots = places(np.sort(form.result_slots) - 1, device)
        self.compiled = compiled
        self._losses = self._make_losses(number)

    def examples(self, steps: int) -> Tensor:
        """The tokens of the next steps, ``(steps, M, B, T)``."""
        tokens = torch.stack([source.draw(steps) for source in self._examples], dim=1)
        return tokens.to(self.device)

    def step(self, tokens: Tensor, cut: Tensor, scale: Tensor) -> Tensor:
        """One optimizer step of every model; the losses ``(M,)`` before it.

        Args:
            tokens: ``(M, B, T)``.
            cut: dropout rates in 256ths, ``(M,)``.
            scale: learning rates as shares of the peak, ``(M,)``.
        """
        noise = _stacked([source.draw() for source in self._noise])
        # A rate of 0 drops nothing, but costs a twentieth of a step; compiled code costs less than
        # compiling the step once more without dropout.
        dropping = self.compiled or bool(cut.any())
        losses = self._losses(self.weights.tensors, tokens, noise, cut if dropping else None)
        gradients = torch.autograd.grad(losses.sum(), self.weights.tensors)
        self._optimizer.step(gradients, scale)
        return losses.detach()

    def model(self, i: int) -> GPT:
        """Model i with the weights that it has now."""
        self.models[i].load_state_dict(self.weights.model(i))
        return self.models[i]

    def _make_losses(self, number: torch.dtype) -> Callable[..., Tensor]:
        """The loss of each model, ``(M,)``, as a function of the weights' tensors."""
        model, weights, slots = self.models[0], self.weights, self.slots
        mixed, exact = number == torch.bfloat16, weights.tensors[0].dtype

        def one(tensors: list[Tensor], tokens: Tensor, noise: Tensor, cut: Tensor | None) -> Tensor:
            inputs = (tokens[:, :-1], slots, noise, cut)
            with torch.autocast(self.device, number, enabled=mixed):
                logits = functional_call(model, weights.named(tensors), inputs)
            # Outside the products everything has the precision of the weights.  The vocabulary
            # goes before the places: rows as short as it is would take four times as long.
            wanted = tokens[:, 1:][:, slots].flatten()
            return F.cross_entropy(logits.flatten(0, 1).to(exact).T[None], wanted[None])

        def every(
            tensors: list[Tensor], tokens: Tensor, noise: Tensor, cut: Tensor | None
        ) -> Tensor:
            if len(tokens) > 1:
                dims = (0, 0, 0, None if cut is None else 0)
                return vmap(one, dims)(tensors, tokens, noise, cut)
            # One model by itself is spared the cost of a batch of one.
            first = None if cut is None else cut[0]
            return one([x.squeeze(0) for x in tensors], tokens[0], noise[0], first)[None]

        if not self.compiled:
            return every
        # Forget other stacks' code: the number of versions that are kept of a function is limited.
        torch.compiler.reset()
        return torch.compile(every, dynamic=False)


def _model(cell: Cell, seed: int) -> GPT:
    form, setting = cell.format, cell.setting
    places = form.tokens[:-1]
    encoding, window = setting.encoding.name, setting.window
    return GPT(size(cell.model), form.vocabulary, places, encoding, window, seed)


def _stacked(parts: list[Tensor]) -> Tensor:
    """Tensors as one, with a dimension more; a single one is not copied."""
    return torch.stack(parts) if len(parts) > 1 else parts[0][None]


def places(slots: np.ndarray, device: str) -> Places:
    """Ascending places as an index: a slice where they are evenly spaced, else a tensor."""
    steps = set(np.diff(slots).tolist())
    if len(steps) > 1:
        return torch.from_numpy(slots).to(device)
    return slice(int(slots[0]), int(slots[-1]) + 1, steps.pop() if steps else 1)


class _Examples:
    """The training examples of one model, from its seed."""

    def __init__(self, cell: Cell, seed: int, batch: int) -> None:
        self.form, self.batch = cell.format, batch
        self.sampler = Sampler(self.form, cell.setting.train)
        self.rng = np.random.default_rng([seed, 1])
        pairs = cell.setting.train.pairs
        self.drawn = None if pairs is None else self.sampler.distinct(pairs, self.rng)

    def draw(self, steps: int) -> Tensor:
        """Tokens ``(steps, B, T)``."""
        number = self.batch * steps
        if self.drawn is None:
            operands = self.sampler.sample(number, self.rng, held_out=False)
        else:
            operands = self.drawn[self.rng.integers(len(self.drawn), size=number)]
        written = self.form.write(operands, self.form.results(operands))
        return torch.from_numpy(written).unflatten(0, (steps, self.batch))


class _Noise:
    """The random bytes of one model, from its seed; NumPy's are the fastest on a CPU."""

    def __init__(self, seed: int, size: int, device: str) -> None:
        self.size, self.device = size, device
        self.rng = np.random.SFC64(seed)
        self.generator = torch.Generator(device).manual_seed(seed)

    def draw(self) -> Tensor:
        """The bytes of one step."""
        if self.device == "cpu":
            words = self.rng.random_raw(-(-self.size // 8))
            return torch.from_numpy(words.view(np.uint8)[: self.size])
        noise = torch.empty(self.size, dtype=torch.uint8, device=self.device)
        return noise.random_(generator=self.generator)
