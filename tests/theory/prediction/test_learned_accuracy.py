"""The learned function's accuracy against an implementation of its own, input by input.

100 random cells; ``ARITH_EXAMPLES=2000`` makes the full run.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from builders.strategies import EXPRESSIONS, MORE_EXPRESSIONS, examples
from hypothesis import assume, given
from hypothesis import strategies as st

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.encodings import ENCODINGS
from arith.theory.setting.requests import Request
from arith.theory.setting.tasks import TASKS, Task

CELLS = examples(100)
LARGEST = 3_000
"""Operand tuples that are enumerated at most."""


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Any task, base, domain and encoding, small enough to be enumerated."""
    base = draw(st.integers(2, 6))
    name = draw(st.none() | st.sampled_from(sorted(TASKS)))
    expr = modulus = None
    if name is not None and TASKS[name].modular:
        modulus = draw(st.integers(1, 60))
    if name is None:
        expr = draw(st.sampled_from(EXPRESSIONS + MORE_EXPRESSIONS))
        if draw(st.booleans()):
            expr = f"({expr}) // {base ** draw(st.integers(0, 2))}"
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
    form = draw(st.sampled_from(("aligned", "plain", "reversed", "bare")))
    return Request(
        *(name, expr, modulus, base, pe, form, draw(st.sampled_from((0, 0, 5)))),
        *(draw(st.sampled_from((0, 0, 7))), draw(st.sampled_from((0, 0, 2)))),
        *(lengths, draw(kinds), priming, tuple(allowed), None, "1-4", draw(kinds)),
    )


def digits_of(x: int, base: int, width: int) -> tuple[int, ...]:
    return tuple(x // base**i % base for i in range(width))


def length_of(x: int, base: int) -> int:
    return next(n for n in range(1, 100) if x < base**n)


def truth(task: Task, x: tuple[int, ...]) -> int:
    """f by its definition; below 0 where it is not defined."""
    total = 0
    for coefficient, exponents in task.terms:
        for value, e in zip(x, exponents, strict=True):
            coefficient *= value**e
        total += coefficient
    total //= task.divisor
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


@CELLS
@given(requests())
def test_learned_accuracy_is_what_enumeration_counts(request: Request) -> None:
    try:
        setting = request.setting()
        prediction = predict(setting)
    except InvalidInput:
        assume(False)
    task, base, train = setting.task, setting.base, setting.train
    width = max(train.every_length)
    assume(base ** (width * task.operands) <= LARGEST)
    trained = [
        x
        for x in inputs(prediction, train.every_length, train.kind)
        if all(digits_of(v, base, i)[-1] in only for i, only in train.allowed for v in x)
    ]
    shown = [
        [{digits_of(x[j], base, 5)[i] for x in trained} for i in range(5)]
        for j in range(task.operands)
    ]
    compared = 0
    for x in prediction.lengths:
        if base ** (x.digits * task.operands) > LARGEST:
            continue
        if prediction.learned is None and not prediction.continues:
            assert x.learned_accuracy == x.accuracy
        elif prediction.continues:
            assert x.learned_accuracy == 1
        else:
            tested = inputs(prediction, (x.digits,), setting.test_kind)
            right = sum(truth(task, t) == learned(prediction, 5, t, shown) for t in tested)
            assert x.learned_accuracy == Fraction(right, len(tested))
            compared += 1
    assume(compared or prediction.learned is None)
