"""Shapes: which there are and how often, against enumeration."""

from __future__ import annotations

from collections import Counter

import pytest
from builders.brute_force import members
from builders.natural_examples import digits

from arith.theory.errors import NotCountable
from arith.theory.inference.result_lengths import number_of_tuples, result_lengths
from arith.theory.inference.shapes import shapes
from arith.theory.setting.domains import KINDS, Domain
from arith.theory.setting.expressions import parse_task
from arith.theory.setting.requests import Request

TASKS = ("a + b", "a - b", "2*a + 3*b + 1", "a + b + c", "50*a", "a + 25*b + 700")


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
    found = shapes(setting, (n,), kind)
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
    rows = zip(found.widths.tolist(), found.results.tolist(), found.counts, strict=True)
    assert {(*widths, m): count for widths, m, count in rows} == real
    assert len(found.firsts) == len(longest)


def test_the_counts_of_long_numbers_add_up() -> None:
    for text, widths in (("a + b + c", (30, 12, 30)), ("a + 25*b", (3, 40))):
        counts = result_lengths(parse_task(text), 10, widths)
        assert sum(counts.values()) == number_of_tuples(widths, 10)
    n = 9 * 10**29  # the pairs of 30 digits with a >= b
    assert sum(result_lengths(parse_task("a - b"), 10, (30, 30)).values()) == n * (n + 1) // 2


def test_other_orders_are_not_counted() -> None:
    with pytest.raises(NotCountable, match="is defined"):
        result_lengths(parse_task("2*a - b"), 10, (2, 2))
    with pytest.raises(NotCountable, match="digits of"):
        result_lengths(parse_task("a*b"), 10, (2, 2))
