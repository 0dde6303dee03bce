"""Precision: the processor or an option decides it, never a clock; it is part of a run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from arith.theory.errors import InvalidInput
from arith.verify.training import device
from arith.verify.training.device import (
    PRECISION_VARIABLE,
    precision_name,
    precision_type,
    prefer_large_pages,
)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wish from outside."""
    monkeypatch.setenv(PRECISION_VARIABLE, "auto")
    for limit in ("ONEDNN_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY"):
        monkeypatch.delenv(limit, raising=False)


Processor = Callable[..., None]


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Processor:
    """Makes the processor another one, with these instructions."""

    def make(*flags: str, vendor: str = "AuthenticAMD") -> None:
        path = tmp_path / "cpuinfo"
        words = " ".join(("fpu", "avx2", *flags, "lm"))
        core = f"vendor_id\t: {vendor}\nmodel name\t: a\nflags\t\t: {words}\nbugs\t\t: b\n\n"
        path.write_text(2 * core)
        monkeypatch.setattr("arith.verify.training.device._CPUINFO", path)

    return make


@pytest.mark.parametrize(
    ("vendor", "flags", "expected"),
    [
        ("AuthenticAMD", "avx512_bf16 amx_bf16", "bfloat16"),
        ("AuthenticAMD", "avx512_bf16", "bfloat16"),
        ("AuthenticAMD", "amx_bf16", "bfloat16"),
        ("AuthenticAMD", "avx512f", "float32"),
        ("GenuineIntel", "avx512_bf16 amx_bf16", "bfloat16"),
        ("GenuineIntel", "avx512_bf16", "float32"),  # no faster there
    ],
)
def test_the_processor_decides(
    processor: Processor, vendor: str, flags: str, expected: str
) -> None:
    processor(*flags.split(), vendor=vendor)
    assert precision_name("cpu") == expected
    assert precision_name("cuda") == "bfloat16"


@pytest.mark.skipif(not device._CPUINFO.exists(), reason="Linux describes the processor there")
def test_linux_and_pytorch_say_the_same_of_the_processor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    linux = device._processor()
    monkeypatch.setattr(device, "_CPUINFO", tmp_path / "none")
    pytorch = device._processor()
    ours = {"amx_bf16", "avx512_bf16"}
    assert (linux[0] & ours, linux[1]) == (pytorch[0] & ours, pytorch[1])


@pytest.mark.parametrize(
    ("variable", "limit"),
    [("ONEDNN_MAX_CPU_ISA", x) for x in ("SSE41", "AVX2", "AVX512_CORE", "avx512_core_vnni")]
    + [("ATEN_CPU_CAPABILITY", x) for x in ("avx2", "default")],
)
def test_a_limit_is_respected(
    processor: Processor, monkeypatch: pytest.MonkeyPatch, variable: str, limit: str
) -> None:
    processor("avx512_bf16", "amx_bf16")
    monkeypatch.setenv(variable, limit)
    assert precision_name("cpu") == "float32"


@pytest.mark.parametrize("wanted", ["float32", "bfloat16"])
def test_an_option_decides_over_the_variable_and_that_over_the_processor(
    wanted: str, processor: Processor, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor("avx512_bf16")
    monkeypatch.setenv(PRECISION_VARIABLE, "float32")
    for name in ("cpu", "cuda"):
        assert precision_name(name, wanted) == wanted
        assert precision_type(name, wanted) == getattr(torch, wanted)
        assert precision_name(name) == "float32"


def test_an_unknown_precision_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="allowed: auto, float32, bfloat16"):
        precision_name("cpu", "float16")
    monkeypatch.setenv(PRECISION_VARIABLE, "float16")
    with pytest.raises(InvalidInput, match="allowed: auto, float32, bfloat16"):
        precision_name("cpu")


@pytest.mark.parametrize(
    ("told", "then"),
    [
        (None, "glibc.malloc.hugetlb=1"),
        ("glibc.malloc.arena_max=1", "glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1"),
        ("glibc.malloc.hugetlb=0", "glibc.malloc.hugetlb=0"),  # the user knows better
    ],
)
def test_processes_that_are_started_ask_for_large_pages(
    monkeypatch: pytest.MonkeyPatch, told: str | None, then: str
) -> None:
    monkeypatch.setenv("GLIBC_TUNABLES", told or "")  # so that it is set back in any case
    if told is None:
        monkeypatch.delenv("GLIBC_TUNABLES")
    for _ in "12":
        prefer_large_pages()
        show = "import os; print(os.environ['GLIBC_TUNABLES'])"
        done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True)
        assert done.stdout.strip() == then
