"""Completion, as a shell asks for it: every option that takes names completes them."""

from __future__ import annotations

import pytest
from builders.command_line import run_cli

from arith.theory.transformer.encodings import ENCODINGS
from arith.verify.plan.grids import GRIDS


def completed(line: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    monkeypatch.setenv("_ARITH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    return run_cli().out.splitlines()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("arith ve", ["verify"]),
        ("arith predict --train-do", ["--train-domain"]),
        ("arith predict --task mod_", ["mod_add", "mod_sub", "mod_mul"]),
        ("arith predict --pe ", list(ENCODINGS)),
        ("arith predict --layout b", ["bare"]),
        ("arith explore --pe ab", ["abacus"]),
        ("arith advise --train-domain e", ["every"]),
        ("arith advise --test-domain l", ["longest", "lengths"]),
        ("arith map --task mul", ["mul", "multi_add"]),
        ("arith map --layout p", ["plain"]),
        ("arith verify --model m", ["micro", "mini"]),
        ("arith verify --recipe p", ["place-noise", "paper", "paper-10"]),
        ("arith verify --device c", ["cpu", "cuda"]),
        ("arith verify --precision ", ["auto", "float32", "bfloat16"]),
        ("arith inspect --model w", ["wide"]),
        ("arith inspect --device a", ["auto"]),
        ("arith verify --grid ", list(GRIDS)),
        ("arith grid --grid sm", ["smoke"]),
        ("arith report --grid h", ["headline"]),
        ("arith theorems joint", ["joint support"]),
        ("arith literature principled-mul-on-2", 3),
    ],
)
def test_a_name_is_completed(
    line: str, names: list[str] | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = completed(line, monkeypatch)
    assert (len(found) >= names) if isinstance(names, int) else sorted(found) == sorted(names)
