"""Checkpoints: a training that was stopped goes on as if it had not been."""

from __future__ import annotations

import json
import os
import pickle
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from builders.cells import cell
from builders.tiny_models import SHORT, TINY, float32
from safetensors import safe_open

from arith.theory.arithmetic.domains import Domain
from arith.verify.plan.plan import Job
from arith.verify.plan.recipe import RECIPES, Recipe
from arith.verify.records.files import checkpoint_path, forget_checkpoint
from arith.verify.training.checkpoint import Checkpoint
from arith.verify.training.recorder import Recorder
from arith.verify.training.train import Trained, train_ensemble

SUM = cell(base=3, train=Domain((2,)), test_lengths=(2, 3))
JOBS = [(SUM, 0), (SUM, 1)]
STEPS = 3 * SHORT
TOKENS = Recipe(settling=SHORT, cooling=SHORT, batch_size=16, low_loss=2.0)
DROPOUT = replace(TOKENS, dropout=True, noise=51)


class Stopped(Exception):
    pass


SAID: list[str] = []
"""What the last training said."""


def train(
    recipe: Recipe, path: Path | None, stop: int | None = None, steps: list[int] | None = None
) -> tuple[list[Trained], str]:
    """The models and their trajectories; ``Stopped`` before a step if one is given.

    Args:
        steps: gets those at which the training is, from where it begins.
    """

    def on_step(step: int) -> None:
        if steps is not None:
            steps.append(step)
        if stop is not None and step >= stop:
            raise Stopped

    SAID.clear()
    recorder = Recorder([c for c, _ in JOBS])
    checkpoint = None if path is None else Checkpoint(path, recorder, SAID.append)
    with float32(TINY, SHORT):
        trained = train_ensemble(
            JOBS, STEPS, "cpu", recipe, on_step, recorder, compiled=False, checkpoint=checkpoint
        )
    return trained, repr(recorder.state())


@pytest.mark.training
@pytest.mark.parametrize("recipe", [DROPOUT, TOKENS], ids=["dropout", "token noise"])
def test_a_training_that_was_stopped_ends_with_the_same_bits(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arith.verify.training.checkpoint.EVERY", 0.0)
    path = tmp_path / "states" / "one.safetensors"
    whole, curves = train(recipe, None)
    for stop in (SHORT, 2 * SHORT):
        with pytest.raises(Stopped):
            train(recipe, path, stop)
        assert path.exists()
    steps: list[int] = []
    again, same_curves = train(recipe, path, steps=steps)
    assert steps[0] == 2 * SHORT and SAID == []
    assert same_curves == curves
    for one, other in zip(whole, again, strict=True):
        assert (one.steps, one.premise) == (other.steps, other.premise)
        for p, q in zip(one.model.parameters(), other.model.parameters(), strict=True):
            assert torch.equal(p, q)
    forget_checkpoint(path)
    assert not path.parent.exists()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip(path: Path) -> None:
    """Change a bit of the weights."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 64
    path.write_bytes(content)


def told(**changes: object) -> Callable[[Path], None]:
    """What changes what is told beside the tensors, and nothing else."""

    def change(path: Path) -> None:
        content = path.read_bytes()
        size = struct.unpack("<Q", content[:8])[0]
        header = json.loads(content[8 : 8 + size])
        header["__metadata__"] |= changes
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + content[8 + size :])

    return change


class Hostile:
    """An object that writes a file where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> object:
        return os.system, (f"touch {self.mark}",)


def bare_pickle(path: Path) -> None:
    path.write_bytes(pickle.dumps(Hostile(path.with_name("ran"))))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A checkpoint after two chunks of steps."""
    path = tmp_path_factory.mktemp("kept") / "one.safetensors"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arith.verify.training.checkpoint.EVERY", 0.0)
        with pytest.raises(Stopped):
            train(DROPOUT, path, 2 * SHORT)
    return path.read_bytes()


@pytest.mark.training
@pytest.mark.parametrize(
    ("damage", "begin", "why"),
    [
        (cut, 0, "metadata|header|invalid"),
        (flip, 0, "it is damaged"),
        (told(writer="other code"), 0, "other code wrote it"),
        (told(training="{}"), 0, "it is damaged"),
        (bare_pickle, 0, "header"),
        (pipe, 0, "no regular file"),
        (None, 2 * SHORT, ""),
    ],
)
def test_a_checkpoint_that_cannot_be_used_is_put_aside(
    damage: Callable[[Path], None] | None,
    begin: int,
    why: str,
    kept: bytes,
    tmp_path: Path,
) -> None:
    path = tmp_path / "one.safetensors"
    path.write_bytes(kept)
    if damage is not None:
        damage(path)
    steps: list[int] = []
    with pytest.raises(Stopped):
        train(DROPOUT, path, 0, steps)
    assert steps[0] == begin
    assert not (tmp_path / "ran").exists()
    aside = list(tmp_path.glob("*.unused"))
    assert len(aside) == len(SAID) == (damage is not None)
    for line in SAID:
        assert "\n" not in line and re.search(f"{aside[0].stem} is put aside: .*({why})", line)


@pytest.mark.training
@pytest.mark.parametrize(
    "change",
    [
        {"step": 10**6},
        {"step": -1},
        {"seconds": 1e300},
        {"schedules": []},
        {"ended": {"5": [1.0, 50, 1.0]}},
        {"drawn": {"steps": 0, "examples": ["{}", "{}"], "noise": ["", ""]}},
    ],
)
def test_values_that_no_training_has_are_not_used(
    change: dict[str, object], kept: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the digest is that of the values."""
    monkeypatch.setattr("arith.verify.training.checkpoint._digest", lambda *parts: "any")
    path = tmp_path / "one.safetensors"
    path.write_bytes(kept)
    with safe_open(path, "pt") as file:
        state = json.loads(file.metadata()["training"])
    told(training=json.dumps(state | change), digest="any")(path)
    steps: list[int] = []
    with pytest.raises(Stopped):
        train(DROPOUT, path, 0, steps)
    assert steps[0] == 0 and len(SAID) == 1


def test_a_checkpoint_is_of_one_training() -> None:
    folder, recipe = Path("x"), RECIPES["paper"]
    usual = SUM.recipe
    jobs = [Job(SUM, 0, usual), Job(SUM, 1, usual), Job(cell(), 0, usual), Job(SUM, 0, recipe)]
    paths = {checkpoint_path(folder, [job], 100, "cpu", "float32") for job in jobs}
    paths |= {checkpoint_path(folder, jobs[:1], 200, "cpu", "float32")}
    paths |= {checkpoint_path(folder, jobs[:1], 100, "cpu", "bfloat16")}
    paths |= {checkpoint_path(folder, jobs[:1], 100, "cuda", "float32")}
    assert len(paths) == len(jobs) + 3


def test_what_a_killed_writer_left_goes_with_the_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "states" / "one.safetensors"
    path.parent.mkdir()
    for file in (path, path.with_suffix(".123")):
        file.write_bytes(b"")
    forget_checkpoint(path)
    assert not path.parent.exists()
