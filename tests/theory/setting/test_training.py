"""How models of a setting are trained."""

from __future__ import annotations

from typing import Any

import pytest

from arith.theory.setting.requests import Request
from arith.theory.setting.training import goes_on


@pytest.mark.parametrize(
    ("digits", "tokens", "modulus", "expected"),
    [
        ("4", "", 10**7, True),
        ("4", "", 10**5, False),
        ("4", ", 2 digits per token", 10**7, True),
        ("4", ", 2 digits per token", 10**6, False),
        ("3", ", 2 digits per token", 10**7, True),
    ],
)
def test_a_rule_goes_on_if_the_next_token_does_not_reach_the_modulus(
    digits: str, tokens: str, modulus: int, expected: bool
) -> None:
    asked: dict[str, Any] = {"modulus": modulus, "pe": "rpe", "window": 4, "train_digits": digits}
    setting = Request("mod_add", layout=f"aligned{tokens}", **asked).setting()
    assert goes_on(setting) is expected
