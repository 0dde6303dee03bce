"""No setting takes long or much memory: it is answered, given up or refused within the limits."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product

import pytest
from builders.limits import calls_at_most, machine_limits, memory_at_most
from builders.strategies import examples, requests
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import KINDS, Domain
from arith.theory.arithmetic.effort import LIMIT, budget
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.errors import InvalidInput
from arith.theory.generalization import theorems
from arith.theory.generalization.outcomes import Claim
from arith.theory.learning.carry_classifier import CarryClassifier
from arith.theory.learning.leap_complexity import setting_leaps
from arith.theory.learning.plateaus import setting_plateaus
from arith.theory.observation.support import Support
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request

SECONDS, BYTES = 30.0, 10**9
"""Three times what a setting may take on a free core: tests share theirs."""


@examples(5)
@given(requests())
def test_every_setting_is_answered_within_the_limits(request: Request) -> None:
    with machine_limits(SECONDS, BYTES), budget(10**15) as meter, suppress(InvalidInput):
        setting = request.setting()
        predict(setting)
        assert meter.spent <= LIMIT + 10**8
        setting_leaps(setting)
        setting_plateaus(setting)


LONG = {
    "differences of many lengths in a large base": Request(
        expr="a - b",
        base=255,
        layout="plain",
        train_digits="1-100",
        test_digits="2",
        window=1,
        train_domain="every",
        test_domain="every",
    ),
    "many terms": Request(expr="(a+b+c+d)**8", padding="none"),
    "allowed digits of many lengths together": Request(
        expr="a+b+c+d",
        train_digits="1-25",
        test_digits="6",
        padding="none",
        train_domain="lengths",
        train_allowed=("50:0-6",),
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_what_took_minutes_takes_few_calls(name: str) -> None:
    with calls_at_most(2_500_000):
        predict(LONG[name].setting())


@pytest.mark.parametrize(
    "request_",
    [
        Request(expr="a+b+c+d", window=11, layers=1, train_digits="1-5"),
        Request(expr="7*a+11*b+13*c", base=64, window=10, layers=3),
    ],
)
def test_contexts_of_natural_lengths_have_a_budget(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theorems, "PART", 10**7)
    asked = replace(request_, pe="rpe", layout="interleaved", padding="none")
    with budget(10**15) as meter, memory_at_most(10**8):
        prediction = predict(asked.setting())
    assert meter.spent < 10**8
    longer = prediction.lengths[-1]
    assert longer.claim is Claim.NONE
    assert any("takes too long" in x.statement for x in prediction.derivation)


def test_sums_of_digits_do_not_hold_a_set_of_boxes_each() -> None:
    task, domain = parse_task("999*a + 1001*b"), Domain(tuple(range(4, 28)))
    boxes = domain.boxes(24, 2)
    with memory_at_most(12_000_000), suppress(InvalidInput), budget(10**9):
        CarryClassifier(task, 24, boxes)


@given(
    st.integers(2, 4),
    st.integers(1, 3),
    st.sampled_from(KINDS),
    st.dictionaries(st.integers(1, 5), st.sets(st.integers(0, 3), min_size=1), min_size=1),
    st.integers(1, 5),
)
def test_whether_operands_have_allowed_digits_is_told_without_cutting(
    base: int, operands: int, kind: str, allowed: dict[int, set[int]], n: int
) -> None:
    digits = {i: tuple(sorted(d for d in ds if d < base)) for i, ds in allowed.items()}
    domain = Domain((n,), kind, allowed=tuple((i, ds) for i, ds in digits.items() if ds))
    assert domain.has_operands(n, operands, base) == bool(domain.cut(n, base, operands))
    whole = Domain((n,), kind)
    if kind != "total" or n >= operands:
        number = len(whole.cut(n, base, operands))
        assert number == whole.number_of_boxes(n, operands) or (
            kind in ("longest", "coin") and n == 1
        )


def test_values_of_differences_are_those_of_defined_tuples() -> None:
    task, domain = parse_task("a - 2*b"), Domain((1, 2), allowed=((1, (0, 2)),))
    shown = Support(task, domain, 3)
    for box, digit in product(shown.boxes, product(range(2), (1, 2, 3))):
        each = [v for v in box.values(*digit) if shown.defined(box, {digit: v})]
        assert list(shown.possible(box, digit)) == each
