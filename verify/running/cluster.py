"""Training on a cluster: the workers of a scheduler of Dask in place of this machine.

What is defined inside a function is sent whole: neither the scheduler nor a worker of another
version needs this file.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from arith.theory.errors import Failed, InvalidInput
from arith.theory.text.text import count
from arith.verify.plan.plan import Job
from arith.verify.records.notices import say
from arith.verify.records.runs import Run
from arith.verify.running.progress import Progress
from arith.verify.running.remote import versions
from arith.verify.running.run import JobQueue
from arith.verify.running.worker import one_line
from arith.verify.training.device import pick_device

if TYPE_CHECKING:
    from distributed import Client, Future, WorkerPlugin

_ANSWER = 10.0
"""Seconds for the scheduler, or a worker that has a run, to answer."""
_PATIENCE = 600.0
"""Seconds for a scheduler that has gone away to come back."""
_PAUSE = 0.1
"""Seconds between two looks at the trainings."""
_AHEAD = 100
"""The fewest models that a cluster is given at once, so that an adaptive one grows."""
_RETRIES = 4
"""Times that a training begins again whose process was killed."""


class Cluster:
    """The workers of a scheduler; each of this version trains as many models as it has threads.

    Args:
        address: of the scheduler.
        device: ``auto`` is ``cpu``; every task for ``cuda`` asks for the resource ``GPU: 1``.

    Raises:
        InvalidInput: Dask is not installed, or no scheduler answers at the address.
    """

    def __init__(self, address: str, device: str) -> None:
        self.address = address
        self.device = "cuda" if device == "cuda" else pick_device(device.replace("auto", "cpu"))
        self._place, self._versions = f"arith-{uuid4().hex}", versions()
        self._needs = {self._place: 1} | ({"GPU": 1} if self.device == "cuda" else {})
        self._told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        """The key of a task and the steps of its training; or a worker, and its versions if they
        are others, or None if it has offered its places."""
        self._refused = set[str]()
        """Why workers were refused."""
        self._futures: dict[str, tuple[Job, Future[Any]]] = {}
        """What the cluster has, by key."""
        self._claimed: list[Job] = []
        """What it is to be given, or given again as its task was lost."""
        if find_spec("distributed") is None:
            raise InvalidInput(
                "--cluster needs Dask, which is not installed (pip install 'arith[cluster]')"
            )
        try:
            self._connect()
        except Exception as error:  # Dask raises of many kinds what an address has wrong
            why = one_line(error) or type(error).__name__
            raise InvalidInput(f"--cluster {address}: no scheduler answers ({why})") from None

    def _connect(self) -> None:
        """Connect to the scheduler, and have its workers offer their places (OSError: it is gone).

        A client waits without end for what listens and never answers, so it is knocked before.
        """
        from distributed import Client

        asyncio.run(asyncio.wait_for(_knock(self.address), _ANSWER))
        for name in ("distributed", "distributed.client", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # it is told here in one line
        self.client: Client = Client(self.address, timeout=_ANSWER, set_as_default=False)
        self.client.subscribe_topic(self._place, lambda event: self._told.put(event[1]))
        self.client.register_plugin(_offer(self._place, self._versions, self.device))

    def _reconnect(self) -> None:
        """Wait for a scheduler that has gone away (Failed: it does not come back)."""
        say(f"arith: the scheduler at {self.address} is gone; waiting for it to come back")
        with suppress(Exception):
            self.client.close(timeout=1)
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            with suppress(Exception):  # of many kinds, as before
                self._connect()
                say("arith: the scheduler is back")
                return
            time.sleep(1)
        raise Failed(f"the scheduler at {self.address} did not come back; start again to go on")

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        """End the connection, and with it all that this command had asked for."""
        with suppress(Exception):  # whatever is wrong with the cluster now was told before
            self.client.unregister_worker_plugin(self._place)
        with suppress(Exception):
            self.client.close(timeout=_ANSWER)

    def text(self) -> str:
        """The cluster in words, with its dashboard if it has one."""
        words = count(len(self.client.nthreads()), "worker")
        with suppress(KeyError):
            words += f", dashboard {self.client.dashboard_link}"
        return f"the cluster at {self.address} ({words})"

    def precision(self, name: str) -> str:
        """The precision to train in: the given one, or for ``auto`` what all workers do well.

        Raises:
            InvalidInput: all workers are of other versions, or their processors differ.
        """
        found, auto = self._workers(), name == "auto"
        if auto and not found:
            say(f"arith: the cluster at {self.address} has no worker yet; waiting for one")
        while auto and not found:
            # A task that waits makes an adaptive cluster grow.
            self.client.submit(lambda: None, pure=False).exception()
            found = self._workers()
        others = {worker: have for worker, (have, _) in found.items() if have != self._versions}
        if others and len(others) == len(found):
            worker, have = others.popitem()
            raise InvalidInput(
                f"--cluster {self.address}: none of its workers can train; {worker}: "
                f"{self._difference(have)}"
            )
        for worker, have in others.items():
            self._refuse(worker, have)
        counts = Counter(usual for worker, (_, usual) in found.items() if worker not in others)
        if auto and len(counts) > 1:
            each = ", ".join(f"{counts[x]} {x}" for x in sorted(counts))
            raise InvalidInput(
                f"--cluster {self.address}: its processors differ ({each}): say which precision "
                "all are to use, as --precision float32"
            )
        return counts.popitem()[0] if auto else name

    def _workers(self) -> dict[str, tuple[dict[str, str], str]]:
        """The versions of each worker, and its usual precision."""
        place = self._place

        def ask(dask_worker: Any) -> tuple[dict[str, str], str]:
            offer = dask_worker.plugins[place]
            return offer.versions, offer.precision

        found = self.client.run(ask, on_error="return")
        return {x: answer for x, answer in found.items() if not isinstance(answer, Exception)}

    def _refuse(self, worker: str, have: dict[str, str]) -> None:
        """Say why a worker gets nothing, if no other was refused for the same reason."""
        why = self._difference(have)
        if why not in self._refused:
            self._refused.add(why)
            say(f"arith: the worker {worker} is refused, and all like it: {why}")

    def _difference(self, have: dict[str, str]) -> str:
        """In what a worker's versions differ from those of this command, in words."""
        other = [x for x in have if have[x] != self._versions.get(x)]
        if not other:
            return "it has no arith like this"
        there, here = (", ".join(f"{x} {v.get(x)}" for x in other) for v in (have, self._versions))
        return f"it has {there}; this command has {here}"

    def run(self, queue: JobQueue, most: int) -> None:
        """Hand out jobs and store their runs until all are done, there or elsewhere.

        Args:
            most: models at once; 0 is as many as the cluster takes.

        Raises:
            Failed: a training raised, its workers died, or the scheduler did not come back; what
                had ended before is in the store.
        """
        from distributed.client import ClosedClientError, FutureCancelledError

        gone = OSError, ClosedClientError, FutureCancelledError  # tasks raise nothing here
        while queue.is_open or self._futures or self._claimed:
            try:
                self._hand_out(queue, most)
                self._receive(queue)
            except gone:
                self._reconnect()
                self._claimed += [job for job, _ in self._futures.values()]
                self._futures.clear()
            time.sleep(_PAUSE)

    def _hand_out(self, queue: JobQueue, most: int) -> None:
        """Give the cluster what can be claimed, more than it can train at once."""
        if self.client.status != "running":
            raise OSError(self.client.status)
        most = most or max(_AHEAD, 2 * sum(self.client.nthreads().values()))
        while len(self._futures) < most:
            self._claimed = self._claimed or queue.next_jobs()
            if not self._claimed:
                return
            job, key = self._claimed[0], f"train-{uuid4().hex}"
            how = pickle.dumps(job), queue.budget, self.device, queue.precision
            task = _training(self._place, self._versions)
            needs: Any = {"resources": self._needs, "retries": _RETRIES}
            self._futures[key] = job, self.client.submit(task, *how, key=key, **needs)
            del self._claimed[0]

    def _receive(self, queue: JobQueue) -> None:
        """Report what workers have told, and store the runs that have ended."""
        while not self._told.empty():
            who, what = self._told.get()
            if who in self._futures:
                queue.on_progress(Progress(self._futures[who][0], what))
            elif isinstance(what, dict):
                self._refuse(who, what)
            elif what is None:
                self.client.run_on_scheduler(_look_again())
        ended = {key: x for key, x in self._futures.items() if x[1].done()}
        for key, (job, future) in ended.items():
            try:
                run = _result(job, future)
            except TimeoutError:
                continue  # the worker that has the run is gone: Dask has it made again
            del self._futures[key]
            if run is None:
                self._claimed.append(job)
            else:
                queue.finish(job, run)


