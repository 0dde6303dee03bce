"""How weights start: short and random, or tokens and positions orthogonal."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from theory.setting.layouts import layout
from verify.model.gpt import GPT
from verify.plan.recipe import RECIPE
from verify.plan.sizes import Size

SEQUENCE = layout("interleaved").tokens(2, 5, 5)[:12]
SEPARATE = replace(RECIPE, separate_inputs=True, position_scale=2.0)


@pytest.mark.parametrize("encoding", ["ape", "rpe"])
def test_separate_vectors_are_orthogonal(encoding: str) -> None:
    net = GPT(Size(2, 2, 32), 7, SEQUENCE, encoding, 0, seed=3, recipe=SEPARATE)
    positions = [] if net.position.vectors is None else [net.position.vectors / 2]
    vectors = torch.cat([net.embedding.weight, *positions])
    assert len(vectors) == 7 + (12 if encoding == "ape" else 0)
    assert torch.allclose(vectors @ vectors.T, torch.eye(len(vectors)), atol=1e-5)


def test_more_vectors_than_dimensions_keep_their_length_on_average() -> None:
    net = GPT(Size(2, 2, 16), 7, SEQUENCE, "ape", 0, seed=3, recipe=SEPARATE)
    assert net.position.vectors is not None
    vectors = torch.cat([net.embedding.weight, net.position.vectors / 2])
    assert float(vectors.detach().square().sum(1).mean()) == pytest.approx(1, abs=1e-4)


def test_by_default_vectors_are_short() -> None:
    net = GPT(Size(2, 2, 32), 7, SEQUENCE, "ape", 0, seed=3)
    assert net.embedding.weight.std() < 0.03
