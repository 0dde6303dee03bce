"""The store and the evidence: nothing lost, nothing foreign accepted."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from test_judge import cell, run

from theory.tasks import InvalidInput
from verify.evidence import merge, read_evidence, write_evidence
from verify.store import Store


def test_a_run_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "new" / "store.sqlite"
    one = run(cell(), {1: 1, 2: 1, 3: 1, 4: 0})
    Store(path).add(one)
    again = Store(path)
    assert again.find(one.cell, 0, "1", "float32") == one
    assert again.find(one.cell, 1, "1", "float32") is None
    assert again.find(one.cell, 0, "2", "float32") is None
    assert again.find(one.cell, 0, "1", "bfloat16") is None
    assert again.runs() == ([one], [])


def test_evidence_is_sorted_text_that_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    runs = [run(cell(), {1: 1, 2: 0.5}, seed=s) for s in (1, 0)]
    write_evidence(path, runs)
    first = path.read_text()
    assert len(first.splitlines()) == 4
    assert sorted(read_evidence(path), key=lambda r: r.seed) == sorted(runs, key=lambda r: r.seed)
    write_evidence(path, read_evidence(path))
    assert path.read_text() == first


def test_merging_keeps_old_measurements() -> None:
    old = [run(cell(), {1: 0.1}, seed=s) for s in (0, 1)]
    new = run(cell(), {1: 0.2}, seed=1)
    assert merge(old, [new]) == [old[0], new]
    shorter = replace(new, budget=new.budget - 1)
    assert merge([new], [shorter]) == [new]
    assert merge([shorter], [new]) == [new]


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
        store.add(run(cell(), {1: 1, 2: 1}, seed=seed))
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


def test_a_damaged_evidence_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    write_evidence(path, [run(cell(), {1: 1})])
    path.write_text(path.read_text() + '{"cell": 3}\n')
    with pytest.raises(InvalidInput, match="line 2"):
        read_evidence(path)
