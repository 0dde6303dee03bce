"""Files that were handed over: damaged, of another kind, or made to do harm.

``ARITH_EXAMPLES=1000`` draws as many damages of every format.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import re
import resource
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch
from builders.cells import cell
from builders.kept_models import kept_untrained
from builders.runs import RIGHT, run
from builders.strategies import examples
from hypothesis import given
from hypothesis import strategies as st

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.verify.judging.judge import judge_evidence
from arith.verify.judging.known_divergences import read_known_divergences
from arith.verify.model.kept import CONFIG, WEIGHTS, read_kept
from arith.verify.plan.grids import grid
from arith.verify.records.evidence import read_evidence, write_evidence
from arith.verify.records.predicted import predicted
from arith.verify.records.runs import Run
from arith.verify.records.store import Store
from arith.verify.records.trajectory import Trajectory
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.inside import inside

SUM = cell(digits=4, test_lengths=(1, 2, 3, 4))
GRID = '[[cell]]\ntask = "add"\npe = "ape"\nbase = 3\ntrain-digits = 2\n\n[[cell]]\ntask = "mul"\n'
CAUSES = (
    '[[cause]]\ncell = "a"\ndigits = [4]\nlikely = "a leak"\n\n[[tried]]\ncell = "b"\nwhat = "x"\n'
)
SEEN = {
    "cell": SUM.to_json(),
    "seed": 0,
    "premise": 1.0,
    "digits": 4,
    "influence": {"model": [[0.5, None]]},
    "distance": {"truth": {"largest": 0.5, "mean": 0.1}},
    "equivalence": {"samples": 10, "by layer": [None, 0.25]},
    "leaks": {"samples": 10, "as it is": 0.5, "mended by layer": [0.5, 0.9]},
}
MOST_SECONDS, MOST_MEMORY = 10, 2**20
"""Of reading one file; kilobytes."""


def told_run() -> Run:
    """A run with all that a record can have."""
    lengths = SUM.setting.test_lengths
    curve = Trajectory((50, 100), dict.fromkeys(lengths, (0.5, 1.0)), None)
    noise = (0.5,) * (len(SUM.training_format.tokens) - 1)
    told = predicted(predict(SUM.setting))
    return replace(run(SUM, RIGHT), trajectory=curve, noise=noise, predicted=told)


RUN = told_run()


def checked(runs: list[Run]) -> None:
    """What was read can be judged, and is written as it would be read again."""
    for one in runs:
        again = json.dumps(one.to_json(), allow_nan=False)
        # What is rounded as it is written may be another after the first time.
        assert json.dumps(Run.from_json(again).to_json()) == again
        assert 0 <= one.premise <= 1 and math.isfinite(one.seconds)
        assert all(0 <= m.correct <= m.samples for m in one.measurements)
    judge_evidence(list(dict.fromkeys(r.cell for r in runs)), runs)


@dataclass(frozen=True)
class Form:
    """A format: how a file of it is made and read.

    Args:
        make: writes it, with what stands beside it, into a folder.
        file: the one that is damaged.
        read: reads the folder.
    """

    make: Callable[[Path], object]
    file: str
    read: Callable[[Path], object]


def evidence(folder: Path) -> None:
    write_evidence(folder / "evidence.jsonl", [RUN, replace(RUN, seed=1)])


def from_evidence(folder: Path) -> None:
    checked(read_evidence(folder / "evidence.jsonl"))


def stored(folder: Path) -> None:
    with Store(folder / "s.sqlite") as store:
        store.add(RUN)
        store.add(replace(RUN, seed=1))


def from_store(folder: Path) -> None:
    with Store(folder / "s.sqlite") as store:
        runs, unread = store.runs()
        assert all("\n" not in line for line in unread)
        checked(runs)
        store.claim(SUM, 7, "1", "float32", 100)


def rescued(folder: Path) -> None:
    stored(folder)
    text = json.dumps(replace(RUN, seed=2).to_json())
    (folder / "s.sqlite.rescued-0.jsonl").write_text(text + "\n")


def mechanism(folder: Path) -> None:
    path = folder / "mechanism" / "one" / "mechanism.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(SEEN))


def from_kept(folder: Path) -> None:
    kept = read_kept(next(folder.iterdir()))
    assert all(bool(p.isfinite().all()) for p in kept.model.parameters())
    checked([kept.run])


KEPT: list[tuple[str, dict[str, bytes]]] = []
"""The folder of a kept model, made once."""


def kept(folder: Path) -> None:
    if not KEPT:
        path, _ = kept_untrained(folder, SUM)
        KEPT.append((path.name, {x.name: x.read_bytes() for x in path.iterdir()}))
        return
    [(name, files)] = KEPT
    (folder / name).mkdir()
    for file, content in files.items():
        (folder / name / file).write_bytes(content)


def text_in(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text)


FORMS = {
    "evidence": Form(evidence, "evidence.jsonl", from_evidence),
    "predictions": Form(evidence, "predictions.jsonl", from_evidence),
    "trajectories": Form(evidence, "trajectories.jsonl", from_evidence),
    "store": Form(stored, "s.sqlite", from_store),
    "rescued": Form(rescued, "s.sqlite.rescued-0.jsonl", from_store),
    "causes": Form(
        text_in("causes.toml", CAUSES),
        "causes.toml",
        lambda folder: read_known_divergences(folder / "causes.toml"),
    ),
    "grid": Form(text_in("g.toml", GRID), "g.toml", lambda folder: grid(f"{folder}/g.toml")),
    "mechanism": Form(
        mechanism,
        "mechanism/one/mechanism.json",
        lambda folder: inside(Report("made up", [], folder)),
    ),
    "kept model": Form(kept, f"*/{CONFIG}", from_kept),
    "weights": Form(kept, f"*/{WEIGHTS}", from_kept),
}


def reads_or_says(form: Form, folder: Path) -> str:
    """The one line that reading says, in a short time and little memory; empty where it reads."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    said = ""
    try:
        form.read(folder)
    except InvalidInput as error:
        said = str(error)
        assert said and "\n" not in said and len(said) < 2000
    assert time.monotonic() - start < MOST_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY
    return said


VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|\b(?:true|false|null)\b')
NESTED = b"[" * 50_000 + b"]" * 50_000
VALUES = [
    *(b"null", b"true", b'"text"', b'""', b'"\\ud800"', b'"a\\nb"', b'"1e300000000"', b'"nan"'),
    *(b"-1", b"2", b"0", b"0.5", b"1e999", b"-1e-9", b"NaN", b"nan", b"Infinity", b"inf"),
    *(b"9" * 20, b"9" * 400, b"0x" + b"f" * 5000, b"[]", b"{}", b"[1]", NESTED, b"1979-05-27"),
    *(b'"\xff"', b'"' + b"x" * 100_000 + b'"', b'"9/0"', b'"3/2"', b"18446744073709551616"),
]


def flip(content: bytes, draw: st.DrawFn) -> bytes:
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        changed[draw(st.integers(0, len(content) - 1))] ^= draw(st.integers(1, 255))
    return bytes(changed)


def cut(content: bytes, draw: st.DrawFn) -> bytes:
    return content[: draw(st.integers(0, len(content) - 1))]


def double(content: bytes, draw: st.DrawFn) -> bytes:
    lines = content.splitlines(keepends=True)
    i = draw(st.integers(0, len(lines) - 1))
    return b"".join([*lines[: i + 1], *lines[i:]])


def other_value(content: bytes, draw: st.DrawFn) -> bytes:
    found = list(VALUE.finditer(content))
    if not found:
        return flip(content, draw)
    at = draw(st.sampled_from(found))
    return content[: at.start()] + draw(st.sampled_from(VALUES)) + content[at.end() :]


