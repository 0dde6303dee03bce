"""The optimizer of an ensemble: Muon on the matrices inside the blocks, AdamW on the others.

A recipe may leave all to AdamW.

Muon (Jordan et al. 2024) replaces a matrix's momentum by the nearest orthogonal matrix, found
by a Newton-Schulz iteration.  Matrices of one shape, of all layers and models, go through it as
one batch.

The weights of an ensemble are a few tensors, matrices of one shape together: autograd and the
optimizer then have a handful of operations where every parameter by itself would make dozens.

Shapes: M models, G matrices of one shape, R <= C their rows and columns, P other parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from arith.verify.model.gpt import SHARP
from arith.verify.plan.recipe import Recipe

_MOMENTUM = 0.95
_ITERATIONS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_TINY = 1e-8
_NARROW = 64
"""Rows below which the iteration is made in float32, in which it is faster then
(benchmarks/README.md)."""


class Weights:
    """The parameters of models of one shape.

    Args:
        models: their parameters by name, each in the same order and of the same shapes.
    """

    def __init__(self, models: Sequence[Mapping[str, Tensor]]) -> None:
        self.shapes = {name: p.shape for name, p in models[0].items()}
        groups: dict[tuple[int, ...], list[str]] = {}
        self.others: list[str] = []
        for name, shape in self.shapes.items():
            if name.startswith("blocks.") and len(shape) == 2:
                groups.setdefault(tuple(sorted(shape)), []).append(name)
            else:
                self.others.append(name)
        self.groups = list(groups.values())
        """The names of the matrices inside the blocks, by shape."""
        with torch.no_grad():
            packed = [self._pack(model) for model in models]
            self.tensors = [torch.stack(x).requires_grad_() for x in zip(*packed, strict=True)]
        """For each group ``(M, G, R, C)``, tall matrices turned; last the rest, ``(M, P)``."""

    def _pack(self, model: Mapping[str, Tensor]) -> list[Tensor]:
        matrices = [torch.stack([self._turned(n, model[n]) for n in g]) for g in self.groups]
        return [*matrices, torch.cat([model[name].flatten() for name in self.others])]

    def named(self, tensors: Sequence[Tensor]) -> dict[str, Tensor]:
        """The parameters of one model by name, given its part of ``tensors``."""
        *matrices, rest = tensors
        parameters: dict[str, Tensor] = {}
        for names, group in zip(self.groups, matrices, strict=True):
            for name, matrix in zip(names, group.unbind(), strict=True):
                parameters[name] = self._turned(name, matrix)
        sizes = [self.shapes[name].numel() for name in self.others]
        for name, part in zip(self.others, rest.split(sizes), strict=True):
            parameters[name] = part.view(self.shapes[name])
        return parameters

    def stacked(self, name: str) -> Tensor:
        """The parameter of that name of all models, one of the rest, ``(M, P)``."""
        before = self.others[: self.others.index(name)]
        start = sum(self.shapes[x].numel() for x in before)
        return self.tensors[-1][:, start : start + self.shapes[name].numel()]

    def model(self, i: int) -> dict[str, Tensor]:
        """The parameters of model i by name."""
        return self.named([x.detach()[i] for x in self.tensors])

    def has_axes(self) -> Tensor:
        """Which of the rest ``(P,)`` are of parameters with more than one axis: not of norms."""
        shapes = [self.shapes[name] for name in self.others]
        each = [self.tensors[-1].new_full((x.numel(),), float(len(x) > 1)) for x in shapes]
        return torch.cat(each)

    @torch.no_grad()
    def replace(self, i: int, model: Mapping[str, Tensor]) -> None:
        """Give model i other parameters."""
        for whole, part in zip(self.tensors, self._pack(model), strict=True):
            whole[i] = part

    def stretch(self, name: str) -> float:
        """How much longer Muon's step is for a tall matrix: the root of rows over columns."""
        rows, columns = self.shapes[name]
        return max(1.0, (rows / columns) ** 0.5)

    def _turned(self, name: str, matrix: Tensor) -> Tensor:
        rows, columns = self.shapes[name]
        return matrix.mT if rows > columns else matrix


class Optimizer:
    """Muon and AdamW with decoupled weight decay, each model with a learning rate of its own.

    Args:
        precision: of the Newton-Schulz iteration.
    """

    def __init__(self, weights: Weights, recipe: Recipe, precision: torch.dtype) -> None:
        self.recipe, self.precision = recipe, precision
        groups = weights.groups if recipe.muon_lr else []
        number = len(groups)
        self.matrices, self.others = weights.tensors[:number], weights.tensors[number:]
        faster = SHARP if recipe.sharp else 1.0

        def each(value: Callable[[str], float]) -> list[Tensor]:
            """A value for each matrix, in the shape of the groups."""
            return [weights.tensors[0].new_tensor([*map(value, g)]).view(-1, 1, 1) for g in groups]

        self.stretches = each(lambda n: weights.stretch(n) * (faster if "query" in n else 1.0))
        spared = ("query", "key") if recipe.sharp else ()
        self.decays = each(lambda n: 0.0 if any(x in n for x in spared) else recipe.weight_decay)
        self.others_decay = [x.new_tensor(recipe.weight_decay) for x in self.others]
        if not recipe.norms_decay:
            self.others_decay[-1] = self.others_decay[-1] * weights.has_axes()
        self.momenta = [torch.zeros_like(x) for x in self.matrices]
        self.first, self.second = ([torch.zeros_like(x) for x in self.others] for _ in "12")
        on_cpu = weights.tensors[0].device.type == "cpu"
        self.steps: int | Tensor = 0 if on_cpu else weights.tensors[0].new_zeros(())
        """How many were taken; on a GPU it counts itself (see ``Replayed``)."""

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
        self.others[i].mul_(1 - lr * self.others_decay[i]).sub_(lr * mean / spread)


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
