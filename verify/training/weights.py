"""The weights of an ensemble as a few tensors: matrices of one shape together.

Autograd and the optimizer then have a handful of operations where every parameter by itself
would make dozens of small ones.

Shapes: M models, G matrices of one shape, R <= C their rows and columns, P other parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor


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
