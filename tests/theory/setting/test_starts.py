"""From how many starts training draws is a part of the setting."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from builders.command_line import run_cli
from builders.predictions import predicted

import arith
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request, read_setting, setting_json, setting_words
from arith.theory.setting.settings import RANDOM_STARTS
from arith.theory.transformer.layouts import STARTS
from arith.verify.plan.cells import Cell
from arith.verify.plan.grids import grid

ABACUS = {"task": "add", "pe": "abacus", "padding": "none", "train_digits": "1-20"}


@pytest.mark.parametrize(("starts", "at_most"), [(77, "1/900"), (79, "1/9"), (80, "1"), (100, "1")])
def test_the_largest_number_that_training_shows_decides(starts: int, at_most: str) -> None:
    """A query stands at the result's digit 100; one of 21 digits is there from start 80 on."""
    said = predicted(**ABACUS, starts=starts, test_digits="100")
    assert str(said.lengths[0].at_most) == at_most


def test_a_claim_that_rests_on_starts_says_how_many() -> None:
    words = ["predict", "--task=add", "--pe=abacus", "--padding=none", "--train-digits=1-20"]
    words += ["--test-digits=100", "--starts=71"]
    shown, why = run_cli(*words).out, run_cli(*words, "--explain").out
    assert "training draws from 71 starts (--starts)" in shown
    assert "Training drew from 71 starts" in shown[shown.index("Premises") :]
    assert "above 91, the largest that was trained from 71 starts" in " ".join(why.split())
    assert '"starts": 71' in run_cli(*words, "--json").out
    [x] = arith.predict(**ABACUS, starts=71, test_digits=100).lengths
    assert x.at_most == Fraction(1, 9 * 10**8)


def test_starts_are_a_part_of_a_cell_and_the_usual_number_changes_no_key(tmp_path: Path) -> None:
    usual, more = (Request(**ABACUS, starts=n).setting() for n in (STARTS, 100))
    assert usual == Request(**ABACUS).setting() != more
    assert "starts" not in setting_json(usual) and setting_json(more)["starts"] == 100
    assert read_setting(setting_json(more)) == more and "--starts 100" in setting_words(more)
    cells = [Cell(s, "pico") for s in (usual, more)]
    assert len({c.key for c in cells}) == len({c.label() for c in cells}) == 2
    path = tmp_path / "mine.toml"
    path.write_text('[[cell]]\ntask = "add"\npe = "shifted"\nstarts = 100\n')
    assert [c.setting.starts for c in grid(str(path))] == [100]


@pytest.mark.parametrize("pe", ["ape", "rpe", "nope", "randomized"])
def test_where_nothing_starts_at_random_there_are_no_starts(pe: str) -> None:
    with pytest.raises(InvalidInput, match=r"--starts needs .*shifted, abacus, coupled.*hinted"):
        Request(task="add", pe=pe, starts=33).setting()
    hinted = Request(task="add", pe=pe, layout="hinted", padding="none", starts=33).setting()
    assert hinted.starts == 33 and pe not in RANDOM_STARTS


@pytest.mark.parametrize("starts", [0, -1, 1001])
def test_starts_out_of_range_are_refused(starts: int) -> None:
    with pytest.raises(InvalidInput, match="starts go from 1 to 1000"):
        Request(task="add", pe="abacus", starts=starts).setting()
