"""Runs that were kept in files beside a store are read back, or left where they are."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest
from builders.cells import cell
from builders.runs import run

from arith.verify.records.store import Store

ONE = run(cell(digits=3), {1: 1})


def rescued(folder: Path, **changes: object) -> Path:
    """A file as ``Store.add`` writes it, with other fields."""
    file = folder / "store.sqlite.rescued-0123456789ab.jsonl"
    file.write_text(json.dumps({**ONE.to_json(), **changes}) + "\n")
    return file


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "blue"}, "unknown field 'colour'"),
        ({"steps": -1}, "steps: expected a whole number"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_left_alone(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    file = rescued(tmp_path, **changes)
    text = file.read_text()
    store = Store(tmp_path / "store.sqlite")
    found, [unread] = store.runs()
    assert found == [] and file.read_text() == text
    assert unread.startswith(f"{file}, line 1: {message}") and unread.endswith("it is left out")
    store.add(ONE)
    assert store.runs() == ([ONE], [unread])


def test_a_file_that_is_no_json_is_left_alone(tmp_path: Path) -> None:
    file = rescued(tmp_path)
    file.write_bytes(b"\xff half a line")
    unread = f"{file}, line 1: it is no JSON; it is left out"
    assert Store(tmp_path / "store.sqlite").runs() == ([], [unread])
    assert file.exists()


def test_a_file_that_another_process_has_just_stored_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, file = tmp_path / "store.sqlite", rescued(tmp_path)
    read_bytes = Path.read_bytes

    def late(self: Path) -> bytes:
        """The other process is faster: it stores the run and removes the file."""
        if self.exists():
            monkeypatch.undo()
            Store(path)
        return read_bytes(self)

    monkeypatch.setattr(Path, "read_bytes", late)
    assert Store(path).runs() == ([ONE], [])
    assert not file.exists()


def test_of_the_temporary_files_only_those_of_this_user_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store may be shared, and the files beside it are everyone's."""
    monkeypatch.setattr(
        "arith.verify.records.store.gettempdir", lambda: str(tmp_path / "temporary")
    )
    path = tmp_path / "here" / "store.sqlite"
    _, temporary = Store(path)._folders()
    temporary.mkdir(parents=True)
    user = os.getuid()

    def stored(folder: Path, owner: int) -> bool:
        file = rescued(folder)
        with monkeypatch.context() as patch:
            patch.setattr("arith.verify.records.store._is_mine", lambda file: owner == user)
            runs = Store(path).runs()
        path.unlink()
        assert runs == ([], []) or (runs == ([ONE], []) and not file.exists())
        return not file.exists()

    assert stored(path.parent, user) and stored(path.parent, user + 1)
    assert stored(temporary, user)
    assert not stored(temporary, user + 1)


def test_a_model_that_is_in_the_store_and_in_a_file_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.add(ONE)
    file = rescued(tmp_path, budget=2 * ONE.budget)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")  # so that the file cannot be stored
        quick = mock.patch.multiple("arith.verify.records.store", PATIENCE=0.1, _QUIET=0.1)
        with quick, Store(path) as store:
            [found], unread = store.runs()
        assert (found.budget, unread) == (2 * ONE.budget, [])
    assert file.exists()
