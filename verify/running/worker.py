"""A worker process: trains what its parent sends, and ends with its parent.

Nothing is imported here that takes long: from its first moments the worker watches its parent.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from arith.verify.plan.folders import NO_FOLDERS, Folders

if TYPE_CHECKING:
    from arith.verify.plan.plan import Job

_LOOK = 1.0
"""Seconds between two looks at whether the parent is still there."""
_LONGEST = 300
"""Characters of an error that are told; a compiler's message may have thousands of lines."""


def work(
    parent: int,
    pipe: Connection,
    budget: int,
    device: str,
    precision: str,
    folders: Folders = NO_FOLDERS,
) -> None:
    """Train jobs until there are none; what happens is sent to the parent.

    Args:
        parent: the process that started this one; it may be gone by now.
        pipe: lists of jobs come in, ``None`` at the end; ``Progress``, the runs of jobs that are
            done, and words for an error go out.
    """
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    from arith.verify.running.execute import execute
    from arith.verify.running.progress import Progress
    from arith.verify.training.device import fix_precision, train_alone

    train_alone()
    fix_precision(precision, device)
    while (jobs := pipe.recv()) is not None:

        def on_step(step: int, jobs: list[Job] = jobs) -> None:
            for job in jobs:
                pipe.send(Progress(job, step))

        try:
            pipe.send([*zip(jobs, execute(jobs, budget, device, on_step, folders), strict=True)])
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
            pipe.send(f"training failed: {jobs[0].name}: {text}")
            return


def _end_with(parent: int) -> None:
    """End this process as soon as its parent is gone, whatever it does at the time."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


if __name__ == "__main__":  # a worker of a cluster started it (arith.verify.running.remote)
    parent, pipe, budget, device, precision = sys.argv[1:]
    with suppress(EOFError, OSError):  # the pipe is broken: the worker of the cluster is gone
        work(int(parent), Connection(int(pipe)), int(budget), device, precision)
