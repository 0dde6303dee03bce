"""Cells drawn at random."""

from __future__ import annotations

import os
import re
from itertools import islice

import pytest

from arith.theory.arithmetic.decision import Decision
from arith.theory.learning.leap_complexity import leaps
from arith.verify.plan.draw import DRAWS, FEWEST, drawn
from arith.verify.plan.grids import GRIDS, grid
from arith.verify.plan.inputs import held_out_count

WRITTEN = [name for name in DRAWS if name in GRIDS]


@pytest.mark.soak
@pytest.mark.parametrize("name", WRITTEN)
def test_the_file_holds_what_is_drawn(name: str) -> None:
    """Where what is left out changes, the file stays: its cells are those that were predicted.

    A grid without a seed is drawn by the commit that its file names.
    """
    commit = re.search(f"draw {name} ([0-9a-f]{{40}})", GRIDS[name].read_text())
    first = DRAWS[name].number if "ARITH_EXAMPLES" in os.environ else 30
    assert [x.cell() for x in islice(drawn(name, commit and int(commit[1], 16)), first)] == grid(
        name
    )[:first]
    assert len(grid(name)) >= DRAWS[name].number


def test_nothing_is_drawn_twice_and_another_seed_draws_others() -> None:
    rows = list(islice(drawn("drawn", 1), 10))
    assert len({row.cell() for row in rows}) == 10
    assert set(rows).isdisjoint(islice(drawn("drawn", 2), 10))


def test_what_no_model_can_be_asked_about_is_left_out() -> None:
    for row in islice(drawn("drawn", 3), 10):
        cell = row.cell()
        assert held_out_count(cell) >= FEWEST
        assert leaps(cell.setting.task, row.base, cell.setting.train) is Decision.NO


@pytest.mark.parametrize("name", WRITTEN)
def test_no_cell_of_another_grid_is_drawn(name: str) -> None:
    """They would be no news: rules may have been made from them."""
    others = {cell for other in GRIDS if other != name for cell in grid(other)}
    assert others.isdisjoint(grid(name)[: DRAWS[name].number])


def test_the_frozen_grid_is_what_a_commit_says() -> None:
    first, again, other = (list(islice(drawn("frozen", seed), 12)) for seed in (7, 7, 8))
    assert first == again != other
    assert all(row.cell().setting.natural for row in first)
