"""How weights start."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from arith.theory.setting.layouts import layout
from arith.verify.model.gpt import GPT
from arith.verify.plan.recipe import RECIPES
from arith.verify.plan.sizes import Size

SEQUENCE = layout("interleaved").tokens((5, 5), 5)[:12]


def test_weights_start_as_those_of_gpt_2() -> None:
    """Normal with a deviation of .02, and what ends a block smaller by the root of their number."""
    net = GPT(Size(4, 2, 64), 7, SEQUENCE, "ape", 0, seed=3)
    deviations = {name: float(p.detach().std()) for name, p in net.named_parameters()}
    assert deviations["embedding.weight"] == pytest.approx(0.02, rel=0.1)
    assert deviations["blocks.0.query.weight"] == pytest.approx(0.02, rel=0.1)
    assert deviations["blocks.0.out.weight"] == pytest.approx(0.02 / math.sqrt(8), rel=0.1)


@pytest.mark.parametrize("encoding", ["ape", "shifted", "coupled", "rpe"])
def test_separate_inputs_start_orthogonal_and_positions_longer(encoding: str) -> None:
    recipe = RECIPES["with-separate-inputs"]
    net = GPT(Size(2, 2, 64), 7, SEQUENCE, encoding, 0, seed=3, recipe=recipe)
    rows = [net.embedding.weight.detach()]
    if encoding != "rpe":
        rows.append(net.position.table.detach())
    lengths = torch.cat([x.norm(dim=1) for x in rows])
    assert lengths[:7] == pytest.approx(torch.ones(7))
    assert lengths[7:] == pytest.approx(torch.full((len(lengths) - 7,), 2.0))
    unit = torch.cat(rows) / lengths[:, None]
    assert unit @ unit.T == pytest.approx(torch.eye(len(lengths)), abs=1e-5)


def test_what_starts_otherwise_starts_as_by_the_default_recipe() -> None:
    """So that recipes differ in one thing."""
    kinds = [RECIPES[name] for name in ("place-noise", "with-separate-inputs")]
    nets = [GPT(Size(2, 2, 64), 7, SEQUENCE, "ape", 0, seed=3, recipe=kind) for kind in kinds]
    same, other = (dict(net.named_parameters()) for net in nets)
    changed = {name for name in same if not torch.equal(same[name], other[name])}
    assert changed == {"embedding.weight", "position.table"}
    recipe = replace(RECIPES["place-noise"], sharp=True)
    sharp = GPT(Size(2, 2, 64), 7, SEQUENCE, "ape", 0, 3, recipe)
    for name, weight in sharp.named_parameters():
        assert torch.equal(weight, same[name] * (2 if "query" in name else 1))
