"""How much work a question may take: steps estimated from the question, never from a clock.

There is one limit of steps, ``LIMIT``, and one of memory, ``ENTRIES``; whatever else is limited has
a share of them.  A step is about a nanosecond of an ordinary processor.  What is remembered from an
earlier question is charged again, so that a question is counted on every machine or on none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, TypeVar

from arith.theory.errors import NotCountable, TooMuchWork

LIMIT = 10_000_000_000
"""Steps that an answer may take (about ten seconds)."""
PART = LIMIT * 3 // 20
"""Steps of one part of an answer: what follows beyond training, the counts of all lengths, ..."""
LITTLE = LIMIT * 3 // 100
"""Steps of what is tried where a count is given up."""
ENTRIES = 10_000_000
"""Numbers that an answer may hold at once (some hundred megabytes)."""


@dataclass
class Meter:
    """The steps of a budget: the most, if there is a most, and how many are spent."""

    limit: int | None
    spent: int = 0


_meter: ContextVar[Meter] = ContextVar("_meter", default=Meter(None))  # noqa: B039

_Function = TypeVar("_Function", bound=Callable[..., Any])


@contextmanager
def budget(limit: int) -> Iterator[Meter]:
    """Let counts made inside take so many steps; a budget around it is charged for them then.

    A part may take its whole share, whatever is left around it: what it finds never depends on
    what was asked before.  Whoever asks for many parts finds at the next charge that all is spent.
    """
    outer, inner = _meter.get(), Meter(limit)
    token = _meter.set(inner)
    try:
        yield inner
    finally:
        _meter.reset(token)
        outer.spent += inner.spent


def spend(steps: int) -> None:
    """Charge work, before it is done.

    Raises:
        TooMuchWork: more than what is left.  A hundredth of the budget is charged then, so that
            there is an end to asking.
    """
    meter = _meter.get()
    if meter.limit is not None and meter.spent + steps > meter.limit:
        meter.spent = min(meter.limit, meter.spent + meter.limit // 100)
        raise TooMuchWork(
            "this takes too long to be worked out: ask for fewer digits, lengths or operands, or "
            "for a smaller base, window or modulus"
        )
    meter.spent += steps


def memoize_with_cost(size: int) -> Callable[[_Function], _Function]:
    """``lru_cache``, but a remembered value, or why there is none, is charged what it cost.

    One that costs more than what is left uses that up, whether it is remembered or not: what a
    question can still count after it must not depend on what was asked before.
    """

    def decorate(function: _Function) -> _Function:
        @lru_cache(maxsize=size)
        def counted(*args: Any) -> tuple[Any, NotCountable | None, int]:
            meter = _meter.get()
            before, value, error = meter.spent, None, None
            try:
                value = function(*args)
            except TooMuchWork:  # with more steps left there may be a value
                raise
            except NotCountable as why:
                error = why.with_traceback(None)  # which would keep all that was being counted
            return value, error, meter.spent - before

        @wraps(function)
        def charged(*args: Any) -> Any:
            meter = _meter.get()
            before = meter.spent
            try:
                value, error, cost = counted(*args)
                meter.spent = before
                spend(cost)
            except TooMuchWork:
                meter.spent = meter.limit or meter.spent
                raise
            if error is not None:
                raise error
            return value

        charged.cache_clear = counted.cache_clear  # type: ignore[attr-defined]
        return charged  # type: ignore[return-value]

    return decorate
