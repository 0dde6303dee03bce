"""Running a grid: what is missing in the store is trained, in parallel, and written as it ends."""

from __future__ import annotations

import multiprocessing
import os
import platform
import queue
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

from theory.predict import predict
from theory.tasks import InvalidInput
from verify.cells import Cell
from verify.measure import measure
from verify.store import Run, Store
from verify.train import RECIPE, train

DEVICES = ("auto", "cpu", "cuda")


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


def pick_device(name: str) -> str:
    """``cpu`` or ``cuda``; ``auto`` takes a GPU where there is one.

    Raises:
        InvalidInput: unknown, or ``cuda`` on a machine without one.
    """
    if name not in DEVICES:
        raise InvalidInput(f"unknown device '{name}' (allowed: {', '.join(DEVICES)})")
    if name == "cuda" and not torch.cuda.is_available():
        raise InvalidInput("this machine has no CUDA device (use --device cpu)")
    return ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name


def machine(device: str) -> str:
    """The processor or accelerator, and the versions that results can depend on."""
    chip = torch.cuda.get_device_name() if device == "cuda" else platform.machine()
    cores = "" if device == "cuda" else f" x{os.cpu_count()}"
    return f"{chip}{cores}, Python {platform.python_version()}, torch {torch.__version__}"


def execute(
    job: Job, budget: int, device: str, on_step: Callable[[int], None] = lambda step: None
) -> Run:
    """Train one model and measure it at every test length."""
    prediction = predict(job.cell.setting)
    trained = train(job.cell, job.seed, budget, device, on_step=on_step)
    measurements = tuple(
        measure(trained.model, job.cell, prediction, n) for n in job.cell.setting.test_lengths
    )
    return Run(
        job.cell,
        job.seed,
        RECIPE.version,
        trained.premise,
        trained.steps,
        budget,
        trained.seconds,
        machine(device),
        measurements,
    )


def missing(cells: Iterable[Cell], seeds: Iterable[int], store: Store, budget: int) -> list[Job]:
    """The jobs that the store has no run of.

    A run that did not converge is made again only where the budget has grown.
    """
    jobs = []
    seeds = tuple(seeds)
    for cell in cells:
        for seed in seeds:
            run = store.find(cell, seed, RECIPE.version)
            if run is None or (run.steps >= run.budget < budget):
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
        workers: processes at once; the machine's threads are shared between them.
        on_progress: called in this process with every sign of life.

    Raises:
        WorkerFailed: a training process died; what had ended before is in the store.
    """
    if not jobs:
        return
    ordered = sorted(jobs, key=_cost, reverse=True)
    context = multiprocessing.get_context("spawn")
    todo: Any = context.Queue()
    done: Any = context.Queue()
    workers = min(workers, len(ordered))
    threads = max(1, (os.cpu_count() or 1) // workers)
    for job in [*ordered, *[None] * workers]:
        todo.put(job)
    arguments = (todo, done, budget, device, threads)
    processes = [context.Process(target=_work, args=arguments, daemon=True) for _ in range(workers)]
    for process in processes:
        process.start()
    try:
        left = len(ordered)
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


def _cost(job: Job) -> float:
    """A rough measure of training time, so that long jobs start first."""
    from verify.model import size

    shape = size(job.cell.model)
    return shape.layers * shape.width**2 * len(job.cell.format.tokens)


def _work(todo: Any, done: Any, budget: int, device: str, threads: int) -> None:
    """A worker process: jobs until there are none, or until its parent is gone."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(threads)
    parent = os.getppid()

    while (job := todo.get()) is not None:

        def on_step(step: int, job: Job = job) -> None:
            if os.getppid() != parent:
                os._exit(1)
            done.put(Progress(job, step))

        try:
            run = execute(job, budget, device, on_step)
        except Exception as error:
            done.put(f"{job.cell.label()}: {type(error).__name__}: {error}")
            raise
        done.put(Progress(job, run.steps, run))
