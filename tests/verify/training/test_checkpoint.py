"""Checkpoints: a training that was stopped goes on as if it had not been."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from builders.cells import cell
from builders.tiny_models import TINY, float32

from arith.theory.prediction.predict import predict
from arith.theory.setting.domains import Domain
from arith.verify.plan.plan import Job
from arith.verify.plan.recipe import CHUNK, RECIPES, Recipe
from arith.verify.training.checkpoint import Checkpoint, checkpoint_path, forget
from arith.verify.training.recorder import Recorder
from arith.verify.training.train import Trained, train_ensemble

SUM = cell(base=3, train=Domain((2,)), test_lengths=(2, 3))
JOBS = [(SUM, 0), (SUM, 1)]
STEPS = 8 * CHUNK
TOKENS = Recipe(settling=CHUNK, cooling=CHUNK, batch_size=16, low_loss=2.0)
DROPOUT = replace(TOKENS, dropout=True, noise=51)


class Stopped(Exception):
    pass


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

    recorder = Recorder([c for c, _ in JOBS], [predict(c.setting) for c, _ in JOBS])
    checkpoint = None if path is None else Checkpoint(path, recorder)
    with float32(TINY):
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
    path = tmp_path / "states" / "one.pt"
    whole, curves = train(recipe, None)
    for stop in (2 * CHUNK, 3 * CHUNK, 6 * CHUNK):
        with pytest.raises(Stopped):
            train(recipe, path, stop)
        assert path.exists()
    steps: list[int] = []
    again, same_curves = train(recipe, path, steps=steps)
    assert steps[0] == 6 * CHUNK
    assert same_curves == curves
    for one, other in zip(whole, again, strict=True):
        assert (one.steps, one.premise) == (other.steps, other.premise)
        for p, q in zip(one.model.parameters(), other.model.parameters(), strict=True):
            assert torch.equal(p, q)
    forget(path)
    assert not path.parent.exists()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip(path: Path) -> None:
    """Change a bit of the weights."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 64
    path.write_bytes(content)


def edit(path: Path) -> None:
    """As if other code had written it."""
    kept = torch.load(path, weights_only=False)
    torch.save({**kept, "writer": ("other code", torch.__version__)}, path)


@pytest.mark.training
@pytest.mark.parametrize(("damage", "begin"), [(cut, 0), (flip, 0), (edit, 0), (None, 2 * CHUNK)])
def test_a_damaged_checkpoint_or_one_of_other_code_is_not_used(
    damage: Callable[[Path], None] | None,
    begin: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arith.verify.training.checkpoint.EVERY", 0.0)
    path = tmp_path / "one.pt"
    with pytest.raises(Stopped):
        train(DROPOUT, path, 2 * CHUNK)
    if damage is not None:
        damage(path)
    steps: list[int] = []
    with pytest.raises(Stopped):
        train(DROPOUT, path, CHUNK, steps)
    assert steps[0] == begin


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
    path = tmp_path / "states" / "one.pt"
    path.parent.mkdir()
    for file in (path, path.with_suffix(".123")):
        file.write_bytes(b"")
    forget(path)
    assert not path.parent.exists()
