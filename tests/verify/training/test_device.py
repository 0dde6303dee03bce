"""Precision: the processor or an option decides it, never a clock; it is part of a run."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from arith.theory.errors import InvalidInput
from arith.verify.training.device import (
    PRECISION_VARIABLE,
    fix_precision,
    precision,
    precision_name,
    prefer_large_pages,
)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wish from outside."""
    monkeypatch.setenv(PRECISION_VARIABLE, "auto")
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)


def processor(
    monkeypatch: pytest.MonkeyPatch,
    widest: str,
    avx512: bool = False,
    amx: bool = False,
    name: str = "AMD EPYC",
) -> None:
    has = {"avx512_bf16": avx512, "amx_bf16": amx, "cpu_name": name}
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: widest)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: has)


@pytest.mark.parametrize(
    ("widest", "avx512", "amx", "expected"),
    [
        ("AVX512", True, True, "bfloat16"),
        ("AVX512", True, False, "bfloat16"),
        ("AVX512", False, True, "bfloat16"),
        ("AVX512", False, False, "float32"),
        ("AVX2", True, True, "float32"),  # ATEN_CPU_CAPABILITY=avx2
        ("DEFAULT", True, True, "float32"),
    ],
)
def test_the_processor_decides(
    monkeypatch: pytest.MonkeyPatch, widest: str, avx512: bool, amx: bool, expected: str
) -> None:
    processor(monkeypatch, widest, avx512, amx)
    assert precision_name("cpu") == expected
    assert precision_name("cuda") == "bfloat16"


@pytest.mark.parametrize(("amx", "expected"), [(True, "bfloat16"), (False, "float32")])
def test_intel_is_fast_with_amx_only(
    monkeypatch: pytest.MonkeyPatch, amx: bool, expected: str
) -> None:
    processor(monkeypatch, "AVX512", avx512=True, amx=amx, name="Intel Xeon")
    assert precision_name("cpu") == expected


@pytest.mark.parametrize("isa", ["SSE41", "AVX2", "AVX512_CORE", "avx512_core_vnni"])
def test_a_limit_on_onednn_is_respected(monkeypatch: pytest.MonkeyPatch, isa: str) -> None:
    processor(monkeypatch, "AVX512", avx512=True)
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", isa)
    assert precision_name("cpu") == "float32"


@pytest.mark.parametrize("wanted", ["float32", "bfloat16"])
def test_an_option_decides_over_the_processor(wanted: str) -> None:
    for device in ("cpu", "cuda"):
        assert fix_precision(wanted, device) == wanted
        assert precision(device) == getattr(torch, wanted)


def test_what_was_decided_stands_for_the_workers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    processor(monkeypatch, "AVX512", avx512=True)
    assert fix_precision("auto", "cpu") == "bfloat16"
    processor(monkeypatch, "DEFAULT")
    assert precision_name("cpu") == "bfloat16"


def test_auto_is_what_the_variable_says_and_not_what_was_decided_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    processor(monkeypatch, "AVX512", avx512=True)
    assert [fix_precision(x, "cpu") for x in ("float32", "auto")] == ["float32", "bfloat16"]
    monkeypatch.setenv(PRECISION_VARIABLE, "float32")
    assert [fix_precision(x, "cpu") for x in ("auto", "bfloat16", "auto")] == [
        *("float32", "bfloat16", "float32")
    ]


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(InvalidInput, match="allowed: auto, float32, bfloat16"):
        fix_precision("float16", "cpu")
    assert fix_precision("auto", "cpu") == precision_name("cpu")  # it has left nothing behind


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
