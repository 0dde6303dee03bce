"""Spaces: each stands there or not with probability 1/2, and independently of the others."""

from __future__ import annotations

import numpy as np
import pytest
from builders.cells import natural_cell

from arith.theory.setting.domains import Domain
from arith.verify.plan.inputs import SAMPLES, held_out_count, held_out_inputs, inputs
from arith.verify.plan.sequences import drawn_spaces, fixed_spaces

OPERANDS = np.random.default_rng(0).integers(0, 10, (20_000, 2, 4))


@pytest.mark.parametrize("fixed", [True, False])
def test_spaces_are_fair_and_independent(fixed: bool) -> None:
    rng = np.random.default_rng(1)
    spaces = fixed_spaces(OPERANDS) if fixed else drawn_spaces(OPERANDS, rng)
    assert spaces.shape == OPERANDS.shape and spaces.dtype == bool
    each = spaces.reshape(len(spaces), -1) - 0.5
    together = 4 * each.T @ each / len(each)
    assert np.abs(2 * each.mean(axis=0)).max() < 4.5 / len(each) ** 0.5
    assert np.abs(together - np.eye(8)).max() < 4.5 / len(each) ** 0.5


def test_the_spaces_of_a_test_are_always_the_same_and_differ_by_row() -> None:
    same = np.repeat(OPERANDS[:1], 300, axis=0)
    assert (fixed_spaces(OPERANDS)[:300] == fixed_spaces(same)).all()
    assert len(np.unique(fixed_spaces(same), axis=0)) > 150  # of 256


@pytest.mark.parametrize("digits", [1, 2])
def test_a_small_domain_is_sampled_with_many_choices_of_spaces(digits: int) -> None:
    for form, whole in (("aligned", True), ("spaced", False)):
        operands, exhaustive = inputs(natural_cell("rpe", form), Domain((digits,)), None)
        assert exhaustive == whole
        assert len(operands) == (10 ** (2 * digits) - 100 * (digits > 1) if whole else SAMPLES)


def test_held_out_inputs_count_once_however_their_spaces_stand() -> None:
    aligned, spaced = (natural_cell("rpe", form) for form in ("aligned", "spaced"))
    assert held_out_count(aligned) == sum(map(len, held_out_inputs(aligned)))
    assert held_out_count(spaced) == held_out_count(aligned)
    assert held_out_count(spaced) < sum(map(len, held_out_inputs(spaced)))
