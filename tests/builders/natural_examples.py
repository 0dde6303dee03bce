"""Examples of natural length, written digit by digit, and what stands where in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product, repeat

from arith.theory.arithmetic.tasks import Task
from arith.theory.transformer.layouts import Layout

Written = list[tuple[str, int]]
"""Each token: whose digit it is (a name, ``result``, or a sign) and its weight, from 1."""


Spaces = tuple[bool, ...]


def digits(value: int, base: int) -> list[int]:
    """The digits of a number, the units first; 0 has one."""
    found = [value % base]
    while value >= base:
        value //= base
        found.append(value % base)
    return found


def examples(task: Task, base: int, longest: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every operand tuple of up to so many digits with its result, where there is one."""
    for x in product(range(base**longest), repeat=task.operands):
        value = task.evaluate(*x)
        if value >= 0:
            yield x, value


def every_choice(layout: Layout, task: Task, base: int, operands: tuple[int, ...]) -> list[Spaces]:
    """Every choice of spaces before the operand digits; the one of none in other layouts."""
    count = sum(len(digits(x, base)) for x in operands[: task.operands])
    return list(product((False, True), repeat=count if layout.spaced else 0))


def write(
    task: Task,
    base: int,
    layout: Layout,
    operands: tuple[int, ...],
    value: int,
    spaces: Spaces | None = None,
) -> Written:
    """The tokens of one example, without the first and the last.

    Args:
        spaces: whether one stands before an operand digit, in the order in which these are
            written; None for one before each, in the layout that has spaces.
    """
    line: Written = []
    space = iter(spaces or ()) if spaces is not None else repeat(layout.spaced)
    numbers = [*zip(task.names, operands, strict=True), ("result", value)]
    for name, number in numbers:
        weights = list(range(1, len(digits(number, base)) + 1))
        if name == "result":
            line += [("=", 0)]
            first = layout.result_first
        else:
            line += [("+", 0)] if line else [("<bos>", 0)]
            first = layout.operands_first
        for i in weights if first == "least" else weights[::-1]:
            line += [("marker", i)] if layout.hinted else []
            line += [("space", 0)] if name != "result" and next(space, False) else []
            line += [("carry", i)] if layout.scratchpad and name == "result" else []
            line.append((name, i))
    return line


def query_and_keys(
    task: Task, line: Written, position: int
) -> tuple[int, dict[tuple[int, int], int]]:
    """The index before a result digit, and the index of each operand digit."""
    query = line.index(("result", position)) - 1
    names = task.names
    keys = {(names.index(name), i): s for s, (name, i) in enumerate(line) if name in names}
    return query, keys
