"""Noise invariance: who does not see the ignored tokens keeps every answer, who does may not."""

from __future__ import annotations

import pytest
from builders.cells import cell
from builders.tiny_models import Taught, blind, untrained

from arith.theory.setting.domains import Domain
from arith.verify.mechanism.equivalence import predicted_support
from arith.verify.model.measure import noise_invariance

SUM = cell()


def test_blind_models_keep_every_answer() -> None:
    for seed in range(3):
        wild = untrained(SUM, std=0.6, seed=seed)
        support = predicted_support(SUM)
        seeing = noise_invariance(wild, SUM, support)
        assert seeing is not None and seeing < 1.0
        assert noise_invariance(blind(wild, SUM), SUM, support) == 1.0


def test_it_is_not_measured_where_nothing_is_ignored() -> None:
    whole = cell(base=2, train=Domain((3,)), test_lengths=(1, 2, 3))
    assert noise_invariance(untrained(whole), whole, predicted_support(whole)) is None


def test_the_share_is_the_same_each_time(tiny: Taught) -> None:
    support = predicted_support(tiny.cell)
    for model in tiny.models:
        first = noise_invariance(model, tiny.cell, support)
        assert first == pytest.approx(noise_invariance(model, tiny.cell, support))
