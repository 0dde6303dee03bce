"""Examples of training: what is drawn for each of them."""

from __future__ import annotations

import numpy as np
from builders.cells import natural_cell

from arith.verify.plan.natural_sequences import NaturalFormat
from arith.verify.plan.recipe import RECIPE
from arith.verify.training.ensemble import Examples


def test_every_choice_of_spaces_is_trained_on() -> None:
    c = natural_cell("rpe", "spaced")
    fmt = c.training_format
    assert isinstance(fmt, NaturalFormat)
    tokens = Examples(c, 0, RECIPE).draw(60).flatten(0, 1).numpy()
    is_space, is_digit = tokens == fmt.space, tokens < c.setting.base
    before = np.arange(tokens.shape[1]) < fmt.equals
    assert not is_space[:, ~before].any()
    assert (is_digit[:, 1:] | ~is_space[:, :-1]).all()  # a digit follows a space
    digits = (is_digit & before).sum(1)
    assert abs(is_space.sum() / digits.sum() - 0.5) < 0.01
    longest = is_space[digits == digits.max()]  # of 999 + 999, in any way
    assert len(np.unique(longest, axis=0)) == 2 ** digits.max()
