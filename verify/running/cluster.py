"""Training on a cluster: the workers of a scheduler of Dask in place of this machine."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from arith.theory.errors import Failed
from arith.verify.plan.plan import Job
from arith.verify.records.store import Store
from arith.verify.running.dask_workers import DaskWorkers
from arith.verify.running.progress import Progress
from arith.verify.running.run import Pool

if TYPE_CHECKING:
    from distributed import Future

_LOOK = 2.0
"""Seconds between two looks at the workers, and at models that another process trains."""
_PAUSE = 0.1
"""Seconds between two looks at the trainings."""
_RESULT = 10.0
"""Seconds for a run to come from the worker that has it."""
_AHEAD = 100
"""The fewest models that a cluster is given at once, so that an adaptive one grows."""
_MOST_DEATHS = 5
"""Times that Dask may give up a model because workers die; each time it has tried four."""
_LONGEST = 300
"""Characters of an error that are told."""


@dataclass
class Task:
    """A job that the cluster has.

    Args:
        worker: the address of the one that trains it, once it has told so.
    """

    job: Job
    future: Future[Any]
    worker: str | None = None


class Cluster(Pool):
    """A pool of the workers of a cluster: every job is a task, which Dask gives to one of them.

    Args:
        most: models at once; 0 is as many as the cluster takes.
    """

    def __init__(
        self,
        workers: DaskWorkers,
        jobs: list[Job],
        store: Store,
        budget: int,
        most: int,
        on_progress: Callable[[Progress], None],
    ) -> None:
        # On GPUs too every model is a task by itself, as on a CPU.
        super().__init__(jobs, store, budget, "cpu", most, on_progress)
        self.workers = workers
        self._tasks: dict[str, Task] = {}
        """What the cluster has, by key."""
        self._claimed: list[Job] = []
        """What it is to be given, or given again as its task was lost."""
        self._deaths: Counter[Job] = Counter()
        self._looked = 0.0

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self._tasks.clear()  # futures that are dropped are cancelled
        self.store.release()

    def run(self) -> None:
        """Hand out jobs and receive runs until every job is done, there or elsewhere.

        Raises:
            Failed: a training raised, a model could not be trained as its workers died, or the
                scheduler did not come back; what had ended before is in the store.
        """
        from distributed.client import ClosedClientError

        while self.waiting or self.elsewhere or self._tasks or self._claimed:
            try:
                self._look()
                self._hand_out()
                self._receive()
            except (OSError, ClosedClientError):  # of the connection: tasks raise nothing here
                self.workers.reconnect()
                self._withdraw(list(self._tasks))
            time.sleep(_PAUSE)

    def _look(self) -> None:
        """See now and then which workers are there, and which models others still train."""
        if time.monotonic() < self._looked + _LOOK:
            return
        self._looked = time.monotonic()
        self.look_again()
        if self.workers.look() and self.workers.refused:
            # What has not begun may be bound to workers that are gone, and not go to new ones.
            there = self.workers.threads
            self._withdraw([k for k, x in self._tasks.items() if x.worker not in there])

    def _withdraw(self, keys: list[str]) -> None:
        """Give up tasks, to submit their jobs again."""
        for key in keys:
            self._give_again(self._tasks.pop(key))

    def _give_again(self, task: Task) -> None:
        if task.worker is not None:
            self.on_progress(Progress(task.job, 0))
        self._claimed.append(task.job)

    def _hand_out(self) -> None:
        """Give the cluster what this process can claim, more than it can train at once."""
        workers = self.workers
        if workers.refused and not workers.usable:
            return
        threads = sum(workers.threads[worker] for worker in workers.usable)
        for _ in range((self.number or max(_AHEAD, 2 * threads)) - len(self._tasks)):
            self._claimed = self._claimed or self.next_jobs()
            if not self._claimed:
                return
            job, key = self._claimed[0], f"train-{uuid4().hex}"
            words = (pickle.dumps(job), self.budget, workers.device, self.precision)
            self._tasks[key] = Task(job, workers.submit(key, *words))
            del self._claimed[0]

    def _receive(self) -> None:
        """Report what workers have told, and take in what has ended."""
        while not self.workers.news.empty():
            key, step, worker = self.workers.news.get()
            if key in self._tasks:
                self._tasks[key].worker = worker
                self.on_progress(Progress(self._tasks[key].job, step))
        for key in [key for key, task in self._tasks.items() if task.future.done()]:
            try:
                kind, value = _outcome(self._tasks[key].future)
            except TimeoutError:
                continue  # the worker that has the run is gone: Dask has it made again
            self._end(self._tasks.pop(key), kind, value)

    def _end(self, task: Task, kind: str, value: Any) -> None:
        """Take in how a task ended (see ``verify.running.remote.train``)."""
        if kind == "run":
            self.finish(task.job, value)
            return
        if kind == "failed":
            raise Failed(value)
        if kind == "refused":
            self.workers.refuse(*value)
        elif kind == "died":
            self._deaths[task.job] += 1
            if self._deaths[task.job] == _MOST_DEATHS:
                raise Failed(f"training failed: {task.job.name}: every worker died that trained it")
        self._give_again(task)


def _outcome(future: Future[Any]) -> tuple[str, Any]:
    """How a task ended, as ``verify.running.remote.train`` tells it.

    Raises:
        OSError: the connection to the cluster is lost, or (TimeoutError) that to the worker.
    """
    from distributed.scheduler import KilledWorker

    if future.status == "cancelled":  # somebody has restarted the cluster
        return "unwanted", None
    if future.status == "error":
        error = future.exception(timeout=_RESULT)
        if isinstance(error, KilledWorker):
            return "died", None
        text = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
        return "failed", f"training failed: {text}"
    kind, value = future.result(timeout=_RESULT)
    return kind, value
