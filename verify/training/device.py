"""What the machine does well: which device, which precision, whether to compile.

Matrix products are made in bfloat16 where that is faster (AMX, the AVX-512 of AMD, every GPU), else
in float32.  Steps are compiled where there is a compiler (a C++ compiler
for CPUs, Triton for GPUs) and the training is long enough to earn the compilation back.  Nothing
is timed: a seed has to give the same model on a busy machine.  The figures behind these rules
are in ``benchmarks/README.md``.

PyTorch takes longer to import than most commands take, and is asked where nothing else can tell.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from arith.theory.errors import InvalidInput, unknown_name
from arith.verify.plan.plan import DEVICES, PRECISIONS

if TYPE_CHECKING:
    import torch

WORTH_COMPILING = {"cpu": 5e13, "cuda": 6e15}
"""Floating point operations of a training from which compiling pays (benchmarks/README.md)."""
PRECISION_VARIABLE = "ARITH_PRECISION"
_CPUINFO = Path("/proc/cpuinfo")
"""Where Linux describes the processor."""
_ISAS_WITHOUT_BFLOAT16 = ("SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX512_CORE", "AVX512_CORE_VNNI")
"""Values of ``ONEDNN_MAX_CPU_ISA`` that rule out the instructions for bfloat16."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Options of ``mallopt``: how much free memory to keep, and from what size to ask the system."""
TUNABLES, LARGE_PAGES = "GLIBC_TUNABLES", "glibc.malloc.hugetlb"
"""The variable that tells the C library what to do as a process starts, and what is told."""


def pick_device(name: str) -> str:
    """``cpu`` or ``cuda``; ``auto`` takes a GPU if there is one (InvalidInput: none such)."""
    if name not in DEVICES:
        raise unknown_name("device", name, DEVICES)
    if name != "cpu" and _has_gpu():
        return "cuda"
    if name == "cuda":
        raise InvalidInput("this machine has no CUDA device (use --device cpu)")
    return "cpu"


def _has_gpu() -> bool:
    """Whether PyTorch can use a GPU; it is asked where there may be a driver of one."""
    if sys.platform == "darwin":
        return False
    if sys.platform == "linux" and not Path("/dev/kfd").exists():  # that of AMD
        try:
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            return False
    import torch

    return torch.cuda.is_available()


def precision_name(device: str, name: str = "auto") -> str:
    """What matrix products are made in.

    Args:
        name: ``float32``, ``bfloat16``, or ``auto`` for what ``ARITH_PRECISION`` says, or else the
            processor.

    Raises:
        InvalidInput: it is another, or the variable holds something else.
    """
    if name == "auto":
        name = os.environ.get(PRECISION_VARIABLE) or "auto"
    if name == "auto":
        name = "bfloat16" if device == "cuda" or _has_fast_bfloat16() else "float32"
    if name not in PRECISIONS:
        raise unknown_name("precision", name, ("auto", *PRECISIONS))
    return name


def precision_type(device: str, name: str) -> torch.dtype:
    """The type of that name (see ``precision_name``)."""
    import torch

    return getattr(torch, precision_name(device, name))


def _has_fast_bfloat16() -> bool:
    """Whether the CPU has fast instructions for bfloat16 that PyTorch and oneDNN may use.

    Those of Intel's AVX-512 are no faster than float32's: it leaves the speed to AMX.
    """
    if os.environ.get("ONEDNN_MAX_CPU_ISA", "").upper() in _ISAS_WITHOUT_BFLOAT16:
        return False
    if os.environ.get("ATEN_CPU_CAPABILITY", "").lower() in ("default", "avx2"):
        return False
    has, is_intel = _processor()
    return "amx_bf16" in has or ("avx512_bf16" in has and not is_intel)


def _processor() -> tuple[set[str], bool]:
    """The instructions that the processor has, and whether it is one of Intel's."""
    try:
        text = _CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:  # no Linux
        import torch

        told = torch.cpu.get_capabilities()
        is_intel = str(told.get("cpu_name", "")).startswith("Intel")
        return {name for name, is_there in told.items() if is_there is True}, is_intel
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return set(flags[1].split() if flags else ()), "GenuineIntel" in text


def train_alone() -> None:
    """Make this process train as every other does, so that a seed gives the same model everywhere.

    One thread: with more a step adds in an order that changes from run to run.
    """
    import torch

    torch.set_num_threads(1)
    keep_freed_memory()


def keep_freed_memory() -> None:
    """Tell the C library to keep what this process frees, where it can be told (glibc).

    Every step frees and asks for the same megabytes; handing them back to the system in
    between takes time (benchmarks/README.md).
    """
    try:
        tell = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for option, size in ((_MMAP_THRESHOLD, 2**25), (_TRIM_THRESHOLD, 2**31 - 1)):
        tell(option, size)


def prefer_large_pages() -> None:
    """Let processes that this one starts from now on have their memory in large pages.

    Their C library asks for them (glibc, from 2.35), and the system gives them where it may.  A
    step goes through more memory than the processor remembers the small pages of
    (benchmarks/README.md).  What the user has told the C library stays.  It is told by a variable
    of this process's environment, which keeps it.
    """
    told = os.environ.get(TUNABLES, "")
    if LARGE_PAGES not in told:
        os.environ[TUNABLES] = ":".join(filter(None, (told, f"{LARGE_PAGES}=1")))


def has_compiler(device: str) -> bool:
    """Whether ``torch.compile`` has what it needs."""
    if device == "cuda":
        return importlib.util.find_spec("triton") is not None
    return shutil.which(os.environ.get("CXX", "g++")) is not None


def machine(device: str, precision: str) -> str:
    """The processor or accelerator, the versions and the precision that results depend on."""
    import torch

    chip = torch.cuda.get_device_name() if device == "cuda" else platform.machine()
    cores = "" if device == "cuda" else f" x{os.cpu_count()}"
    versions = f"Python {platform.python_version()}, torch {torch.__version__}"
    return f"{chip}{cores}, {versions}, {precision}"
