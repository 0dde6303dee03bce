"""Exact counts cost the same whatever was counted before."""

import pytest

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.arithmetic.effort import budget, memoize_with_cost, spend
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.errors import TooMuchWork
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request

REQUESTS = {
    "lengths of natural numbers": Request(
        "add", pe="rpe", layout="plain", padding="none", train_digits="1-5", test_digits="1-9"
    ),
    "lengths of differences": Request(
        expr="a - b", pe="rope", layout="aligned", padding="none", train_digits="1-4"
    ),
    "contexts": Request("add", pe="rpe", layout="interleaved", window=6, train_digits="3"),
    "products": Request("mod_mul", modulus=200, pe="ape", train_digits="2"),
    "joint support": Request("add", pe="ape", base=6, train_digits="2"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_prediction_costs_the_same_when_its_counts_are_remembered(name):
    setting = REQUESTS[name].setting()
    spent = []
    for _ in range(3):
        with budget(10**15) as meter:
            predict(setting)
        spent.append(meter.spent)
    assert spent[0] == spent[1] == spent[2] > 0


def test_counts_of_result_lengths_cost_the_same_when_they_are_remembered():
    task = parse_task("3*a + 5*b + 11")  # in no other test
    spent = []
    for _ in range(2):
        with budget(10**15) as meter:
            digit_automaton(task, 12).lengths((7, 9))
        spent.append(meter.spent)
    assert spent[0] == spent[1] > 0


def test_a_remembered_value_is_refused_where_it_would_not_have_been_worked_out():
    @memoize_with_cost(8)
    def work(steps: int) -> int:
        spend(steps)
        return steps

    assert work(100) == 100
    with pytest.raises(TooMuchWork), budget(99):
        work(100)
    with budget(100) as meter:
        assert work(100) == 100
    assert meter.spent == 100


def test_what_is_left_after_a_refusal_does_not_depend_on_what_was_asked_before():
    @memoize_with_cost(8)
    def work(steps: int) -> None:
        spend(steps // 2)
        spend(steps // 2)

    left = []
    for _ in range(2):
        with budget(80) as meter:
            with pytest.raises(TooMuchWork):
                work(100)
            left.append(meter.spent)
        work(100)
    assert left == [80, 80]


def test_an_inner_budget_is_charged_to_the_outer():
    with budget(1_000) as outer, budget(50):
        spend(40)
    assert outer.spent == 40
