"""A grid on a cluster of Dask: every model once in the store, with the numbers of one machine.

One kill by default; ``ARITH_EXAMPLES=20`` makes it five among 30 models, with a restart of the
scheduler, and runs what takes longer.
"""

from __future__ import annotations

import os
import random
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from builders.command_line import run_cli
from builders.dask_cluster import OTHER_THEORY, DaskCluster
from builders.processes import PLAIN, Started

from verify.records.runs import Run
from verify.records.store import Store

THOROUGH = int(os.environ.get("ARITH_EXAMPLES", "0")) >= 20
SEEDS, KILLS, WORKERS = (15, 5, 4) if THOROUGH else (2, 1, 2)
GRID = """
[[cell]]
task = "add"
pe = "ape"
base = 3
train-digits = 2
test-digits = [2, 3]
model = "nano"

[[cell]]
task = "mod_add"
modulus = 5
pe = "rpe"
base = 3
train-digits = 2
test-digits = [2, 3]
model = "nano"
"""
thorough = pytest.mark.skipif(not THOROUGH, reason="takes minutes; ARITH_EXAMPLES=20 runs it")
pytestmark = [
    pytest.mark.training,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are in /proc"),
]


def verify(folder: Path, address: str | None, seeds: int, store: str = "store", **variables: str) -> Started:
    (folder / "grid.toml").write_text(GRID)
    there = () if address is None else ("--cluster", address)
    words = ("verify", "--grid", "grid.toml", "--store", f"{store}.sqlite", "--budget", "50")
    return Started(folder, *words, "--seeds", str(seeds), *there, **variables)


def stored(path: Path) -> list[Run]:
    """What is in a store, in order, without how long it took."""
    runs = [replace(run, seconds=0.0) for run in Store(path).runs()[0]]
    return sorted(runs, key=lambda run: run.identity)


def test_workers_and_scheduler_may_die(tmp_path: Path) -> None:
    rng = random.Random(0)
    with DaskCluster(tmp_path) as cluster:
        cluster.start_workers(WORKERS)
        started = verify(tmp_path, cluster.address, SEEDS)
        started.until("training")
        for kill in range(KILLS):
            time.sleep(rng.uniform(0, 10) if kill else 2)
            cluster.kill_worker(rng)
            if THOROUGH and kill == KILLS // 2:
                cluster.restart_scheduler()
        assert started.wait() == 3, started.lines()
    lines = started.lines()
    print(*lines, sep="\n")
    ended = [line for line in lines if line.startswith("[")]
    assert len(ended) == 2 * SEEDS
    here = verify(tmp_path, None, SEEDS, "here")
    assert here.wait() == 3, here.lines()
    there = stored(tmp_path / "store.sqlite")
    assert there == stored(tmp_path / "here.sqlite") and len(there) == 2 * SEEDS
    assert all(run.predicted for run in there)
