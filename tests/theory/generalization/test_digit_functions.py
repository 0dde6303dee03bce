"""Functions of the digits of one number: their values, what is predicted, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders.brute_force import brute_accuracy, members
from builders.predictions import predicted
from builders.strategies import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.properties import digit_causal
from arith.theory.arithmetic.tasks import DIGIT_FUNCTIONS, Task, named_task
from arith.theory.counting.accuracy import accuracy, digit_accuracies
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import InvalidInput
from arith.theory.generalization.outcomes import Claim
from arith.theory.observation.support import Support
from arith.theory.setting.requests import Request, read_setting, setting_json, setting_words

MODULAR = ("digit_sum",)


def function(name: str, base: int, modulus: int = 7) -> Task:
    return named_task(name, modulus if name in MODULAR else None, base=base)


def by_hand(name: str, value: int, base: int, modulus: int = 7) -> int:
    digits = [value // base**i % base for i in range(20)]
    if name == "reverse":
        while digits and not digits[-1]:
            digits.pop()
        return sum(d * base**i for i, d in enumerate(reversed(digits)))
    if name == "max_digit":
        return max(digits)
    return sum(digits) % (2 if name == "parity" else modulus)


@given(
    st.sampled_from(sorted(DIGIT_FUNCTIONS)),
    st.integers(2, 12),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=5),
)
@examples(40)
def test_values_are_those_of_the_digits(name: str, base: int, values: list[int]) -> None:
    task, expected = function(name, base), [by_hand(name, x, base) for x in values]
    assert [task.evaluate(x) for x in values] == expected
    for dtype in (np.int64, object):
        assert task.evaluate(np.array(values, dtype=dtype)).tolist() == expected
    assert max(expected) <= task.largest(base, 20)


@given(
    st.sampled_from(sorted(DIGIT_FUNCTIONS)),
    st.integers(2, 5),
    st.integers(1, 6),
    st.lists(st.integers(1, 3), min_size=1, max_size=2).map(tuple),
    st.none() | st.tuples(st.integers(1, 3), st.sets(st.integers(0, 4), min_size=1)),
    st.integers(1, 5),
)
@examples(30)
def test_shares_are_what_enumeration_counts(
    name: str,
    base: int,
    modulus: int,
    lengths: tuple[int, ...],
    allowed: tuple[int, set[int]] | None,
    length: int,
) -> None:
    task = function(name, base, modulus)
    only = () if allowed is None else ((allowed[0], tuple(sorted(allowed[1]))),)
    assume(all(max(digits) < base for _, digits in only))
    train, test = Domain(lengths, allowed=only), Domain((length,))
    assume(members(task, train, base))
    learned = LearnedFunction(Support(task, train, base))
    assert accuracy(learned, test) == brute_accuracy(learned, test)
    assert digit_accuracies(learned, test).lowest[-1] in (None, brute_accuracy(learned, test))


@pytest.mark.parametrize("name", DIGIT_FUNCTIONS)
def test_under_absolute_positions_f_of_the_trained_digits_is_expected(name: str) -> None:
    words: dict[str, Any] = {"task": name, "modulus": 7 if name in MODULAR else None}
    found = predicted(**words, base=30, train_digits="2", test_digits="1-3")
    assert found.learned is not None
    assert found.learned.text().startswith(f"{name}(a mod 900)")
    shorter, trained, longer = found.lengths
    assert shorter.claim == Claim.NONE and trained.accuracy == 1
    assert longer.learned_accuracy == brute_accuracy(found.learned, found.setting.test(3))
    assert longer.at_least <= longer.learned_accuracy <= longer.at_most < 1
    for pe in ("rpe", "nope", "sinusoidal", "abacus"):  # the rule for a digit may go on
        other = predicted(**words, base=30, pe=pe, train_digits="2", test_digits="3")
        assert [x.claim for x in other.lengths] == [Claim.NONE]
    natural = predicted(**words, padding="none", train_digits="1-2", test_digits="1-4")
    assert [x.accuracy for x in natural.lengths] == [1, 1, None, None]
    assert [x.at_most for x in natural.lengths] == [1] * 4


@pytest.mark.parametrize("name", DIGIT_FUNCTIONS)
def test_a_setting_is_read_as_it_was_written(name: str) -> None:
    modulus = 7 if name in MODULAR else None
    setting = Request(name, modulus=modulus, base=6).setting()
    assert read_setting(setting_json(setting)) == setting
    assert setting.task == named_task(name, modulus, base=6)
    assert ("--modulus 7" in setting_words(setting)) == (name in MODULAR)
    assert digit_causal(setting.task, 6)[0] is Decision.NO


def test_digits_are_those_of_the_base_whatever_a_token_holds() -> None:
    setting = Request("max_digit", layout="2 digits per token", train_digits="2").setting()
    assert (setting.base, setting.task.evaluate(1972)) == (100, 9)
    small = {"task": "max_digit", "layout": "2 digits per token", "base": 4, "train_digits": "2"}
    said = predicted(**small, test_digits="3-4")
    learned = LearnedFunction(Support(said.setting.task, said.setting.train, 16))
    expected = brute_accuracy(learned, said.setting.test(3))
    assert said.lengths[0].learned_accuracy == expected != 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"task": "digit_sum"}, "needs a modulus"),
        ({"task": "digit_sum", "modulus": 0}, "at least 1"),
        ({"task": "parity", "modulus": 2}, "takes no modulus"),
        ({"task": "parity,max_digit"}, "one operand has no sign"),
        ({"task": "max_digit", "results": "signed"}, "never negative"),
        ({"task": "reverse", "layout": "interleaved"}, "digit causal"),
        ({"task": "revers"}, "did you mean 'reverse'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as raised:
        Request(**words).setting()
    assert "\n" not in str(raised.value)
