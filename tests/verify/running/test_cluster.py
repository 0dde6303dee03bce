"""A grid on a cluster of Dask: every model once in the store, with the numbers of one machine.

The one worker is killed by default, as it trains the one model; ``ARITH_EXAMPLES=20`` kills five of
four while 30 models are trained, restarts the scheduler, and runs what takes longer.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.command_line import run_cli
from builders.dask_cluster import OTHER_THEORY, DaskCluster
from builders.processes import Started, stored_runs, tiny_grid, told, trained_here

from arith.theory.text.text import count

THOROUGH = int(os.environ.get("ARITH_EXAMPLES", "0")) >= 20
CELLS, SEEDS, KILLS, WORKERS = (2, 15, 5, 4) if THOROUGH else (1, 1, 1, 1)
MODELS = CELLS * SEEDS
BUDGET = 20
LONGEST = 1800.0 if THOROUGH else 300.0
thorough = pytest.mark.skipif(not THOROUGH, reason="takes minutes; ARITH_EXAMPLES=20 runs it")
pytestmark = [
    pytest.mark.soak,
    pytest.mark.training,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are in /proc"),
]


def command(
    folder: Path, address: str, budget: int = BUDGET, cells: int = CELLS
) -> tuple[str, ...]:
    (folder / "grid.toml").write_text(tiny_grid("pico", cells))
    words = ("verify", "--grid", "grid.toml", "--store", "store.sqlite", "--cluster", address)
    return *words, "--budget", str(budget)


def verify(folder: Path, address: str, *more: str, budget: int = BUDGET) -> Started:
    return Started(folder, *command(folder, address, budget), *more)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster without workers."""
    with DaskCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster(scheduler: DaskCluster) -> Iterator[DaskCluster]:
    """The same, of which each test has the workers that it starts."""
    yield scheduler
    scheduler.kill_workers()


def test_workers_and_the_scheduler_may_die(cluster: DaskCluster, tmp_path: Path) -> None:
    rng, seen = random.Random(0), []
    cluster.start_workers(WORKERS)
    started = verify(tmp_path, cluster.address, "--seeds", str(SEEDS))
    started.until("training ")
    # By what is done, for a run on a fast machine is soon over.
    done = sorted(rng.sample(range(SEEDS), KILLS))
    for kill, number in enumerate(done):
        if number:
            started.until(f"[{number}/")
        cluster.until_training()
        time.sleep(rng.uniform(0, 2 if THOROUGH else 0.5))
        cluster.kill_worker(rng)
        seen.append(started.process.poll())
        if THOROUGH and kill == KILLS // 2:
            cluster.restart_scheduler()
    assert started.process.wait(LONGEST) == 3, started.lines()
    assert seen == [None] * KILLS
    lines = started.lines()
    assert f"training {count(MODELS, 'model')}, at most {BUDGET} steps each" in lines[0]
    assert f"on the cluster at {cluster.address} (" in lines[0] and ", dashboard http" in lines[0]
    assert len([line for line in lines if line.startswith("[")]) == MODELS
    gone = f"arith: the scheduler at {cluster.address} is gone; waiting for it to come back"
    assert (gone in lines) == THOROUGH
    stored = stored_runs(tmp_path / "store.sqlite")
    assert stored == trained_here(tmp_path / "grid.toml", SEEDS, BUDGET)
    assert all(run.predicted for run in stored.values())


def test_workers_of_another_version_are_refused_and_what_raises_is_told(
    cluster: DaskCluster, tmp_path: Path
) -> None:
    cluster.start_workers(1, "--resources", "GPU=1", program=OTHER_THEORY)
    cluster.until_workers(1)
    other = run_cli(*command(tmp_path, cluster.address), cwd=tmp_path)
    assert other.code == 2, other.err
    [line] = other.err.splitlines()
    assert line.startswith(f"arith: --cluster {cluster.address}: none of its workers can train")
    assert "it has theory 0; this command has theory " in line
    # A worker of this version says that it has a GPU, and has none.
    cluster.start_workers(1, "--resources", "GPU=1", CUDA_VISIBLE_DEVICES="")
    cluster.until_workers(2)
    words = command(tmp_path, cluster.address, cells=1)
    broken = run_cli(*words, "--device", "cuda", cwd=tmp_path)
    assert broken.code == 4, broken.err
    refused, training, failed = told(broken.err.splitlines())
    assert "is refused, and all like it: it has theory 0; this command has theory " in refused
    assert training.startswith("training 1 model,")
    assert failed.startswith("arith: training failed: ") and len(failed) < 500
    assert stored_runs(tmp_path / "store.sqlite") == {}


@pytest.mark.parametrize(
    "address",
    ["here", "tcp://127.0.0.1:1", "tcp://127.0.0.1:99999", "x://y:1"]
    + ["tcp://SILENT", "tls://SILENT", "ws://SILENT", "ucx://127.0.0.1:1", "inproc://x/1"],
)
def test_a_scheduler_that_cannot_be_reached_is_told_in_one_line(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arith.verify.running.cluster._ANSWER", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it listens and never answers
        address = address.replace("SILENT", f"127.0.0.1:{silent.getsockname()[1]}")
        done = run_cli("verify", "--grid", "smoke", "--cluster", address, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"arith: --cluster {address}: no scheduler answers (")
    assert done.err.count("\n") == 1


def test_without_dask_it_is_said_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arith.verify.running.cluster.find_spec", lambda name: None)
    done = run_cli("verify", "--grid", "smoke", "--cluster", "tcp://127.0.0.1:1", cwd=tmp_path)
    assert done.code == 2
    assert done.err == (
        "arith: --cluster needs Dask, which is not installed (pip install 'arith[cluster]')\n"
    )


@thorough
def test_an_interrupted_run_stops_its_trainings_and_goes_on(
    cluster: DaskCluster, tmp_path: Path
) -> None:
    """And workers that differ in what they do well are told, unless the precision is given."""
    cluster.start_workers(1, ARITH_PRECISION="bfloat16")
    cluster.start_workers(1, ARITH_PRECISION="float32")
    cluster.until_workers(2)
    differ = verify(tmp_path, cluster.address, "--precision", "auto")
    assert differ.process.wait(LONGEST) == 2, differ.lines()
    [line] = differ.lines()
    assert "its processors differ (1 bfloat16, 1 float32)" in line
    started = verify(tmp_path, cluster.address, budget=100_000)
    started.until("still training: 0 of 2 models are done, 2 at step")
    started.process.send_signal(signal.SIGINT)
    assert started.process.wait(LONGEST) == 130, started.lines()
    assert started.lines()[-1] == "arith: interrupted; what had finished is kept"
    end = time.monotonic() + 60
    while cluster.trainings():
        assert time.monotonic() < end
        time.sleep(0.1)
    assert stored_runs(tmp_path / "store.sqlite") == {}
    both = [verify(tmp_path, cluster.address, "--seeds", "3") for _ in range(2)]
    assert [x.process.wait(LONGEST) for x in both] == [3, 3], [x.lines() for x in both]
    lines = [line for x in both for line in x.lines() if line.startswith("[")]
    assert len([line for line in lines if "trained by" not in line]) == 6
    assert stored_runs(tmp_path / "store.sqlite") == trained_here(tmp_path / "grid.toml", 3, BUDGET)
