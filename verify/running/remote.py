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
from typing import Any

from arith.theory.rules import THEORY_VERSION
from arith.verify.plan.recipe import RECIPE
from arith.verify.records.runs import Run
from arith.verify.records.source import source
from arith.verify.training.device import prefer_large_pages

_LOOK = 0.5
"""Seconds between two looks at whether a training is still wanted."""
_TELL = 5.0
"""Seconds between two reports on the steps of a training."""
_ENDING = ("closing", "closed", "failed")
"""States of a worker that will finish nothing."""


def versions() -> dict[str, str]:
    """What the numbers of a training depend on, by name."""
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


def train(
    topic: str, wanted: dict[str, str], job: bytes, budget: int, device: str, precision: str
) -> Run | str | None:
    """Train and measure one model, as a task of a worker of Dask.

    Args:
        topic: the events that tell the key of the task, and the steps.
        wanted: the versions; the files on disk may be newer than this process.
        job: the ``Job``, pickled.

    Returns:
        The run, words for an error, or None if nobody waits for the run.

    Raises:
        ChildProcessError: the training process was killed; Dask tries again.
    """
    from distributed import get_worker

    worker = get_worker()
    key, told = worker.get_current_task(), time.monotonic()
    if versions() != wanted:
        return f"the source of arith on the worker {worker.address} was changed meanwhile"
    worker.log_event(topic, (key, 0))
    ours, theirs = Pipe()
    prefer_large_pages()
    numbers = map(str, (os.getpid(), theirs.fileno(), budget))
    process = subprocess.Popen(  # for workers of Dask may start none by ``multiprocessing``
        [sys.executable, "-m", "arith.verify.running.worker", *numbers, device, precision],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
    )
    theirs.close()  # or it would not end with the process
    try:
        ours.send([pickle.loads(job)])
        while _is_wanted(worker, key):
            message = ours.recv() if ours.poll(_LOOK) else None
            if isinstance(message, str):
                return message
            if isinstance(message, list):
                [(_, run)] = message
                return run
            if message is not None and time.monotonic() >= told + _TELL:
                told = time.monotonic()
                worker.log_event(topic, (key, message.steps))
    except (EOFError, OSError):
        raise ChildProcessError from None
    finally:
        ours.close()
        process.kill()
        process.wait()
    return None


def _is_wanted(worker: Any, key: Any) -> bool:
    """Whether a task has not been cancelled, and its worker has not lost its scheduler."""
    task = worker.state.tasks.get(key)
    running = task is not None and task.state == "executing"
    return running and worker.status.name not in _ENDING
