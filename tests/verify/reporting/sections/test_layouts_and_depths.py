"""The section on layouts and depths: what it averages, and what it needs to be there."""

from __future__ import annotations

from pathlib import Path

from builders.runs import run

from verify.judging.judge import CellVerdict, judge
from verify.plan.cells import Cell
from verify.plan.grids import grid
from verify.reporting.report import Report
from verify.reporting.sections import layouts_and_depths

SHARES = {"aligned": 0.6, "plain": 0.9, "reversed": 0.8}
DEEP = 0.7


def share(cell: Cell) -> float:
    """How many answers of a cell's model follow the learned function; in one cell 0.1 more."""
    more = 0.1 * (cell.label() == "a·b mod 50 · APE · plain · D_2")
    return DEEP if cell.model == "micro" else SHARES[cell.setting.layout.name] + more


def verdicts() -> list[CellVerdict]:
    cells = dict.fromkeys((*grid("layouts"), *grid("depths")))
    return [judge(c, [run(c, dict.fromkeys(c.setting.test_lengths, 1.0), share(c))]) for c in cells]


def leaking(verdicts: list[CellVerdict], folder: Path) -> str:
    return "\n\n".join(layouts_and_depths.section(Report("made up", verdicts, folder)))


def row(text: str, task: str) -> list[str]:
    rows = [[x.strip() for x in line.split("|")[1:-1]] for line in text.splitlines()]
    [found] = [x[1:] for x in rows if x[:1] == [task]]
    return found


def test_variants_are_compared_with_the_same_tasks_by_the_mean_of_the_longest_inputs(
    tmp_path: Path,
) -> None:
    text = leaking(verdicts(), tmp_path)
    assert "0.91 in place of 0.60 (plain; 8 tasks)" in text
    assert "0.80 in place of 0.60 (reversed; 4 tasks)" in text
    assert "0.70 in place of 0.60 (four layers; 5 tasks)" in text
    assert row(text, "a·b mod 50 · D_2") == ["0.600, 0.600", "1.000, 1.000", "0.800, 0.800", ""]
    assert row(text, "(a + b) mod 101 · D_3 · pico") == ["0.600, 0.600", "0.900, 0.900", "", ""]
    assert row(text, "(a + b) mod 101 · D_3")[3] == "0.700, 0.700"
    assert "2 digits more than trained" in (tmp_path / "leaking.svg").read_text()


def test_models_that_missed_the_premise_are_shown_where_there_are_no_others(tmp_path: Path) -> None:
    found = verdicts()
    cell = found[1].cell
    lengths = dict.fromkeys(range(1, 5), 1.0)
    missed, met = run(cell, lengths, 0.4, premise=0.5), run(cell, lengths, 0.7, seed=1)
    found[1] = judge(cell, [missed])
    assert "0.400, 0.400 *" in leaking(found, tmp_path)
    found[1] = judge(cell, [missed, met])
    assert "0.700, 0.700 |" in leaking(found, tmp_path)


def test_a_task_is_compared_where_it_was_trained_in_the_aligned_layout(tmp_path: Path) -> None:
    found = verdicts()
    found[0] = judge(found[0].cell, [])
    text = leaking(found, tmp_path)
    assert "(plain; 7 tasks)" in text and "a·b mod 50 · D_2" not in text
    both = next(v for v in found if v.cell in grid("layouts") and v.cell in grid("depths"))
    # Neither grid is there as a whole without it.
    assert leaking([v for v in found if v is not both], tmp_path) == ""
