"""Running a grid: what is missing in the store is trained, in parallel, and written as it ends.

The workers train and measure: this process does without torch, which takes seconds to import.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, NoReturn

from arith.theory.errors import Failed, InvalidInput
from arith.theory.transformer.encodings import SHIPPED
from arith.verify.plan.flops import training_flops
from arith.verify.plan.folders import Folders
from arith.verify.plan.inputs import held_out_count, held_out_inputs
from arith.verify.plan.plan import Job, Plan
from arith.verify.records.budgets import is_wanted, rests_on_budget
from arith.verify.records.files import checkpoint_path, forget_checkpoint
from arith.verify.records.notices import say
from arith.verify.records.runs import Run
from arith.verify.records.store import DONE, Store
from arith.verify.running.progress import Progress, Unwritten
from arith.verify.running.worker import work
from arith.verify.training.device import prefer_large_pages

_LAST = 10.0
"""Seconds that an idle worker has to end by itself."""
LOOK = 2.0
"""Seconds between two looks at models that another process trains."""


def ensembles(jobs: Iterable[Job], device: str) -> list[list[Job]]:
    """Jobs in groups that train together; the groups that take longest come first.

    On a GPU all models of one shape are one ensemble.  On a CPU every model is its own: a
    compiled step of one model already keeps a core busy (``benchmarks/README.md``).
    """
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        if device == "cpu":
            key: Any = job
        else:
            from arith.verify.training.ensemble import shape_of

            key = shape_of(job.cell), job.recipe
        groups.setdefault(key, []).append(job)
    return sorted(
        groups.values(),
        key=lambda group: training_flops(group[0].cell, group[0].recipe.batch_size),
        reverse=True,
    )


def missing(plan: Plan, store: Store | None, precision: str) -> tuple[list[Job], int]:
    """The models to train, and how many of them the store has: these are to be kept.

    Those are missing that have no run in the store, or one that had spent a smaller budget; and
    where models are to be kept, those that are not.

    Args:
        store: None for an empty one.

    Raises:
        InvalidInput: no input of a cell's domain can be held out, its encoding has no module, or a
            model is to be kept that is not the one that the store has, as that had a larger budget.
    """
    kept, budget = plan.folders.models, plan.budget
    jobs, again = list[Job](), 0
    for job in dict.fromkeys(plan.models):
        model = job.cell, job.seed, job.recipe.version, precision
        run = None if store is None else store.find(*model)
        if not is_wanted(run, budget):
            if not _is_to_keep(kept, job, budget, precision):
                continue
            again += 1
            if run is not None and run.budget > budget and rests_on_budget(run, budget):
                raise InvalidInput(
                    f"the store has {job.name} with a larger budget: keep it by "
                    f"--budget {run.budget}"
                )
        jobs.append(job)
    for cell in dict.fromkeys(job.cell for job in jobs):
        if not held_out_count(cell):
            held_out_inputs(cell)  # raises the error that says so
    additions(jobs)
    return jobs, again


def additions(jobs: Iterable[Job]) -> set[str]:
    """The Python modules with encodings of jobs that do not come with this package.

    Raises:
        InvalidInput: an encoding has no module, or one that no other process can import.
    """
    found = set()
    for name in sorted({job.cell.setting.encoding.name for job in jobs} - SHIPPED):
        from arith.verify.model.positions import module_of  # imported late: it needs torch

        module = module_of(name).__module__
        if module == "__main__":
            raise InvalidInput(
                f"the module of {name} stands in the script that runs: put it into a file that the "
                "script imports, as the processes that train import it too"
            )
        found.add(module)
    return found


def _is_to_keep(folder: Path | None, job: Job, budget: int, precision: str) -> bool:
    """Whether a model is to be kept in a folder, and is not."""
    if folder is None:
        return False
    from arith.verify.model.kept import is_kept  # imported late: it needs torch

    return not is_kept(folder, job, budget, precision)


class JobQueue:
    """The jobs that are left to train; a job that another process trains is waited for.

    Args:
        on_progress: called in this process whenever a training reports.
        folders: where workers write; the checkpoints are beside the store.
    """

    def __init__(
        self,
        jobs: list[Job],
        store: Store,
        budget: int,
        device: str,
        precision: str,
        on_progress: Callable[[Progress], None],
        folders: Folders,
    ) -> None:
        self.store, self.budget, self.device, self.precision = store, budget, device, precision
        self.on_progress = on_progress
        checkpoints = store.path.with_name(f"{store.path.name}.training")
        self.folders = replace(folders, checkpoints=checkpoints)
        self.waiting = ensembles(jobs, device)
        self._elsewhere: dict[Job, str] = {}
        """The jobs that other processes train, each with words for its process."""
        self._looked = 0.0

    @property
    def is_open(self) -> bool:
        """Whether a job may still be handed out."""
        return bool(self.waiting or self._elsewhere)

    def next_jobs(self) -> list[Job]:
        """The next jobs that this process can claim, to train together; none if there are none.

        Now and then, if no others are left, those that other processes train are looked at: they
        may have given up.
        """
        if not self.waiting and time.monotonic() >= self._looked + LOOK:
            self._looked = time.monotonic()
            self.waiting = ensembles(self._elsewhere, self.device)
        while self.waiting:
            claimed = [job for job in self.waiting.pop(0) if self._claim(job)]
            if claimed:
                return claimed
        return []

    def _claim(self, job: Job) -> bool:
        """Whether a job is to be trained here; report it if another process has it or had it."""
        before = self._elsewhere.pop(job, None)
        model = job.cell, job.seed, job.recipe.version, self.precision
        again = _is_to_keep(self.folders.models, job, self.budget, self.precision)
        owner = self.store.claim(*model, self.budget, again)
        if owner == DONE:
            run = self.store.find(*model)
            self.on_progress(Progress(job, self.budget, run, elsewhere=before or "another process"))
        elif owner is not None:
            self._elsewhere[job] = owner
            if before is None:
                self.on_progress(Progress(job, 0, elsewhere=owner))
        else:
            _ = job.cell.prediction  # made before it is trained; it goes with the job to a worker
        return owner is None

    def finish(self, job: Job, run: Run) -> None:
        """Store the run of a job."""
        file = self.store.add(run)
        self.on_progress(Progress(job, run.steps, run, file))


class Processes:
    """Processes on this machine that train the jobs of a queue, each with one thread.

    There is a pipe to each worker: one that is killed breaks its own pipe only, as there is no
    queue or lock in common.

    Args:
        number: of processes, at most.
    """

    def __init__(self, queue: JobQueue, number: int) -> None:
        self.queue, self.number = queue, number
        self.workers: dict[Connection, SpawnProcess] = {}
        """Each worker by the pipe to it."""
        self.at: dict[Connection, list[Job]] = {}
        """What each worker does, or did if it is idle."""
        self.idle: list[Connection] = []
        self.unwritten: list[str] = []
        """What could not be written beside the runs, in words."""

    def __enter__(self) -> Processes:
        context, queue = multiprocessing.get_context("spawn"), self.queue
        imported = additions(job for some in queue.waiting for job in some)
        how = (queue.budget, queue.device, queue.precision, queue.folders, imported)
        prefer_large_pages()
        with _uninterrupted():
            for _ in queue.waiting[: self.number]:
                ours, theirs = context.Pipe()
                process = context.Process(
                    target=work, args=(os.getpid(), theirs, *how), daemon=True
                )
                process.start()
                theirs.close()  # or it would not end with the worker
                self.workers[ours] = process
        self.idle = list(self.workers)
        return self

    def __exit__(self, *error: object) -> None:
        for pipe in self.idle:
            with suppress(OSError):
                pipe.send(None)  # it ends by itself, and with it what compiled its steps
        for pipe in self.idle:
            self.workers[pipe].join(_LAST)
        for pipe in self.workers.keys() - set(self.idle):
            with suppress(EOFError, OSError):
                while pipe.poll():  # a run that had ended when another worker failed
                    self._take_in(pipe.recv())
        for process in self.workers.values():
            process.kill()
            process.join()

    def run(self) -> None:
        """Hand out jobs and receive runs until every job is done, here or elsewhere.

        Raises:
            Failed: a training process died or raised, or something could not be written beside the
                runs; what had ended before is in the store.
        """
        while self.queue.is_open or len(self.idle) < len(self.workers):
            while self.idle and (claimed := self.queue.next_jobs()):
                pipe = self.idle.pop()
                self.at[pipe] = claimed
                with suppress(OSError):  # the loss of a worker shows when its pipe is read
                    pipe.send(claimed)
            for each in wait(self.workers.keys() - self.idle, LOOK):
                assert isinstance(each, Connection)
                self._receive(each)
        if self.unwritten:
            raise Failed(
                f"what was measured is in the store, but {len(self.unwritten)} times something "
                f"could not be written beside it: {self.unwritten[0]}"
            )

    def _receive(self, pipe: Connection) -> None:
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            raise Failed("a training process died; start again to go on") from None
        if isinstance(message, str):
            raise Failed(message)
        if message is not None:
            self._take_in(message)
            return
        self.idle.append(pipe)
        queue = self.queue
        where = queue.budget, queue.device, queue.precision
        assert queue.folders.checkpoints is not None
        forget_checkpoint(checkpoint_path(queue.folders.checkpoints, self.at[pipe], *where))

    def _take_in(self, message: Any) -> None:
        """Store runs, and report what else a worker tells."""
        if isinstance(message, list):
            for job, run in message:
                self.queue.finish(job, run)
        elif isinstance(message, Progress):
            self.queue.on_progress(message)
        elif isinstance(message, Unwritten):
            self.unwritten.append(message.words)
            say(f"arith: {message.words}")


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let processes started here ignore Ctrl-C from the first moment: their parent handles it."""
    handles = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if handles else None
    try:
        yield
    finally:
        if handles:
            signal.signal(signal.SIGINT, before)


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does: its claims are given up.

    It ends with the code by which a shell tells the signal.
    """

    def end(number: int, _: object) -> NoReturn:
        say(f"arith: ended by {signal.Signals(number).name}; what had finished is kept")
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    # What ignores a signal (nohup) goes on to.
    handled = [x for x in numbers if x is not None and signal.getsignal(x) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)
