"""Without an encoding a rule stops where a layer tells the place."""

from __future__ import annotations

import pytest
from builders.predictions import predicted

NARROW = {"task": "add", "pe": "nope", "layout": "interleaved", "window": 5}


@pytest.mark.parametrize(
    ("digits", "layers", "claims"),
    [
        (4, 2, {"none"}),
        (3, 3, {"none"}),
        (3, 4, {"at most"}),
        (5, 3, {"none"}),
        (5, 4, {"none"}),
        (5, 5, {"none"}),
        (5, 6, {"at most"}),
    ],
)
def test_without_an_encoding_a_rule_stops_where_depth_brings_a_landmark_into_view(
    digits: int, layers: int, claims: set[str]
) -> None:
    """The query of digit n is 3n - 1 tokens after <bos>, and a layer lets it see 4 tokens more."""
    said = predicted(**NARROW | {"train_digits": str(digits), "layers": layers})
    [step] = [step for step in said.derivation if step.rule == "position"]
    assert step.leaves_open == (claims == {"none"})
    assert not said.continues
    longer = [x for x in said.lengths if x.direction == "upward"]
    assert {x.claim for x in longer} == claims
    assert {x.at_most for x in longer} == {0 if claims == {"at most"} else 1}


def test_a_model_without_an_encoding_of_unknown_depth_is_not_spoken_of() -> None:
    assert "position" not in {step.rule for step in predicted(**NARROW).derivation}
