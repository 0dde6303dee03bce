"""Views: at which offsets the query of each result digit finds what it needs, and landmarks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from arith.theory.arithmetic.automaton import digit_automaton
from arith.theory.inference.addresses import RESULT, local_needs
from arith.theory.numbers.effort import spend
from arith.theory.setting.layouts import Token
from arith.theory.setting.settings import Setting
from arith.theory.setting.tasks import Task

Landmark = tuple[str, int]
"""A landmark in view: the token's symbol, and how many tokens back it stands."""


@dataclass(frozen=True)
class View:
    """What the query that writes one result digit sees.

    Args:
        offsets: how many tokens back each needed digit stands (0 is the query itself).
        landmarks: those in the window, the furthest first.
    """

    position: int
    offsets: tuple[int, ...]
    landmarks: tuple[Landmark, ...]

    @property
    def back(self) -> int:
        """How many tokens back the furthest needed digit stands."""
        return max(self.offsets, default=0)


def carry_reach(task: Task, base: int) -> int | None:
    """How many positions back a result digit has to look, None without finite carry."""
    return digit_automaton(task, base).reach if task.has_finite_carry else None


def indices(tokens: tuple[Token, ...]) -> dict[tuple[int, int], int]:
    """The index of each digit of a sequence, by whose it is and its position."""
    digits = ("operand", "result")
    return {(t.operand, t.position): s for s, t in enumerate(tokens) if t.kind in digits}


@lru_cache(maxsize=8)  # thousands of tokens each, and asked for several times for a setting
def tokens(setting: Setting) -> tuple[Token, ...]:
    """The tokens of one example, for the longest operands that are written."""
    result_width = setting.task.result_width(setting.base, setting.digits)
    width = setting.operand_width
    return setting.layout.tokens((width,) * setting.task.operands, result_width, setting.natural)


def views(setting: Setting) -> Iterator[View]:
    """The view of each result digit of a task of finite carry, for the longest operands.

    Raises:
        TooMuchWork: too many tokens.
    """
    task, sequence = setting.task, tokens(setting)
    reach = carry_reach(task, setting.base)
    if reach is None:
        return
    index, needs = indices(sequence), local_needs(task.operands, reach)
    for i in range(1, task.result_width(setting.base, setting.digits) + 1):
        spend(1_000 * min(setting.window or len(sequence), len(sequence)) + 5_000)
        query = index[RESULT, i] - 1
        keys = (index.get((need.operand, i - need.below)) for need in needs)
        offsets = tuple(query - key for key in keys if key is not None)
        yield View(i, offsets, tuple(landmarks(sequence, query, setting.window)))


def landmarks(sequence: tuple[Token, ...], query: int, window: int) -> Iterator[Landmark]:
    """The landmarks in the window of a query, the furthest first."""
    first = max(0, query - window + 1) if window else 0
    for s, token in enumerate(sequence[first : query + 1], first):
        if token.kind == "landmark":
            yield token.symbol, query - s
