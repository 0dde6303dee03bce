"""Models kept by ``arith verify``, what is asked of them, and the curves of their trainings."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from builders.cells import cell
from builders.command_line import Done, run_cli
from builders.kept_models import kept_run, kept_untrained
from builders.limits import no_file_beyond
from builders.tiny_models import SHORT, TINY, float32

from arith.theory.errors import InvalidInput
from arith.theory.transformer.encodings import ENCODINGS, SHIPPED
from arith.verify.model.kept import read_kept
from arith.verify.model.positions import POSITIONS, Learned
from arith.verify.pipeline import estimate, verify
from arith.verify.plan.folders import Folders
from arith.verify.plan.plan import Job, Plan
from arith.verify.records.store import DONE, Store
from arith.verify.running.execute import execute
from arith.verify.running.progress import Progress
from arith.verify.running.run import missing

SUM = cell(base=3, test_lengths=(2, 3))
JOB = Job(SUM, 0, SUM.recipe)
WORDS = ["--task", "add", "--base", "3", "--train-digits", "2", "--test-digits", "2,3"]
SMALL = "layers=1,heads=1,width=8"


@pytest.mark.training
def test_keeping_a_model_and_its_curves_changes_nothing(tmp_path: Path) -> None:
    with float32(TINY, SHORT):
        [plain] = execute([JOB], 2 * SHORT, "cpu")
        folders = Folders(tmp_path / "models", tmp_path / "curves")
        [run] = execute([JOB], 2 * SHORT, "cpu", folders=folders)
    assert run.measurements == plain.measurements and run.trajectory == plain.trajectory
    [path] = (tmp_path / "models").iterdir()
    assert read_kept(path).run.measurements == plain.measurements
    [curves] = (tmp_path / "curves").iterdir()
    assert curves.name == path.name
    shown = scalars(curves)
    steps = [SHORT, 2 * SHORT]
    assert [x.step for x in shown["loss/training"]] == steps
    assert [x.step for x in shown["learning rate/share of its peak"]] == steps
    [last] = shown["accuracy/held out"]
    assert (last.step, last.value) == (2 * SHORT, pytest.approx(plain.premise))
    assert plain.trajectory is not None
    for digits, same in ((2, 2), (3, 1)):  # at the end more inputs of 3 digits are measured
        seen = [round(x.value, 4) for x in shown[f"accuracy/{digits} digits"]]
        assert len(seen) == 2
        assert seen[:same] == pytest.approx(plain.trajectory.correct[digits][:same])


def scalars(folder: Path) -> dict:
    """What TensorBoard reads of a model, by the name of the curve."""
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return {name: events.Scalars(name) for name in events.Tags()["scalars"]}


@pytest.mark.training
def test_what_cannot_be_written_costs_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: the run is told first, and then what is missing beside it."""
    monkeypatch.setattr("threading.excepthook", lambda error: None)  # as in a worker
    told: list[Any] = []
    folders = Folders(tmp_path / "models", tmp_path / "curves")
    with float32(TINY, SHORT), no_file_beyond(100):
        [run] = execute([JOB], 2 * SHORT, "cpu", told.append, folders)
    first = next(i for i, x in enumerate(told) if not isinstance(x, Progress))
    assert told[first] == [(JOB, run)]
    curves, model = (x.words for x in told[first + 1 :])
    assert curves.startswith(f"cannot write curves in {tmp_path / 'curves'}")
    assert model.startswith(f"cannot keep {JOB.name}: ")
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.training
def test_a_model_that_the_store_has_is_trained_again_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it is asked, inspected and exported; and trained no more."""
    # The process that trains has torch from this one.
    fork = multiprocessing.get_context("fork")
    monkeypatch.setattr(multiprocessing, "get_context", lambda method: fork)
    store, models = tmp_path / "store.sqlite", tmp_path / "models"
    with closing(Store(store)) as kept:
        kept.add(kept_run(replace(SUM, model=SMALL), steps=2, budget=5))
    keeping = ["--budget", "5", "--store", str(store), "--keep-models", str(models)]
    keeping += ["--model", SMALL]
    done = run_cli("verify", *WORDS, *keeping)
    assert "in the store but not kept, so trained again: 1 of 1 models" in done.err
    [path] = models.iterdir()
    assert f"kept {path}" in done.out
    [(text,)] = sqlite3.connect(store).execute("SELECT data FROM run").fetchall()
    stored, run = json.loads(text), read_kept(path).run
    assert (stored["steps"], stored["premise"]) == (run.steps, run.premise) == (5, run.premise)
    again = run_cli("verify", *WORDS, *keeping)
    assert (again.code, again.err) == (done.code, "")

    look = run_cli("inspect", "--from", str(path), "--out", str(tmp_path / "in"))
    assert look.code == 3, look.err
    assert json.loads((tmp_path / "in" / "mechanism.json").read_text())["seed"] == 0
    asked = run_cli("ask", str(path), "12 + 2", "--json")
    [answer] = json.loads(asked.out)["answers"]
    assert (answer["operands"], answer["right"]) == ([5, 2], 7)


def test_who_keeps_models_claims_what_the_store_has(tmp_path: Path) -> None:
    store, models = Store(tmp_path / "store.sqlite"), tmp_path / "models"
    run = kept_run(SUM)
    identity = SUM, 0, run.recipe, "float32"
    plain = Plan([SUM], budget=8000)
    keeping = replace(plain, folders=Folders(models))
    assert missing(plain, store, "float32") == ([JOB], 0)
    store.add(run)
    assert missing(plain, store, "float32") == ([], 0)
    assert missing(keeping, store, "float32") == ([JOB], 1)
    assert store.claim(*identity, 8000) == DONE
    assert store.claim(*identity, 8000, again=True) is None
    kept_untrained(models, SUM)
    assert missing(keeping, store, "float32") == ([], 0)


def test_an_encoding_without_a_module_is_refused_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a dry run, and where the models of other encodings could be trained."""
    monkeypatch.setitem(ENCODINGS, "kerple", replace(ENCODINGS["alibi"], name="kerple"))
    plan = Plan([SUM, cell(base=3, pe="kerple")])
    with pytest.raises(InvalidInput, match=r"unknown module of an encoding .* 'kerple'"):
        verify(plan, Store(tmp_path / "store.sqlite"))
    with pytest.raises(InvalidInput, match=r"unknown module of an encoding .* 'kerple'"):
        estimate(plan, tmp_path / "store.sqlite")


