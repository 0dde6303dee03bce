"""A worker process: trains what its parent sends, and ends with its parent.

Nothing is imported here that takes long: from its first moments the worker watches its parent.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection

from arith.verify.plan.folders import NO_FOLDERS, Folders

_LOOK = 1.0
"""Seconds between two looks at whether the parent is still there."""
_OF_THE_PARENT = ("SIGINT", "SIGHUP")
"""Signals that a terminal sends to all processes: the parent handles them."""


def work(
    parent: int,
    pipe: Connection,
    budget: int,
    device: str,
    precision: str,
    folders: Folders = NO_FOLDERS,
    additions: Iterable[str] = (),
) -> None:
    """Train jobs until there are none; what happens is sent to the parent.

    Args:
        parent: the process that started this one; it may be gone by now.
        pipe: lists of jobs come in, ``None`` at the end; what ``execute`` tells goes out, ``None``
            when all of a list is done, and words for an error, which is the end.
        additions: modules that are imported first, for the encodings that they add.
    """
    threading.excepthook = lambda error: None  # who waits for the thread is told
    for name in _OF_THE_PARENT:
        if hasattr(signal, name):  # Windows has others
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    where = ""
    try:
        from arith.verify.running.execute import execute
        from arith.verify.training.device import train_alone

        for name in additions:
            import_module(name)
        train_alone()
        while (jobs := pipe.recv()) is not None:
            where = f"{jobs[0].name}: "
            execute(jobs, budget, device, pipe.send, folders, precision)
            pipe.send(None)
    except Exception as error:
        with suppress(OSError):  # the pipe is broken: the parent is gone
            pipe.send(f"training failed: {where}{one_line(f'{type(error).__name__}: {error}')}")


def one_line(error: object) -> str:
    """An error in one line, cut: a compiler's message may have thousands of lines."""
    return " ".join(str(error).split())[:300]


def _end_with(parent: int) -> None:
    """End this process as soon as its parent is gone, whatever it does at the time."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


if __name__ == "__main__":  # a worker of a cluster started it (arith.verify.running.remote)
    parent, pipe, budget, device, precision = sys.argv[1:]
    work(int(parent), Connection(int(pipe)), int(budget), device, precision)
