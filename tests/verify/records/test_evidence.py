"""The evidence: text that is sorted, checked line by line, and never loses a measurement."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from builders.cells import cell
from builders.runs import run

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.verify.records.budgets import merge
from arith.verify.records.evidence import read_evidence, write_evidence
from arith.verify.records.files import write
from arith.verify.records.predicted import predicted
from arith.verify.records.trajectory import Trajectory


def test_evidence_is_sorted_text_that_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    c = cell(digits=3)
    noise = tuple(i / 100 for i in range(len(c.training_format.tokens) - 1))
    runs = [replace(run(c, {1: 1, 2: 0.5}, seed=s), noise=x) for s, x in ((1, None), (0, noise))]
    write_evidence(path, runs)
    first = path.read_text()
    assert len(first.splitlines()) == 4
    assert sorted(read_evidence(path), key=lambda r: r.seed) == sorted(runs, key=lambda r: r.seed)
    write_evidence(path, read_evidence(path))
    assert path.read_text() == first


def test_steadiness_reads_back_and_older_measurements_have_none(tmp_path: Path) -> None:
    path, c = tmp_path / "evidence.jsonl", cell(digits=3)
    made = run(c, {1: 1, 2: 0.5})
    first, second = made.measurements
    kept = replace(made, measurements=(replace(first, steady=0.75), second))
    write_evidence(path, [kept])
    assert read_evidence(path) == [kept]
    assert path.read_text().count("steady") == 1
    path.write_text(path.read_text().replace("0.75", "1.75"))
    with pytest.raises(InvalidInput, match=r"measurement.steady: expected a number <= 1"):
        read_evidence(path)


def test_merging_keeps_old_measurements() -> None:
    old = [run(cell(digits=3), {1: 0.1}, seed=s) for s in (0, 1)]
    new = run(cell(digits=3), {1: 0.2}, seed=1)
    assert merge(old, [new]) == [old[0], new]
    shorter = replace(new, budget=new.budget - 1)
    assert merge([new], [shorter]) == [new]
    assert merge([shorter], [new]) == [new]


def test_a_damaged_evidence_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    write_evidence(path, [run(cell(digits=3), {1: 1})])
    path.write_text(path.read_text() + '{"cell": 3}\n')
    with pytest.raises(InvalidInput, match="line 2"):
        read_evidence(path)


WRONG: list[tuple[dict[str, object], str]] = [
    ({"premise": "x"}, "premise: expected a number, got a text"),
    ({"premise": float("nan")}, "it is no JSON"),
    ({"seed": [1]}, "seed: expected a whole number, got a list"),
    ({"seed": True}, "seed: expected a whole number, got true or false"),
    ({"steps": None}, "steps: expected a whole number, got null"),
    ({"steps": 9000}, "steps must not be above budget"),
    ({"precision": "float16"}, "precision: expected a text: float32 or bfloat16"),
    ({"held_out": 0}, "held_out: expected a whole number >= 1"),
    ({"cell": None}, "cell: expected an object of JSON, got null"),
    ({"predicted": [1]}, "predicted: expected a text or null, got a list"),
    ({"noise": [0.5]}, "noise must hold a share for each token"),
    ({"noise": 0.5}, "noise: expected a list or null, got a number"),
]


def test_values_are_checked_in_evidence(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    write_evidence(path, [run(cell(digits=3), {1: 1, 2: 1})])
    first, second = path.read_text().splitlines()
    for change, message in WRONG:
        path.write_text(f"{first}\n{json.dumps({**json.loads(second), **change})}\n")
        with pytest.raises(InvalidInput, match=rf"evidence.jsonl, line 2: .*{re.escape(message)}"):
            read_evidence(path)


def test_the_model_of_a_trajectory_is_checked(tmp_path: Path) -> None:
    c = cell(digits=3)
    curve = Trajectory((100, 200), dict.fromkeys(c.setting.test_lengths, (0.5, 1.0)), None)
    write_evidence(tmp_path / "evidence.jsonl", [replace(run(c, {1: 1}), trajectory=curve)])
    path = tmp_path / "trajectories.jsonl"
    path.write_text(json.dumps({**json.loads(path.read_text()), "seed": [0]}))
    with pytest.raises(
        InvalidInput, match=r"trajectories.jsonl, line 1: seed: expected a whole number, got a list"
    ):
        read_evidence(tmp_path / "evidence.jsonl")


def test_lines_that_say_the_same_twice_or_contradict_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    write_evidence(path, [run(cell(digits=3), {1: 1, 2: 1})])
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{second}\n{second}\n")
    with pytest.raises(InvalidInput, match="line 3: 2 digits are measured twice"):
        read_evidence(path)
    path.write_text(f"{first}\n{second.replace('4000', '3000')}\n")
    with pytest.raises(InvalidInput, match="line 2: it contradicts"):
        read_evidence(path)


def test_evidence_can_be_read_wherever_writing_it_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, c = tmp_path / "evidence.jsonl", cell(digits=3)
    told = predicted(predict(c.setting))
    other = replace(told, theory="0")
    before, after = (
        [replace(run(c, {1: 1}), predicted=x, budget=n)] for x, n in ((told, 8000), (other, 9000))
    )

    def stop_at(last: str, written: Path, text: str) -> None:
        if written.name == last:
            raise KeyboardInterrupt
        write(written, text)

    for last in ("predictions.jsonl", "evidence.jsonl"):
        write_evidence(path, before)
        monkeypatch.setattr("arith.verify.records.evidence.write", partial(stop_at, last))
        with pytest.raises(KeyboardInterrupt):
            write_evidence(path, after)
        monkeypatch.undo()
        assert read_evidence(path) == before
    write_evidence(path, after)
    assert read_evidence(path) == after
    assert len((tmp_path / "predictions.jsonl").read_text().splitlines()) == 1
