"""Cases of a digit rule: where all were shown, training shows all that the rule reads."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest
from builders.natural_examples import digits, examples

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task
from arith.theory.observation.addresses import AddressObservation, shapes
from arith.theory.observation.views import carry_reach
from arith.theory.setting.requests import Request

Read = tuple[object, ...]


def read(task: Task, base: int, longest: int, reach: int) -> dict[tuple[int, ...], set[Read]]:
    """By the operands' lengths, what the rule reads at each query and what is answered there."""
    found: dict[tuple[int, ...], set[Read]] = {}

    @cache
    def in_sight(value: int, back: int) -> list[Read]:
        """The digits of a number at each place and at so many below it, if it has them."""
        beside = [None] * (2 * longest + reach)  # no result is twice as long
        written = [*beside[:back], *digits(value, base), *beside]
        return [tuple(written[i : i + back + 1]) for i in range(2 * longest)]

    for x, value in examples(task, base, longest):
        result = digits(value, base)
        widths = tuple(len(digits(v, base)) for v in x)
        columns = zip(*(in_sight(v, reach) for v in x), in_sight(value, reach), strict=True)
        here = found.setdefault(widths, set())
        here.update(islice(columns, len(result) + 1))  # after its highest digit stands its end
    return found


@pytest.mark.parametrize(
    ("text", "base", "lengths", "longest"),
    [
        ("a + b", 2, "1-4", 6),
        ("a + b", 2, "1-3", 5),
        ("a + b", 2, "2+4", 6),
        ("a + b", 3, "1-4", 5),
        ("2*a + 1", 3, "1-4", 7),
        ("5*a", 2, "1-9", 11),
        ("2*a + b", 2, "1-6", 7),
    ],
)
def test_where_every_case_was_shown_nothing_that_the_rule_reads_is_new(
    text: str, base: int, lengths: str, longest: int
) -> None:
    words = {"expr": text, "base": base, "train_digits": lengths, "padding": "none"}
    setting = Request(**words, pe="coupled", test_digits=str(longest)).setting()
    observed = AddressObservation(setting)
    reach = carry_reach(setting.task, base)
    assert reach is not None
    by_lengths = read(setting.task, base, longest, reach)
    shown = set().union(*(r for w, r in by_lengths.items() if max(w) in setting.train.lengths))
    goes_on = 0
    for n in range(1, longest + 1):
        some = shapes(setting, Domain((n,), "longest"))
        for shape in some:
            whole = observed.cases(shape) <= observed.shown_cases
            assert not whole or by_lengths[shape.widths] <= shown, shape
            goes_on += whole and max(shape.widths) > setting.train.lengths[-1]
    assert goes_on or lengths == "1-3"
