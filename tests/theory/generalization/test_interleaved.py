"""Natural lengths in the interleaved layout: claims against all written contexts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from builders.brute_force import best_local
from builders.predictions import predicted

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import Task
from arith.theory.observation.contexts import receptive_field
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import encoding
from arith.theory.transformer.layouts import Layout
from arith.verify.data.sampling import Sampler
from arith.verify.data.sequences import NaturalFormat
from arith.verify.plan.cells import Cell

ADD = {"task": "add", "padding": "none", "layout": "interleaved", "train_digits": "1-5"}
Contexts = dict[tuple[int, ...], set[int]]


def places(
    setting: Setting, domain: Domain, reads: int
) -> dict[tuple[int, tuple[int, ...]], set[int]]:
    """By the index of a query and its context what is answered, from every example of a domain."""
    found: dict[tuple[int, tuple[int, ...]], set[int]] = {}
    for n in domain.lengths:
        asked = (setting.task, setting.base, setting.layout, Domain((n,), domain.kind))
        for place, answers in places_at(*asked, reads).items():
            found.setdefault(place, set()).update(answers)
    return found


@cache
def places_at(
    task: Task, base: int, layout: Layout, domain: Domain, reads: int
) -> dict[tuple[int, tuple[int, ...]], set[int]]:
    """``places`` at one length: how examples are written depends on nothing else."""
    setting = Setting(task, base, encoding("rpe"), layout, domain, padding="none")
    form = Cell(setting, "pico").format_for(*domain.lengths)
    assert isinstance(form, NaturalFormat)
    operands = Sampler(form, domain).everything()
    lines = form.write(operands, form.results(operands))
    over, end = ((lines == x).argmax(1) for x in (form.base + 2, form.end))
    assert (over < end).all()
    found: dict[tuple[int, tuple[int, ...]], set[int]] = {}
    for slot in range(1, lines.shape[1]):
        beside = (slot < over) & (slot % (task.operands + 1) == 0)
        asks = beside | ((over < slot) & (slot <= end))
        for *context, answer in distinct(lines[asks, max(0, slot - reads) : slot + 1]):
            found.setdefault((slot - 1, tuple(context)), set()).add(answer)
    return found


def distinct(rows: np.ndarray) -> set[bytes]:
    """Rows of tokens, each once."""
    assert rows.max(initial=0) < 256
    return set(np.ascontiguousarray(rows, np.uint8).view(f"V{rows.shape[1]}").ravel().tolist())


def written(setting: Setting, domain: Domain, reads: int) -> Contexts:
    """By context, the query last, what is answered, from every example of a domain."""
    found: Contexts = {}
    for (_, context), answers in places(setting, domain, reads).items():
        found.setdefault(context, set()).update(answers)
    return found


@pytest.mark.parametrize(
    ("expr", "base", "window", "layers", "digits"),
    [
        *product(("a + b",), (2, 3), (4, 5, 6), (1,), ("1-3", "2")),
        *product(("a + b",), (2,), (5,), (2,), ("1-3", "1-5")),
        *product(("a - b",), (2, 3), (4, 5, 6), (1,), ("1-3", "2", "2+4")),
        *product(("a - b", "2*a - b"), (2,), (5,), (2,), ("1-3", "1-5")),
        *product(("b - a + 1", "a - 2*b"), (2, 3), (5, 6), (1,), ("1-3", "3")),
        ("a + b + c", 2, 7, 1, "1-3"),
        ("2*a + b", 3, 5, 1, "1-2"),
        ("3*a", 3, 3, 1, "1-3"),
    ],
)
def test_a_length_is_claimed_where_training_writes_every_context_of_it(
    expr: str, base: int, window: int, layers: int, digits: str
) -> None:
    words = {"expr": expr, "base": base, "window": window, "layers": layers, "pe": "rpe"}
    longest = 5 if base == 3 or "c" in expr else 6
    request = {**ADD, "task": None, **words, "train_digits": digits}
    request["test_digits"] = f"1-{longest}"
    setting = Request(**request).setting()
    reads = receptive_field(setting)
    assert reads is not None
    shown = written(setting, setting.train, reads)
    ambiguous = any(len(answers) > 1 for answers in shown.values())
    got = predicted(**request)
    for x in got.lengths:
        if setting.is_premise(x.digits):
            continue
        asked = written(setting, setting.test(x.digits), reads)
        lacking = any(not answers <= shown.get(c, set()) for c, answers in asked.items())
        assert (x.accuracy == 1) == (not lacking and not ambiguous)


@pytest.mark.parametrize("starts", [1, 8, 24])
@pytest.mark.parametrize(
    ("expr", "base", "window", "digits"),
    [("a + b", 2, 5, "1-5"), ("a + b", 3, 5, "1-4"), ("3*a", 2, 4, "2+5"), ("3*a", 3, 3, "2+4")],
)
def test_from_random_starts_each_context_is_shown_at_each_index_that_is_asked_for(
    expr: str, base: int, window: int, digits: str, starts: int
) -> None:
    words = {**ADD, "task": None, "expr": expr, "base": base, "window": window, "layers": 1}
    words["test_digits"] = "1-6" if base == 2 else "1-5"
    request = Request(**words | {"pe": "shifted", "train_digits": digits})
    setting = replace(request.setting(), starts=starts)
    shown: dict[tuple[int, tuple[int, ...]], set[int]] = {}
    for (index, context), answers in places(setting, setting.train, window).items():
        for start in range(starts):
            shown.setdefault((index + start, context), set()).update(answers)
    longest = setting.train.every_length[-1]
    claimed = [x.digits for x in predict(setting).lengths if x.accuracy == 1 and x.digits > longest]
    for n in claimed:
        asked = places(setting, setting.test(n), window)
        assert all(shown.get(c) == answers for c, answers in asked.items())
    relative = replace(setting, encoding=encoding("rpe"))
    assert bool(claimed) == (starts == 24 and predict(relative).lengths[-1].accuracy == 1)


Indexed = dict[tuple[tuple[int, ...], tuple[int, ...]], set[tuple[int, ...]]]


def indexed(setting: Setting, domain: Domain, reads: int, indices: int) -> Indexed:
    """By context and answers the indices that it stands at, by every subset of so many."""
    found: Indexed = {}
    task, k = setting.task, setting.task.operands
    for n in domain.lengths:
        tokens = 2 + n * (k + 1) + max(task.result_width(setting.base, n) - n, 0)
        for (query, context), answers in places(setting, Domain((n,), domain.kind), reads).items():
            seen = drawn(indices, tokens, query + 1 - len(context), query + 1)
            found.setdefault((context, tuple(sorted(answers))), set()).update(seen)
    return found


@cache
def drawn(indices: int, tokens: int, first: int, end: int) -> set[tuple[int, ...]]:
    """The indices that some tokens of an example can have, by every subset."""
    return {subset[first:end] for subset in combinations(range(indices), tokens)}


@pytest.mark.parametrize("pe", ["randomized", "randomized-fire"])
@pytest.mark.parametrize(
    ("expr", "base", "window", "digits", "kinds", "claimed"),
    [
        ("a + b", 2, 5, "1-4", ("longest", "longest"), {5}),
        ("a + b", 2, 5, "4", ("longest", "longest"), {5}),
        ("a + b", 2, 5, "1-3", ("longest", "longest"), set()),
        ("a + b", 2, 5, "1-4", ("longest", "every"), {5}),
        ("a + b", 2, 5, "1-4", ("every", "longest"), set()),
        ("a + b", 2, 6, "1-4", ("longest", "longest"), set()),
        ("3*a", 3, 3, "1-4", ("longest", "longest"), {5, 6}),
        ("3*a", 3, 3, "2+4", ("longest", "longest"), {5, 6}),
        ("3*a", 3, 3, "1-3+5", ("longest", "longest"), {6}),
        ("3*a", 3, 3, "5", ("longest", "longest"), {6}),
        ("a", 2, 3, "2+5", ("longest", "longest"), {6}),
        ("a + 1", 2, 3, "1-4", ("longest", "longest"), {5, 6}),
        ("a + 1", 2, 3, "1-3+5", ("longest", "longest"), set()),
    ],
)
def test_at_random_indices_training_shows_all_that_a_claimed_length_asks_for(
    expr: str,
    base: int,
    window: int,
    digits: str,
    kinds: tuple[str, str],
    claimed: set[int],
    pe: str,
) -> None:
    """By all subsets of the indices; where contexts alone would do, some indices are lacking."""
    words = {**ADD, "task": None, "expr": expr, "base": base, "window": window, "layers": 1}
    words |= dict(zip(("train_domain", "test_domain"), kinds, strict=True))
    operands = 2 if "b" in expr else 1
    longest = 7 - operands
    words |= {"train_digits": digits, "test_digits": f"1-{longest}"}
    setting = Request(**words, pe=pe).setting()
    indices = 3 + longest * (operands + 1)  # no more than the longest examples have
    shown = indexed(setting, setting.train, window, indices)
    relative = predicted(**words, pe="rpe").lengths
    right = set()
    for x, alone in zip(predicted(**words, pe=pe).lengths, relative, strict=True):
        if setting.is_premise(x.digits):
            continue
        asked = indexed(setting, setting.test(x.digits), window, indices)
        is_shown = all(at <= shown.get(key, set()) for key, at in asked.items())
        if x.accuracy == 1:
            right.add(x.digits)
            assert is_shown and alone.accuracy == 1
        elif alone.accuracy == 1 and expr != "a + 1" and kinds[0] == "longest":
            assert not is_shown
    assert right == claimed


def test_random_positions_go_on_as_far_as_there_are_indices() -> None:
    """Sums of 41 digits have 126 tokens before the end, and those of 42 digits have 129."""
    for pe in ("randomized", "randomized-fire"):
        words = {**ADD, "window": 5, "layers": 1, "pe": pe}
        got = predicted(**words, test_digits="6,30,41,42")
        assert [x.accuracy for x in got.lengths] == [1, 1, 1, None]
        assert "128 indices" in got.derivation[-1].statement
        for broken in ({"layers": 2}, {"window": 0}, {"train_allowed": ("2:0-8",)}):
            assert {x.accuracy for x in predicted(**words | broken, test_digits="6").lengths} == {
                None
            }
        gaps = predicted(**words | {"train_digits": "1-4+7", "test_digits": "5,6,8"}).lengths
        assert [x.accuracy for x in gaps] == [1, 1, 1]
        assert (
            predicted(**words | {"train_digits": "5"}, test_digits="4").lengths[0].accuracy is None
        )


def test_a_random_start_makes_learned_positions_go_on_as_far_as_it_reaches() -> None:
    """30 digits end 62 tokens further than the first query stands, and 10 digits 30."""
    words = {**ADD, "window": 5, "layers": 1, "test_digits": "6,10,11,30"}
    assert [x.accuracy for x in predicted(**words, pe="shifted").lengths] == [1, 1, None, None]
    bounds = [x.at_most for x in predicted(**words, pe="ape").lengths]
    assert bounds == [Fraction(10, 99) / 10 ** (n - 6) for n in (6, 10, 11, 30)]


def test_of_one_operand_the_query_stands_at_the_digit_that_it_needs() -> None:
    got = predicted(**{**ADD, "task": None, "expr": "3*a", "pe": "ape", "window": 3, "layers": 1})
    assert {x.at_most for x in got.lengths} == {1} and got.verdict("upward") == "undetermined"
    assert any("at any position" in step.statement for step in got.derivation)


def test_why_a_length_is_open_is_said_beside_a_bound_on_others() -> None:
    got = predicted(**{**ADD, "train_digits": "2,5", "test_digits": "1-6", "pe": "ape"})
    assert [x.claim for x in got.lengths] == ["none", "exact", "none", "none", "exact", "at most"]
    assert any(step.leaves_open and "1, 3..4 digits" in step.statement for step in got.derivation)


def test_a_window_that_holds_the_rule_goes_on_and_one_broken_premise_ends_it() -> None:
    """In sight of more, deeper, or by places: no claim, or a bound."""
    longer = {"test_digits": "6,30"}
    good = {**ADD, **longer, "pe": "rpe", "window": 5, "layers": 1}
    assert [x.accuracy for x in predicted(**good).lengths] == [1, 1]
    for broken in ({"layers": 2}, {"window": 0}, {"layers": 0}):
        assert [x.accuracy for x in predicted(**good | broken).lengths] == [None, None]
    bounds = [x.at_most for x in predicted(**good | {"pe": "ape"}).lengths]
    assert bounds == [Fraction(10, 99) / 10**n for n in (0, 24)]


@pytest.mark.parametrize("kind", ["longest", "every"])
@pytest.mark.parametrize(("expr", "base"), [("a + b", 3), ("2*a + b", 4), ("a + 2*b", 4)])
def test_the_bound_is_that_of_the_best_answers_without_the_digits(
    expr: str, base: int, kind: str
) -> None:
    """Of one operand, all else being seen but what later queries lack."""
    words = {**ADD, "task": None, "expr": expr, "base": base, "train_digits": "1"}
    words |= {"pe": "ape", "window": 0, "test_digits": "2-3", "test_domain": kind}
    words |= {"train_domain": kind}
    setting = Request(**words).setting()
    task = setting.task
    for x in predicted(**words).lengths:
        form = Cell(setting, "pico").format_for(x.digits)
        operands = Sampler(form, setting.test(x.digits)).everything()
        results = form.results(operands)
        best = []
        for j in range(task.operands - 1):  # at that of the last operand the query stands
            read = zip(operands.reshape(len(operands), -1).tolist(), results.tolist(), strict=True)
            lacks = [(j * form.width + i, i) for i in range(1, x.digits)]
            examples = [(tuple(a), tuple(b)) for a, b in read]
            best.append(Fraction(best_local(examples, lacks), len(operands)))
        assert min(best) <= x.at_most < 1
