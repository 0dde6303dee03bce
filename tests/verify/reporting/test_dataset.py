"""The table of all measurements: a line each, every column explained."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from builders.cells import cell
from builders.command_line import run_cli
from builders.paths import ROOT
from builders.runs import headline_runs, run

from arith.theory.errors import InvalidInput
from arith.verify.records.evidence import read_evidence, write_evidence
from arith.verify.records.store import Store
from arith.verify.reporting.exports import committed, dataset


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The reports of two grids: the headline, and one that shares two of its models."""
    runs = headline_runs()
    write_evidence(tmp_path / "headline" / "evidence.jsonl", runs)
    write_evidence(tmp_path / "other" / "evidence.jsonl", [*runs[:2], run(cell(), {1: 1, 3: 0})])
    return tmp_path


def _lines(folder: Path) -> int:
    """The measurements of the headline grid as they are written."""
    return len((folder / "headline" / "evidence.jsonl").read_text().splitlines())


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_there_is_a_line_for_each_measurement(folder: Path) -> None:
    models = headline_runs()
    done = run_cli("data", "--folder", str(folder), "--out", str(folder / "all.csv"))
    table = rows((folder / "all.csv").read_text())
    wanted = sum(len(x.measurements) for x in models) + 2
    assert len(table) == wanted == _lines(folder) + 2
    assert (
        done.out
        == f"wrote {folder / 'all.csv'}: {wanted} measurements of {len(models) + 1} models\n"
    )
    assert {row["grids"] for row in table} == {"headline", "headline other", "other"}
    assert sum(int(row["correct"]) for row in table) == 1000 + sum(
        m.correct for x in models for m in x.measurements
    )
    assert run_cli("data", "--folder", str(folder)).out == (folder / "all.csv").read_text()


def test_a_line_says_what_was_asked_predicted_measured_and_judged(folder: Path) -> None:
    [row] = [
        row
        for row in rows(dataset(*committed(folder)))
        if (row["modulus"], row["digits"]) == ("101", "4")
    ]
    asked = ("mod_add", "(a + b) mod 101", "10", "ape", "2", "1,2,3,4", "pico", "0", "place-noise")
    names = ("task", "expression", "base", "pe", "train_digits", "test_digits", "model", "seed")
    assert tuple(row[name] for name in (*names, "recipe")) == asked
    assert (row["claim"], row["accuracy"]) == ("exact", "49/4950")
    assert float(row["accuracy_float"]) == 49 / 4950
    assert row["torch"] == "2.13.0+cpu"
    assert int(row["before_theory"]) <= int(row["theory"])
    assert row["before_accuracy"] == row["accuracy"]
    assert (row["direction"], row["published"]) == ("upward", "fails")
    assert [row[f"{name}verdict"] for name in ("", "before_", "published_")] == ["agree"] * 3
    assert 0 < int(row["correct"]) < int(row["learned"]) <= int(row["samples"])
    assert row["command"].startswith("arith verify --task mod_add --modulus 101 ")


def test_what_was_not_predicted_before_is_left_empty() -> None:
    [row, _] = rows(dataset([run(cell(digits=3), {4: 0, 1: 1}, premise=0.5)], {}))
    assert row["digits"] == "1"  # sorted
    assert {row[name] for name in row if name.startswith("before_") and "verdict" not in name} == {
        ""
    }
    assert (row["converged"], row["verdict"]) == ("False", "inconclusive")
    assert (row["grids"], row["recipe"], row["torch"]) == ("", "", "")


def test_the_data_card_explains_every_column_in_order() -> None:
    explained = re.findall(r"^- `(\w+)`: \S.*$", (ROOT / "docs/data.md").read_text(), re.M)
    columns = list(rows(dataset([run(cell(), {1: 1})], {}))[0])
    predicted = columns[columns.index("theory") : columns.index("before_theory")]
    then = columns[columns.index("before_theory") : columns.index("published")]
    assert then == [f"before_{name}" for name in predicted]
    exact = {name.removesuffix("_float") for name in columns if name.endswith("_float")}
    assert exact < set(columns)
    assert explained == [x for x in columns if x not in then and not x.endswith("_float")]


def test_the_measurements_of_a_store_are_written_in_their_place(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    assert run_cli("data", "--store", str(path)).err == (
        f"arith: there is no store {path}; arith verify makes one\n"
    )
    assert not path.exists()
    store = Store(path)
    assert run_cli("data", "--store", str(path)).err == f"arith: no measurements in {path}\n"
    store.add(run(cell(digits=3), {1: 1, 2: 0.5}, seed=7))
    table = rows(run_cli("data", "--store", str(path)).out)
    assert [(row["seed"], row["digits"], row["correct"]) for row in table] == [
        ("7", "1", "1000"),
        ("7", "2", "500"),
    ]


def test_a_record_of_another_format_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    write_evidence(path, [run(cell(digits=3), {1: 1})])
    line = json.loads(path.read_text())
    assert "format" not in line
    path.write_text(json.dumps({**line, "format": 1}) + "\n")
    assert read_evidence(path) == [run(cell(digits=3), {1: 1})]
    path.write_text(json.dumps({**line, "format": 2}) + "\n")
    with pytest.raises(InvalidInput, match=r"line 1: format 2 is unknown; .* reads 1$"):
        read_evidence(path)


def test_a_model_that_two_grids_have_is_written_as_it_was_trained_longest(tmp_path: Path) -> None:
    short = run(cell(digits=3), {1: 0.5})
    longer = replace(run(cell(digits=3), {1: 1}), budget=9000)
    for name, model in (("a", longer), ("b", short)):
        write_evidence(tmp_path / name / "evidence.jsonl", [model])
    [row] = rows(dataset(*committed(tmp_path)))
    assert (row["grids"], row["budget"], row["correct"]) == ("a b", "9000", "1000")


def test_the_python_of_the_page_makes_a_table_for_a_paper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = replace(run(cell(), {3: 0.0}, learned=0.75), recipe=cell().recipe.version)
    write_evidence(tmp_path / "ignored" / "evidence.jsonl", [made])
    monkeypatch.chdir(tmp_path)
    assert run_cli("data", "--folder", ".", "--out", "arith.csv", cwd=tmp_path).code == 0
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs/data.md").read_text(), re.S)
    exec("\n".join(code), {"pandas": pytest.importorskip("pandas")})
    assert "a + b & 2 & 3 & 1 & 0.750 & 0.750" in capsys.readouterr().out
