"""Owners of claims: which process trains a model, and whether it still runs."""

from __future__ import annotations

import json
import os
import platform
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from arith.theory.errors import InvalidInput
from arith.verify.records.reading import Line, read

_FORGOTTEN = 24 * 3600.0
"""Seconds after which a claim from another machine is void: its process cannot be seen."""


@dataclass(frozen=True)
class Owner:
    """A process.

    Args:
        birth: when the process began, as the system counts; empty where it does not say.
    """

    host: Line
    pid: Annotated[int, Meta(ge=1, lt=2**31)]
    birth: Line

    def text(self) -> str:
        """The owner as one line of JSON (see ``read``)."""
        return json.dumps(vars(self), sort_keys=True)

    @classmethod
    def read(cls, text: Any) -> Owner | None:
        """The owner that ``text`` wrote; None where it is none."""
        try:
            return read(cls, text)
        except InvalidInput:
            return None

    def words(self) -> str:
        """The owner in a few words."""
        return f"process {self.pid} on {self.host}"


@cache
def this_process() -> Owner:
    """The owner that this process is."""
    return Owner(platform.node(), os.getpid(), birth(os.getpid()))


def is_alive(owner: Owner, since: float) -> bool:
    """Whether an owner still runs, as far as this machine can tell.

    Args:
        since: when it made its claim, in seconds of Unix time.
    """
    if owner.host != platform.node():
        return time.time() - since < _FORGOTTEN
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return birth(owner.pid) == owner.birth


def birth(pid: int) -> str:
    """The start time of a process, which tells it from another that has its number now."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
