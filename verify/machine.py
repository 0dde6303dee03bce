"""What the machine does well: which device, which precision, whether to compile.

The rules: matrix products are made in bfloat16 where a short trial finds them clearly faster
than in float32 (CPUs with bfloat16 instructions; every GPU), else in float32.  Steps are
compiled where there is a compiler (a C++ compiler for CPUs, Triton for GPUs) and the training
is long enough to earn the compilation back.  The numbers behind the rules are in
``benchmarks/README.md``.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import time
from functools import cache

import torch

from theory.tasks import InvalidInput

DEVICES = ("auto", "cpu", "cuda")
WORTH_COMPILING = 5e13
"""Floating point operations of a training from which compiling pays.

Compiling keeps a core busy for up to a minute and then saves a tenth of every step.
"""
_CLEARLY = 1.3
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Options of ``mallopt``: how much free memory to keep, and from what size to ask the system."""


def pick_device(name: str) -> str:
    """``cpu`` or ``cuda``; ``auto`` takes a GPU where there is one.

    Raises:
        InvalidInput: unknown, or ``cuda`` on a machine without one.
    """
    if name not in DEVICES:
        raise InvalidInput(f"unknown device '{name}' (allowed: {', '.join(DEVICES)})")
    if name == "cuda" and not torch.cuda.is_available():
        raise InvalidInput("this machine has no CUDA device (use --device cpu)")
    return ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name


@cache
def precision(device: str) -> torch.dtype:
    """The type that matrix products are made in."""
    if device == "cuda":
        return torch.bfloat16
    return (
        torch.bfloat16
        if _seconds(torch.float32) > _CLEARLY * _seconds(torch.bfloat16)
        else torch.float32
    )


def _seconds(dtype: torch.dtype) -> float:
    """The time of a matrix product of the shapes that training has, the best of several."""
    x, w = torch.ones(2048, 128, dtype=dtype), torch.ones(128, 512, dtype=dtype)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        x @ w
        times.append(time.perf_counter() - start)
    return min(times)


def train_alone() -> None:
    """Make this process train as every other does, so that a seed gives the same model everywhere.

    One thread: with more a step adds in an order that changes from run to run.
    """
    torch.set_num_threads(1)
    keep_freed_memory()


def keep_freed_memory() -> None:
    """Tell the C library to keep what this process frees, where it can be told (glibc).

    Every step frees and asks for the same megabytes; handing them back to the system in
    between is up to a quarter of a step on a CPU.
    """
    try:
        tell = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for option, size in ((_MMAP_THRESHOLD, 2**25), (_TRIM_THRESHOLD, 2**31 - 1)):
        tell(option, size)


@cache
def has_compiler(device: str) -> bool:
    """Whether ``torch.compile`` has what it needs."""
    if device == "cuda":
        return importlib.util.find_spec("triton") is not None
    return shutil.which(os.environ.get("CXX", "g++")) is not None


def machine(device: str) -> str:
    """The processor or accelerator, the versions and the precision that results depend on."""
    chip = torch.cuda.get_device_name() if device == "cuda" else platform.machine()
    cores = "" if device == "cuda" else f" x{os.cpu_count()}"
    number = str(precision(device)).removeprefix("torch.")
    return f"{chip}{cores}, Python {platform.python_version()}, torch {torch.__version__}, {number}"
