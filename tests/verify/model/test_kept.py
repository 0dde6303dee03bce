"""Kept models: what is read is what was kept, and what is none is refused in one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from builders.cells import cell
from builders.kept_models import kept_run, kept_untrained

from arith.theory.errors import InvalidInput
from arith.verify.model.kept import (
    CONFIG,
    WEIGHTS,
    Network,
    is_kept,
    keep,
    kept_path,
    read_kept,
)
from arith.verify.model.networks import network
from arith.verify.plan.plan import Job
from arith.verify.plan.recipe import RECIPES

SUM = cell("mod_add", 101, test_lengths=(2, 3))


def test_a_model_is_read_as_it_was_kept(tmp_path: Path) -> None:
    for recipe in (RECIPES["place-noise"], RECIPES["with-tied-head"]):
        path, net = kept_untrained(tmp_path, SUM, recipe)
        kept = read_kept(path)
        assert kept.run == kept_run(SUM, recipe)
        tokens = torch.randint(SUM.format.vocabulary, (5, 9))
        assert torch.equal(kept.model(tokens), net(tokens))


def test_the_folder_says_what_the_model_is(tmp_path: Path) -> None:
    path, _ = kept_untrained(tmp_path, SUM)
    assert path.name.startswith("mod_add-101-APE-aligned-D_2-pico-seed-0-")
    config = json.loads((path / CONFIG).read_text())
    assert config["cell"] == SUM.to_json()
    assert (config["recipe_name"], config["recipe"]) == (
        "place-noise",
        RECIPES["place-noise"].version,
    )
    parts = {"layers": 2, "heads": 2, "width": 16, "tied": False}
    assert config["network"] == parts | {"mlp": 0, "gelu": False, "norm_bias": True}
    assert config["vocabulary"] == [*"0123456789", "<bos>", "+", "="]
    modes = {x.stat().st_mode for x in path.iterdir()}
    assert len(modes) == 1


def test_every_model_has_a_folder_of_its_own(tmp_path: Path) -> None:
    cells = [SUM, cell("mod_add", 101, test_lengths=(2,)), cell("mod_add", 10)]
    jobs = [Job(c, seed, r) for c in cells for seed in (0, 1) for r in RECIPES.values()]
    paths = {kept_path(tmp_path, job, p) for job in jobs for p in ("float32", "bfloat16")}
    assert len(paths) == 2 * len(jobs)


def test_a_model_is_kept_again_only_if_it_may_become_another(tmp_path: Path) -> None:
    path, net = kept_untrained(tmp_path, SUM)
    job = Job(SUM, 0, SUM.recipe)
    assert is_kept(tmp_path, job, 10**6, "float32")  # it ended by itself
    assert not is_kept(tmp_path, Job(SUM, 1, SUM.recipe), 8000, "float32")
    assert not is_kept(tmp_path, job, 8000, "bfloat16")
    keep(tmp_path, net, kept_run(SUM, steps=8000), job.recipe)
    assert is_kept(tmp_path, job, 8000, "float32")
    assert not is_kept(tmp_path, job, 8001, "float32")
    (path / WEIGHTS).unlink()
    assert not is_kept(tmp_path, job, 8000, "float32")
    assert [x.name for x in tmp_path.iterdir()] == [path.name]


def config(**changes: object) -> Callable[[Path], None]:
    """What changes entries of a ``config.json``."""

    def change(path: Path) -> None:
        data = json.loads((path / CONFIG).read_text())
        (path / CONFIG).write_text(json.dumps(data | changes))

    return change


NETWORK = {"layers": 2, "heads": 2, "width": 16, "tied": False, "mlp": 0}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (shutil.rmtree, "is no kept model .arith verify --keep-models DIR"),
        (lambda path: (path / CONFIG).write_text("{"), "config.json: it is no JSON"),
        (lambda path: (path / CONFIG).write_text("{}"), "config.json: it lacks"),
        (config(network=NETWORK | {"width": 32}), "the weights are not those"),
        (config(network=NETWORK | {"heads": 3}), "network: no such size"),
        (config(cell=SUM.to_json() | {"task": "ad"}), "config.json: cell: "),
        (lambda path: (path / WEIGHTS).unlink(), "cannot be read: No such file"),
        (lambda path: (path / WEIGHTS).write_bytes(b"12345678" * 9), "cannot be read: "),
    ],
)
def test_what_is_no_kept_model_is_told_in_one_line(
    tmp_path: Path, damage: Callable[[Path], None], message: str
) -> None:
    path, _ = kept_untrained(tmp_path, SUM)
    damage(path)
    with pytest.raises(InvalidInput, match=message) as error:
        read_kept(path)
    assert "\n" not in str(error.value)


def test_a_folder_of_models_is_told_from_a_model(tmp_path: Path) -> None:
    kept_untrained(tmp_path, SUM)
    with pytest.raises(InvalidInput, match=r"give one of them: .*mod_add-101"):
        read_kept(tmp_path)


def test_what_a_recipe_decides_of_a_network_is_kept(tmp_path: Path) -> None:
    net = network(SUM, 0, RECIPES["paper"]).eval()
    again = Network.of(net).made(SUM).eval()
    again.load_state_dict(net.state_dict())
    asked = torch.zeros(1, len(SUM.format.tokens) - 1, dtype=torch.long)
    assert torch.equal(net(asked), again(asked))
    assert not torch.equal(net(asked), network(SUM, 0).eval()(asked))
