"""Views: what the query that writes each result digit sees of the digits it needs.

Derived from the layout and the window: at which offsets each result
digit finds the digits it needs, and which anchors (landmarks) its query sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from theory.inference.support import Place
from theory.numbers.effort import spend
from theory.setting.layouts import Layout, Token
from theory.setting.properties import carries
from theory.setting.tasks import Task


@dataclass(frozen=True)
class View:
    """What the query that writes one result digit sees.

    Args:
        position: the result digit's position, 1 = units.
        offsets: how many tokens back each needed digit stands (0 is the query itself).
        back: how many tokens back the furthest needed digit stands.
        landmarks: what tells the query where it is: (what, how many tokens back).
        visible: the operand digits in the window, (operand, position) -> tokens back.
    """

    position: int
    offsets: tuple[int, ...]
    back: int
    landmarks: tuple[tuple[str, int], ...]
    visible: dict[Place, int]


def carry_reach(task: Task, base: int) -> int | None:
    """How many positions back a result digit has to look, None without finite carry.

    The digits of r positions below fix the carry into the lowest of them modulo
    ``base**r``; so the least r with ``base**r`` at least the number of carries is enough.
    """
    states = carries(task, base)
    if states is None:
        return None
    reach, told_apart = 0, 1
    while told_apart < states:
        reach, told_apart = reach + 1, told_apart * base
    return reach


def views(task: Task, base: int, layout: Layout, window: int, digits: int) -> Iterator[View]:
    """The view of each result digit, for operands of up to ``digits`` digits.

    One at a time: often the first few decide.
    """
    tokens, width, result_width = places(task, base, layout, digits)
    slot = {(t.kind, t.operand, t.position): s for s, t in enumerate(tokens) if t.kind != "anchor"}
    reach = carry_reach(task, base)
    for i in range(1, result_width + 1):
        spend(1_000 * (min(window, len(tokens)) if window else len(tokens)) + 5_000)
        query = slot["result", -1, i] - 1
        first = 0 if not window else max(0, query - window + 1)
        needed = [slot[key] for key in _needed(task, i, reach, width, result_width)]
        yield View(
            i,
            tuple(query - slot for slot in needed),
            query - min(needed, default=query),
            tuple(landmarks(tokens, first, query)),
            {
                (t.operand, t.position): query - s
                for s, t in enumerate(tokens[first : query + 1], first)
                if t.kind == "operand"
            },
        )


def places(
    task: Task, base: int, layout: Layout, digits: int
) -> tuple[tuple[Token, ...], int, int]:
    """The tokens for operands of up to ``digits`` digits, and the operands' and the result's width."""
    result_width = task.result_width(base, digits)
    width = layout.operand_width(digits, result_width)
    return layout.tokens(task.operands, width, result_width), width, result_width


def _needed(
    task: Task, i: int, reach: int | None, width: int, result_width: int
) -> list[tuple[str, int, int]]:
    """The digits that result digit i is made from: those of the local rule, or all of them."""
    if reach is None:
        return [("operand", j, l) for l in range(1, width + 1) for j in range(task.operands)]
    span = range(max(1, i - reach), i + 1)
    keys = [("operand", j, l) for l in span if l <= width for j in range(task.operands)]
    return keys + [("result", -1, l) for l in span if l < i and l <= result_width]


def landmarks(tokens: tuple[Token, ...], first: int, query: int) -> list[tuple[str, int]]:
    """The anchors in the window of a query, each with how many tokens back it stands."""
    seen = [(t, query - s) for s, t in enumerate(tokens[first : query + 1], first)]
    return [(f"landmark '{t.symbol}'", back) for t, back in seen if t.kind == "anchor"]
