"""Known divergences: each diverging claim needs a cause, and each cause a claim that diverges."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.cells import cell
from builders.runs import run

from arith.theory.errors import InvalidInput
from arith.verify.judging.judge import judge
from arith.verify.judging.known_divergences import (
    KnownDivergences,
    out_of_date,
    read_known_divergences,
    unexplained,
)

RIGHT = judge(cell(digits=3), [run(cell(digits=3), {1: 1, 2: 1, 3: 1, 4: 0})])
WRONG = judge(cell(digits=3), [run(cell(digits=3), {1: 1, 2: 1, 3: 1, 4: 1})])
TEXT = f"""
[[cause]]
cell = "{WRONG.name}"
digits = [4]
likely = "it was made up"
"""


def test_a_divergence_needs_a_cause(tmp_path: Path) -> None:
    path = tmp_path / "causes.toml"
    assert read_known_divergences(path) == KnownDivergences()
    assert unexplained([RIGHT], KnownDivergences()) == []
    [line] = unexplained([WRONG], KnownDivergences())
    assert "4 digits: diverges" in line
    path.write_text(TEXT)
    assert unexplained([WRONG], read_known_divergences(path)) == []


def test_a_cause_needs_its_divergence(tmp_path: Path) -> None:
    path = tmp_path / "causes.toml"
    path.write_text(TEXT)
    [line] = out_of_date([RIGHT], read_known_divergences(path))
    assert "does not diverge" in line


def test_what_was_tried_needs_a_model_that_missed_the_premise(tmp_path: Path) -> None:
    path = tmp_path / "causes.toml"
    path.write_text(f'[[tried]]\ncell = "{RIGHT.name}"\nwhat = "more steps"\n')
    [line] = out_of_date([RIGHT], read_known_divergences(path))
    assert "no model missed the premise" in line
    lost = judge(cell(digits=3), [run(cell(digits=3), {1: 1, 2: 1, 3: 1, 4: 0}, premise=0.5)])
    assert out_of_date([lost], read_known_divergences(path)) == []


@pytest.mark.parametrize("text", ["[[cause]]\ncell = 1\n", "[[cause]", 'cause = "x"'])
def test_a_bad_file_is_one_clear_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "causes.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput, match="cannot read the causes"):
        read_known_divergences(path)
