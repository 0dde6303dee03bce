"""Limits of a process, of work and of memory, as a full disk or a small machine has them."""

from __future__ import annotations

import resource
import signal
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # Python would leave it cut
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def calls_at_most(most: int) -> Iterator[None]:
    """Refuse what calls more functions than that (AssertionError), on every machine alike."""
    left = most

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal left
        left -= event in ("call", "c_call")
        if left < 0:
            sys.setprofile(None)
            raise AssertionError(f"more than {most:,} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)


@contextmanager
def memory_at_most(most: int) -> Iterator[None]:
    """Refuse what allocates more bytes at once (AssertionError)."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= most, f"{peak:,} bytes"


@contextmanager
def machine_limits(seconds: float, memory: int) -> Iterator[None]:
    """Refuse what takes more processor time (AssertionError), or more bytes (MemoryError)."""

    def refuse(*_: Any) -> None:
        raise AssertionError(f"more than {seconds} s of processor time")

    before = signal.signal(signal.SIGPROF, refuse)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + memory, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
