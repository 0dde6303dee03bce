"""The optimizer of an ensemble and its weights, against torch's Muon and AdamW alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from arith.verify.plan.recipe import Recipe
from arith.verify.training.optimizer import Optimizer, Weights, orthogonal

SHAPES = {
    "embedding.weight": (5, 8),
    "blocks.0.out.weight": (8, 8),
    "blocks.0.up.weight": (32, 8),
    "blocks.0.down.weight": (8, 32),
    "blocks.0.norm1.weight": (8,),
    "blocks.1.out.weight": (8, 8),
}

RECIPE = Recipe(muon_lr=0.02, adamw_lr=0.01, weight_decay=0.1, grad_clip=1.0)


def models(rng: torch.Generator) -> list[dict[str, torch.Tensor]]:
    """Two models' parameters."""
    return [{n: torch.randn(shape, generator=rng) for n, shape in SHAPES.items()} for _ in "ab"]


def test_rows_become_orthonormal_but_for_the_known_spread() -> None:
    x = torch.randn(4, 8, 32, generator=torch.Generator().manual_seed(0))
    values = torch.linalg.svdvals(orthogonal(x, torch.float32))
    assert 0.65 < float(values.min()) <= float(values.max()) < 1.25


@pytest.mark.parametrize("clip", [1e9, 0.5])
def test_each_model_moves_as_torch_would_move_it(clip: float) -> None:
    rng = torch.Generator().manual_seed(1)
    start = models(rng)
    stacked = Weights(start)
    optimizer = Optimizer(stacked, replace(RECIPE, grad_clip=clip), torch.bfloat16)
    alone = [{n: p.clone().requires_grad_() for n, p in model.items()} for model in start]
    inside = [n for n in SHAPES if n.startswith("blocks") and len(SHAPES[n]) == 2]
    others = [n for n in SHAPES if n not in inside]
    references = []
    for model in alone:
        muon = torch.optim.Muon([model[n] for n in inside], lr=0.02, weight_decay=0.1)
        adam = torch.optim.AdamW(
            [model[n] for n in others], lr=0.01, betas=(0.9, 0.95), weight_decay=0.1
        )
        references.append((muon, adam))
    for step in range(3):
        gradients = models(rng)
        scale = torch.tensor([1.0, 0.5 * step])
        optimizer.step(Weights(gradients).tensors, scale)
        for i, (model, pair) in enumerate(zip(alone, references, strict=True)):
            for n, p in model.items():
                p.grad = gradients[i][n].clone()
            torch.nn.utils.clip_grad_norm_(model.values(), clip)
            for o, peak in zip(pair, (0.02, 0.01), strict=True):
                o.param_groups[0]["lr"] = peak * float(scale[i])
                o.step()
    for i, model in enumerate(alone):
        for n, p in model.items():
            # The iteration is in bfloat16, as torch's: a step may differ by some percent.
            assert torch.dist(stacked.model(i)[n], p) < 0.1 * torch.dist(start[i][n], p), n


def test_a_rate_of_zero_leaves_a_model_alone() -> None:
    rng = torch.Generator().manual_seed(2)
    before = models(rng)
    weights = Weights(before)
    optimizer = Optimizer(weights, RECIPE, torch.float32)
    optimizer.step([torch.randn_like(x) for x in weights.tensors], torch.tensor([0.0, 1]))
    assert all(torch.equal(p, before[0][n]) for n, p in weights.model(0).items())
    assert not any(torch.equal(p, before[1][n]) for n, p in weights.model(1).items())


@pytest.mark.parametrize("norms_decay", [True, False])
def test_without_muon_every_parameter_moves_as_adamw_would_move_it(norms_decay: bool) -> None:
    rng = torch.Generator().manual_seed(3)
    recipe = replace(RECIPE, muon_lr=0.0, betas=(0.9, 0.99), norms_decay=norms_decay)
    start = models(rng)
    weights = Weights(start)
    optimizer = Optimizer(weights, recipe, torch.float32)
    alone = {n: p.clone().requires_grad_() for n, p in start[0].items()}
    decays = [p for p in alone.values() if norms_decay or p.dim() > 1]
    stays = [p for p in alone.values() if not norms_decay and p.dim() == 1]
    groups = [{"params": decays, "weight_decay": 0.1}, {"params": stays, "weight_decay": 0.0}]
    adam = torch.optim.AdamW([g for g in groups if g["params"]], lr=0.01, betas=(0.9, 0.99))
    for _ in range(3):
        gradients = models(rng)
        optimizer.step(Weights(gradients).tensors, torch.ones(2))
        for n, p in alone.items():
            p.grad = gradients[0][n].clone()
        torch.nn.utils.clip_grad_norm_(alone.values(), 1.0)
        adam.step()
    for n, p in alone.items():
        assert torch.allclose(weights.model(0)[n], p, atol=1e-5), n


def test_where_attention_is_to_be_sharp_queries_learn_faster_and_nothing_of_it_decays() -> None:
    shapes = {f"blocks.0.{n}.weight": (8, 8) for n in ("query", "key", "out")} | {"norm": (8,)}
    rng = torch.Generator().manual_seed(3)
    start, gradient = ({n: torch.randn(s, generator=rng) for n, s in shapes.items()} for _ in "ab")
    moved = []
    for sharp in (False, True):
        weights = Weights([start])
        recipe = replace(RECIPE, sharp=sharp, weight_decay=0.0)
        Optimizer(weights, recipe, torch.float32).step(Weights([gradient]).tensors, torch.ones(1))
        moved.append({n: x - start[n] for n, x in weights.model(0).items()})
    usual, sharp_ = moved
    for name in shapes:
        times = 2 if "query" in name else 1
        assert torch.allclose(sharp_[name], times * usual[name], atol=1e-6), name
    weights = Weights([start])
    still = {n: torch.zeros(s) for n, s in shapes.items()}
    optimizer = Optimizer(weights, replace(RECIPE, sharp=True), torch.float32)
    optimizer.step(Weights([still]).tensors, torch.ones(1))
    decayed = {n for n, x in weights.model(0).items() if not torch.equal(x, start[n])}
    assert decayed == {"blocks.0.out.weight", "norm"}


PARAMETERS = {
    "embedding.weight": (5, 8),
    "blocks.0.out.weight": (8, 8),
    "blocks.0.up.weight": (32, 8),
    "blocks.0.down.weight": (8, 32),
    "blocks.0.norm1.weight": (8,),
}


def test_parameters_come_back_as_they_were() -> None:
    models = [{n: torch.randn(shape) for n, shape in PARAMETERS.items()} for _ in range(3)]
    weights = Weights(models)
    assert [tuple(x.shape) for x in weights.tensors] == [(3, 1, 8, 8), (3, 2, 8, 32), (3, 48)]
    for i, model in enumerate(models):
        found = weights.model(i)
        assert set(found) == set(model)
        assert all(torch.equal(found[n], p) for n, p in model.items())


def test_gradients_reach_the_parameter_that_was_used() -> None:
    weights = Weights([{n: torch.randn(shape) for n, shape in PARAMETERS.items()}])
    tall = weights.named([x[0] for x in weights.tensors])["blocks.0.up.weight"]
    (gradient,) = torch.autograd.grad(tall[3, 5], weights.tensors[1])
    assert gradient[0, 0, 5, 3] == 1 and gradient.sum() == 1
