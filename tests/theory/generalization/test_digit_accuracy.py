"""Exact accuracies of digits against brute-force enumeration."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from builders.brute_force import brute_accuracy, members
from builders.strategies import learned_functions
from hypothesis import given

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.effort import PART, budget
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task, named_task
from arith.theory.counting.accuracy import (
    DigitAccuracy,
    accuracy,
    digit_accuracies,
    matches,
)
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import InvalidInput, TooMuchWork
from arith.theory.observation.support import Support

Case = tuple[LearnedFunction, Domain]


def brute_digits(learned: LearnedFunction, test: Domain) -> DigitAccuracy:
    """By writing f and f^ of every member."""
    task, base = learned.task, learned.base
    inputs = members(task, test, base)
    results = [(task.evaluate(*x), learned.evaluate(*x)) for x in inputs]
    constants = any(learned.support.offset(j) for j in range(task.operands))
    longest = max(*test.lengths, learned.support.width if constants else 1)
    width = task.result_width(base, longest)

    def written(values: np.ndarray) -> np.ndarray:
        """The digits of the absolute values, and the sign above them if results have one."""
        digits = np.stack([abs(values) // base**i % base for i in range(width)])
        if task.signed:
            digits[-1] = values < 0
        return digits

    right, said = (
        np.array([(x, y) for x, y in results if task.is_result(y)], dtype=object).reshape(-1, 2).T
    )
    same = written(right) == written(said)
    lower = np.logical_and.accumulate(same)

    def shares(rows: np.ndarray) -> tuple[Fraction, ...]:
        return tuple(Fraction(int(row.sum()), len(results)) for row in rows)

    return DigitAccuracy(shares(same), shares(lower))


@given(learned_functions())
def test_digits_are_what_enumeration_counts(case: Case) -> None:
    assert digit_accuracies(*case) == brute_digits(*case)


def test_a_constant_above_the_test_length_makes_no_result_right() -> None:
    task, train = named_task("add"), Domain((4,), "every")
    learned = LearnedFunction(Support(task, train, 2))
    assert accuracy(learned, Domain((1,))) == 0
    found = digit_accuracies(learned, Domain((1,)))
    assert (found.digit[0], found.lowest[-1]) == (1, 0)


@given(learned_functions())
def test_large_boxes_are_counted_as_small_ones_are(case: Case) -> None:
    expected = brute_digits(*case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arith.theory.counting.accuracy.LARGEST_ENUMERATION", 0)
        matches.cache_clear()
        found = digit_accuracies(*case)
    for name in ("digit", "lowest"):
        for x, y in zip(getattr(found, name), getattr(expected, name), strict=True):
            assert x is None or x == y


def trained(task: Task, n: int, base: int = 10, kind: str = "longest") -> LearnedFunction:
    return LearnedFunction(Support(task, Domain((n,), kind), base))


@pytest.mark.parametrize(
    "text", ["a + b", "a*b", "a*a", "(a + b) % 101", "a*b % 7", "(a*b + c) % 12"]
)
@pytest.mark.parametrize("m", [1, 2, 5, 40])
def test_all_lowest_digits_make_the_result(text: str, m: int) -> None:
    learned, test = trained(parse_task(text), 2), Domain((m,))
    found = digit_accuracies(learned, test)
    assert found.digit[0] == found.lowest[0]
    if found.lowest[-1] is not None:  # None for operands of 40 digits multiplied
        assert found.lowest[-1] == accuracy(learned, test)


@pytest.mark.parametrize("name", ["add", "mul"])
def test_digits_do_not_depend_on_the_length(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Digits 1..4 of the result see the operands' digits 1..4, which are free in D_5 and above.
    # More residues are for higher digits.
    monkeypatch.setattr("arith.theory.arithmetic.residues._LARGEST_OF_PAIRS", 3**4)
    task = named_task(name)
    for base, n in ((2, 2), (3, 1), (3, 3)):
        short = digit_accuracies(trained(task, n, base), Domain((5,)))
        long = digit_accuracies(trained(task, n, base), Domain((20,)))
        assert long.digit[:4] == short.digit[:4]
        assert long.lowest[:4] == short.lowest[:4]
        assert long.lowest[:n] == (1,) * n


def test_a_product_of_many_digits_is_counted_in_part() -> None:
    found = digit_accuracies(trained(named_task("mul"), 3), Domain((4,)))
    assert found.digit == (1, 1, 1, Fraction(3, 22), None, None, None, None)
    assert found.lowest[5:] == (None, None, accuracy(trained(named_task("mul"), 3), Domain((4,))))


def test_negative_answers_have_no_right_digit() -> None:
    learned, test = trained(named_task("sub"), 1), Domain((2,))
    found = digit_accuracies(learned, test)
    assert found == brute_digits(learned, test)
    # Else the units would always be right.
    assert found.digit[0] == found.lowest[0] < 1


def test_numbers_beyond_machine_integers() -> None:
    learned = trained(named_task("mul"), 70, base=2, kind="every")  # the top digit is always 1
    found = digit_accuracies(learned, Domain((3,)))
    assert found == brute_digits(learned, Domain((3,)))


@pytest.mark.parametrize("p", [10**12, 999_999_999_989])
def test_a_modulus_too_large_for_residues(p: int) -> None:
    learned = trained(named_task("mod_add", p), 1)
    assert digit_accuracies(learned, Domain((2,))) == brute_digits(learned, Domain((2,)))
    assert accuracy(learned, Domain((2,))) == brute_accuracy(learned, Domain((2,)))


def test_digits_of_a_modulus_too_large_for_residues_are_not_counted() -> None:
    learned = trained(named_task("mod_add", 999_999_999_989), 1)
    assert digit_accuracies(learned, Domain((9,))).digit[3] is None


def test_a_task_defined_nowhere() -> None:
    task = parse_task("a - b - 5")
    learned = LearnedFunction(Support(task, Domain((4,)), 2))
    with pytest.raises(InvalidInput, match="nowhere"):
        digit_accuracies(learned, Domain((1,)))


def test_coefficients_of_many_digits() -> None:
    task = Task("large", ((10**30 + 1, (1, 0)), (-1, (0, 1))))
    learned = LearnedFunction(Support(task, Domain((1,)), 10))
    assert digit_accuracies(learned, Domain((2,))) == brute_digits(learned, Domain((2,)))
    with pytest.raises(TooMuchWork), budget(PART):
        digit_accuracies(learned, Domain((9,)))
