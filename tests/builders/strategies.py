"""Random tasks, domains and learned functions that can be enumerated, and how many of them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from hypothesis import assume, settings
from hypothesis import strategies as st

from arith.theory.arithmetic.domains import KINDS, Domain
from arith.theory.arithmetic.expressions import parse_task
from arith.theory.arithmetic.tasks import TASKS, Task, named_task
from arith.theory.counting.learned import LearnedFunction
from arith.theory.errors import InvalidInput
from arith.theory.observation.support import Support
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import PADDINGS
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import BLANKS, LAYOUTS, PART_WORDS
from arith.verify.plan.cells import Cell
from builders.brute_force import members


def examples(number: int) -> settings:
    """So many random cases, or as many as ``ARITH_EXAMPLES`` asks for."""
    return settings(max_examples=int(os.environ.get("ARITH_EXAMPLES", number)))


EXPRESSIONS = ("2*a + 3*b", "a", "a*a", "a*b + b", "3*a - b", "a*a + 2*b", "a*b + 5", "4*a*b")
MORE_EXPRESSIONS = (
    "a + b + c",
    "a + 2*b - c",
    "a*b + c",
    "a*b*c",
    "a*b + b*c",
    "a*a*b + 3*c",
    "a**3",
    "a*a*b*b",
    "a*b + 2*a + 3*b",
    "4*a*b + 2*c",
    "a + b*b + 7*c",
    "(a + b)**2",
    "12*a",
)
SIGNED_EXPRESSIONS = ("a - b", "2*a - 3*b", "a - b - c + 7", "5 - a", "a - b*b", "a*b - c")


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Named tasks and expressions, with small moduli."""
    modulus = draw(st.none() | st.integers(1, 60))
    if draw(st.booleans()):
        name = draw(st.sampled_from(("add", "sub", "mul")))
        return named_task(name if modulus is None else f"mod_{name}", modulus)
    text = draw(st.sampled_from(EXPRESSIONS))
    return parse_task(text, modulus)


domains = st.builds(
    Domain,
    st.lists(st.integers(1, 2), min_size=1, max_size=2).map(tuple),
    st.sampled_from(("longest", "every")),
)


@st.composite
def learned_functions(draw: st.DrawFn) -> tuple[LearnedFunction, Domain]:
    """Any task of 1 to 3 operands, trained and tested on domains small enough to enumerate."""
    signed = st.sampled_from(SIGNED_EXPRESSIONS).map(lambda x: parse_task(x, None, "signed"))
    task = draw(tasks() | st.sampled_from(MORE_EXPRESSIONS).map(parse_task) | signed)
    if task.modulus is None and draw(st.booleans()):
        task = replace(task, modulus=draw(st.integers(1, 60)))
    if task.modulus is None and draw(st.booleans()):
        task = replace(task, results="signed")
    base = draw(st.integers(2, 6))
    train = draw(domains)
    if draw(st.booleans()):
        digits = draw(st.sets(st.integers(0, base - 1), min_size=1))
        place = draw(st.integers(1, max(train.lengths)))
        train = replace(train, allowed=((place, tuple(sorted(digits))),))
    test = Domain((draw(st.integers(1, 3)),), draw(st.sampled_from(("longest", "every"))))
    longest = max(*train.lengths, *test.lengths)
    assume(base ** (longest * task.operands) <= 5_000)
    assume(members(task, train, base) and members(task, test, base))
    return LearnedFunction(Support(task, train, base)), test


LARGE_EXPRESSIONS = (
    *EXPRESSIONS,
    *MORE_EXPRESSIONS,
    "a + b + c + d",
    "7*a + 11*b + 13*c",
    "a + b + c - d",
    "999*a + 1001*b",
    "a*b*c*d",
    "(a + b + c + d)**2",
)


def _several(most: int) -> st.SearchStrategy[str]:
    """Lengths up to one, as an option has them: one, a few, or all between two."""
    numbers = st.one_of(st.integers(1, min(most, 8)), st.integers(1, most))
    few = st.lists(numbers, min_size=1, max_size=3).map(lambda ns: ",".join(map(str, ns)))
    return few | st.tuples(numbers, numbers).map(lambda ns: f"{min(ns)}-{max(ns)}")


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Settings of all sizes that the options take; not all of them make sense."""
    base = draw(st.integers(2, 16) | st.integers(2, 256) | st.just(10))
    modulus = draw(
        st.none()
        | st.integers(1, 400)
        | st.integers(1, 10**6)
        | st.integers(1, 12).map(base.__pow__)
    )
    names = [name for name, task in TASKS.items() if task.modular == (modulus is not None)]
    named, natural = draw(st.booleans()), draw(st.booleans())
    layouts = [
        x.name
        for x in LAYOUTS.values()
        if natural or not (x.hinted or x.scratchpad or x.spaced)
        if x.marked or x.interleaved or not natural
    ]
    layout = draw(st.sampled_from(layouts))
    seen = st.just(0) if natural and layout != "interleaved" else st.integers(0, 40)
    kinds = KINDS if natural and layout != "interleaved" else KINDS[:2]
    words: dict[str, Any] = {
        "task": draw(st.sampled_from(names)) if named else None,
        "expr": None if named else draw(st.sampled_from(LARGE_EXPRESSIONS)),
        "modulus": modulus,
        "base": base,
        "pe": draw(st.sampled_from(tuple(ENCODINGS))),
        "layout": layout,
        "padding": PADDINGS[natural],
        "window": draw(st.just(0) | seen),
        "layers": draw(st.integers(0, 4) | st.integers(0, 100)),
        "train_digits": draw(_several(100)),
        "test_digits": draw(st.none() | _several(100) | _several(1000)),
        "train_domain": draw(st.sampled_from(kinds)),
        "test_domain": draw(st.sampled_from(kinds)),
    }
    if draw(st.integers(0, 3)) == 3:
        place, digit = draw(st.integers(1, 100)), draw(st.integers(0, base - 1))
        words["train_allowed"] = (f"{place}:0-{digit}",)
    if draw(st.integers(0, 3)) == 3:
        words["train_priming"] = (f"{draw(st.integers(1, 100))}:0.01",)
    return Request(**words)


@st.composite
def cells_of_formats(draw: st.DrawFn) -> Cell:
    """A cell that writes its examples in some format."""
    words = [*PART_WORDS, "random spaces 1/4", *["2 digits per token from the left"] * 4]
    words += [f"padded to {n} with {blank}" for n in (4, 6) for blank in BLANKS]
    parts = draw(st.lists(st.sampled_from(words), max_size=5))
    start = draw(st.sampled_from(sorted(LAYOUTS)))
    natural = draw(st.booleans())
    try:
        setting = Request(
            task=draw(st.sampled_from(["add", "multi_add", "mul"])),
            base=draw(st.sampled_from([2, 3, 10])),
            pe=draw(st.sampled_from(["ape", "rpe", "abacus"])),
            layout=", ".join([start, *parts]),
            train_digits=draw(st.sampled_from(["1-3", "2", "4"])),
            test_digits="1-4",
            padding="none" if natural else "fixed",
            starts=draw(st.sampled_from([1, 7])) if "markers" in parts else 32,
        ).setting()
        return Cell(setting, "pico")
    except InvalidInput:
        assume(False)
        raise
