"""Whatever number a claim rests on is in its output: as text, and as JSON."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

import pytest
from builders.predictions import predicted

from arith.printing import plain_text, prediction_parts
from arith.theory.generalization import constants, lengths, theorems
from arith.theory.learning.learnability import learnability
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.requests import Request, options_of
from arith.theory.studies import literature

NATURAL: dict[str, Any] = {"task": "add", "padding": "none", "train_digits": "1-12"}
NARROW = {"layout": "interleaved", "window": 5, "layers": 1}
CONSTANTS = [
    # The ± up to which an exact accuracy is said.
    (
        *("generalization.lengths", "MOST_UNSEEN", Fraction(1, 500), "at most 5%", "at most 0.2%"),
        {"task": "mod_add", "modulus": 101, "train_digits": "2"},
    ),
    # How far an untrained address is found beside those that were trained.
    (
        "generalization.theorems",
        "NEAR",
        4,
        "one digit up in 6",
        "one digit up in 4",
        NATURAL | {"pe": "fire"},
    ),
    # The least share of examples that counts as shown.
    (
        *(
            "arithmetic.domains",
            "LEAST_SHARE",
            Fraction(1, 10**4),
            "in 1,000,000 count",
            "in 10,000 count",
        ),
        NATURAL
        | {"pe": "ape", "test_domain": "lengths", "train_digits": "1-9", "test_digits": "9"},
    ),
    # How many digits above one are looked at for a query that finds it.
    (
        *(
            "observation.addresses",
            "LOOKED_BACK",
            1,
            "one of the 2 digits above",
            "one of the 1 digits above",
        ),
        NATURAL | {"pe": "ape", "layout": "plain", "train_digits": "1-3"},
    ),
    # The chance up to which a drawn set may lack a digit.
    (
        "arithmetic.domains",
        "MISSED",
        1e-9,
        "below 0.001",
        "below 1e-09",
        {"task": "add", "train_pairs": 5000},
    ),
    (
        "arithmetic.domains",
        "MISSED",
        1e-9,
        "of 0.001 or more",
        "of 1e-09 or more",
        {"task": "add", "train_pairs": 20},
    ),
    # From how many indices random positions are drawn.
    (
        *("transformer.layouts", "INDICES", 256, "all of 128 indices", "all of 256 indices"),
        NATURAL | NARROW | {"pe": "randomized", "train_digits": "1-5", "test_digits": "6"},
    ),
    # What counts as a step when a task is learned.
    ("learning.leap_complexity", "FEW", 1, "2 digits jointly", "1 digits jointly", {"task": "add"}),
    (
        "learning.leap_complexity",
        "GAIN",
        Fraction(1, 3),
        "corrects 10%",
        "corrects 33%",
        {"task": "add"},
    ),
    (
        "learning.leap_complexity",
        "CONSTANT",
        Fraction(1, 2),
        "right on 90%",
        "right on 50%",
        {"task": "add"},
    ),
]
"""By module and name: another value, what is said with each, and a setting that rests on it."""


def text(said: Prediction) -> str:
    return " ".join(plain_text(prediction_parts(said, explain=True)).split())


def forget() -> None:
    """Forget what was counted with another value."""
    for module in (constants, lengths, theorems):
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()


def set_everywhere(patch: pytest.MonkeyPatch, home: str, name: str, value: Any) -> None:
    """Another value of a constant, in its module and in all that import it."""
    patch.setattr(f"arith.theory.{home}.{name}", value)
    for module in [m for n, m in sys.modules.items() if n.startswith("arith.")]:
        if hasattr(module, name):
            patch.setattr(module, name, value)


@pytest.mark.parametrize(
    ("home", "name", "value", "now", "then", "words"), CONSTANTS, ids=lambda x: str(x)[:30]
)
def test_a_constant_that_a_claim_rests_on_is_said(
    monkeypatch: pytest.MonkeyPatch,
    home: str,
    name: str,
    value: Any,
    now: str,
    then: str,
    words: dict[str, Any],
) -> None:
    forget()
    before = predicted(**words)
    assert now in text(before)
    set_everywhere(monkeypatch, home, name, value)
    forget()
    after = predicted(**words)
    assert then in text(after) and now not in text(after)
    if home.startswith("learning"):
        said = learnability(after.setting).to_json()["leap_limits"]
        assert said != {"digits": 2, "gain": "1/10", "constant": "9/10"}
    else:
        assert then in json.dumps(after.to_json(), ensure_ascii=False)
    monkeypatch.undo()
    forget()


BASIC: dict[str, Any] = {"task": "add", "test_digits": "1-6"}
OTHERWISE: dict[str, dict[str, Any]] = {
    "task": {"task": "mul"},
    "expr": {"task": None, "expr": "3*a + b"},
    "modulus": {"task": "mod_add", "modulus": 77},
    "base": {"base": 7},
    "pe": {"pe": "rope"},
    "layout": {"layout": "reversed"},
    "window": {"window": 13},
    "width": {"width": 19},
    "layers": {"layers": 5},
    "train_digits": {"train_digits": "4"},
    "train_domain": {"train_domain": "every"},
    "train_priming": {"train_priming": ("6:0.03",)},
    "train_allowed": {"train_allowed": ("2:6-9",)},
    "train_pairs": {"train_pairs": 1234},
    "train_weights": {"train_digits": "2-3", "train_weights": "2:1,3:8"},
    "train_holdout": {"train_pairs": 1234, "train_holdout": "position"},
    "test_digits": {"test_digits": "7"},
    "test_layout": {"test_layout": "aligned, no bos"},
    "test_allowed": {"test_allowed": ("1:1-8",)},
    "result_width": {"result_width": 21},
    "results": {"task": "sub", "results": "signed"},
    "test_domain": {"test_domain": "every"},
    "padding": {"padding": "none"},
    "starts": {"pe": "abacus", "starts": 71},
}


@pytest.mark.parametrize("name", options_of(Request))
def test_every_option_of_a_setting_is_in_its_output(name: str) -> None:
    """A setting with another value has another text and other JSON, whatever is claimed."""
    plain = BASIC | ({"pe": "abacus"} if name == "starts" else {})
    plain |= {"task": "mod_add", "modulus": 78} if name == "modulus" else {}
    plain |= {"train_digits": "2-3"} if name == "train_weights" else {}
    plain |= {"train_pairs": 1234} if name == "train_holdout" else {}
    plain |= {"task": "sub"} if name == "results" else {}
    one, other = predicted(**plain), predicted(**plain | OTHERWISE[name])
    heads = [plain_text(prediction_parts(x)).split("Answer")[0] for x in (one, other)]
    if name != "test_digits":  # each has a row of its own
        assert heads[0] != heads[1]
    without = [{k: v for k, v in x.to_json().items() if k != "derivation"} for x in (one, other)]
    assert without[0] != without[1]


def test_the_tolerance_of_a_comparison_with_a_paper_is_said() -> None:
    from arith.theory.text.literature_tables import LEGEND

    assert f"within {literature.TOLERANCE}" in LEGEND
