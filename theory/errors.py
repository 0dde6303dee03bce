"""The errors of the theory: each says in one line what was wrong and what is allowed."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import TypeVar


class InvalidInput(ValueError):
    """A request that makes no sense; the message says what was wrong and what is allowed."""


class NoTask(InvalidInput):
    """A setting without a task."""


class Failed(Exception):
    """Something that was rightly asked for could not be done; what had finished is kept."""


class NotCountable(InvalidInput):
    """No exact way of counting is known for this task at this size."""


class TooMuchWork(NotCountable):
    """A count would take more steps than are left."""


def unknown_name(kind: str, name: str, allowed: Collection[str], listed: str = "") -> InvalidInput:
    """The error for a name that is in no registry: the nearest valid name, and where all are."""
    lowered = {known.lower(): known for known in allowed}
    starts = [known for known in lowered if name and known.startswith(name.lower())]
    near = starts or get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    hint = f"; did you mean '{lowered[near[0]]}'?" if near else ""
    listed = listed or f"allowed: {', '.join(allowed)}"
    return InvalidInput(f"unknown {kind} '{name}'{hint} ({listed})")


ADDITIONS = "ARITH_IMPORT"
"""The variable with the modules that a command imports first, or their files: blanks part them."""
_Entry = TypeVar("_Entry")


class Registry(dict[str, _Entry]):
    """A table to which such a module adds rows; none takes the place of a row of ours."""

    def __init__(self, rows: dict[str, _Entry]) -> None:
        super().__init__(rows)
        self.ours = frozenset(rows)

    def __setitem__(self, name: str, row: _Entry) -> None:
        if name in self.ours:
            raise InvalidInput(
                f"'{name}' is ours: give yours another name (ours: {', '.join(sorted(self.ours))})"
            )
        own = getattr(row, "name", name)
        if own != name:
            raise InvalidInput(f"'{own}' is entered as '{name}': give it one name")
        super().__setitem__(name, row)


def look_up(kind: str, name: str, table: dict[str, _Entry]) -> _Entry:
    """The entry of a registry (InvalidInput: there is none; the error names the nearest)."""
    if name not in table:
        own = f"; one of your own: {ADDITIONS}=FILE" * isinstance(table, Registry)
        raise unknown_name(kind, name, table, f"allowed: {', '.join(table)}{own}")
    return table[name]