def _offer(place: str, wanted: dict[str, str], device: str) -> WorkerPlugin:
    """A plugin of Dask: workers of the wanted versions have a resource, one place per thread.

    Args:
        place: the name of the resource, and of the events that tell the versions of a worker.
        device: whose usual precision a worker tells (``precision``).
    """
    from distributed import Worker, WorkerPlugin

    class Offer(WorkerPlugin):
        name = place

        async def setup(self, worker: Worker) -> None:
            self.versions, self.precision = {}, ""
            try:
                from arith.verify.running.remote import versions
                from arith.verify.training.device import precision_name

                self.versions, self.precision = versions(), precision_name(device)
            except ImportError:
                pass
            if self.versions == wanted:
                await worker.set_resources(**{place: worker.state.nthreads})
                worker.log_event(place, (worker.address, None))
            else:
                worker.log_event(place, (worker.address, self.versions))

    return Offer()


def _look_again() -> Callable[..., None]:
    """For the scheduler: give workers what none could take.

    It looks at such tasks when a worker comes, and a new one offers its places only after that.
    """

    def look(dask_scheduler: Any) -> None:
        for state in dask_scheduler.workers.values():
            found = dask_scheduler.bulk_schedule_unrunnable_after_adding_worker(state)
            dask_scheduler.transitions(found, "arith-places")

    return look


def _training(topic: str, wanted: dict[str, str]) -> Callable[..., Run | str | None]:
    """The task of a worker: ``train`` with the first of its arguments."""

    def task(*how: Any) -> Run | str | None:
        from arith.verify.running.remote import train

        return train(topic, wanted, *how)

    return task


def _result(job: Job, future: Future[Any]) -> Any:
    """The run of a task that has ended; None if somebody has cancelled it.

    Raises:
        Failed: the training raised, or all workers died that tried it.
        OSError: the connection to the cluster is lost, or (TimeoutError) that to the worker.
    """
    from distributed.scheduler import KilledWorker

    if future.status == "cancelled":
        return None
    if future.status == "error":
        error = future.exception(timeout=_ANSWER)
        if isinstance(error, KilledWorker | ChildProcessError):
            raise Failed(f"training failed: {job.name}: every worker died that trained it")
        raise Failed(f"training failed: {type(error).__name__}: {one_line(error)}")
    run = future.result(timeout=_ANSWER)
    if isinstance(run, str):
        raise Failed(run)
    return run


async def _knock(address: str) -> None:
    """Greet a scheduler, and go."""
    from distributed.comm import connect
    from distributed.security import Security

    greeting = await connect(address, _ANSWER, **Security().get_connection_args("client"))
    greeting.abort()
