"""A holdout by position: tuples that are drawn once for all models, and the last tenth of them."""

from __future__ import annotations

import numpy as np
import pytest
from builders.cells import cell, natural_cell

from arith.theory.arithmetic.domains import Domain
from arith.theory.errors import InvalidInput
from arith.verify.data.sampling import drawn_file
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import held_out_count, held_out_inputs, inputs_at
from arith.verify.plan.plan import Plan
from arith.verify.plan.recipe import RECIPE
from arith.verify.training.ensemble import Examples

FILE = Domain((2, 3), pairs=1000, holdout="position")
CELLS = [cell(train=FILE), natural_cell("ape", "plain", train=FILE)]


def tuples(operands: np.ndarray) -> set[tuple[int, ...]]:
    weights = 10 ** np.arange(operands.shape[2])
    return set(map(tuple, (operands @ weights).tolist()))


@pytest.mark.parametrize("made", CELLS, ids=lambda c: c.setting.padding)
def test_the_last_tenth_is_held_out_and_the_rest_is_trained(made: Cell) -> None:
    Plan([made])
    trained, held_out = (tuples(x) for x in drawn_file(made.training_format, made.setting.train))
    assert (len(trained), len(held_out), trained & held_out) == (900, 100, set())
    found = held_out_inputs(made)
    assert set.union(*map(tuples, found)) == held_out and held_out_count(made) == 100
    assert [{max(len(str(x)) for x in t) for t in tuples(part)} for part in found] == [{2}, {3}]
    assert tuples(inputs_at(made, 3)[0]) == tuples(found[1])
    for seed in (0, 1):  # one file for all models
        examples = Examples(made, seed, RECIPE)
        assert examples._drawn is not None and tuples(examples._drawn) == trained


def test_a_holdout_by_position_needs_tuples_that_are_drawn_once_and_enough_of_them() -> None:
    with pytest.raises(InvalidInput, match="give --train-pairs"):
        Domain((2,), holdout="position")
    with pytest.raises(InvalidInput, match="did you mean 'position'"):
        Domain((2,), pairs=10, holdout="positon")
    with pytest.raises(InvalidInput, match="at most 9,900 different operand tuples"):
        Plan([cell(train=Domain((2,), pairs=9_901, holdout="position"))])
    assert Domain((2,), pairs=1000, holdout="position").trained_pairs == 900
    assert Domain((2,), pairs=1000).trained_pairs == 1000
