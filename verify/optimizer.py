"""The optimizer of a stack of models: Muon on the matrices inside the blocks, AdamW on the rest.

Muon (Jordan et al. 2024) replaces a matrix's momentum by the nearest orthogonal matrix, found
by a Newton-Schulz iteration.  Matrices of one shape, of all layers and models, go through it as
one batch.  Shapes: M models, G matrices of one shape, P other parameters.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

_MOMENTUM = 0.95
_ITERATIONS = 5
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_BETAS = (0.9, 0.95)
_TINY = 1e-8


class Optimizer:
    """Muon and AdamW with decoupled weight decay, each model with a learning rate of its own.

    Args:
        parameters: by name, each with the models as leading axis.
        rates: peak learning rates of Muon and of AdamW.
        decay: weight decay.
        clip: largest gradient norm of a model.
        precision: of the Newton-Schulz iteration.
    """

    def __init__(
        self,
        parameters: dict[str, Tensor],
        rates: tuple[float, float],
        decay: float,
        clip: float,
        precision: torch.dtype,
    ) -> None:
        self.matrix_rate, self.other_rate = rates
        self.decay, self.clip, self.precision = decay, clip, precision
        self.parameters = parameters
        matrices: dict[tuple[int, ...], list[str]] = {}
        self.others: list[str] = []
        for name, p in parameters.items():
            if name.startswith("blocks.") and p.dim() == 3:
                matrices.setdefault(tuple(sorted(p.shape[1:])), []).append(name)
            else:
                self.others.append(name)
        self.groups = list(matrices.values())
        self.momenta = [torch.zeros_like(_stack(parameters, names)) for names in self.groups]
        self.first = torch.zeros_like(_row(parameters, self.others))
        self.second = torch.zeros_like(self.first)
        self.steps = 0

    @torch.no_grad()
    def step(self, gradients: dict[str, Tensor], scale: Tensor) -> None:
        """One step; ``scale`` (M,) is the share of the peak learning rate of each model."""
        self.steps += 1
        matrices = [_stack(gradients, names) for names in self.groups]
        row = _row(gradients, self.others)
        squares = [g.square().sum(dim=(0, 2, 3)) for g in matrices]
        norm = (torch.stack(squares).sum(0) + row.square().sum(1)).sqrt()
        shrink = (self.clip / (norm + _TINY)).clamp(max=1.0)
        for names, gradient, momentum in zip(self.groups, matrices, self.momenta, strict=True):
            self._muon(names, gradient * shrink[:, None, None], momentum, scale)
        self._adamw(row * shrink[:, None], scale)

    def _muon(self, names: list[str], gradient: Tensor, momentum: Tensor, scale: Tensor) -> None:
        momentum.lerp_(gradient, 1 - _MOMENTUM)
        ahead = torch.lerp(gradient, momentum, _MOMENTUM)
        updates = orthogonal(ahead.flatten(0, 1), self.precision).view(ahead.shape)
        rate = scale * self.matrix_rate
        shrink = (1 - rate * self.decay)[:, None, None]
        for name, update in zip(names, updates.unbind(), strict=True):
            p = self.parameters[name]
            tall = p.shape[1] > p.shape[2]
            stretch = (p.shape[1] / p.shape[2]) ** 0.5 if tall else 1.0
            p.mul_(shrink).sub_((update.mT if tall else update) * (rate * stretch)[:, None, None])

    def _adamw(self, gradient: Tensor, scale: Tensor) -> None:
        first, second = _BETAS
        self.first.lerp_(gradient, 1 - first)
        self.second.lerp_(gradient.square(), 1 - second)
        mean = self.first / (1 - first**self.steps)
        spread = (self.second / (1 - second**self.steps)).sqrt() + _TINY
        rate = (scale * self.other_rate)[:, None]
        updates = rate * mean / spread
        shrink = 1 - rate * self.decay
        start = 0
        for name in self.others:
            p = self.parameters[name].view(len(updates), -1)
            p.mul_(shrink).sub_(updates[:, start : start + p.shape[1]])
            start += p.shape[1]


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


def _stack(tensors: dict[str, Tensor], names: Iterable[str]) -> Tensor:
    """Matrices as ``(G, M, rows, columns)``, tall ones turned."""
    matrices = (tensors[name] for name in names)
    return torch.stack([x.mT if x.shape[1] > x.shape[2] else x for x in matrices])


def _row(tensors: dict[str, Tensor], names: Iterable[str]) -> Tensor:
    """Everything as one row ``(M, P)`` per model."""
    return torch.cat([tensors[name].flatten(1) for name in names], dim=1)
