"""A scheduler of Dask and its workers, each a process of its own that can be killed.

All are forked from one process that has imported Dask, which takes a second.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import socket
import sys
import time
from importlib import import_module
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from builders.processes import SECONDS

_FORKS = multiprocessing.get_context("forkserver")
# Not what binds the version of the theory that a worker tells.
_FORKS.set_forkserver_preload(
    ["distributed.cli.dask_scheduler", "distributed.cli.dask_worker", "builders.dask_cluster"]
)

OTHER_THEORY = 'from arith.theory import rules\nrules.THEORY_VERSION = "0"\n'
"""A program that a worker runs first: it is then of another version."""


class DaskCluster:
    """A context manager; the scheduler has the same address when it is started again.

    Args:
        folder: where the processes run, and write what they say.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workers: list[ForkServerProcess] = []
        self._before = 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.start_scheduler()

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill_workers()
        self.scheduler.kill()
        self.scheduler.join()

    def start_scheduler(self) -> None:
        host, port = self.address.removeprefix("tcp://").split(":")
        self.scheduler = self._start("scheduler", "--host", host, "--port", port)

    def start_workers(self, number: int, *words: str, program: str = "", **variables: str) -> None:
        """Start workers with a thread each.

        Args:
            words: of their command lines.
            program: run by each at first.
            variables: added to the environment.
        """
        if program:
            path = self.folder / "preload.py"
            path.write_text(program)
            words = (*words, "--preload", str(path))
        words = (self.address, "--no-nanny", "--nthreads", "1", *words)
        self.workers += [self._start("worker", *words, **variables) for _ in range(number)]

    def kill_worker(self, rng: random.Random) -> None:
        """SIGKILL of one of the workers, in whose place another is started."""
        victim = self.workers.pop(rng.randrange(len(self.workers)))
        victim.kill()
        victim.join()
        self.start_workers(1)

    def kill_workers(self) -> None:
        """SIGKILL of all workers; what the scheduler has said of them counts no more."""
        for worker in self.workers:
            worker.kill()
            worker.join()
        self.workers = []
        self._before = len(self._log())

    def restart_scheduler(self) -> None:
        """SIGKILL of the scheduler and all workers, and as many again."""
        number = len(self.workers)
        self.scheduler.kill()
        self.scheduler.join()
        self.kill_workers()
        self.start_scheduler()
        self.start_workers(number)

    def until_workers(self, number: int) -> None:
        """Wait until so many workers have said that they have reached the scheduler."""
        end = time.monotonic() + SECONDS
        while self._log().count("Register worker", self._before) < number:
            assert time.monotonic() < end, self._log()
            time.sleep(0.05)

    def until_training(self) -> None:
        """Wait until a worker trains."""
        end = time.monotonic() + SECONDS
        while not self.trainings():
            assert time.monotonic() < end, self._log()
            time.sleep(0.05)

    def trainings(self) -> list[int]:
        """The processes in which the workers train."""
        found = []
        for worker in self.workers:
            path = Path(f"/proc/{worker.pid}/task")
            found += [int(x) for t in path.iterdir() for x in (t / "children").read_text().split()]
        return found

    def _log(self) -> str:
        return (self.folder / "scheduler.log").read_text()

    def _start(self, kind: str, *words: str, **variables: str) -> ForkServerProcess:
        (self.folder / f"{kind}.log").touch()
        command = f"distributed.cli.dask_{kind}", *words, "--no-dashboard"
        how = self.folder, kind, command, variables
        process = _FORKS.Process(target=_run, args=how, daemon=True)
        process.start()
        return process


def _run(folder: Path, kind: str, command: tuple[str, ...], variables: dict[str, str]) -> None:
    """Run a command of Dask in this process."""
    os.chdir(folder)
    os.environ |= variables
    log = os.open(f"{kind}.log", os.O_WRONLY | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    module, *sys.argv[1:] = command
    import_module(module).main()
