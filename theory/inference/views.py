"""Views: at which offsets the query of each result digit finds what it needs, and landmarks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from theory.inference.support import OperandDigit
from theory.numbers.effort import spend
from theory.setting.layouts import Layout, Token
from theory.setting.properties import carries
from theory.setting.settings import Setting
from theory.setting.tasks import Task

Landmark = tuple[str, int]
"""A landmark in view: the token's symbol, and how many tokens back it stands."""


@dataclass(frozen=True)
class View:
    """What the query that writes one result digit sees.

    Args:
        offsets: how many tokens back each needed digit stands (0 is the query itself).
        landmarks: the landmarks in the window, the furthest first.
        visible: the operand digits in the window, each with how many tokens back it stands.
    """

    position: int
    offsets: tuple[int, ...]
    landmarks: tuple[Landmark, ...]
    visible: dict[OperandDigit, int]

    @property
    def back(self) -> int:
        """How many tokens back the furthest needed digit stands."""
        return max(self.offsets, default=0)


def carry_reach(task: Task, base: int) -> int | None:
    """How many positions back a result digit has to look, None without finite carry.

    The digits of r positions below tell ``base**r`` carries apart.
    """
    states = carries(task, base)
    return None if states is None else next(r for r in count() if base**r >= states)


def tokens(setting: Setting) -> tuple[Token, ...]:
    """The tokens of one example, for the longest operands that are written."""
    width, result_width = _widths(setting)
    return _tokens(setting.layout, setting.task.operands, width, result_width)


@lru_cache(maxsize=8)  # thousands of tokens each, and asked for several times for a setting
def _tokens(layout: Layout, operands: int, width: int, result_width: int) -> tuple[Token, ...]:
    return layout.tokens(operands, width, result_width)


def _widths(setting: Setting) -> tuple[int, int]:
    """How many digits each operand and the result are padded to."""
    result_width = setting.task.result_width(setting.base, setting.digits)
    return setting.layout.operand_width(setting.digits, result_width), result_width


def views(setting: Setting) -> Iterator[View]:
    """The view of each result digit for the longest operands (TooMuchWork: too many tokens)."""
    task, window, sequence = setting.task, setting.window, tokens(setting)
    width, result_width = _widths(setting)
    index = {(t.kind, t.operand, t.position): s for s, t in enumerate(sequence)}
    reach = carry_reach(task, setting.base)
    for i in range(1, result_width + 1):
        spend(1_000 * (min(window, len(sequence)) if window else len(sequence)) + 5_000)
        query = index["result", -1, i] - 1
        lowest = 1 if reach is None else max(1, i - reach)
        highest = width if reach is None else min(i, width)
        needed = [
            query - index["operand", j, l]
            for l in range(lowest, highest + 1)
            for j in range(task.operands)
        ]
        if reach is not None:  # the result digits below tell the carry
            needed += [query - index["result", -1, l] for l in range(lowest, i)]
        yield View(
            i,
            tuple(needed),
            tuple(landmarks(sequence, query, window)),
            {
                (t.operand, t.position): query - s
                for s, t in _in_window(sequence, query, window)
                if t.kind == "operand"
            },
        )


def landmarks(sequence: tuple[Token, ...], query: int, window: int) -> Iterator[Landmark]:
    """The landmarks in the window of a query."""
    for s, token in _in_window(sequence, query, window):
        if token.kind == "landmark":
            yield token.symbol, query - s


def _in_window(sequence: tuple[Token, ...], query: int, window: int) -> Iterator[tuple[int, Token]]:
    """The tokens that a query sees, each with its index in the sequence."""
    first = max(0, query - window + 1) if window else 0
    return enumerate(sequence[first : query + 1], first)
