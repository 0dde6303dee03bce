"""Which models train together, and in which order."""

from __future__ import annotations

from verify.grids import grid
from verify.run import Job, stacks
from verify.stack import shape_of

JOBS = [Job(cell, seed) for cell in grid("headline") for seed in (0, 1)]


def test_on_a_cpu_every_model_is_its_own_stack_and_long_ones_come_first() -> None:
    found = stacks(JOBS, "cpu")
    assert all(len(stack) == 1 for stack in found)
    assert {job for (job,) in found} == set(JOBS)
    models = [job.cell.model for (job,) in found]
    assert models == sorted(models, key=["wide", "pico"].index)


def test_on_a_gpu_all_models_of_one_shape_are_one_stack() -> None:
    found = stacks(JOBS, "cuda")
    assert sorted(map(repr, JOBS)) == sorted(repr(job) for stack in found for job in stack)
    shapes = [{shape_of(job.cell) for job in stack} for stack in found]
    assert all(len(shape) == 1 for shape in shapes)
    assert len(set.union(*shapes)) == len(found) < len(JOBS) / 2
    by_modulus = {
        j.cell.setting.task.modulus: i
        for i, stack in enumerate(found)
        for j in stack
        if j.cell.setting.encoding.name == "ape"
    }
    assert by_modulus[101] == by_modulus[150]