@pytest.mark.training
def test_a_command_has_what_a_module_of_ones_own_adds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It and the processes that train import the module."""
    (tmp_path / "mine.py").write_text(
        "from dataclasses import replace\n"
        "from arith.theory.transformer.encodings import ENCODINGS\n"
        "from arith.verify.model.positions import POSITIONS\n"
        "ENCODINGS['mine'] = replace(ENCODINGS['alibi'], name='mine')\n"
        "class Mine(POSITIONS['alibi']): pass\n"
        "POSITIONS['mine'] = Mine\n"
    )
    words = "verify --task mod_add --modulus 4 --base 4 --pe mine --train-digits 1+2 --budget 1"
    monkeypatch.setattr(sys, "path", [*sys.path])  # it gets the folder of the command

    def run(modules: str) -> Done:
        monkeypatch.setenv("ARITH_IMPORT", modules)
        with patch.dict(ENCODINGS), patch.dict(POSITIONS):
            return run_cli(*words.split(), "--test-digits", "1", cwd=tmp_path)

    done = run("mine")
    assert done.code == 3 and "not converged" in done.out, done.err
    del sys.modules["mine"]
    monkeypatch.delenv("ARITH_IMPORT")
    told = run_cli("report", cwd=tmp_path)
    assert told.code == 2 and "one of your own: ARITH_IMPORT=FILE" in told.err
    assert "no measurements in" in told.err and "run arith verify first" not in told.err
    done = run("mind")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("arith: ARITH_IMPORT=mind: No module named 'mind' (")
    (tmp_path / "json.py").write_text("")
    done = run("json.py")
    assert done.code == 2 and "json.py: another module has this name, /" in done.err
    done = run("./mind.py")
    assert done.err.startswith("arith: ARITH_IMPORT=./mind.py: there is no such file (")
    done = run(str(tmp_path / "mine.py"))
    assert done.code == 3 and "not converged" in done.out, done.err
    for table in (
        "theory.transformer.encodings import ENCODINGS",
        "verify.model.positions import POSITIONS",
    ):
        name = table.split()[-1]
        (tmp_path / f"{name}.py").write_text(f"from arith.{table}\n{name}['ape'] = {name}['rope']")
        done = run(f"{name}.py")
        ours = ", ".join(sorted(SHIPPED))
        taken = f"{name}.py: 'ape' is ours: give yours another name (ours: {ours}) ("
        assert done.code == 2 and done.err.startswith(f"arith: ARITH_IMPORT={taken}")
        assert ENCODINGS["ape"] != ENCODINGS["rope"] and POSITIONS["ape"] is Learned
    (tmp_path / "half.py").write_text(
        "from arith.theory.transformer.encodings import Encoding\n"
        "Encoding('half', 'none', False, 'x')"
    )
    done = run("half")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("arith: ARITH_IMPORT=half: ") and "'source'" in done.err


def test_what_stands_in_the_script_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENCODINGS, "kerple", replace(ENCODINGS["alibi"], name="kerple"))
    own = type("Kerple", (POSITIONS["alibi"],), {"__module__": "__main__"})
    monkeypatch.setitem(POSITIONS, "kerple", own)
    with pytest.raises(InvalidInput, match="kerple stands in the script that runs"):
        missing(Plan([cell(base=3, pe="kerple")]), None, "float32")


def test_no_other_model_is_kept_than_the_store_has(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite")
    store.add(kept_run(SUM, steps=9000, budget=9000))
    plan = Plan([SUM], budget=8000, folders=Folders(tmp_path / "models"))
    with pytest.raises(InvalidInput, match="seed 0 with a larger budget: keep it by --budget 9000"):
        missing(plan, store, "float32")
    assert missing(replace(plan, budget=9000), store, "float32") == ([JOB], 1)


def test_where_no_model_can_be_kept_none_is_trained(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    words = ["--store", str(tmp_path / "s"), "--keep-models", str(tmp_path / "file")]
    done = run_cli("verify", *WORDS, *words)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "cannot write" in done.err


def test_curves_need_their_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("arith.verify.training.recorder.find_spec", lambda name: None)
    words = ["--store", str(tmp_path / "s"), "--tensorboard", str(tmp_path / "curves")]
    done = run_cli("verify", *WORDS, *words)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "pip install 'arith[tensorboard]'" in done.err
    assert not (tmp_path / "curves").exists()
