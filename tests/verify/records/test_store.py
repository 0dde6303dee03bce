"""The store: nothing lost, nothing foreign accepted."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from builders.cells import cell
from builders.limits import no_file_beyond
from builders.runs import RIGHT, run

from arith.theory.arithmetic.expressions import parse_task
from arith.theory.errors import Failed, InvalidInput
from arith.theory.prediction.predict import predict
from arith.verify.plan.recipe import RECIPES
from arith.verify.records.budgets import is_wanted, merge, rests_on_budget
from arith.verify.records.predicted import predicted
from arith.verify.records.store import Store


def test_a_run_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "new" / "store.sqlite"
    one = run(cell(digits=3), {1: 1, 2: 1, 3: 1, 4: 0})
    Store(path).add(one)
    again = Store(path)
    assert again.find(one.cell, 0, "1", "float32") == one
    assert again.find(one.cell, 1, "1", "float32") is None
    assert again.find(one.cell, 0, "2", "float32") is None
    assert again.find(one.cell, 0, "1", "bfloat16") is None
    assert again.runs() == ([one], [])


@pytest.mark.parametrize(("text", "modulus"), [("a - b*b", 100), ("0-a", 7), ("a-a", 7)])
def test_a_task_that_only_its_modulus_makes_comes_back(
    tmp_path: Path, text: str, modulus: int
) -> None:
    one = run(cell(parse_task(text, modulus)), {1: 1})
    assert f'--expr "{text}" --modulus {modulus}' in one.cell.command(0)
    Store(tmp_path / "store.sqlite").add(one)
    assert Store(tmp_path / "store.sqlite").runs() == ([one], [])


def test_files_that_are_no_store_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("not a database " * 100)
    with pytest.raises(InvalidInput, match="cannot use the store"):
        Store(text)
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE run (x)")
    with pytest.raises(InvalidInput, match="another program"):
        Store(foreign)
    assert text.read_text().startswith("not a database")


def test_a_damaged_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    store = Store(path)
    for seed in range(50):
        store.add(run(cell(digits=3), {1: 1, 2: 1}, seed=seed))
    store.close()
    data = bytearray(path.read_bytes())
    data[5000:9000] = b"\xff" * 4000
    path.write_bytes(data)
    with pytest.raises(InvalidInput):
        Store(path).runs()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot use the store"):
        Store(tmp_path / "file" / "store.sqlite")


WRONG_MEASUREMENTS: list[tuple[dict[str, object], str]] = [
    ({"correct": 2000}, "correct must be 0 to samples"),
    ({"correct": None}, "correct: expected a whole number, got null"),
    ({"correct": 1.5}, "correct: expected a whole number, got a number"),
    ({"samples": 0}, "samples: expected a whole number >= 1"),
    ({"digits": 9}, "digits: no test length"),
    ({"exhaustive": 1}, "exhaustive: expected true or false"),
    ({"digit_correct": [1000]}, "digit_correct must have 5 items"),
    ({"digit_correct": [1000, 1000, 1000, 1000, 10]}, "digit_correct must be from correct"),
    ({"learned": None}, "digit_learned must be null where learned is"),
]


def test_values_are_checked_in_the_store(tmp_path: Path) -> None:
    """A row that cannot be read is named; the others are read."""
    one = run(cell(digits=3), {1: 1, 2: 1})
    for i, (change, message) in enumerate(WRONG_MEASUREMENTS):
        path = tmp_path / f"{i}.sqlite"
        with Store(path) as store:
            store.add(one)
            store.add(replace(one, seed=1))
        rewrite(path, lambda data, change=change: data["measurements"][1].update(change))
        found, [unread] = Store(path).runs()
        assert found == [one]
        assert re.fullmatch(rf".*{i}.sqlite, row 2: .*{message}.*; it is left out", unread)


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the last row of a store by hand."""
    with sqlite3.connect(path) as db:
        [number, text] = db.execute("SELECT rowid, data FROM run ORDER BY rowid DESC").fetchone()
        data = json.loads(text)
        change(data)
        db.execute("UPDATE run SET data = ? WHERE rowid = ?", (json.dumps(data), number))


def test_a_row_of_a_newer_version_is_named_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    store, one = Store(path), run(cell(digits=3), {1: 1})
    store.add(one)
    store.add(run(cell(digits=3), {1: 1}, seed=1))
    rewrite(path, lambda data: data.update(colour="blue"))
    found, unread = Store(path).runs()
    assert found == [one]
    assert unread == [f"the store {path}, row 2: unknown field 'colour'; it is left out"]


def test_a_row_of_a_newer_version_is_kept_and_a_damaged_one_written_anew(tmp_path: Path) -> None:
    path, one = tmp_path / "store.sqlite", run(cell(digits=3), {1: 1})
    Store(path).add(one)
    rewrite(path, lambda data: data.update(premise=7))
    Store(path).add(one)
    assert Store(path).runs() == ([one], [])
    rewrite(path, lambda data: data.update(colour="blue"))
    with pytest.raises(InvalidInput, match="row 1: unknown field 'colour'; a newer version"):
        Store(path).add(one)
    rewrite(path, lambda data: data.pop("colour"))
    assert Store(path).runs() == ([one], [])


def test_a_store_of_an_older_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA application_id = 1634888052")
        db.execute("CREATE TABLE run (cell TEXT, seed INTEGER, recipe TEXT, data TEXT)")
    with pytest.raises(InvalidInput, match="an older version made it"):
        Store(path)


