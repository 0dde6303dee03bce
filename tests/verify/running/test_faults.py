"""Faults: killed processes, a locked store, a full disk, closed streams, little memory.

Nothing that was finished is lost, and nothing is made again.

One fault by default, of workers that train nothing; ``ARITH_EXAMPLES=20`` makes it twenty, has
models trained, and runs what takes longer.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import signal
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

import pytest
from builders.command_line import run_cli
from builders.limits import no_file_beyond
from builders.processes import (
    PLAIN,
    UNTRAINED,
    Started,
    stored_runs,
    tiny_grid,
    trained_here,
)
from builders.runs import run

from arith.verify.plan.cells import Cell
from arith.verify.plan.grids import grid
from arith.verify.plan.recipe import RECIPE
from arith.verify.records.evidence import write_evidence
from arith.verify.records.runs import Run
from arith.verify.records.store import Store

KILLS = min(20, int(os.environ.get("ARITH_EXAMPLES", "1")))
GRID, BUDGET = tiny_grid("nano"), "20"
LONGEST = 0.5 if KILLS < 20 else 2.0
"""Seconds until a fault, at most."""
USUAL = UNTRAINED if KILLS < 20 else PLAIN
IMPATIENT = f"import arith.verify.records.store as store\nstore.PATIENCE = 1.0\n{PLAIN}"
# The workers import these files too.
BROKEN = f"""if __name__ != "__main__":
    from builders import stand_in
    def fail(*_, **__):
        raise RuntimeError("no luck" + 100 * "\\nat all")
    stand_in.execute = fail
{UNTRAINED}"""
# Under a limit Python would leave what it compiles cut.
LIMITED = f"""import resource, signal, os, sys
sys.dont_write_bytecode = True
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(os.environ["LARGEST"]),) * 2)
{IMPATIENT}"""
# Trainings of few steps that take half a second, with a checkpoint every other step.
OFTEN = f"""if __name__ != "__main__":
    import time
    from arith.verify.training import checkpoint, train
    train.CHUNK, checkpoint.EVERY = 2, 0.0
    look = checkpoint.Checkpoint.look
    def look_and_wait(self, training):
        look(self, training)
        time.sleep(0.04)
    checkpoint.Checkpoint.look = look_and_wait
{PLAIN}"""


thorough = pytest.mark.skipif(KILLS < 20, reason="takes half a minute; ARITH_EXAMPLES=20 runs it")
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are in /proc"),
]


VERIFY = ("verify", "--grid", "grid.toml", "--store", "store.sqlite")
BRIEFLY = ("--budget", BUDGET, "--jobs", "1")


def verify(
    folder: Path, *more: str, program: str = USUAL, cells: str = GRID, **variables: str
) -> Started:
    (folder / "grid.toml").write_text(cells)
    return Started(folder, *VERIFY, *BRIEFLY, *more, program=program, **variables)


def announced(lines: list[str]) -> list[str]:
    """The models whose end was reported."""
    found = (re.match(r"\[\d+/\d+\] (.*, seed \d+): ", line) for line in lines)
    return [match[1] for match in found if match]


def stored(folder: Path) -> list[str]:
    path = folder / "store.sqlite"
    runs = Store(path).runs()[0] if path.exists() else []
    return [f"{r.cell.label()}, seed {r.seed}" for r in runs]


def test_a_killed_worker_is_a_failure(tmp_path: Path) -> None:
    started = verify(tmp_path, "--seeds", "50")
    started.until("[1/")
    workers = started.workers()
    assert workers and all(
        "GLIBC_TUNABLES=glibc.malloc.hugetlb=1" in started.variables(x) for x in workers
    )
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    assert started.wait() == 4
    said = [line for line in started.told() if not line.startswith(("[", "training"))]
    assert said == ["arith: a training process died; start again to go on"]
    assert sorted(stored(tmp_path)) == sorted(announced(started.lines()))


def test_a_worker_that_raises_is_a_failure_told_in_one_line(tmp_path: Path) -> None:
    started = verify(tmp_path, program=BROKEN)
    assert started.wait() == 4
    [first, last] = started.told()
    assert first.startswith("training 2 models")
    assert last.startswith("arith: training failed: ") and "RuntimeError: no luck at all" in last
    assert len(last) < 500
    assert stored(tmp_path) == []


@dataclass(frozen=True)
class Fault:
    """What happens to a run that is to train many models, or a few if it goes on to its end.

    Args:
        codes: the exit codes that it may have then.
        act: what is done to it while it runs.
        program: what is run, where the fault is in it.
        words: more of the command line.
        ends: whether the fault ends it.
    """

    codes: tuple[int, ...]
    act: Callable[[Started, random.Random], None] = lambda started, rng: None
    program: str = USUAL
    words: tuple[str, ...] = ()
    ends: bool = True


def at_any_moment(number: int, of_a_worker: bool = False) -> Callable[..., None]:
    """A signal in the first seconds, or when something has finished."""

    def act(started: Started, rng: random.Random) -> None:
        if of_a_worker or rng.random() < 0.5:
            started.until("[1/")
        time.sleep(rng.uniform(0, LONGEST))
        pids = started.workers() if of_a_worker else [started.process.pid]
        os.kill(pids[0], number)

    return act


def in_training(number: int, to_all: bool = False) -> Callable[..., None]:
    """A signal when something has finished; to all processes as a terminal sends it."""

    def act(started: Started, rng: random.Random) -> None:
        started.until("[1/")
        time.sleep(rng.uniform(0, LONGEST))
        for pid in started.alive() if to_all else [started.process.pid]:
            os.kill(pid, number)

    return act


def close_output(started: Started, _: random.Random) -> None:
    assert started.process.stdout is not None
    started.process.stdout.close()


def in_workers(limit: str, more: int) -> str:
    """A program whose workers, which import it, have a limit."""
    return f"""import resource, sys
