"""Grids that a user writes: what is read, and what is refused with file and cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from arith.commands.experiments import GridOption
from arith.theory import predict
from arith.theory.errors import InvalidInput
from arith.verify.plan import grids
from arith.verify.plan.cells import Cell
from arith.verify.plan.flops import training_flops
from arith.verify.plan.grids import GRIDS, grid
from arith.verify.records.reading import read_cell


def read(folder: Path, *cells: str) -> list:
    """The cells of a grid file with one table per text."""
    path = folder / "mine.toml"
    path.write_text("".join(f"[[cell]]\n{cell}\n" for cell in cells))
    return grid(str(path))


def test_dashes_and_underscores_are_read(tmp_path: Path) -> None:
    dashes, underscores = read(
        tmp_path,
        'task = "add"\npe = "rpe"\ntrain-digits = 2\ntrain-priming = ["6:0.01"]',
        'task = "add"\npe = "ape"\ntrain_digits = [2, 3]\ntest_digits = "1-4"',
    )
    assert dashes.setting.train.every_length == (2, 6)
    assert underscores.setting.train.lengths == (2, 3)
    assert underscores.setting.test_lengths == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ('task = "add"\npe = "APEX"', "unknown encoding 'APEX'; did you mean 'ape'?"),
        ('task = "add"\nmodel = "nan"', "unknown model 'nan'; did you mean 'nano'?"),
        ('pe = "ape"', "give a task"),
        ('task = "add"\nlayot = "plain"', "train-digits, train-domain, train-priming"),
        ('task = "add"\ntrain-digits = 2\ntrain_digits = 3', "'train-digits' is given twice"),
        ('task = "add"\ntrain-priming = "6:0.01"', "takes a list of texts, as in ['6:0.01']"),
        ('task = "add"\ntrain_allowed = [2]', "takes a list of texts, as in ['2:6-9']"),
        ('task = "add"\ntrain-pairs = "1000"', "takes a whole number"),
        ('task = "add"\ntrain-digits = true', "takes a number, a list of numbers, or text"),
        ('task = "add"\npe = 3', "'pe', which takes text"),
        ('task = "sub"\npe = "ape"', "the same as cell 1"),
    ],
)
def test_a_bad_cell_is_named(tmp_path: Path, cell: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read(tmp_path, 'task = "sub"', cell)
    assert str(error.value).startswith(f"{tmp_path / 'mine.toml'}, cell 2: ")
    assert message in str(error.value)


def test_a_file_that_cannot_be_read_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r"^cannot read the grid no.toml: No such file or dir\w+$"
    ):
        grid("no.toml")
    path = tmp_path / "numbers.toml"
    path.write_text("cell = [1, 2]")
    with pytest.raises(InvalidInput, match=r"has no \[\[cell\]\] tables"):
        grid(str(path))


def test_tables_within_a_table_have_its_options_and_lists_multiply_out(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        """
        base = 4
        cell = [
          { pe = ["ape", "rpe"], cell = [
            { task = "add", layers = [1, 2] },
            { task = "sub", base = 6, train-digits = [[2], [2, 3]] },
          ] },
          { task = "add", train-digits = [2, 3], train-priming = [["6:0.01"], ["7:0.01"]] },
        ]
        """
    )
    settings = [c.setting for c in grid(str(path))]
    assert [(s.encoding.name, s.task.name, s.base) for s in settings] == [
        *[(pe, *x) for pe in ("ape", "rpe") for x in [("add", 4)] * 2 + [("sub", 6)] * 2],
        *[("ape", "add", 4)] * 2,
    ]
    assert [s.layers for s in settings[:4]] == [1, 2, 0, 0]
    assert [s.train.every_length for s in settings[2:4]] == [(2,), (2, 3)]
    assert [s.train.every_length for s in settings[8:]] == [(2, 3, 6), (2, 3, 7)]


def test_a_grid_includes_a_named_one_or_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('[[cell]]\ntask = "add"\n[[cell]]\ntask = "mul"\n')
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[cell]]\ninclude = "smoke"\n[[cell]]\ntask = "add"\n'
        '[[cell]]\ninclude = "base.toml"\nbase = [10, 4]\n'
    )
    found = grid(str(path))
    assert found[:3] == grid("smoke")
    assert [(c.setting.task.name, c.setting.base) for c in found[3:]] == [
        *[("add", 10), ("mul", 10), ("add", 4), ("mul", 4)]
    ]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ('include = "mine.toml"', "cell 2: mine.toml includes itself"),
        ('include = "smok"', "cell 2: unknown grid 'smok'; did you mean 'smoke'?"),
        ("include = 3", "cell 2: 'include' names one grid"),
        ("cell = []", "cell 2 has no [[cell]] tables"),
        ('cell = [{ task = "add" }, { task = "adds" }]', "cell 2, cell 2: unknown task 'adds'"),
    ],
)
def test_what_cannot_be_included_is_named(tmp_path: Path, cell: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read(tmp_path, 'task = "sub"', cell)
    assert message in str(error.value)


def test_a_grid_of_too_many_cells_is_refused_before_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grids, "MOST_CELLS", 100)
    lists = f"window = {list(range(1, 200))}\nlayers = {list(range(1, 100))}\nbase = [10, 4, 5, 6]"
    with pytest.raises(InvalidInput, match="has more than 100 cells"):
        read(tmp_path, f'task = "add"\n{lists}')


def test_a_grid_has_each_cell_once() -> None:
    for name in GRIDS:
        keys = [c.key for c in grid(name)]
        assert len(keys) == len(set(keys))


def test_help_names_every_grid() -> None:
    assert GridOption.help.removesuffix(", or a TOML file.").split(", ") == list(GRIDS)


def test_the_grids_that_gate_have_no_cell_that_does_not_converge() -> None:
    unconverged = set(grid("unconverged"))
    assert all(unconverged.isdisjoint(grid(name)) for name in GRIDS if name != "unconverged")


def test_the_smoke_grid_has_every_kind_of_answer() -> None:
    assert set(grid("smoke")) <= set(grid("headline"))
    statuses = {
        x.status
        for cell in grid("smoke")
        for x in predict(cell.setting).lengths
        if x.direction == "upward"
    }
    assert statuses == {"fails", "generalizes", "partial"}


def test_a_cell_keeps_the_width_that_its_operands_are_padded_to(tmp_path: Path) -> None:
    plain, wide = read(tmp_path, 'task = "add"', 'task = "add"\nwidth = 20')
    assert "width" not in plain.to_json() and wide.to_json()["width"] == 20
    assert Cell.from_json(wide.to_json()) == wide != plain
    assert "--width 20" in wide.command(0) and " N=20 " in wide.label()
    assert len(wide.format.tokens) - len(plain.format.tokens) == 3 * (20 - 6)


def test_a_cell_has_the_layers_that_its_setting_asks_for(tmp_path: Path) -> None:
    plain, deep = read(tmp_path, 'task = "add"', 'task = "add"\nlayers = 5')
    assert (plain.size.layers, deep.size.layers) == (2, 5)
    assert Cell.from_json(deep.to_json()) == deep and "layers" not in plain.to_json()
    assert "--layers 5" in deep.command(0) and " L=5 " in deep.label()
    assert training_flops(deep, 1) > 2 * training_flops(plain, 1)


@pytest.mark.parametrize("name", GRIDS)
def test_the_cells_of_every_grid_are_read_back_from_records(name: str) -> None:
    assert all(read_cell(cell.key) == cell for cell in grid(name))
