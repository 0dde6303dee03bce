"""What a worker of a cluster does: it says what it is, and trains one model in a new process.

A process for each model, as on one machine: a thread of a worker shares its random state with the
other threads, and a training that is no longer wanted can be ended at once.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from arith.theory.inference.rules import THEORY_VERSION
from arith.verify.plan.recipe import RECIPE
from arith.verify.records.source import source
from arith.verify.training.device import prefer_large_pages

_LOOK = 0.5
"""Seconds between two looks at whether a training is still wanted."""
_TELL = 5.0
"""Seconds between two reports on the steps of a training."""
_ENDING = ("closing", "closed", "failed")
"""States of a worker that will finish nothing."""


def versions() -> dict[str, str]:
    """What the numbers of a training depend on, by name; it is read from disk every time.

    Workers start their trainings from the files on disk, which may be newer than this process.
    """
    return {
        "arith": _version("arith"),
        "theory": THEORY_VERSION,
        "recipe": RECIPE.version,
        "torch": _version("torch").partition("+")[0],  # not for which processor it was built
        "source": source(),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def train(job: bytes, budget: int, device: str, precision: str, topic: str) -> tuple[str, Any]:
    """Train and measure one model, as a task of a worker of Dask.

    Args:
        job: the ``Job``, pickled.
        topic: the events that tell the key of the task, the steps, and the worker's address.

    Returns:
        ``run`` with the ``Run``; ``failed`` with words for an error; ``died``, if the process
        was killed; ``unwanted``, if nobody waits for the run.
    """
    from distributed import get_worker

    worker = get_worker()
    key, told = worker.get_current_task(), time.monotonic()
    worker.log_event(topic, (key, 0, worker.address))
    ours, theirs = Pipe()
    process = _start(theirs, budget, device, precision)
    theirs.close()  # or it would not end with the process
    try:
        ours.send([pickle.loads(job)])
        while _is_wanted(worker, key):
            if not ours.poll(_LOOK):
                continue
            message = ours.recv()
            if isinstance(message, str):
                return "failed", message
            if isinstance(message, list):
                [(_, run)] = message
                return "run", run
            if time.monotonic() >= told + _TELL:
                told = time.monotonic()
                worker.log_event(topic, (key, message.steps, worker.address))
    except (EOFError, OSError):
        return "died", None
    finally:
        ours.close()
        process.kill()
        process.wait()
    return "unwanted", None


def _start(pipe: Connection, budget: int, device: str, precision: str) -> subprocess.Popen[bytes]:
    """A training process as on one machine (``verify.running.worker``), with a pipe to it.

    Workers of Dask may not start processes by ``multiprocessing``.
    """
    prefer_large_pages()
    numbers = map(str, (os.getpid(), pipe.fileno(), budget))
    return subprocess.Popen(
        [sys.executable, "-m", "arith.verify.running.worker", *numbers, device, precision],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        pass_fds=[pipe.fileno()],
        stdin=subprocess.DEVNULL,
    )


def _is_wanted(worker: Any, key: Any) -> bool:
    """Whether a task has not been cancelled, and its worker has not lost its scheduler."""
    task = worker.state.tasks.get(key)
    running = task is not None and task.state == "executing"
    return running and worker.status.name not in _ENDING
