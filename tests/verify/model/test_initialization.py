"""How weights start."""

from __future__ import annotations

import math

import pytest

from theory.setting.layouts import layout
from verify.model.gpt import GPT
from verify.plan.sizes import Size

SEQUENCE = layout("interleaved").tokens((5, 5), 5)[:12]


def test_weights_start_as_those_of_gpt_2() -> None:
    """Normal with a deviation of .02, and what ends a block smaller by the root of their number."""
    net = GPT(Size(4, 2, 64), 7, SEQUENCE, "ape", 0, seed=3)
    deviations = {name: float(p.detach().std()) for name, p in net.named_parameters()}
    assert deviations["embedding.weight"] == pytest.approx(0.02, rel=0.1)
    assert deviations["blocks.0.query.weight"] == pytest.approx(0.02, rel=0.1)
    assert deviations["blocks.0.out.weight"] == pytest.approx(0.02 / math.sqrt(8), rel=0.1)