def test_a_larger_budget_is_another_training_where_the_rate_follows_it() -> None:
    settled = run(cell(), RIGHT)
    assert settled.settled and not is_wanted(settled, 2 * settled.budget)
    follows = replace(settled, recipe=RECIPES["with-decay"].version)
    assert is_wanted(follows, 2 * follows.budget)
    assert not is_wanted(follows, follows.budget)


def test_a_run_with_a_smaller_budget_does_not_replace_one(tmp_path: Path) -> None:
    path, large = tmp_path / "store.sqlite", run(cell(digits=3), {1: 1})
    for budget in (5000, 8000, 6000):
        Store(path).add(replace(large, budget=budget))
    assert Store(path).runs() == ([large], [])


def test_a_run_that_cannot_be_stored_is_kept_in_a_file_and_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arith.verify.records.store.PATIENCE", 0.1)
    monkeypatch.setattr("arith.verify.records.store._QUIET", 0.1)
    path, one = tmp_path / "store.sqlite", run(cell(digits=3), {1: 1})
    store = Store(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    file = store.add(one)
    assert file is not None and file.parent == tmp_path
    assert store.find(one.cell, 0, "1", "float32") == one  # though the store is locked
    with pytest.raises(Failed, match="locked"):
        store.find(one.cell, 1, "1", "float32")
    other.execute("ROLLBACK")
    again = Store(path)
    assert (again.runs(), again.kept) == (([one], []), {})
    assert not file.exists()


def test_a_locked_store_is_waited_for_and_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("arith.verify.records.store.PATIENCE", 0.6)
    monkeypatch.setattr("arith.verify.records.store._QUIET", 0.1)
    path = tmp_path / "store.sqlite"
    Store(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Failed, match=r"cannot use the store .* locked"):
            Store(path)
    waiting = f"arith: waiting for the store {path}: database is locked; giving up after 1 s\n"
    assert capsys.readouterr().err == waiting


def in_a_process_with_no_rights(folder: Path, work: Callable[[Path], None]) -> str:
    """What something raises in a process that is bound by the permissions of files."""
    ours, theirs = multiprocessing.Pipe()

    def child() -> None:
        os.chdir(folder)
        if not os.getuid():  # root may write everything
            os.setuid(1)
        try:
            work(Path("store.sqlite"))
            theirs.send("")
        except Exception as error:
            theirs.send(f"{type(error).__name__}: {error}")

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    found = ours.recv()
    process.join()
    return found


def try_to_write(path: Path) -> None:
    Store(path).check_writable()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_store_that_may_not_be_written_is_noticed_before_and_can_be_read(what: str) -> None:
    with TemporaryDirectory() as name:  # for folders of pytest are closed to others
        check_permissions(Path(name), what)


def check_permissions(folder: Path, what: str) -> None:
    path, one = folder / "store.sqlite", run(cell(digits=3), RIGHT)
    Store(path).add(one)
    folder.chmod(0o777)
    path.chmod(0o666)
    assert in_a_process_with_no_rights(folder, try_to_write) == ""
    (path.chmod(0o444) if what == "file" else folder.chmod(0o555))
    found = in_a_process_with_no_rights(folder, try_to_write)
    assert re.match("InvalidInput: cannot use the store store.sqlite: ", found)

    def read(path: Path) -> None:
        assert Store(path).runs() == ([one], [])

    assert in_a_process_with_no_rights(folder, read) == ""
    folder.chmod(0o777)


def test_a_store_without_room_is_noticed_before(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    Store(path).close()
    with no_file_beyond(path.stat().st_size), pytest.raises(Failed, match="cannot use the store"):
        try_to_write(path)
    try_to_write(path)  # which makes the room
    with no_file_beyond(path.stat().st_size):
        assert Store(path).add(run(cell(digits=3), RIGHT)) is None
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInput, match=r"cannot use the store .*folder"):
        Store(tmp_path / "folder")


def test_what_was_predicted_the_first_time_stays(tmp_path: Path) -> None:
    """Trained again, a model was known: a later prediction is none before it."""
    path, c = tmp_path / "store.sqlite", cell(digits=3)
    told = predicted(predict(c.setting))
    later = replace(run(c, {1: 1}), predicted=replace(told, theory="later"))
    for first in (told, None):
        made = replace(run(c, {1: 1}), predicted=first)
        path.unlink(missing_ok=True)
        store = Store(path)
        store.add(made)
        store.add(later)
        assert [x.predicted for x in (*store.runs()[0], *Store(path).runs()[0])] == [first] * 2
        assert [x.predicted for x in merge([made], [later])] == [first]


def test_a_smaller_budget_than_the_steps_a_model_took_makes_another_one() -> None:
    settled = replace(run(cell(digits=3), RIGHT), steps=4350, budget=18_000)
    assert settled.settled
    assert not rests_on_budget(settled, 9000) and not rests_on_budget(settled, 18_000)
    assert rests_on_budget(settled, 4350) and rests_on_budget(settled, 500)


def test_what_is_found_is_what_the_store_kept(tmp_path: Path) -> None:
    path, one = tmp_path / "store.sqlite", replace(run(cell(digits=3), RIGHT), budget=18_000)
    with Store(path) as store:
        store.add(one)
        store.add(replace(one, budget=500, premise=0.1))
        assert store.find(one.cell, 0, "1", "float32") == one
    with Store(path) as store:
        assert store.runs() == ([one], [])
