"""How far a long list has come: one line on standard error that is written anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TypeVar

_Item = TypeVar("_Item")
_ON_TERMINAL, _ELSEWHERE = 0.5, 10.0
"""Seconds between two signs of life."""


def shown(items: Sequence[_Item], what: str) -> Iterator[_Item]:
    """The items, with how many are done said now and then: ``120 of 1,498 cells predicted``."""
    terminal = sys.stderr.isatty()
    last, said = monotonic(), False
    for done, item in enumerate(items):
        if monotonic() - last > (_ON_TERMINAL if terminal else _ELSEWHERE):
            line = f"{done:,} of {len(items):,} {what}"
            print(f"\r{line}" if terminal else line, end="" if terminal else "\n", file=sys.stderr)
            sys.stderr.flush()
            last, said = monotonic(), True
        yield item
    if said and terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
