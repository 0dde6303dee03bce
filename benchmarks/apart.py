"""Running a measurement in a process of its own.

A fresh process has compiled nothing and cached nothing, and compiled CPU code keeps the number
of threads that it was made for.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

import torch

from arith.verify.training.device import keep_freed_memory, prefer_large_pages

T = TypeVar("T")


def apart(threads: int, function: Callable[..., T], *arguments: object) -> T:
    """The function's value, from a fresh process with its own threads and compiler cache."""
    context = multiprocessing.get_context("spawn")
    prefer_large_pages()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache,
        ProcessPoolExecutor(1, context, _start, (threads, cache)) as pool,
    ):
        return pool.submit(function, *arguments).result()


def each_apart(
    threads: int, rows: Callable[..., list[T]], models: Sequence[str], quick: bool, device: str
) -> list[T]:
    """The rows of each model size, one process a size; of the first only in a quick run."""
    chosen = models[:1] if quick else models
    return [row for model in chosen for row in apart(threads, rows, model, quick, device)]


def thread_counts(device: str) -> tuple[int, ...]:
    """The numbers of threads to measure with: one and two, or what the GPU's host has."""
    cores = every_thread()
    return (cores,) if device == "cuda" else (1, 2)[:cores]


def every_thread() -> int:
    """As many threads as there are cores."""
    return os.cpu_count() or 1


def _start(threads: int, cache: str) -> None:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
    torch.set_num_threads(threads)
    keep_freed_memory()
