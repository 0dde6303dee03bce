"""The section on how soon tasks are learned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.runs import run

from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.records.trajectory import Trajectory
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.convergence import how_soon


def row(text: str, task: str) -> list[str]:
    rows = [[x.strip() for x in line.split("|")[1:-1]] for line in text.splitlines()]
    [found] = [x[1:] for x in rows if x[:1] == [task]]
    return found


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
    text = markdown_page(how_soon(Report("made up", [soon, late], tmp_path)), tmp_path)
    assert "2 of 3 models whose task asks for one or two" in text
    assert "within 1,000 steps, and 1 of 3 whose task asks for more." in text
    assert row(text, "one or two (tasks that add)")[:5] == ["1", "3", "2", "0", "700"]
    assert row(text, "three or more")[:5] == ["1", "3", "1", "1", "2,450"]
    # Those that learned soon, and the others: predicted 1/3, measured 1.
    assert row(text, "one or two (tasks that add)")[5:] == ["0 of 2", "0 of 1"]
    assert row(text, "three or more")[5:] == ["1 of 1", "1 of 1"]
    assert "not learned in its budget" in (tmp_path / "how_soon.svg").read_text()
    assert how_soon(Report("made up", [soon], tmp_path)) == []  # nothing to compare
