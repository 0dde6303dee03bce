"""Digits never shown together: when the answer follows, and what is claimed where it does not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from builders.predictions import predicted
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import named_task
from arith.theory.observation.joint_support import connected, equivalent
from arith.theory.observation.support import support


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


def test_what_training_fixes_bounds_the_accuracy_from_below() -> None:
    """Of the pairs with three digits 9/11 have only digits that were shown: not 0 at the top."""
    train = {"task": "add", "train_domain": "every", "test_digits": "3,4"}
    trained, longer = predicted(**train).lengths
    assert (trained.claim, trained.accuracy, trained.at_least) == (
        "at least",
        None,
        Fraction(9, 11),
    )
    # Four digits: the fourth is ignored, and one of the two is not 0.
    assert (longer.claim, longer.at_least, longer.at_most) == ("at most", 0, Fraction(19, 100))
    difference = {"task": "sub", "base": 5, "train_digits": "2+3", "test_digits": "4"}
    [less] = predicted(**difference).lengths
    pairs = [(a, b) for a in range(125, 625) for b in range(a + 1)]
    fixed = [(a, b) for a, b in pairs if a % 125 >= b % 125]
    right = sum(a // 125 == b // 125 for a, b in fixed)
    assert (less.claim, less.at_least) == ("at most", Fraction(right, len(pairs)))
    assert less.at_most == Fraction(right + len(pairs) - len(fixed), len(pairs))
    step, _ = [x for x in predicted(**difference).derivation if x.leaves_open]
    share = f"{100 * right / len(pairs):.2g}%"
    assert step.statement.endswith(f"training fixes and f^ gets right: {share} at 4 digit(s).")


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


def test_pairs_that_fall_apart_fix_no_other_pair() -> None:
    """0 stands beside 0 only: a 0 of a may be read as 3 too many, and a 0 of b as 3 too few."""
    train = {"task": "add", "train_domain": "every", "train_digits": "1+2"}
    [x] = predicted(**train, test_domain="longest", test_digits="2").lengths
    assert (x.status, x.unseen) == ("undetermined", Fraction(2, 11))
    wrong = lambda a, b: a + b + 30 * ((a < 10) - (b < 10))  # noqa: E731
    trained = [(a, b) for a in range(100) for b in range(100) if (a < 10) == (b < 10)]
    assert all(wrong(a, b) == a + b for a, b in trained)
    assert wrong(7, 12) != 7 + 12
    hangs_together = predicted(**{**train, "train_domain": "longest"}, test_digits="2")
    assert hangs_together.lengths[0].status == "generalizes"


def test_equivalent_values_are_not_known_to_be_if_pairs_fall_apart() -> None:
    """0 counts as 2 does modulo 2, but stood beside 0 only: it may be read as 1 in a and in b."""
    train = {"task": "mod_add", "modulus": 16, "base": 8, "train_domain": "every"}
    got = predicted(**train, train_digits="1+2", test_domain="longest", test_digits="2,3").lengths
    assert [(x.claim, x.at_least, x.unseen) for x in got] == [
        ("at least", Fraction(7, 9), Fraction(2, 9)),
        ("at least", Fraction(25, 32), Fraction(7, 32)),
    ]
    wrong = lambda a, b: (a + b + 8 * ((a < 8) - (b < 8))) % 16  # noqa: E731
    pairs = [(a, b) for a in range(64) for b in range(64)]
    trained = [(a, b) for a, b in pairs if (a < 8) == (b < 8)]
    assert all(wrong(a, b) == (a + b) % 16 for a, b in trained)
    assert all(wrong(a, b) != (a + b) % 16 for a, b in pairs if (a < 8) != (b < 8))


@given(
    st.sampled_from(["mod_add", "mod_mul", "mod_sub"]),
    st.integers(2, 9),
    st.sampled_from(["longest", "every"]),
    st.sets(st.integers(1, 3), min_size=1, max_size=2),
)
def test_values_are_equivalent_if_inputs_that_differ_in_them_alone_were_shown(
    task: str, modulus: int, kind: str, lengths: set[int]
) -> None:
    """Among the needed digits, by all pairs of training inputs, and what follows by links."""
    train = Domain(tuple(sorted(lengths)), kind)
    shown = support(named_task(task, modulus), train, base := 3)
    inputs = {
        tuple(v for _, v in sorted(zip(shown.needed, values, strict=True)))
        for box in shown.boxes
        for values in product(*(shown.possible(box, d) for d in shown.needed))
    }
    for k, digit in enumerate(sorted(shown.needed)):
        period = shown.period(digit) or base
        linked = {(v, v) for v in range(base)}
        for x in inputs:
            for w in range(base):
                if (*x[:k], w, *x[k + 1 :]) in inputs and (w - x[k]) % period == 0:
                    linked |= {(x[k], w), (w, x[k])}
        for _ in range(base):
            linked |= {(a, d) for a, b in linked for c, d in linked if b == c}
        counts_as = equivalent(shown, digit)
        pairs = {(v, w) for v in counts_as for w in counts_as if counts_as[v] == counts_as[w]}
        assert pairs == linked


def test_a_value_that_never_occurred_is_known_to_be_equivalent_to_none() -> None:
    """0 never stood at position 2 of two-digit numbers; after D_2 it did, beside all others."""
    train = {"task": "mod_mul", "modulus": 50, "train_digits": "2", "test_digits": "1"}
    assert predicted(**train, train_domain="every").verdict("downward") == "undetermined"
    assert predicted(**train).verdict("downward") == "generalizes"


@given(
    st.lists(
        st.tuples(*[st.sets(st.integers(0, 3), min_size=1).map(frozenset)] * 2),
        min_size=1,
        max_size=5,
    )
)
def test_pairs_hang_together_where_the_sums_of_all_others_follow(boxes: list) -> None:
    """By the rank of the equations: as many as there are unknowns, but for one shift."""
    values = [frozenset().union(*seen) for seen in zip(*boxes, strict=True)]
    places = [(k, v) for k, vs in enumerate(values) for v in sorted(vs)]
    rows = {(x, y) for a, b in boxes for x in a for y in b}
    equations = np.array([[place in ((0, x), (1, y)) for place in places] for x, y in rows])
    fixed = np.linalg.matrix_rank(equations.astype(float)) == len(places) - 1
    assert connected(boxes, values) == fixed
