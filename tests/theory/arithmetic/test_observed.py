"""What a file of examples shows: against its definition by enumeration, and against settings."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from builders.strategies import examples
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.observed import observed
from arith.theory.arithmetic.tasks import digit_count, named_task
from arith.theory.prediction.forecast import setting_features
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting


def as_digits(tuples: list[tuple[int, ...]], base: int, width: int) -> np.ndarray:
    """Operand tuples as digits ``(n, k, width)``, units first."""
    return np.array([[[x // base**i % base for i in range(width)] for x in t] for t in tuples])


def all_of(setting: Setting) -> list[tuple[int, ...]]:
    """Every operand tuple of a training domain on which the task is defined."""
    s = setting
    top = s.base ** s.train.lengths[-1]
    every = product(range(top), repeat=s.task.operands)
    return [t for t in every if s.train.contains(t, s.base) and s.task.evaluate(*t) >= 0]


def from_examples(setting: Setting, tuples: list[tuple[int, ...]]) -> Prediction:
    """The prediction where a training domain is known by examples."""
    digits = as_digits(tuples, setting.base, setting.train.lengths[-1])
    train = observed(setting.task, digits, setting.base, setting.natural)
    return predict(replace(setting, train=train))


@given(
    st.integers(2, 3),
    st.sets(st.tuples(st.integers(0, 26), st.integers(0, 26)), min_size=1, max_size=60),
)
@examples(50)
def test_pairs_of_digits_are_those_of_the_examples(base: int, given: set[tuple[int, int]]) -> None:
    tuples = sorted(t for t in given if max(t) < base**3) or [(0, 0)]
    width = max(digit_count(max(t), base) for t in tuples)
    found = observed(named_task("add"), as_digits(tuples, base, width), base, False)
    for n in found.lengths:
        rows = [t for t in tuples if digit_count(max(t), base) == n]
        digits = as_digits(rows, base, n).reshape(len(rows), -1)
        places = range(digits.shape[1])
        values = [sorted(set(digits[:, p].tolist())) for p in places]
        met = {
            (p, q): set(zip(digits[:, p].tolist(), digits[:, q].tolist(), strict=True))
            for p, q in combinations(places, 2)
        }
        # Of a few inputs, nearly all of which are there, the others are held out.
        hull = list(product(*values))
        excused = {
            (p, q)
            for p, q in met
            if len(rows) >= 0.9 * len(hull) and len(hull) < 5 * len(values[p]) * len(values[q])
        }
        shown = {
            t
            for t in hull
            if all((t[p], t[q]) in met[p, q] for p, q in met if (p, q) not in excused)
        }
        boxes = [
            set(product(*(v for row in box.digits for v in row))) for box in found.cut(n, base, 2)
        ]
        assert sum(map(len, boxes)) == len(set().union(*boxes))
        assert set().union(*boxes) == shown


@pytest.mark.parametrize(
    "words",
    [
        {"task": "add"},
        {"task": "sub"},
        {"task": "mul"},
        {"task": "mod_add", "modulus": 101},
        {"task": "mod_mul", "modulus": 125, "train_allowed": ("2:0-4",)},
        {"task": "add", "pe": "rpe", "layout": "interleaved", "window": 4, "layers": 1},
        {"task": "add", "padding": "none", "train_digits": "1-2", "pe": "abacus"},
        {"task": "add", "padding": "none", "train_digits": "1-2", "pe": "rope", "layout": "plain"},
        {"task": "mod_add", "modulus": 40, "train_domain": "every"},
    ],
    ids=lambda w: " ".join(map(str, w.values())),
)
def test_a_file_of_a_whole_domain_predicts_as_that(words: dict) -> None:
    """Also where one in twenty is held out."""
    setting = Request(**{"train_digits": "2", **words}).setting()
    every = all_of(setting)
    rng = np.random.default_rng(0)
    most = [every[i] for i in sorted(rng.permutation(len(every))[: len(every) * 19 // 20])]
    expected = predict(setting)
    for tuples in (every, most):
        got = from_examples(setting, tuples)
        assert got.learned_text == expected.learned_text
        for x, y in zip(got.lengths, expected.lengths, strict=True):
            assert x == y


def test_a_sample_that_shows_all_pairs_of_digits_predicts_as_its_domain() -> None:
    setting = Request("mod_add", modulus=101, train_digits="4").setting()
    rng = np.random.default_rng(0)
    pairs = [t for t in map(tuple, rng.integers(10**4, size=(5_000, 2)).tolist()) if max(t) > 999]
    got, expected = from_examples(setting, pairs), predict(setting)
    assert [x.accuracy for x in got.lengths] == [x.accuracy for x in expected.lengths]
    few = from_examples(setting, pairs[:100])
    assert all(x.accuracy is None for x in few.lengths if not setting.is_premise(x.digits))


def test_two_digits_that_never_stand_together_are_open() -> None:
    """Modulo 101 all digits interact, so the answer is open wherever these two meet."""
    setting = Request("mod_add", modulus=101, train_digits="2").setting()
    lacking = [t for t in all_of(setting) if (t[0] % 10, t[1] % 10) != (3, 4)]
    two = from_examples(setting, lacking).lengths[1]
    assert two.unseen_share == Fraction(99, 9900)
    assert two.accuracy == 1


def test_a_digit_that_never_stands_at_a_place_is_open() -> None:
    setting = Request("mod_add", modulus=101, train_digits="2").setting()
    lacking = [t for t in all_of(setting) if t[0] // 10 != 7]
    two = from_examples(setting, lacking).lengths[1]
    assert two.unseen_share == Fraction(10 * 100, 9900)


def test_combinations_of_lengths_that_no_example_has_are_not_shown() -> None:
    setting = Request("add", padding="none", layout="plain", train_digits="1-2").setting()
    assert predict(setting).lengths[1].accuracy == 1
    without = [t for t in all_of(setting) if t[0] > 9 or t[1] < 10]
    got = from_examples(setting, without)
    assert got.lengths[0].accuracy == 1
    assert got.lengths[1].accuracy is None


def test_different_examples_count_as_so_many_drawn_pairs_in_forecasts() -> None:
    """Nothing like a file of 60 was measured, however often they are repeated."""
    setting = Request("add", pe="rope", layout="reversed", train_digits="2").setting()
    every = all_of(setting)
    few = from_examples(setting, every[:: len(every) // 59][:60] * 3)
    drawn = predict(replace(setting, train=replace(setting.train, pairs=60)))
    whole, usual = from_examples(setting, every), predict(setting)
    for got, said in ((few, drawn), (whole, usual)):
        features = (setting_features(x.setting)["examples"] for x in (got, said))
        assert len(set(features)) == 1
        assert got.convergence.near == said.convergence.near == (got is whole)
        assert {x.near for x in got.forecasts.values()} == {got is whole}
