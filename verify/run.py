"""Running a grid: what is missing in the store is trained, in parallel, and written as it ends."""

from __future__ import annotations

import multiprocessing
import os
import queue
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from theory.predict import predict
from verify.cells import Cell
from verify.flops import training_flops
from verify.machine import machine, train_alone
from verify.measure import Measurement, measure
from verify.recipe import RECIPE
from verify.stack import shape_of
from verify.store import Run, Store
from verify.train import Trained, train_stack
from verify.trajectory import Recorder


class WorkerFailed(Exception):
    """A training process ended before its job did; what had ended before is in the store."""


@dataclass(frozen=True)
class Job:
    """One model to train: a cell and a seed."""

    cell: Cell
    seed: int


@dataclass(frozen=True)
class Progress:
    """A sign of life from a job: steps taken, and the run once it is finished."""

    job: Job
    steps: int
    run: Run | None = None


def execute(
    jobs: list[Job], budget: int, device: str, on_step: Callable[[int], None] = lambda step: None
) -> list[Run]:
    """Train models of one shape as a stack, and measure each at every test length."""
    pairs = [(job.cell, job.seed) for job in jobs]
    recorder = Recorder([job.cell for job in jobs])
    trained_models = train_stack(pairs, budget, device, on_step=on_step, watch=recorder)
    runs = []
    for i, trained in enumerate(trained_models):
        measured = _measurements(trained)
        runs.append(
            Run(
                trained.cell,
                trained.seed,
                RECIPE.version,
                trained.premise,
                trained.steps,
                budget,
                trained.seconds,
                machine(device),
                measured,
                recorder.trajectory(i, trained.steps, measured),
            )
        )
    return runs


def _measurements(trained: Trained) -> tuple[Measurement, ...]:
    cell, prediction = trained.cell, predict(trained.cell.setting)
    return tuple(measure(trained.model, cell, prediction, n) for n in cell.setting.test_lengths)


def stacks(jobs: Iterable[Job], device: str) -> list[list[Job]]:
    """Jobs in groups that train together, those that take longest first.

    On a GPU all models of one shape are one stack.  On a CPU every model is its own: a
    compiled step of one model already keeps a core busy (``benchmarks/README.md``).
    """
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        key = job if device == "cpu" else shape_of(job.cell)
        groups.setdefault(key, []).append(job)
    return sorted(groups.values(), key=lambda group: _cost(group[0]), reverse=True)


def missing(cells: Iterable[Cell], seeds: Iterable[int], store: Store, budget: int) -> list[Job]:
    """The jobs that the store has no run of.

    A run that had not settled is made again, and only where the budget has grown.
    """
    jobs = []
    seeds = tuple(seeds)
    for cell in cells:
        for seed in seeds:
            run = store.find(cell, seed, RECIPE.version)
            if run is None or (not run.settled and run.budget < budget):
                jobs.append(Job(cell, seed))
    return jobs


def run_all(
    jobs: list[Job],
    store: Store,
    budget: int,
    device: str,
    workers: int,
    on_progress: Callable[[Progress], None],
) -> None:
    """Train and measure jobs in parallel processes; each run is stored when it ends.

    Args:
        workers: processes at once, each with one thread.
        on_progress: called in this process with every sign of life.

    Raises:
        WorkerFailed: a training process died; what had ended before is in the store.
    """
    if not jobs:
        return
    waiting = stacks(jobs, device)
    context = multiprocessing.get_context("spawn")
    todo: Any = context.Queue()
    done: Any = context.Queue()
    workers = min(workers, len(waiting))
    for stack in [*waiting, *[None] * workers]:
        todo.put(stack)
    arguments = (todo, done, budget, device)
    processes = [context.Process(target=_work, args=arguments, daemon=True) for _ in range(workers)]
    for process in processes:
        process.start()
    try:
        left = len(jobs)
        while left:
            try:
                message = done.get(timeout=1)
            except queue.Empty:
                if any(p.exitcode not in (None, 0) for p in processes):
                    raise WorkerFailed("a training process died; start again to go on") from None
                continue
            if isinstance(message, str):
                raise WorkerFailed(f"a training process failed: {message}")
            if message.run is not None:
                store.add(message.run)
                left -= 1
            on_progress(message)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _cost(job: Job) -> int:
    """A rough measure of training time, so that long jobs start first."""
    return training_flops(job.cell, RECIPE.batch)


def _work(todo: Any, done: Any, budget: int, device: str) -> None:
    """A worker process: stacks until there are none, or until its parent is gone."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    train_alone()
    parent = os.getppid()

    while (stack := todo.get()) is not None:

        def on_step(step: int, stack: list[Job] = stack) -> None:
            if os.getppid() != parent:
                os._exit(1)
            for job in stack:
                done.put(Progress(job, step))

        try:
            runs = execute(stack, budget, device, on_step)
        except Exception as error:
            done.put(f"{stack[0].cell.label()}: {type(error).__name__}: {error}")
            raise
        for job, run in zip(stack, runs, strict=True):
            done.put(Progress(job, run.steps, run))