sys.dont_write_bytecode = True
if __name__ != "__main__":
    resource.setrlimit(resource.{limit}, ({more},) * 2)
{PLAIN}"""


# A disk that fills while models are trained: there is room for small files only.
FILLING = f"""import resource, sys
sys.dont_write_bytecode = True
from arith.verify.records.store import Store
add = Store.add
def full(self, run):
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**14, -1))
    self._patience = 0.5
    try:
        return add(self, run)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
Store.add = full
{PLAIN}"""
# Nobody reads what is said.
UNHEARD = f"""import os, sys
if __name__ == "__main__" and "UNHEARD" not in os.environ:
    ours, theirs = os.pipe()
    os.close(ours)
    os.dup2(theirs, 2)
    os.environ["UNHEARD"] = "1"
    os.execv(sys.executable, [sys.executable, *sys.argv])
{PLAIN}"""
# Every model is claimed by a process of another machine that ended long ago.
CLAIMED = f"""from arith.verify.records import claims
claims.FORGOTTEN = 1.0
take = claims.Claims.take
def take_after_another(self, model, now):
    if model not in self._seen:
        row = (*model, "gone", "process 7 on elsewhere", -1)
        self._db.execute("INSERT OR REPLACE INTO claimed VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return take(self, model, now)
claims.Claims.take = take_after_another
{PLAIN}"""
TRAINED = (0, 1, 3)
FAULTS = {
    "SIGTERM": Fault((143,), in_training(signal.SIGTERM)),
    "SIGKILL of a worker": Fault((4,), at_any_moment(signal.SIGKILL, of_a_worker=True)),
    "SIGKILL": Fault((-9,), at_any_moment(signal.SIGKILL)),
    "SIGHUP of a terminal": Fault((129,), in_training(signal.SIGHUP, to_all=True)),
    "no room for a model": Fault(
        (4,), program=in_workers("RLIMIT_FSIZE", 200), words=("--keep-models", "models"), ends=False
    ),
    "no room for curves": Fault(
        (4,), program=in_workers("RLIMIT_FSIZE", 200), words=("--tensorboard", "curves"), ends=False
    ),
    "no room for the store": Fault((4,), program=FILLING, ends=False),
    "dead claims": Fault(TRAINED, program=CLAIMED, ends=False),
    "Ctrl-C": Fault((130,), in_training(signal.SIGINT, to_all=True)),
    "closed stdout": Fault((141,), close_output, ends=False),
    "closed stderr": Fault(TRAINED, program=UNHEARD, ends=False),
    "little memory": Fault((4,), program=in_workers("RLIMIT_AS", 300 * 2**20)),
    "SIGTERM at any moment": Fault((143, -15), at_any_moment(signal.SIGTERM)),
}


def test_nothing_finished_is_lost_or_made_again_whatever_happens(tmp_path: Path) -> None:
    rng, seen = random.Random(0), list[str]()
    for i, name in zip(range(KILLS), cycle(FAULTS), strict=False):
        fault, before = FAULTS[name], stored(tmp_path)
        # New models: where more is wanted than runs, those of the store are trained again for it.
        seeds = ("--seeds", "50") if fault.ends else ("--first-seed", str(100 + i))
        started = verify(tmp_path, *seeds, *fault.words, program=fault.program)
        fault.act(started, rng)
        assert started.wait() in fault.codes, (name, started.process.returncode, started.lines())
        end = time.monotonic() + 5
        while started.alive():
            assert time.monotonic() < end, f"{name}: a process is still there after 5 seconds"
            time.sleep(0.1)
        assert not any("Traceback" in line for line in started.lines()), (name, started.lines())
        seen += announced(started.lines())
        assert set(seen) <= set(stored(tmp_path)), name
        assert fault.ends or len(stored(tmp_path)) > len(before), name
        assert not list(tmp_path.glob("*.rescued-*")), name  # read back by ``stored``
    assert seen
    seeds_after, before = ("--seeds", str(1 + len(seen) // 2)), stored(tmp_path)
    last = verify(tmp_path, *seeds_after, COLUMNS="200")
    code = last.wait()
    assert code in TRAINED, last.lines()
    seen += announced(last.lines())
    assert len(seen) == len(set(seen))
    kept = stored(tmp_path)
    missing = len(kept) - len(before)
    first = last.lines()[:1]
    assert first == [] if missing == 0 else first[0].startswith(f"training {missing} model")
    assert set(seen) <= set(kept) and len(kept) == len(set(kept))

    assert last.process.stdout is not None
    xml = tmp_path / "verdicts.xml"
    again = run_cli(
        *VERIFY, "--budget", BUDGET, *seeds_after, "--junit-xml", str(xml), cwd=tmp_path
    )
    # Everything is there: nothing is trained, and the same is printed.
    assert (again.code, again.err, again.out) == (code, "", last.process.stdout.read())
    assert 'tests="4"' in xml.read_text()


@thorough
def test_a_store_that_is_removed_meanwhile_loses_nothing_that_comes_after(tmp_path: Path) -> None:
    started = verify(tmp_path, "--seeds", "2")
    started.until("[1/")
    (tmp_path / "store.sqlite").unlink()
    assert started.wait() == 4
    assert "kept in" in started.lines()[-1]
    assert not any("Traceback" in line for line in started.lines())
    Store(tmp_path / "store.sqlite").close()  # as the next start: it reads them back
    assert set(announced(started.lines())[1:]) == set(stored(tmp_path))


@pytest.mark.training
def test_a_long_training_that_is_killed_ends_with_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGKILL of the parent or the worker, each time after a state was kept."""
    one_cell, rng = tiny_grid("pico", 1), random.Random(0)
    states = tmp_path / "store.sqlite.training"
    for kill in range(max(1, KILLS // 2)):
        started = verify(tmp_path, program=OFTEN, cells=one_cell)
        started.until("training")
        while started.process.poll() is None and not list(states.glob("*.safetensors")):
            time.sleep(0.05)
        time.sleep(rng.uniform(0, 0.15))
        victims = started.workers() if kill % 2 else []
        os.kill(victims[0] if victims else started.process.pid, signal.SIGKILL)
        started.wait()
        assert victims or list(states.glob("*.safetensors")), "it had ended before it was killed"
    monkeypatch.setattr("arith.verify.training.train.CHUNK", 2)
    # The process that trains has torch from this one.
    fork = multiprocessing.get_context("fork")
    monkeypatch.setattr(multiprocessing, "get_context", lambda method: fork)
    last = run_cli(*VERIFY, *BRIEFLY, cwd=tmp_path)
    assert last.code in TRAINED, last.err
    assert not states.exists()
    whole = trained_here(tmp_path / "grid.toml", 1, int(BUDGET))
    assert stored_runs(tmp_path / "store.sqlite") == whole


@thorough
def test_a_store_that_is_locked_for_a_while_is_waited_for(tmp_path: Path) -> None:
    started = verify(tmp_path)
    started.until("training")
    other = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None, timeout=30)
    other.execute("BEGIN EXCLUSIVE")
    time.sleep(8)
    other.execute("ROLLBACK")
    assert started.wait() in (0, 1, 3), started.lines()
    assert len(stored(tmp_path)) == 2
    assert not list(tmp_path.glob("*.rescued-*"))


@thorough
def test_a_store_that_stays_locked_loses_nothing(tmp_path: Path) -> None:
    started = verify(tmp_path, program=IMPATIENT)
    started.until("training")
    other = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None, timeout=30)
    other.execute("BEGIN EXCLUSIVE")
    assert started.wait() == 4
    other.execute("ROLLBACK")
    assert "2 models are kept in" in started.lines()[-1], started.lines()
    assert started.process.stdout is not None and "seed" not in started.process.stdout.read()
    assert len(list(tmp_path.glob("store.sqlite.rescued-*"))) == 2
    again = verify(tmp_path)
    assert again.wait() in (0, 1, 3)
    assert again.lines() == []  # read back: nothing is trained
    assert len(stored(tmp_path)) == 2
    assert not list(tmp_path.glob("*.rescued-*"))


def test_a_full_disk_is_noticed_before_training(tmp_path: Path) -> None:
    """No file may grow beyond a limit."""
    store = tmp_path / "store.sqlite"
    Store(store).close()
    full = verify(tmp_path, program=LIMITED, LARGEST=str(store.stat().st_size))
    assert full.wait() == 4
    [line] = full.lines()
    assert line.startswith("arith: cannot use the store store.sqlite: ")


def made_up(folder: Path) -> tuple[Path, list[Run]]:
    """Evidence of a grid, and the runs in it."""
    (folder / "grid.toml").write_text(GRID)
    cells = grid(str(folder / "grid.toml"))
    runs = [replace(run(c, {2: 1, 3: 0.5}), recipe=RECIPE.version) for c in cells]
    path = folder / "reports" / "grid" / "evidence.jsonl"
    write_evidence(path, runs)
    return path, runs


REPORT = ("report", "--grid", "grid.toml", "--store", "store.sqlite", "--folder", "reports")


def test_a_full_disk_leaves_the_evidence_whole(tmp_path: Path) -> None:
    evidence, [first, _] = made_up(tmp_path)
    before = evidence.read_bytes()
    Store(tmp_path / "store.sqlite").add(replace(first, seed=1))
    with no_file_beyond(len(before) - 100):
        small = run_cli(*REPORT, cwd=tmp_path)
    assert small.code == 4
    assert small.err.startswith("arith: cannot write "), small.err
    assert evidence.read_bytes() == before
    assert [x.name for x in evidence.parent.iterdir()] == ["evidence.jsonl"]


def test_evidence_of_another_recipe_or_cell_is_kept_and_not_judged(tmp_path: Path) -> None:
    evidence, runs = made_up(tmp_path)
    other_cell = Cell(replace(runs[0].cell.setting, digit_base=5), "nano")
    others = [
        replace(runs[0], recipe="1"),
        replace(run(other_cell, {2: 1}), recipe=RECIPE.version),
    ]
    write_evidence(evidence, [*runs, *others])
    before = evidence.read_bytes()
    Store(tmp_path / "store.sqlite").close()
    done = run_cli(*REPORT, cwd=tmp_path)
    assert "2 models in reports/grid/evidence.jsonl are kept and not judged" in done.out + done.err
    assert evidence.read_bytes() == before


@pytest.mark.training
def test_a_closed_pipe_is_no_verdict(tmp_path: Path) -> None:
    """``arith verify ... | head -1`` of what would end with 1."""
    _, runs = made_up(tmp_path)
    store = Store(tmp_path / "store.sqlite")
    for one in runs:
        store.add(one)
    started = Started(tmp_path, *VERIFY)
    assert started.process.stdout is not None
    started.process.stdout.close()
    assert started.wait() == 141
    assert started.lines() == []
    assert run_cli(*VERIFY, cwd=tmp_path).code == 1


@thorough
def test_two_commands_on_one_store_share_the_work(tmp_path: Path) -> None:
    first = verify(tmp_path, "--seeds", "3")
    second = verify(tmp_path, "--seeds", "3")
    codes = {first.wait(), second.wait()}
    assert codes <= {0, 1, 3} and len(codes) == 1, (first.lines(), second.lines())
    lines = [line for x in (first, second) for line in x.lines() if line.startswith("[")]
    trained = announced([line for line in lines if "trained by" not in line])
    assert len(trained) == len(set(trained)) == len(stored(tmp_path)) == 6
