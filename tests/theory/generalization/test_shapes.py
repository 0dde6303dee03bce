"""Shapes: which there are and how often, against enumeration."""

from __future__ import annotations

from collections import Counter

import pytest
from builders.brute_force import members
from builders.natural_examples import digits

from arith.theory.arithmetic.domains import KINDS, Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.errors import NotCountable
from arith.theory.observation.addresses import shapes
from arith.theory.setting.requests import Request

TASKS = ("a + b", "a - b", "2*a + 3*b + 1", "a + b + c", "50*a", "a + 5*b + 30")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["plain", "reversed"])
@pytest.mark.parametrize("text", TASKS)
@pytest.mark.parametrize(("base", "n"), [(2, 3), (3, 2), (10, 1)])
def test_the_shapes_of_a_domain_are_those_of_its_members(
    text: str, form: str, kind: str, base: int, n: int
) -> None:
    if kind == "total":
        base, n = min(base, 3), max(n, parse_task(text).operands)
    setting = Request(
        expr=text, base=base, padding="none", layout=form, train_digits=str(n)
    ).setting()
    found = shapes(setting, Domain((n,), kind))
    real: Counter[tuple[int, ...]] = Counter()
    longest: dict[tuple[int, ...], int] = {}
    for x in members(setting.task, Domain((n,), kind), base):
        widths = tuple(len(digits(v, base)) for v in x)
        m = len(digits(setting.task.evaluate(*x), base))
        real[*widths, m] += 1
        longest[widths] = max(m, longest.get(widths, 0))
    if form == "reversed" and not setting.task.needs_order:
        by_operands: Counter[tuple[int, ...]] = Counter()
        for (*widths, _), count in real.items():
            by_operands[*widths, longest[tuple(widths)]] += count
        real = by_operands
    assert {(*x.widths, x.result): x.inputs for x in found} == real
    assert len({x.widths for x in found}) == len(longest)


def test_other_orders_are_not_counted() -> None:
    setting = Request(expr="2*a - b", padding="none", layout="plain", train_digits="2").setting()
    with pytest.raises(NotCountable, match="is defined"):
        shapes(setting, Domain((2,), "longest"))
