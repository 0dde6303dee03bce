"""The optimizer of an ensemble: Muon on the matrices inside the blocks, AdamW on the others.

A recipe may leave all to AdamW.

Muon (Jordan et al. 2024) replaces a matrix's momentum by the nearest orthogonal matrix, found
by a Newton-Schulz iteration.  Matrices of one shape, of all layers and models, go through it as
one batch.

Shapes as in ``verify.training.weights``: M models, G matrices of R by C, P other parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from arith.verify.model.gpt import SHARP
from arith.verify.plan.recipe import Recipe
from arith.verify.training.weights import Weights

_MOMENTUM = 0.95
_ITERATIONS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_TINY = 1e-8
_NARROW = 64
"""Rows below which the iteration is made in float32, in which it is faster then
(benchmarks/README.md)."""


class Optimizer:
    """Muon and AdamW with decoupled weight decay, each model with a learning rate of its own.

    Args:
        precision: of the Newton-Schulz iteration.
    """

    def __init__(self, weights: Weights, recipe: Recipe, precision: torch.dtype) -> None:
        self.recipe, self.precision = recipe, precision
        number = len(weights.groups) if recipe.muon_lr else 0
        self.matrices, self.others = weights.tensors[:number], weights.tensors[number:]
        groups = [g for g, _ in zip(weights.groups, self.matrices, strict=False)]
        faster = SHARP if recipe.sharp else 1.0

        def each(value: Callable[[str], float]) -> list[Tensor]:
            """A value for each matrix, in the shape of the groups."""
            return [weights.tensors[0].new_tensor([*map(value, g)]).view(-1, 1, 1) for g in groups]

        self.stretches = each(lambda n: weights.stretch(n) * (faster if "query" in n else 1.0))
        spared = ("query", "key") if recipe.sharp else ()
        self.decays = each(lambda n: 0.0 if any(x in n for x in spared) else recipe.weight_decay)
        self.momenta = [torch.zeros_like(x) for x in self.matrices]
        self.first, self.second = ([torch.zeros_like(x) for x in self.others] for _ in "12")
        on_cpu = weights.tensors[0].device.type == "cpu"
        self.steps: int | Tensor = 0 if on_cpu else weights.tensors[0].new_zeros(())
        """How many were taken; on a GPU it counts itself (see ``verify.training.replay``)."""

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor], rate: Tensor) -> None:
        """One step.

        Args:
            gradients: of the weights' tensors, of the same shapes; they are overwritten.
            rate: the share of the peak learning rate of each model, ``(M,)``.
        """
        self.steps += 1
        norms = [torch.linalg.vector_norm(g.flatten(1), dim=1) for g in gradients]
        norm = torch.linalg.vector_norm(torch.stack(norms), dim=0)
        shrink = (self.recipe.grad_clip / (norm + _TINY)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(_along(shrink, gradient))
        for i, gradient in enumerate(gradients[: len(self.matrices)]):
            self._muon(i, gradient, _along(rate, gradient))
        for i, gradient in enumerate(gradients[len(self.matrices) :]):
            self._adamw(i, gradient, _along(rate, gradient))

    def forget(self, i: int) -> None:
        """Let model i begin without moments, as if it had taken no step.

        AdamW's count of steps is one for all models, so its first steps are shorter then.
        """
        for moments in (*self.momenta, *self.first, *self.second):
            moments[i] = 0

    def _muon(self, i: int, gradient: Tensor, rate: Tensor) -> None:
        """Step the matrices of group i; gradient ``(M, G, R, C)``, rate ``(M, 1, 1, 1)``."""
        momentum, lr = self.momenta[i], rate * self.recipe.muon_lr
        momentum.lerp_(gradient, 1 - _MOMENTUM)
        ahead = gradient.lerp_(momentum, _MOMENTUM)  # Nesterov's
        precision = self.precision if ahead.shape[2] >= _NARROW else ahead.dtype
        update = orthogonal(ahead.flatten(0, 1), precision).view(ahead.shape)
        matrices = self.matrices[i].mul_(1 - lr * self.decays[i])
        matrices.addcmul_(update, lr * self.stretches[i], value=-1)

    def _adamw(self, i: int, gradient: Tensor, rate: Tensor) -> None:
        """Step the other parameters i; gradient ``(M, ...)``, rate ``(M, 1, ...)``."""
        (first, second), lr = self.recipe.betas, rate * self.recipe.adamw_lr
        self.first[i].lerp_(gradient, 1 - first)
        self.second[i].lerp_(gradient.square(), 1 - second)
        mean = self.first[i] / (1 - first**self.steps)
        spread = (self.second[i] / (1 - second**self.steps)).sqrt() + _TINY
        self.others[i].mul_(1 - lr * self.recipe.weight_decay).sub_(lr * mean / spread)


def _along(values: Tensor, x: Tensor) -> Tensor:
    """A value per model ``(M,)``, shaped to go with ``x`` ``(M, ...)``."""
    return values.view(-1, *(1,) * (x.dim() - 1))


def orthogonal(x: Tensor, precision: torch.dtype) -> Tensor:
    """About the nearest matrix with orthonormal rows, of each of ``(n, rows, columns)``.

    Five quintic Newton-Schulz steps, which leave singular values between about 0.7 and 1.2.
    """
    a, b, c = _COEFFICIENTS
    y = (x / (x.norm(dim=(1, 2), keepdim=True) + _TINY)).to(precision)
    for _ in range(_ITERATIONS):
        gram = y @ y.mT
        y = torch.baddbmm(y, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), y, beta=a)
    return y.to(x.dtype)
