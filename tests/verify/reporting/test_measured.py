"""The models in a store that belong on the picture of a prediction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.cells import cell
from builders.runs import RIGHT, run

from arith.theory.errors import InvalidInput
from arith.verify.plan.recipe import FACTORS, RECIPE
from arith.verify.records.store import Store
from arith.verify.reporting.measured import measured


def test_the_models_of_the_setting_are_found_and_told_apart(tmp_path: Path) -> None:
    path, c = tmp_path / "store.sqlite", cell(digits=3)
    store = Store(path)
    longer = cell(digits=3, test_lengths=(1, 2, 3, 6))
    for made in (
        run(c, {**RIGHT, 4: 0.25}, seed=1, premise=0.5),
        run(c, RIGHT),
        run(longer, {6: 0.5}),
        replace(run(c, RIGHT), recipe=FACTORS[0].version),
        run(cell(digits=3, pe="rope"), RIGHT),
        run(cell("mod_add", 50, digits=3), RIGHT),
    ):
        usual = made.recipe == "1"
        store.add(replace(made, recipe=RECIPE.version) if usual else made)
    found = {x.name: x for x in measured(c.setting, path)}
    others = {"seed 0, padded to 6 digits", f"seed 0, recipe {FACTORS[0].name}"}
    assert found.keys() == {"seed 0", "seed 1"} | others
    assert found["seed 0"].converged and not found["seed 1"].converged
    value, low, high = found["seed 1"].accuracy[4]
    assert value == 0.25 and low < 0.25 < high
    assert found["seed 0, padded to 6 digits"].accuracy.keys() == {6}


def test_models_of_natural_lengths_have_no_padding(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    made, asked = (cell(digits=3, padding="none", test_lengths=x) for x in ((1, 2, 3, 6), (1, 3)))
    Store(path).add(replace(run(made, {6: 0.5}), recipe=made.recipe.version))
    assert [x.name for x in measured(asked.setting, path)] == ["seed 0"]


def test_no_store_has_no_models_and_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    assert measured(cell().setting, path) == []
    assert not path.exists()
    path.write_text("no database")
    with pytest.raises(InvalidInput, match="cannot use the store"):
        measured(cell().setting, path)
