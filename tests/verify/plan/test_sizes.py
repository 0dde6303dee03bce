"""Sizes of models: named ones, and those asked for by their parts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from builders.cells import cell
from builders.command_line import run_cli

from arith.theory.errors import InvalidInput
from arith.verify.model.kept import Network
from arith.verify.model.networks import network, parameter_count
from arith.verify.plan.cells import Cell
from arith.verify.plan.sizes import SIZES, Size, size
from arith.verify.training.train import train

SMALLEST = "layers=1,heads=1,width=7,mlp=14"


def test_parts_in_any_order_are_one_size_and_a_named_one_has_its_name() -> None:
    assert size(SMALLEST) == size(" mlp=14, width=7,heads=1,layers=1") == Size(1, 1, 7, 14)
    setting = cell().setting
    assert Cell(setting, "width=7,mlp=14,layers=1,heads=1") == Cell(setting, SMALLEST)
    assert Cell(setting, "heads=4,layers=2,mlp=256,width=64") == Cell(setting, "pico")
    assert Cell(setting, "heads=2,layers=1,width=8").model == "layers=1,heads=2,width=8"
    assert all(size(x.text()) == x for x in [*SIZES.values(), Size(3, 2, 8), Size(3, 2, 8, 9)])
    assert all(Cell.from_json(c.to_json()) == c for c in (Cell(setting, SMALLEST), cell()))


@pytest.mark.parametrize(
    ("model", "error"),
    [
        ("pica", "unknown model 'pica'; did you mean 'pico'?"),
        ("layers=2", "says no heads and no width"),
        ("layers=2,heads=3,width=64", "3 heads do not divide its width"),
        ("layers=1,heads=1,widht=4", "'widht' is not one of layers, heads, width, mlp"),
        ("layers=1,layers=1,heads=1,width=4", "'layers' is not one of .*, each given once"),
        ("layers=0,heads=1,width=4", "layers goes from 1 to 100, not '0'"),
        ("layers=1,heads=1,width=1e3", "width goes from 1 to 10,000, not '1e3'"),
        ("layers=1,heads=1,width=" + "9" * 5000, "width goes from 1 to 10,000"),
        ("layers=", "layers goes from 1 to 100, not ''"),
    ],
)
def test_what_is_no_size_is_refused(model: str, error: str) -> None:
    with pytest.raises(InvalidInput, match=error):
        size(model)


def test_a_head_of_an_odd_width_has_no_rotation() -> None:
    odd = "layers=1,heads=1,width=7"
    with pytest.raises(InvalidInput, match="even width"):
        Cell(cell(pe="rope").setting, odd)
    for pe in ("sinusoidal", "rpe", "fire", "abacus"):
        network(Cell(cell(pe=pe).setting, odd), 0)


@pytest.mark.usefixtures("few_inputs")
@pytest.mark.parametrize("pe", ["ape", "nope"])
def test_the_smallest_adder_has_so_many_parameters_and_is_trained(pe: str) -> None:
    made = Cell(cell(pe=pe, digits=10, form="reversed", test_lengths=(10,)).setting, SMALLEST)
    places = 7 * 33 if pe == "ape" else 0
    blocks = 4 * 7 * 7 + 2 * 7 * 14
    norms, tokens = 3 * 2 * 7, 2 * 13 * 7
    assert parameter_count(made, made.recipe) == blocks + norms + tokens + places
    trained = train(made, 0, 20)
    assert trained.steps == 20
    of = Network.of(trained.model)
    assert of == Network(1, 1, 7, tied=False, mlp=14)
    again = of.made(made)
    again.load_state_dict(trained.model.state_dict())


def test_layers_of_the_setting_replace_those_of_the_size() -> None:
    one = replace(cell().setting, layers=1)
    assert Cell(one, "pico").size == Cell(one, "layers=3,heads=4,width=64").size


def test_a_dry_run_says_how_many_parameters_a_model_has() -> None:
    asked = ("verify", "--dry-run", "--task", "add", "--base", "2", "--train-digits", "4")
    done = run_cli(*asked, "--model", "width=8,heads=2,layers=1")
    assert done.code == 0 and "layers=1,heads=2,width=8" in done.out and "1,088" in done.out
    [pico] = [x for x in json.loads(run_cli("models", "--json").out) if x["model"] == "pico"]
    assert list(pico.values()) == ["pico", "2", "4", "64", "256"]
