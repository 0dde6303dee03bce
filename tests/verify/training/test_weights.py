"""The weights of a stack: every model's parameters come back as they were."""

from __future__ import annotations

import torch

from arith.verify.training.optimizer import Weights

SHAPES = {
    "embedding.weight": (5, 8),
    "blocks.0.out.weight": (8, 8),
    "blocks.0.up.weight": (32, 8),
    "blocks.0.down.weight": (8, 32),
    "blocks.0.norm1.weight": (8,),
}


def test_parameters_come_back_as_they_were() -> None:
    models = [{n: torch.randn(shape) for n, shape in SHAPES.items()} for _ in range(3)]
    weights = Weights(models)
    assert [tuple(x.shape) for x in weights.tensors] == [(3, 1, 8, 8), (3, 2, 8, 32), (3, 48)]
    for i, model in enumerate(models):
        found = weights.model(i)
        assert set(found) == set(model)
        assert all(torch.equal(found[n], p) for n, p in model.items())


def test_gradients_reach_the_parameter_that_was_used() -> None:
    weights = Weights([{n: torch.randn(shape) for n, shape in SHAPES.items()}])
    tall = weights.named([x[0] for x in weights.tensors])["blocks.0.up.weight"]
    (gradient,) = torch.autograd.grad(tall[3, 5], weights.tensors[1])
    assert gradient[0, 0, 5, 3] == 1 and gradient.sum() == 1
