"""The store: measurements in SQLite, written as each training run ends.

A run is one model: a cell, a seed, and the recipe and the precision it was trained with.  Its row
holds the premise, the steps and one measurement per test length.  Several processes can share a
store: each claims a model before training it (``verify.records.claims``).
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any, TypeVar
from uuid import uuid4

from arith.theory.errors import Failed, InvalidInput
from arith.verify.plan.cells import Cell
from arith.verify.plan.given import check_regular, read_bytes
from arith.verify.records.budgets import is_wanted, merge
from arith.verify.records.claims import CLAIMED, OF_MODEL, Claims
from arith.verify.records.files import write
from arith.verify.records.notices import say
from arith.verify.records.reading import UnknownField
from arith.verify.records.runs import Identity, Run

PATIENCE = 60.0
"""Seconds that a store may be locked before that is a failure."""
_QUIET = 2.0
"""Seconds of waiting before it is told."""
_ROOM = 2**16
"""Bytes that a store must have room for before a model is trained."""
MOST = 2**24
"""Bytes of a run; the largest of ours have some thousands."""
DONE = "done"
"""What ``claim`` returns for a model that is in the store already."""
_APPLICATION = 0x61726974  # "arit"
_TABLES = tuple(
    f"CREATE TABLE IF NOT EXISTS {name} (cell TEXT NOT NULL, seed INTEGER NOT NULL, "
    f"recipe TEXT NOT NULL, precision TEXT NOT NULL, {columns}, "
    "PRIMARY KEY (cell, seed, recipe, precision))"
    for name, columns in (("run", "budget INTEGER NOT NULL, data TEXT NOT NULL"), CLAIMED)
)
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PASSING = _LOCKED | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
"""Errors that are no fault of the file: it is locked, or the disk is full or fails."""
_Found = TypeVar("_Found")


class Store:
    """Measurements on disk, safe against interruption.

    Raises:
        InvalidInput: the file is no store of ours, is damaged, or cannot be there.
        Failed: it stays locked, or cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: dict[Path, Run] = {}
        """Runs that could not be written here, by the file that holds each."""
        self._known: dict[Identity, Run] = {}
        """What was read or written, so that models can be judged when the store is locked."""
        self._unread: list[str] = []
        """A line for each file of a kept run that could not be read back."""
        self._patient = True
        """Whether to wait long: not after a wait in vain, which must not stop the training."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            is_file = isinstance(error, FileExistsError)
            why = "its folder is a file" if is_file else error.strerror
            raise InvalidInput(f"cannot use the store {path}: {why}") from None
        check_regular(path, "the store")
        with self._errors():
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST)
            # A row that is no text must not keep the others from being read.
            self._db.text_factory = lambda text: text.decode(errors="surrogateescape")
            self._claims = Claims(path, self._db)
            try:
                self._patiently(self._check)
            except BaseException:
                self._db.close()
                raise
        self._read_back()

    def _check(self) -> None:
        found = self._db.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
        tables = {name for name, *_ in found}
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        if tables and application != _APPLICATION:
            raise sqlite3.DatabaseError("it is a database of another program")
        # A view may have no end, and a trigger does what its author wants: we have neither.
        for _, kind, sql in found:
            if not (sql or "CREATE INDEX").startswith(("CREATE TABLE", "CREATE INDEX")):
                raise sqlite3.DatabaseError(f"another program made a {kind} in it")
        if self._db.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("it is damaged")
        if "run" not in tables:
            with self._transaction():
                self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
        columns = {row[1] for row in self._db.execute("PRAGMA table_info(run)")}
        if "precision" not in columns:
            raise sqlite3.DatabaseError("an older version made it")

    def find(self, cell: Cell, seed: int, recipe: str, precision: str) -> Run | None:
        """The run of a model, if it was made (InvalidInput, Failed: it cannot be read)."""
        identity = (cell.key, seed, recipe, precision)
        if identity not in self._known:
            with self._errors():
                run = self._patiently(partial(self._row, identity))
            if run is not None:
                self._known[identity] = run
        return self._known.get(identity)

    def _row(self, identity: Identity) -> Run | None:
        query = f"SELECT rowid, data FROM run WHERE {OF_MODEL}"
        row = self._db.execute(query, identity).fetchone()
        run = None if row is None else self._read_row(*row)
        if run is not None and run.identity != identity:
            raise InvalidInput(f"the store {self.path}, row {row[0]}: it is of another model")
        return run

    def add(self, run: Run) -> Path | None:
        """Write a run; it is on disk when this returns.

        Of a model that was trained before, what was predicted the first time stays.

        Returns:
            None, or the file that holds the run where the store could not be written.  The next
            start reads it back.

        Raises:
            InvalidInput: a newer version wrote a row of this model, which is kept.
            Failed: it could be written nowhere.
        """
        run = self._known[run.identity] = run.after(self._known.get(run.identity))
        try:
            self._known[run.identity] = self._patiently(partial(self._insert, run))
        except sqlite3.Error as error:
            return self._keep(run, error)
        return None

    def _insert(self, run: Run) -> Run:
        """Write a run where there is none with a larger budget; the one that is there then."""
        before = None
        with self._transaction():
            try:
                before = self._row(run.identity)
                run = run.after(before)
            except UnknownField as error:
                raise InvalidInput(f"{error}; a newer version wrote it, and it is kept") from None
            except InvalidInput:
                pass  # a damaged row is written anew
            row = (*run.identity, run.budget, json.dumps(run.to_json()))
            self._db.execute(
                "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "budget = excluded.budget, data = excluded.data WHERE excluded.budget >= budget",
                row,
            )
            self._claims.drop(run.identity)
        return run if before is None or run.budget >= before.budget else before

    def _keep(self, run: Run, error: sqlite3.Error) -> Path:
        """Write a run to a file of its own, beside the store or else among the temporary files."""
        name = f"{self.path.name}.rescued-{uuid4().hex[:12]}.jsonl"
        for folder in self._folders():
            with suppress(InvalidInput, Failed):
                write(folder / name, json.dumps(run.to_json()) + "\n")
                self.kept[folder / name] = run
                return folder / name
        raise Failed(f"cannot write the store {self.path} ({error}), nor a file beside it")

    def check_written(self) -> None:
        """Check that every run is in the store (Failed: a run is kept in a file instead)."""
        if self.kept:
            first, number = min(self.kept), len(self.kept)
            models = "1 model is" if number == 1 else f"{number} models are"
            raise Failed(
                f"cannot write the store {self.path}: {models} kept in {first}"
                f"{' and others' if number > 1 else ''}, to be read back at the next start"
            )

    def _folders(self) -> tuple[Path, Path]:
        """Where runs are kept that cannot be stored: beside the store, or with temporary files."""
        place = str(self.path.resolve().parent).strip("/").replace("/", "-")
        return self.path.parent, Path(gettempdir()) / f"arith-{_user()}" / place

    def _read_back(self) -> None:
        """Store what an earlier start kept in files; one that cannot be read stays as it is."""
        for folder in self._folders():
            for file in sorted(folder.glob(f"{self.path.name}.rescued-*.jsonl")):
                try:
                    # Anyone may put files among the temporary ones; a store may be shared.
                    if folder != self.path.parent and not _is_mine(file):
                        continue
                    run = _read(f"{file}, line 1", read_bytes(file, "the run", MOST))
                    self._patiently(partial(self._insert, run))
                except FileNotFoundError:
                    continue  # another process has just stored it
                except (OSError, InvalidInput) as error:
                    self._unread.append(f"{error}; it is left out")
                except sqlite3.Error:
                    self.kept[file] = self._known[run.identity] = run
                else:
                    file.unlink(missing_ok=True)

    def claim(
        self, cell: Cell, seed: int, recipe: str, precision: str, budget: int, again: bool = False
    ) -> str | None:
        """Claim a model, so that no other process trains it too.

        Args:
            again: train it also where its run is in the store.

        Returns:
            None if it is to be trained here, ``DONE`` if its run is in the store, or else words
            for the process that has claimed it.
        """
        identity, now = (cell.key, seed, recipe, precision), time.monotonic()

        def look() -> str | None:
            with self._transaction():
                run = self._row(identity)
                if again or run is None or is_wanted(run, budget):
                    return self._claims.take(identity, now)
                self._known[identity] = run
                return DONE

        try:
            return self._patiently(look)
        except sqlite3.Error:
            return None  # a claim that cannot be written is no reason not to train

    def release(self) -> None:
        """Give up what this process had claimed and not finished."""
        with suppress(sqlite3.Error), self._transaction():
            self._claims.drop_all()

    def check_writable(self) -> None:
        """Refuse a store, before a model is trained, that could not hold its run.

        What is written and removed again leaves room in the file.

        Raises:
            InvalidInput: the file, or its folder, may not be written.
            Failed: it stays locked, or the disk is full or fails.
        """

        def try_it() -> None:
            with self._transaction():
                self._claims.write(("", 0, "", ""), bytes(_ROOM))
            with self._transaction():
                self._claims.drop(("", 0, "", ""))

        with self._errors():
            self._patiently(try_it)

    def runs(self) -> tuple[list[Run], list[str]]:
        """Every model in the store once; and a line for each run that cannot be read, left out.

        Raises:
            InvalidInput, Failed: the store cannot be read.
        """
        found, unread = list[Run](), list(self._unread)
        with self._errors():
            query = "SELECT rowid, data FROM run"
            rows = self._patiently(lambda: self._db.execute(query).fetchall())
        for row in rows:
            try:
                found.append(self._read_row(*row))
            except InvalidInput as error:
                unread.append(f"{error}; it is left out")
        return merge(found, self.kept.values()), unread

    def _read_row(self, row: int, text: Any) -> Run:
        return _read(f"the store {self.path}, row {row}", text)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._db:  # which commits it, or rolls it back after an error
            self._db.execute("BEGIN IMMEDIATE")
            for table in _TABLES:
                self._db.execute(table)
            yield

    def _patiently(self, work: Callable[[], _Found]) -> _Found:
        """Do something with the file; wait while another process has locked it, and say so."""
        self._db.execute(f"PRAGMA busy_timeout = {1000 * _QUIET:.0f}")
        try:
            found = work()
        except sqlite3.Error as error:
            if _code(error) not in _LOCKED or not self._patient:
                raise
            self._patient = False
            say(
                f"arith: waiting for the store {self.path}: {error}; "
                f"giving up after {PATIENCE:.0f} s"
            )
            self._db.execute(f"PRAGMA busy_timeout = {1000 * PATIENCE:.0f}")
            found = work()
        self._patient = True
        return found

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Say in one line what SQLite could not do."""
        try:
            yield
        except sqlite3.Error as error:
            kind = Failed if _code(error) in _PASSING else InvalidInput
            raise kind(f"cannot use the store {self.path}: {error}") from None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the file."""
        self._claims.close()
        self._db.close()


def stored(path: Path) -> tuple[list[Run], list[str]]:
    """Every model in a store (see ``Store.runs``); none where there is no store."""
    if not path.exists():
        return [], []
    with Store(path) as store:
        return store.runs()


def _read(where: str, text: Any) -> Run:
    try:
        return Run.from_json(text)
    except InvalidInput as error:
        raise type(error)(f"{where}: {error}") from None


def _code(error: sqlite3.Error) -> int:
    """What SQLite calls an error, without what it adds."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _user() -> int:
    """This user's number; 0 where there is none, and temporary files are each user's own."""
    return os.getuid() if hasattr(os, "getuid") else 0


def _is_mine(file: Path) -> bool:
    return file.lstat().st_uid == _user()
