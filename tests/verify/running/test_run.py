"""Which models train together, in which order, and what is said meanwhile."""

from __future__ import annotations

import io
import sys
import time

import pytest
from builders.runs import run

from arith.verify.plan.grids import grid
from arith.verify.plan.plan import Job
from arith.verify.running.progress import Progress, ProgressDisplay
from arith.verify.running.run import ensembles
from arith.verify.training.ensemble import shape_of

JOBS = [Job(cell, seed, cell.recipe) for cell in grid("headline") for seed in (0, 1)]


def test_on_a_cpu_every_model_is_its_own_ensemble_and_long_ones_come_first() -> None:
    found = ensembles(JOBS, "cpu")
    assert all(len(ensemble) == 1 for ensemble in found)
    assert {job for (job,) in found} == set(JOBS)
    models = [job.cell.model for (job,) in found]
    assert models == sorted(models, key=["wide", "pico"].index)


def test_on_a_gpu_all_models_of_one_shape_are_one_ensemble() -> None:
    found = ensembles(JOBS, "cuda")
    assert sorted(map(repr, JOBS)) == sorted(repr(job) for ensemble in found for job in ensemble)
    shapes = [{shape_of(job.cell) for job in ensemble} for ensemble in found]
    assert all(len(shape) == 1 for shape in shapes)
    assert len(set.union(*shapes)) == len(found) < len(JOBS) / 2
    by_modulus = {
        j.cell.setting.task.modulus: i
        for i, ensemble in enumerate(found)
        for j in ensemble
        if j.cell.setting.encoding.name == "ape"
    }
    assert by_modulus[101] == by_modulus[150]


def test_a_run_without_a_terminal_says_now_and_then_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    monkeypatch.setattr("arith.verify.running.progress.EVERY", 0.01)
    first, second = JOBS[:2]
    with ProgressDisplay(2, 6000) as display:
        display.update(Progress(first, 1500))
        display.update(Progress(second, 50))
        end = time.monotonic() + 30
        while "still training: 0 of 2 models are done, 2 at step 1500, 50" not in said.getvalue():
            assert time.monotonic() < end, said.getvalue()
            time.sleep(0.01)
        display.update(Progress(first, 3000, run(first.cell, {})))
        assert "1 of 2 models are done, 1 at step 50 of 6000" in display.reminder()
        display.update(Progress(second, 0, elsewhere="process 7 on host"))
    assert "seed 1: left to process 7 on host" in said.getvalue()


def test_nobody_listening_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed())
    with ProgressDisplay(2, 6000) as display:
        for job in JOBS[:2]:
            display.update(Progress(job, 3000, run(job.cell, {})))
    assert display.finished == 2
