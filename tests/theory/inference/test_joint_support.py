"""Digits never shown together: when the answer follows, and what is claimed where it does not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from builders.predictions import predicted


def test_the_joint_support_rule_decides_downward() -> None:
    undecided = predicted(task="mul", train_digits="2")
    assert "joint support" in {s.rule for s in undecided.derivation}
    assert undecided.verdict("downward") == "undetermined"
    assert predicted(task="add", train_digits="2").verdict("downward") == "generalizes"
    equivalent = predicted(task="mod_mul", modulus=50, train_digits="2")
    assert "joint support" in {s.rule for s in equivalent.derivation}
    assert equivalent.verdict("downward") == "generalizes"


def test_what_training_leaves_open_bounds_the_accuracy() -> None:
    [x] = predicted(task="mod_add", modulus=101, train_digits="2", test_digits="4").lengths
    assert (x.accuracy, x.unseen) == (Fraction(49, 4950), Fraction(1, 100))
    assert x.at_most == x.accuracy + x.unseen


def test_two_digits_of_base_2_fix_no_unseen_pair() -> None:
    assert predicted(task="add", base=2).verdict("downward") == "undetermined"
    assert predicted(task="add", base=3).verdict("downward") == "generalizes"
    assert predicted(expr="a + b + c", base=2).verdict("downward") == "generalizes"


@pytest.mark.parametrize(
    ("digits", "verdict"), [("4", "fails"), ("0-4", "fails"), ("5", None), ("9", None)]
)
def test_a_built_in_carry_fixes_no_unseen_pair(digits: str, verdict: str | None) -> None:
    """The digits at position 2 carry never or always; 0 and 0 at position 3 are never shown."""
    got = predicted(task="add", train_allowed=(f"2:{digits}",))
    at_one = next(x for x in got.lengths if x.digits == 1)
    if verdict is None:
        assert (at_one.status, at_one.unseen, at_one.inferred) == ("undetermined", 1, 0)
    else:
        assert (at_one.unseen, at_one.inferred) == (0, 1)
        assert at_one.status == ("generalizes" if digits == "0-4" else verdict)
