"""Best guesses: against the best answers that any model without a digit can give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from builders.brute_force import best_local
from builders.natural_examples import digits

from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import Task
from arith.theory.counting.bounds import best_guess, most_right
from arith.theory.observation.addresses import AddressObservation, Finding, Missing, shapes
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting

Told = Callable[[list[int], int], object]
"""What a model that is right has written, in a result, before it is asked for a digit."""
Case = tuple[str, int, tuple[int, ...]]


def setting_of(text: str, base: int, form: str) -> Setting:
    return Request(expr=text, base=base, layout=form, padding="none").setting()


def of_lengths(task: Task, base: int, widths: tuple[int, ...]) -> list[tuple[int, ...]]:
    ends = [(base ** (w - 1) if w > 1 else 0, base**w) for w in widths]
    return [x for x in product(*(range(*e) for e in ends)) if task.evaluate(*x) >= 0]


def best(task: Task, base: int, inputs: list, operand: int, position: int, told: Told) -> Fraction:
    """By a table of answers, one for each of what a model is told: all other digits, and ``told``.

    Where a result has no digit at the position, the model is taken to be right.
    """
    tables: dict[object, dict[object, Counter]] = defaultdict(lambda: defaultdict(Counter))
    free = 0
    for x in inputs:
        result = digits(task.evaluate(*x), base)
        if len(result) < position:
            free += 1
            continue
        d = x[operand] // base ** (position - 1) % base
        rest = (*x[:operand], x[operand] - d * base ** (position - 1), *x[operand + 1 :])
        # One answer of the model for the rest: the group's inputs part where ``told`` differs.
        tables[rest][told(result, position)][result[position - 1]] += 1
    right = sum(max(answers.values()) for table in tables.values() for answers in table.values())
    return Fraction(right + free, len(inputs))


def nothing(result: list[int], position: int) -> object:
    return tuple(result[: position - 1])


def above(result: list[int], position: int) -> object:
    return tuple(result[position:])


def all_of_it(task: Task, base: int, inputs: list, operand: int, position: int) -> Fraction:
    """Where the whole result is one answer for all values of a digit."""
    groups: dict[object, Counter] = defaultdict(Counter)
    for x in inputs:
        d = x[operand] // base ** (position - 1) % base
        rest = (*x[:operand], x[operand] - d * base ** (position - 1), *x[operand + 1 :])
        groups[rest][task.evaluate(*x)] += 1
    return Fraction(sum(max(c.values()) for c in groups.values()), len(inputs))


CASES: list[Case] = [
    *(("a + b", base, w) for base in (2, 3, 5) for w in ((1, 1), (2, 2), (1, 2), (2, 1))),
    ("a + b", 2, (3, 3)),
    ("2*a + b", 4, (2, 2)),
    ("2*a + 3*b + 1", 6, (2, 1)),
    ("a - b", 3, (2, 2)),
    ("a - b", 3, (2, 1)),
    ("b - a", 3, (2, 2)),
    ("a - b", 5, (1, 1)),
    ("a - b", 2, (4, 4)),
    ("a + b + c", 3, (2, 1, 2)),
]


@pytest.mark.parametrize(("text", "base", "widths"), CASES)
def test_no_model_without_a_digit_is_right_more_often(
    text: str, base: int, widths: tuple[int, ...]
) -> None:
    task = parse_task(text)
    inputs = of_lengths(task, base, widths)
    places = [(j, i) for j, w in enumerate(widths) for i in range(1, w + 1)]
    for j, i in places:
        top = i == widths[j] > 1

        def share(form: str, by_all: bool) -> Fraction:
            what = Missing(j, top, by_all)  # noqa: B023
            return best_guess(setting_of(text, base, form), what, widths, i)  # noqa: B023

        exists = all(len(digits(task.evaluate(*x), base)) >= i for x in inputs)
        if exists:
            assert best(task, base, inputs, j, i, nothing) == share("aligned", False)
        assert best(task, base, inputs, j, i, above) <= share("plain", False) or not exists
        assert all_of_it(task, base, inputs, j, i) == share("plain", True)


@pytest.mark.parametrize(
    ("text", "base"),
    [("a*b", 10), ("a*b", 6), ("a**2", 10), ("(a*b) % 50", 10), ("(a + b) % 12", 6)],
)
def test_the_units_of_other_tasks(text: str, base: int) -> None:
    task = parse_task(text)
    inputs = list(product(range(base**2 if task.operands == 1 else base), repeat=task.operands))
    what = Missing(0, False, False)
    share = best_guess(setting_of(text, base, "aligned"), what, (), 1)
    assert best(task, base, inputs, 0, 1, nothing) == share


@pytest.mark.parametrize(("base", "width"), [(2, 3), (2, 5), (3, 3), (4, 2), (5, 2)])
@pytest.mark.parametrize("operand", [0, 1])
def test_differences_that_end_before_a_digit_count_as_right(
    base: int, width: int, operand: int
) -> None:
    """Of a - b, results of one choice of operand lengths have several lengths.

    The query that lacks the digit also writes the end of results that are one digit shorter.
    """
    setting = setting_of("a - b", base, "aligned")
    test = setting.test(width)
    every = [x for x in shapes(setting, test) if x.widths == (width, width)]
    inputs = of_lengths(setting.task, base, (width, width))
    for i in range(1, width + 1):
        lacking = {Missing(operand, width == i > 1, False): {i: Fraction(1)}}
        found = [Finding(x, False, False, False, lacking if i <= x.result else {}) for x in every]
        groups, early = set(), 0
        for x in inputs:
            weight = base ** (i - 1)
            rest = (x[operand] - x[operand] // weight % base * weight, x[1 - operand])
            if len(digits(x[0] - x[1], base)) < i - 1:
                early += 1
            else:
                groups.add(rest)  # one answer for all that have these other digits
        most = most_right(setting, test, found)
        assert Fraction(len(groups) + early, len(inputs)) <= most


@pytest.mark.parametrize("text", ["a + b", "a - b", "a + b + c"])
def test_a_carry_that_is_written_may_tell_of_a_digit_before_its_query(text: str) -> None:
    """The query of the carry out of a digit needs it too, and may find it."""
    words = {"expr": text, "padding": "none", "train_digits": "1", "test_digits": "2-3"}
    setting = Request(**words, layout="plain, carries").setting()
    found = [x for n in (2, 3) for x in AddressObservation(setting).find(setting.test(n))]
    missing = [kind for x in found for kind in x.missing]
    assert missing and not any(kind.by_all for kind in missing)


def test_nothing_is_said_of_units_that_depend_on_more() -> None:
    what = Missing(0, False, False)
    assert best_guess(setting_of("(a + b) % 7", 10, "aligned"), what, (), 1) == 1


@pytest.mark.parametrize(
    ("text", "base", "width", "form"),
    [
        *(("a + b", base, 2, form) for base in (3, 4) for form in ("reversed", "plain")),
        *((text, 2, 3, "reversed") for text in ("a + b", "a + b + c")),
        ("a + b + c", 3, 2, "plain"),
        ("2*a + b", 4, 2, "reversed"),
        ("a + 3*b", 3, 2, "reversed"),
    ],
)
def test_no_local_model_beats_the_product(text: str, base: int, width: int, form: str) -> None:
    """Where every digit of the first operand is missing to the query of its place."""
    task, setting = parse_task(text), setting_of(text, base, form)
    order = [*range(width + 1)] if form == "reversed" else [*reversed(range(width + 1))]
    inputs = []
    for a, *others in product(range(base**width), repeat=task.operands):
        read = (*(a // base**i % base for i in range(width)), 0, *others)  # no digit above
        result = task.evaluate(a, *others)
        top = result // base**width
        inputs.append((read, (*(result // base**i % base for i in range(width)), top)))
    share = best_guess(setting, Missing(0, False, False), (), 1)
    local = Fraction(best_local(inputs, [(i, i) for i in order]), len(inputs))
    assert local <= share**width
    if form == "reversed":
        assert local == share**width


def test_queries_that_look_ahead_beat_the_product() -> None:
    """Each query misses a digit that the other sees: both are right on half, not a quarter.

    Sums in base 2.  The first takes b's two lowest digits for equal.  The second finds out from
    what was written that they are, if that was right.
    """
    right = 0
    inputs = of_lengths(parse_task("a + b"), 2, (3, 3))
    for a, b in inputs:
        c, (a1, a2), (b1, b2) = digits(a + b, 2), (a % 2, a // 2 % 2), (b % 2, b // 2 % 2)
        first = (a1 + b2) % 2  # without b1
        guessed = (first - a1) % 2  # without b2, from what stands there
        carry = (a1 + b1) // 2
        right += first == c[0] and (a2 + guessed + carry) % 2 == c[1]
    setting = setting_of("a + b", 2, "aligned")
    each = best_guess(setting, Missing(1, False, False), (3, 3), 1)
    assert Fraction(right, len(inputs)) == each == Fraction(1, 2)
