"""Claims: they hold while their process lives, wherever it is, and end with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from builders.cells import cell
from builders.runs import run

from arith.verify.records import claims
from arith.verify.records.store import DONE, Store

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are in /proc"),
]
CELL = cell(digits=3)
WANTED = CELL, 0, "1", "float32", 8000
SOON = 0.8
"""Seconds without a beat, in place of a minute."""


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "BEAT", 0.05)
    monkeypatch.setattr(claims, "FORGOTTEN", SOON)


@contextmanager
def claimed(path: Path, here: bool) -> Iterator[BaseProcess]:
    """Another process with a claim, of this machine or of another container."""
    ours, theirs = multiprocessing.Pipe()

    def claim() -> None:
        claims.this_process.cache_clear()
        if not here:
            process = claims._process
            claims._process = lambda pid: process(pid).replace("pid:", "other-pid:")
        theirs.send(Store(path).claim(*WANTED))
        time.sleep(60)

    other = multiprocessing.get_context("fork").Process(target=claim)
    other.start()
    assert ours.recv() is None
    yield other
    other.kill()
    other.join()


def until_taken(store: Store) -> float:
    """Seconds until the claim is given to this process."""
    begin = time.monotonic()
    while store.claim(*WANTED) is not None:
        assert time.monotonic() < begin + 10
        time.sleep(0.02)
    return time.monotonic() - begin


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def stop(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize("end", [kill, stop])
def test_a_claim_holds_while_its_process_lives(
    tmp_path: Path, here: bool, end: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends at once where that can be seen, and else when its beat has stood still."""
    path, seen = tmp_path / "store.sqlite", here and end is kill
    if seen:
        monkeypatch.setattr(claims, "FORGOTTEN", 60.0)
    with claimed(path, here) as other, Store(path) as store:
        for _ in range(int(1.5 * SOON / 0.05)):
            words = store.claim(*WANTED)
            assert words is not None and words.startswith(f"process {other.pid} on ")
            assert " (since 20" in words
            time.sleep(0.05)
        assert other.pid is not None
        with closing(sqlite3.connect(path, isolation_level=None)) as lock:
            lock.execute("BEGIN IMMEDIATE")  # a process that is stopped as it beats locks the store
            end(other.pid)
        assert until_taken(store) > 0.7 * SOON or seen
        assert store.claim(*WANTED) is None  # our own


def test_claims_end_with_the_run_and_with_the_process(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite")
    assert store.claim(*WANTED) is None
    store.add(run(CELL, {1: 1}))
    assert store.claim(*WANTED) == DONE
    assert store.claim(CELL, 1, "1", "float32", 8000) is None
    store.release()
    with sqlite3.connect(store.path) as db:
        assert db.execute("SELECT count(*) FROM claimed").fetchone() == (0,)
    store.close()


HERE = " ".join(claims.this_process().split()[:2])
OWNERS = ["", 0, -1, 10**18, b"\xff", "x " * 5000, f"{HERE} 0 7", f"{HERE} -1 7", f"{HERE} ../1 7"]


@pytest.mark.parametrize("owner", OWNERS, ids=lambda x: str(x)[-12:])
def test_a_claim_that_no_process_made_is_soon_void(
    tmp_path: Path, owner: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "FORGOTTEN", 0.1)
    store = Store(tmp_path / "store.sqlite")
    assert store.claim(*WANTED) is None
    with sqlite3.connect(store.path) as db:
        words = "\x1b[2J\n" + "long " * 5000
        db.execute("UPDATE claimed SET owner = ?, words = ?, beat = 1e300", (owner, words))
    found = store.claim(*WANTED)
    assert found is None or (found.isprintable() and len(found) < 200)
    assert until_taken(store) < 3
    store.close()


def test_claims_of_an_older_version_are_void(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE claimed")
        db.execute("CREATE TABLE claim (cell, seed, recipe, precision, owner, since)")
        row = (CELL.key, 0, "1", "float32", '{"host": "x", "pid": 7, "birth": ""}', 9e9)
        db.execute("INSERT INTO claim VALUES (?, ?, ?, ?, ?, ?)", row)
    with Store(path) as store:
        assert store.claim(*WANTED) is None
