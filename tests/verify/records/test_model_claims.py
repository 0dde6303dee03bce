"""Claims: they hold while their process lives, wherever it is, and end with it."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
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
    try:
        assert ours.recv() is None
        yield other
    finally:
        other.kill()
        other.join()


def until_taken(*stores: Store) -> list[float]:
    """Seconds until the claim in each store is given to this process."""
    begin, taken = time.monotonic(), dict[Store, float]()
    while len(taken) < len(stores):
        assert time.monotonic() < begin + 10
        time.sleep(0.02)
        for store in stores:
            if store.claim(*WANTED) is None:
                taken.setdefault(store, time.monotonic() - begin)
    return list(taken.values())


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def stop(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)


def holds(store: Store, other: BaseProcess) -> bool:
    """Whether the claim of another process is told when this one asks for the model."""
    words = store.claim(*WANTED)
    return words is not None and bool(re.match(rf"process {other.pid} on .* \(since 20", words))


def strike(path: Path, other: BaseProcess, end: Callable[[int], None]) -> None:
    assert other.pid is not None
    with closing(sqlite3.connect(path, isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")  # a process that is stopped as it beats locks the store
        end(other.pid)


def test_a_claim_ends_at_once_where_that_can_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "FORGOTTEN", 60.0)
    path = tmp_path / "store.sqlite"
    with claimed(path, here=True) as other, Store(path) as store:
        assert holds(store, other)
        strike(path, other, kill)
        until_taken(store)
        assert store.claim(*WANTED) is None  # our own


def test_elsewhere_a_claim_holds_until_its_beat_has_stood_still(tmp_path: Path) -> None:
    """So does that of a process here that is stopped."""
    ends = [stop, stop, kill]
    paths = [tmp_path / f"{i}.sqlite" for i in range(len(ends))]
    with ExitStack() as stack:
        others = [stack.enter_context(claimed(path, i == 0)) for i, path in enumerate(paths)]
        stores = [stack.enter_context(Store(path)) for path in paths]
        begin = time.monotonic()
        while time.monotonic() < begin + 1.5 * SOON:
            assert all(map(holds, stores, others))
            time.sleep(0.05)
        for each in zip(paths, others, ends, strict=True):
            strike(*each)
        assert min(until_taken(*stores)) > 0.7 * SOON


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
    assert until_taken(store)[0] < 3
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
