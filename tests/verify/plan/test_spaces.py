"""Spaces: each stands there or not with probability 1/2, and independently of the others."""

from __future__ import annotations

import numpy as np
import pytest
from builders.cells import natural_cell

from theory.setting.domains import Domain
from verify.plan.inputs import inputs
from verify.plan.sampling import is_held_out
from verify.plan.spaces import drawn_spaces, fixed_spaces

OPERANDS = np.random.default_rng(0).integers(0, 10, (20_000, 2, 4))


@pytest.mark.parametrize("held_out", [True, False])
@pytest.mark.parametrize("fixed", [True, False])
def test_spaces_are_fair_and_independent(fixed: bool, held_out: bool) -> None:
    operands = OPERANDS[is_held_out(OPERANDS) == held_out]
    rng = np.random.default_rng(1)
    spaces = fixed_spaces(operands) if fixed else drawn_spaces(operands, rng)
    assert spaces.shape == operands.shape and spaces.dtype == bool
    each = spaces.reshape(len(spaces), -1) - 0.5
    together = 4 * each.T @ each / len(each)
    assert np.abs(2 * each.mean(axis=0)).max() < 4.5 / len(each) ** 0.5
    assert np.abs(together - np.eye(8)).max() < 4.5 / len(each) ** 0.5


def test_the_spaces_of_a_test_depend_on_its_operands_alone() -> None:
    wider = np.concatenate([OPERANDS, np.zeros_like(OPERANDS)], axis=2)
    assert (fixed_spaces(wider)[:, :, :4] == fixed_spaces(OPERANDS)).all()
    assert (fixed_spaces(OPERANDS[:9]) == fixed_spaces(OPERANDS)[:9]).all()


def test_all_operands_with_one_choice_of_spaces_each_are_a_sample() -> None:
    for form, whole in (("aligned", True), ("spaced", False)):
        operands, exhaustive = inputs(natural_cell("rpe", form), Domain((1,)), None)
        assert len(operands) == 100 and exhaustive == whole
