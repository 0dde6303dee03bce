"""Sections of the report: what they average, and what they need to be there."""

from __future__ import annotations

from pathlib import Path

from test_judge import run

from verify.grids import grid
from verify.judge import CellVerdict, judge
from verify.sections import layouts

SHARES = {"aligned": 0.6, "plain": 0.9, "reversed": 0.8}


def verdicts() -> list[CellVerdict]:
    """Every product follows its learned function as its layout says, one in plain by 0.1 more."""
    found = []
    for cell in grid("layouts"):
        more = 0.1 * (cell.label() == "a·b mod 50 · APE · plain · D_2")
        share = SHARES[cell.setting.layout.name] + more
        found.append(judge(cell, [run(cell, dict.fromkeys(range(1, 5), 1.0), share)]))
    return found


def test_layouts_are_compared_by_the_mean_of_the_longest_inputs(tmp_path: Path) -> None:
    text = layouts(verdicts(), tmp_path)
    assert "0.60 (aligned), 0.93 (plain), 0.80 (reversed), means of 4 products" in text
    row = next(x for x in text.splitlines() if "mod 50" in x)
    assert [x.strip() for x in row.split("|")[2:5]] == [
        "0.600, 0.600",
        "1.000, 1.000",
        "0.800, 0.800",
    ]
    assert "2 digits more than trained" in (tmp_path / "layouts.svg").read_text()


def test_models_that_missed_the_premise_are_shown_where_there_are_no_others(tmp_path: Path) -> None:
    found = verdicts()
    cell = found[1].cell
    lengths = dict.fromkeys(range(1, 5), 1.0)
    missed, met = run(cell, lengths, 0.4, premise=0.5), run(cell, lengths, 0.7, seed=1)
    found[1] = judge(cell, [missed])
    assert "0.400, 0.400 *" in layouts(found, tmp_path)
    found[1] = judge(cell, [missed, met])
    assert "0.700, 0.700 |" in layouts(found, tmp_path)


def test_a_task_is_compared_where_every_layout_was_trained(tmp_path: Path) -> None:
    found = verdicts()
    found[1] = judge(found[1].cell, [])
    assert "means of 3 products" in layouts(found, tmp_path)
    assert layouts(found[1:], tmp_path) == ""  # a cell of the grid is missing