@st.composite
def damages(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """What makes another content of one."""
    kind = draw(st.sampled_from([other_value, other_value, flip, cut, double]))
    return lambda content: kind(content, draw) if content else content


@pytest.mark.parametrize("name", FORMS)
@examples(6)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_in_one_line(name: str, data: st.DataObject) -> None:
    form = FORMS[name]
    with TemporaryDirectory() as place:
        folder = Path(place)
        form.make(folder)
        [file] = folder.glob(form.file)
        file.write_bytes(data.draw(damages())(file.read_bytes()))
        reads_or_says(form, folder)


SQL = [None, "", "text", -1, 2**63 - 1, 1e308, math.inf, -math.inf, b"\xff\x00", "\x00", "{}"]


@examples(10)
@given(
    column=st.sampled_from(["cell", "seed", "recipe", "precision", "budget", "data"]),
    value=st.sampled_from(SQL),
    owner=st.sampled_from([*SQL, "0 0 0 0", "boot space -1 7", "9" * 400]),
    words=st.sampled_from(SQL),
    beat=st.sampled_from(SQL),
)
def test_damaged_rows_are_read_or_named(
    column: str, value: Any, owner: Any, words: Any, beat: Any
) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        stored(folder)
        with closing(sqlite3.connect(folder / "s.sqlite")) as db:
            # By hand, or by a stranger: without what our tables ask for.
            made = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            for table, sql in made.fetchall():
                db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
                db.execute(sql.replace(" NOT NULL", ""))
                db.execute(f"INSERT INTO {table} SELECT * FROM old_{table}")
                db.execute(f"DROP TABLE old_{table}")
            db.execute(f"UPDATE run SET {column} = ? WHERE seed = 1", (value,))
            row = (SUM.key, 7, "1", "float32", owner, words, beat)
            db.execute("INSERT INTO claimed VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            db.commit()
        assert reads_or_says(FORMS["store"], folder) == ""


class Hostile:
    """An object that makes a file where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> object:
        return os.system, (f"touch {self.mark}",)


@pytest.mark.parametrize("name", FORMS)
def test_no_file_that_is_handed_over_runs(name: str, tmp_path: Path) -> None:
    form, mark = FORMS[name], tmp_path / "ran"
    for i, write in enumerate((pickle.dump, torch.save)):
        folder = tmp_path / str(i)
        folder.mkdir()
        form.make(folder)
        [file] = folder.glob(form.file)
        with file.open("wb") as opened:
            write(Hostile(mark), opened)
        said = reads_or_says(form, folder)
        assert said or name == "rescued"  # there it is a line beside what is read
    assert not mark.exists()


@pytest.mark.parametrize("name", FORMS)
def test_only_regular_files_are_opened(name: str, tmp_path: Path) -> None:
    """A pipe would keep the reader waiting, and a device has no end."""
    form = FORMS[name]
    for i, other in enumerate(("pipe", "/dev/zero", "chain")):
        folder = tmp_path / str(i)
        folder.mkdir()
        form.make(folder)
        [file] = folder.glob(form.file)
        file.unlink()
        if other == "pipe":
            os.mkfifo(file)
        else:
            device = Path("/dev/zero")
            if other == "chain":
                file.with_name("second").symlink_to(device)
                device = file.with_name("second")
            file.symlink_to(device)
        if name == "kept model":
            assert "is no kept model" in reads_or_says(form, folder)
        elif name == "rescued":
            with Store(folder / "s.sqlite") as store:
                [line] = store.runs()[1]
            assert "it is no regular file" in line
        else:
            assert "it is no regular file" in reads_or_says(form, folder)


def test_a_link_to_a_regular_file_is_followed(tmp_path: Path) -> None:
    evidence(tmp_path)
    (tmp_path / "a").mkdir()
    for file in ("evidence.jsonl", "predictions.jsonl", "trajectories.jsonl"):
        (tmp_path / "a" / file).symlink_to(tmp_path / file)
    assert read_evidence(tmp_path / "a" / "evidence.jsonl")[0] == RUN


def test_a_file_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    evidence(tmp_path)
    with (tmp_path / "evidence.jsonl").open("r+b") as file:
        file.truncate(2**40)  # it takes no space on the disk
    assert "it has more than" in reads_or_says(FORMS["evidence"], tmp_path)


def change(line: dict[str, Any], *path: str | int, to: Any) -> str:
    """A line of JSON with another value at a place."""
    data: Any = json.loads(json.dumps(line))
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return json.dumps(data)


BELIEVED: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("seconds",), math.inf, "it is no JSON"),
    (("seconds",), 10**400, "seconds: Number out of range"),
    (("held_out",), 10**400, "held_out: expected a whole number <= 1000000000"),
    (("seed",), 2**64, "seed: expected a whole number <= 2147483647"),
    (("machine",), "a\nb", "machine: expected a text on one line"),
    (("machine",), "\ud800", "it is no JSON"),
    (("measurements", 0, "samples"), 10**400, r"measurements\[0\].samples: expected"),
    (("measurements", 0, "correct"), 2000, "correct must be 0 to samples"),
    (("trajectory", "correct", "1"), [0.5, 2.0], r"trajectory.correct\[1\]: expected"),
    (("predicted", "theory"), None, "predicted.theory: expected a text, got null"),
    (("predicted", "theory"), "newest", "predicted.theory: expected a text of digits"),
    (("predicted", "lengths", 0, "accuracy"), "2", "expected a fraction from 0 to 1"),
    (("predicted", "lengths", 0, "accuracy"), "-1", "expected a fraction as text"),
    (("predicted", "lengths", 0, "accuracy"), "1e300000000", "expected a fraction as text"),
    (("predicted", "lengths", 0, "accuracy"), "1/0", "expected a fraction as text"),
    (("predicted", "lengths", 0, "digits"), 2, "it has another hash"),
    (("cell", "base"), 10**400, "cell: base: expected a whole number"),
    (("cell", "base"), True, "cell: base: expected a whole number, got true or false"),
    (("cell", "task"), "a**9**9**9", "cell: "),
    (("cell", "train_priming"), {"3": "1e300000000"}, "cell: train_priming"),
]


@pytest.mark.parametrize(("path", "value", "message"), BELIEVED)
def test_values_that_no_run_has_are_named(
    path: tuple[str | int, ...], value: Any, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message) as error:
        Run.from_json(change(RUN.to_json(), *path, to=value))
    assert "\n" not in str(error.value)


def test_weights_of_another_size_are_refused_before_a_network_is_built(tmp_path: Path) -> None:
    kept(tmp_path)
    [path] = tmp_path.glob(f"*/{CONFIG}")
    config = json.loads(path.read_text())
    for size, message in (
        ({"layers": 10_000, "heads": 2, "width": 16}, "layers: expected a whole number <= 100"),
        ({"layers": 100, "heads": 2, "width": 10_000}, "the weights are not those"),
    ):
        path.write_text(json.dumps(config | {"network": size | {"tied": False}}))
        assert message in reads_or_says(FORMS["kept model"], tmp_path)


def test_other_weights_or_another_label_are_refused(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    kept(tmp_path)
    [path] = tmp_path.glob(f"*/{WEIGHTS}")
    whole, config = path.read_bytes(), (path.parent / CONFIG).read_text()
    tensors = load_file(path)
    one, two = "blocks.0.query.weight", "blocks.0.key.weight"
    save_file(tensors | {one: tensors[two], two: tensors[one]}, path)
    assert "was changed after it was kept" in reads_or_says(FORMS["weights"], tmp_path)
    path.write_bytes(whole.replace(b'"F32"', b'"I32"'))
    assert "the weights are not those" in reads_or_says(FORMS["weights"], tmp_path)
    path.write_bytes(whole)
    (path.parent / CONFIG).write_text(config.replace('"seed": 0', '"seed": 1'))
    assert "was changed after it was kept" in reads_or_says(FORMS["weights"], tmp_path)
    # Kept by an earlier version it has no digest; what is no number is refused all the same.
    tensors[one][0, 0] = math.nan
    save_file(tensors, path)
    data = {name: x for name, x in json.loads(config).items() if name != "sha256"}
    (path.parent / CONFIG).write_text(json.dumps(data))
    assert "a weight is no finite number" in reads_or_says(FORMS["weights"], tmp_path)


def test_a_store_with_an_endless_view_is_refused(tmp_path: Path) -> None:
    stored(tmp_path)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x FROM n"
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as db:
        db.execute("DROP TABLE run")
        db.execute(f"CREATE VIEW run(cell, data) AS {endless}")
        db.commit()
    assert "another program made a view in it" in reads_or_says(FORMS["store"], tmp_path)


def test_a_row_of_another_model_is_not_believed(tmp_path: Path) -> None:
    stored(tmp_path)
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as db:
        db.execute("UPDATE run SET seed = 5 WHERE seed = 1")
        db.commit()
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(InvalidInput, match="another model"):
        store.find(SUM, 5, RUN.recipe, RUN.precision)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    name = os.fsdecode(bytes(tmp_path / "a") + b"\xff.toml")
    Path(name).write_text(GRID)
    with pytest.raises(InvalidInput, match="its name is no text"):
        grid(name)
    with pytest.raises(InvalidInput, match="its name is no text"):
        Store(Path(name))
