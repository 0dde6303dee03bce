"""Decisions: what is not decided is neither yes nor no."""

from __future__ import annotations

import pytest

from arith.theory.arithmetic.decision import Decision


def test_a_decision_is_no_truth_value() -> None:
    assert (Decision.of(True), Decision.of(False)) == (Decision.YES, Decision.NO)
    for decision in Decision:
        with pytest.raises(TypeError, match="compare it with 'is'"):
            bool(decision)
