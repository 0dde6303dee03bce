"""Sections of the report: what they average, and what they need to be there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.runs import run

from verify.judging.judge import CellVerdict, judge
from verify.plan.cells import Cell
from verify.plan.grids import grid
from verify.records.trajectory import Trajectory
from verify.reporting.sections import leaking
from verify.reporting.training_course import how_soon

SHARES = {"aligned": 0.6, "plain": 0.9, "reversed": 0.8}
DEEP = 0.7


def share(cell: Cell) -> float:
    """How many answers of a cell's model follow the learned function; in one cell 0.1 more."""
    more = 0.1 * (cell.label() == "a·b mod 50 · APE · plain · D_2")
    return DEEP if cell.model == "micro" else SHARES[cell.setting.layout.name] + more


def verdicts() -> list[CellVerdict]:
    cells = dict.fromkeys((*grid("layouts"), *grid("depths")))
    return [judge(c, [run(c, dict.fromkeys(c.setting.test_lengths, 1.0), share(c))]) for c in cells]


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


def learned(modulus: int, *steps: int | None) -> CellVerdict:
    """Models of a sum that learned it after so many steps, or never."""
    c, found = cell("mod_add", modulus, digits=3), []
    for seed, step in enumerate(steps):
        course = Trajectory((50, step or 6000), {3: (0.0, float(step is not None))}, None)
        made = run(c, {1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0}, premise=float(step is not None), seed=seed)
        found.append(replace(made, trajectory=course))
    return judge(c, found)


def test_how_soon_models_learn_is_told_by_the_digits_asked_for_at_once(tmp_path: Path) -> None:
    soon, late = learned(300, 500, 700, 1500), learned(200, 900, 4000, None)
    text = how_soon([soon, late], tmp_path)
    assert "Within 1,000 steps 2 of 3 models" in text and "and 1 of 3 one that" in text
    assert row(text, "one or two, added")[:5] == ["1", "3", "2", "0", "700"]
    assert row(text, "three or more")[:5] == ["1", "3", "1", "1", "2,450"]
    # Those that learned soon, the others, and all that are not above: predicted 1/3, measured 1.
    assert row(text, "one or two, added")[5:] == ["0 of 2", "0 of 1", "0 of 3"]
    assert row(text, "three or more")[5:] == ["1 of 1", "1 of 1", "2 of 2"]
    assert "not within its budget" in (tmp_path / "how_soon.svg").read_text()
    assert how_soon([soon], tmp_path) == ""  # nothing to compare
