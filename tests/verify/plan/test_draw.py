"""Cells drawn at random."""

from __future__ import annotations

import os
from itertools import islice

import pytest

from arith.theory.arithmetic.decision import Decision
from arith.theory.learning.leap_complexity import leaps
from arith.verify.plan.draw import FEWEST, NUMBER, drawn
from arith.verify.plan.grids import GRIDS, grid
from arith.verify.plan.inputs import held_out_count


@pytest.mark.soak
def test_the_file_holds_what_is_drawn() -> None:
    """Where what is left out changes, the file stays: its cells are those that were predicted."""
    first = NUMBER if "ARITH_EXAMPLES" in os.environ else 100
    assert [x.cell() for x in islice(drawn(), first)] == grid("drawn")[:first]
    assert len(grid("drawn")) == NUMBER


def test_nothing_is_drawn_twice_and_another_seed_draws_others() -> None:
    rows = list(islice(drawn(1), 20))
    assert len({row.cell() for row in rows}) == 20
    assert set(rows).isdisjoint(islice(drawn(2), 20))


def test_what_no_model_can_be_asked_about_is_left_out() -> None:
    for row in islice(drawn(3), 20):
        cell = row.cell()
        assert held_out_count(cell) >= FEWEST
        assert leaps(cell.setting.task, row.base, cell.setting.train) is Decision.NO


def test_no_cell_of_another_grid_is_drawn() -> None:
    """They would be no news: rules may have been made from them."""
    others = {cell for name in GRIDS if name != "drawn" for cell in grid(name)}
    assert others.isdisjoint(grid("drawn"))
