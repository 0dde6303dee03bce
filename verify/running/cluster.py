"""Running a grid on a cluster: the workers of a scheduler of Dask train in place of this machine."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from contextlib import suppress
from queue import Empty
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from theory.errors import Failed
from verify.plan.plan import Job
from verify.running.dask_workers import DaskWorkers
from verify.running.execute import Progress
from verify.running.run import Queue
from verify.training.device import fix_precision, pick_device

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
"""Times that Dask may give up a model as workers die; it makes four attempts of its own each time."""
_LONGEST = 300
"""Characters of an error that are told."""


class Cluster:
    """Workers of a cluster that train and measure jobs, each as one task (see ``Pool``).

    Args:
        address: of the scheduler.
        device: ``auto`` is ``cpu``; every task for ``cuda`` asks for the resource ``GPU: 1``.
        precision: ``auto`` is what the processors of the workers do well.
        most: models at once; 0 is as many as the cluster takes.

    Raises:
        InvalidInput: the scheduler cannot be reached, or its workers cannot train.
    """

    together = False

    def __init__(self, address: str, device: str, precision: str, most: int) -> None:
        self.device = "cuda" if device == "cuda" else pick_device(device.replace("auto", "cpu"))
        self.most = most
        self._tasks: dict[str, tuple[Job, Future[Any]]] = {}
        """What the cluster has, by the keys of its tasks."""
        self._again: list[Job] = []
        """Claimed jobs whose tasks were lost."""
        self._deaths: Counter[Job] = Counter()
        self._looked = 0.0
        self._workers = DaskWorkers(address, self.device)
        try:
            self.precision = fix_precision(self._workers.precision(precision), self.device)
            self.where = f", on {self._workers.text()}"
        except BaseException:
            self._workers.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self._workers.close()

    def run(self, queue: Queue) -> None:
        """Hand out jobs and receive runs until every job is done, there or elsewhere.

        Raises:
            Failed: a training raised, a model could not be trained as its workers died, or the
                scheduler did not come back; what had ended before is in the store.
        """
        from distributed.client import ClosedClientError

        while queue or self._tasks or self._again:
            try:
                self._look(queue)
                self._hand_out(queue)
                self._receive(queue)
            except (OSError, ClosedClientError):  # of the connection: tasks raise nothing here
                self._workers.reconnect()
                self._withdraw(list(self._tasks))
            time.sleep(_PAUSE)

    def _look(self, queue: Queue) -> None:
        """See now and then which workers are there, and which models others still train."""
        if time.monotonic() < self._looked + _LOOK:
            return
        self._looked = time.monotonic()
        queue.look_again()
        if self._workers.look() and self._workers.refused:
            # Tasks may be bound to workers that are gone, and cannot go to those that are new.
            self._withdraw([key for key, (_, task) in self._tasks.items() if not task.done()])

    def _withdraw(self, keys: list[str]) -> None:
        """Give up tasks, to submit their jobs again: a future that is dropped is cancelled."""
        self._again += [self._tasks.pop(key)[0] for key in keys]

    def _hand_out(self, queue: Queue) -> None:
        """Give the cluster what this process can claim, more than it can train at once."""
        workers = self._workers
        if workers.refused and not workers.usable:
            return
        threads = sum(workers.threads[worker] for worker in workers.usable)
        room = (self.most or max(_AHEAD, 2 * threads)) - len(self._tasks)
        while room > 0 and (jobs := [self._again.pop(0)] if self._again else queue.take()):
            [job] = jobs
            key, room = f"train-{uuid4().hex}", room - 1
            words = (pickle.dumps(job), queue.budget, self.device, self.precision)
            self._tasks[key] = job, workers.submit(key, *words)

    def _receive(self, queue: Queue) -> None:
        """Report what workers have told, and take in what has ended."""
        with suppress(Empty):
            while True:
                key, step = self._workers.steps.get_nowait()
                if key in self._tasks:
                    queue.on_progress(Progress(self._tasks[key][0], step))
        for key in [key for key, (_, task) in self._tasks.items() if task.done()]:
            job, task = self._tasks[key]
            with suppress(TimeoutError):  # the worker that has the run is gone: it is made again
                kind, value = _outcome(task)
                del self._tasks[key]
                self._end(job, kind, value, queue)

    def _end(self, job: Job, kind: str, value: Any, queue: Queue) -> None:
        """Take in how a task ended (see ``verify.running.remote.train``)."""
        if kind == "run":
            queue.finish(job, value)
            return
        if kind == "failed":
            raise Failed(value)
        if kind == "refused":
            self._workers.refuse(*value)
        elif kind == "died":
            self._deaths[job] += 1
            if self._deaths[job] == _MOST_DEATHS:
                raise Failed(f"training failed: {job.name}: every worker died that trained it")
        queue.on_progress(Progress(job, 0))
        self._again.append(job)


def _outcome(task: Future[Any]) -> tuple[str, Any]:
    """How a task ended, as ``verify.running.remote.train`` tells it.

    Raises:
        OSError: the connection to the cluster is lost, or (TimeoutError) that to the worker.
    """
    from distributed.scheduler import KilledWorker

    if task.status == "cancelled":  # somebody has restarted the cluster
        return "unwanted", None
    if task.status == "error":
        error = task.exception(timeout=_RESULT)
        if isinstance(error, KilledWorker):
            return "died", None
        text = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
        return "failed", f"training failed: {text}"
    kind, value = task.result(timeout=_RESULT)
    return kind, value
