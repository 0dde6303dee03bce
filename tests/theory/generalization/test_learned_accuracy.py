"""The learned function's accuracy against an implementation of its own, input by input."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from builders.predictions import predicted
from builders.strategies import EXPRESSIONS, MORE_EXPRESSIONS, examples
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.arithmetic.tasks import TASKS, Task
from arith.theory.errors import InvalidInput
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request
from arith.theory.transformer.encodings import ENCODINGS

LARGEST = 3_000
"""Operand tuples that are enumerated at most."""


FORMS = ("aligned", "plain", "reversed", "bare")


@st.composite
def requests(draw: st.DrawFn, forms: tuple[str, ...] = FORMS) -> Request:
    """Any task, base, domain and encoding, small enough to be enumerated."""
    base = draw(st.integers(2, 6))
    name = draw(st.none() | st.sampled_from(sorted(TASKS)))
    expr = modulus = None
    if name is not None and TASKS[name].modular:
        modulus = draw(st.integers(1, 60))
    if name is None:
        expr = draw(st.sampled_from(EXPRESSIONS + MORE_EXPRESSIONS))
        if draw(st.booleans()):
            expr = f"({expr}) % {draw(st.integers(1, 60))}"
    lengths = draw(st.sampled_from(("1", "2", "1+2", "1+3", "2+3")))
    allowed = []
    for place in draw(st.sets(st.integers(1, 2), max_size=2)):
        digits = sorted(draw(st.sets(st.integers(0, base - 1), min_size=1)))
        allowed.append(f"{place}:{','.join(map(str, digits))}")
    kinds = st.sampled_from(("longest", "every"))
    priming = draw(st.sampled_from(((), (), ("4:0.1",))))
    pe = draw(st.sampled_from(sorted(ENCODINGS)))
    form = draw(st.sampled_from(forms))
    return Request(
        *(name, expr, modulus, base, pe, form),
        window=draw(st.sampled_from((0, 0, 5))),
        width=draw(st.sampled_from((0, 0, 7))),
        layers=draw(st.sampled_from((0, 0, 2))),
        train_digits=lengths,
        train_domain=draw(kinds),
        train_priming=priming,
        train_allowed=tuple(allowed),
        test_digits="1-4",
        test_domain=draw(kinds),
    )


def digits_of(x: int, base: int, width: int) -> tuple[int, ...]:
    return tuple(x // base**i % base for i in range(width))


@cache
def length_of(x: int, base: int) -> int:
    return next(n for n in range(1, 100) if x < base**n)


def truth(task: Task, x: tuple[int, ...]) -> int:
    """f by its definition; below 0 where it is not defined."""
    total = 0
    for coefficient, exponents in task.terms:
        for value, e in zip(x, exponents, strict=True):
            coefficient *= value**e
        total += coefficient
    return total if task.modulus is None else total % task.modulus


def inputs(prediction: Prediction, lengths: tuple[int, ...], kind: str) -> list[tuple[int, ...]]:
    """The operand tuples of some lengths on which the task is defined, by definition."""
    s = prediction.setting
    found = []
    for x in product(range(s.base ** max(lengths)), repeat=s.task.operands):
        counts = {length_of(v, s.base) for v in x}
        fits = max(counts) in lengths and (kind == "longest" or len(counts) == 1)
        if fits and truth(s.task, x) >= 0:
            found.append(x)
    return found


def learned(prediction: Prediction, width: int, x: tuple[int, ...], shown: list) -> int:
    """f of the operands with each digit that training kept constant put in its place."""
    s = prediction.setting
    seen = []
    for j, v in enumerate(x):
        total = 0
        for i, d in enumerate(digits_of(v, s.base, width)):
            have = shown[j][i]
            total += (min(have) if len(have) == 1 else d) * s.base**i
        seen.append(total)
    return truth(s.task, tuple(seen))


def shown_digits(prediction: Prediction) -> list:
    """The digits that training shows at each place of each operand, by enumeration."""
    setting = prediction.setting
    train, base = setting.train, setting.base
    assume(base ** (max(train.every_length) * setting.task.operands) <= LARGEST)
    trained = [
        x
        for x in inputs(prediction, train.every_length, train.kind)
        if all(digits_of(v, base, i)[-1] in only for i, only in train.allowed for v in x)
    ]
    values = [{x[j] for x in trained} for j in range(setting.task.operands)]
    return [[{digits_of(x, base, 5)[i] for x in some} for i in range(5)] for some in values]


def enumerated(prediction: Prediction, shown: list, digits: int) -> Fraction:
    """How often f^ is right at a length."""
    setting = prediction.setting
    tested = inputs(prediction, (digits,), setting.test_kind)
    right = sum(truth(setting.task, t) == learned(prediction, 5, t, shown) for t in tested)
    return Fraction(right, len(tested))


@given(requests())
def test_learned_accuracy_is_what_enumeration_counts(request: Request) -> None:
    try:
        setting = request.setting()
        prediction = predict(setting)
    except InvalidInput:
        assume(False)
    shown = shown_digits(prediction)
    compared = 0
    for x in prediction.lengths:
        if setting.base ** (x.digits * setting.task.operands) > LARGEST:
            continue
        if prediction.learned is None and not prediction.continues:
            assert x.learned_accuracy == x.accuracy
        elif prediction.continues:
            assert x.learned_accuracy == 1
        else:
            assert x.learned_accuracy == enumerated(prediction, shown, x.digits)
            compared += 1
    assume(compared or prediction.learned is None)


@examples(30)
@given(requests(("interleaved", "interleaved", *FORMS)))
def test_candidates_are_the_task_and_what_enumeration_counts(request: Request) -> None:
    """They are named only where nothing is claimed."""
    try:
        setting = request.setting()
        prediction = predict(setting)
    except InvalidInput:
        assume(False)
    named = [x for x in prediction.lengths if x.candidates]
    assert all(x.claim == Claim.NONE for x in named)
    steps = [step for step in prediction.derivation if step.rule == "two candidates"]
    assert bool(named) == any("Nothing is claimed" in step.statement for step in steps)
    small = [x for x in named if setting.base ** (x.digits * setting.task.operands) <= LARGEST]
    assume(small)
    shown = shown_digits(prediction)
    for x in small:
        share = enumerated(prediction, shown, x.digits)
        assert x.candidates == ((1,) if share == 1 else (1, share))


DEEP = {"expr": "a - b", "base": 4, "pe": "nope", "layout": "interleaved", "window": 5, "layers": 3}


def test_where_no_theorem_decides_both_functions_are_counted() -> None:
    said = predicted(**DEEP, train_digits="2+3", test_digits="1-5")
    pairs = {
        n: [(a, b) for a in range(4**n) for b in range(a + 1) if a >= 4 ** (n - 1)] for n in (4, 5)
    }
    kept = {
        n: Fraction(sum(a - b == a % 64 - b % 64 for a, b in xs), len(xs))
        for n, xs in pairs.items()
    }
    each = {x.digits: x.candidates for x in said.lengths}
    assert each == {1: (1,), 2: (), 3: (), 4: (1, kept[4]), 5: (1, kept[5])}


@pytest.mark.parametrize(
    ("words", "each"),
    [
        # It can tell its place, but not a layer earlier.
        (
            {"task": "add", "pe": "nope", "layout": "interleaved", "window": 5, "layers": 3},
            {1: (1,), 2: (1,), 3: (), 4: (1, 0)},
        ),
        # The rule stops; of shorter inputs nothing follows.
        (
            {"task": "add", "pe": "nope", "layout": "interleaved", "window": 5, "layers": 4},
            {1: (1,), 2: (1,), 3: (), 4: ()},
        ),
        ({"task": "add", "pe": "nope"}, {1: (), 2: (), 3: (), 4: (1, 0)}),
        ({"task": "add", "pe": "rpe"}, {1: (), 2: (), 3: (), 4: ()}),  # noise tells which
        # Joint support leaves the shorter inputs open.
        ({"task": "mod_add", "modulus": 101}, {1: (1,), 2: (1,), 3: (), 4: ()}),
        ({"task": "add", "train_domain": "every"}, {1: (1,), 2: (1,), 3: (), 4: ()}),
        ({"task": "add"}, {1: (), 2: (), 3: (), 4: ()}),
    ],
)
def test_candidates_by_setting(words: dict, each: dict) -> None:
    said = predicted(**words, test_digits="1-4")
    assert {x.digits: x.candidates for x in said.lengths} == each


@pytest.mark.parametrize(
    "words",
    [
        {"window": 3, "layers": 1, "pe": "rpe"},
        {"pe": "randomized"},
        {"train_pairs": 20},
        {"pe": "coupled", "padding": "none"},
        {"pe": "nope", "layout": "bare"},
    ],
    ids=["blind", "random positions", "a small sample", "natural lengths", "no sign in sight"],
)
def test_where_nothing_is_known_of_a_model_no_candidate_is_named(words: dict) -> None:
    said = predicted(task="add", test_digits="1-5", **words)
    assert any(x.claim == Claim.NONE for x in said.lengths)
    assert not any(x.candidates for x in said.lengths)
