"""Claims: which process trains a model that several are to train.

A claim is a row of a store.  While its process runs, a thread of it moves the *beat* of its claims.
Who waits for a model watches whether the beat moves: clocks of two machines are never compared.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import time
from contextlib import closing, suppress
from functools import cache, partial
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from arith.verify.records.runs import Identity

BEAT = 5.0
"""Seconds between two beats."""
FORGOTTEN = 60.0
"""Seconds without a beat after which a claim is void."""
CLAIMED = "claimed", "owner TEXT NOT NULL, words TEXT NOT NULL, beat INTEGER NOT NULL"
"""The table, and its columns beside those of a model."""
OF_MODEL = "cell = ? AND seed = ? AND recipe = ? AND precision = ?"
_LONGEST = 120
"""Characters of an owner's words that are told."""


class Claims:
    """The claims in a store; all but ``beat`` is done in a transaction of who calls it.

    Args:
        path: of the store.
        db: the connection that transactions are of.
    """

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self._link, self._db = f"{path.resolve().as_uri()}?mode=rw", db
        self._seen: dict[Identity, tuple[tuple[Any, ...], float]] = {}
        """What the claims of others were, and since when they have been the same."""
        self._over = Event()
        self._heart: Thread | None = None

    def take(self, model: Identity, now: float) -> str | None:
        """Claim a model.

        Args:
            now: by the monotonic clock, before the transaction began: what waits for a lock may
                find a beat that waited for it too.

        Returns:
            None, or words for the process that has claimed it and runs.
        """
        query = f"SELECT owner, words, beat FROM claimed WHERE {OF_MODEL}"
        claim = self._db.execute(query, model).fetchone()
        if claim is not None and claim[0] != this_process() and not _has_ended(claim[0]):
            if model not in self._seen or self._seen[model][0] != claim:
                self._seen[model] = claim, now
            if now < self._seen[model][1] + FORGOTTEN:
                return "".join(c for c in str(claim[1]) if c.isprintable())[:_LONGEST]
        since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        words = f"process {os.getpid()} on {platform.node()} (since {since})"
        self.write(model, words)
        if self._heart is None:
            self._heart = Thread(target=self._beat, daemon=True)
            self._heart.start()
        return None

    def write(self, model: Identity, words: str | bytes) -> None:
        """Write a claim of this process, in place of another's."""
        row = (*model, this_process(), words, 0)
        self._db.execute("INSERT OR REPLACE INTO claimed VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def drop(self, model: Identity) -> None:
        """End the claim on a model, whoever has it."""
        self._db.execute(f"DELETE FROM claimed WHERE {OF_MODEL}", model)

    def drop_all(self) -> None:
        """End what this process has claimed."""
        self._db.execute("DELETE FROM claimed WHERE owner = ?", (this_process(),))

    def close(self) -> None:
        """Let the heart stop."""
        self._over.set()
        if self._heart is not None:
            self._heart.join()

    def _beat(self) -> None:
        # A connection of its own, which makes no store where none is left.
        own = partial(sqlite3.connect, self._link, uri=True, isolation_level=None, timeout=1.0)
        with suppress(sqlite3.Error), closing(own()) as db:
            while not self._over.wait(BEAT):
                with suppress(sqlite3.Error):  # it is locked: others cannot look either
                    query = "UPDATE claimed SET beat = beat + 1 WHERE owner = ?"
                    db.execute(query, (this_process(),))


@cache
def this_process() -> str:
    """What no other process is called, on any machine."""
    return _process(str(os.getpid())) or uuid4().hex


def _has_ended(owner: Any) -> bool:
    """Whether it is sure that an owner of claims runs no more, without a look at its beat."""
    there, here = str(owner).split(), this_process().split()
    return len(there) == len(here) == 4 and there[:2] == here[:2] and _process(there[2]) != owner


def _process(pid: str) -> str:
    """The machine's start, the space of process numbers, a process's number and its start.

    Empty where the system does not tell, or the process has ended.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = os.readlink("/proc/self/ns/pid")
        stat = Path("/proc", str(int(pid)), "stat").read_text()
    except (OSError, ValueError):
        return ""
    state, *fields = stat.rpartition(") ")[2].split()
    return "" if state in "ZX" else f"{boot} {space} {pid} {fields[18]}"
