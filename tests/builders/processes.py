"""The command ``arith`` in processes of its own, for what ends them or takes their output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from arith.verify.plan.grids import grid
from arith.verify.plan.plan import Job
from arith.verify.records.runs import Identity, Run
from arith.verify.records.store import Store
from builders.paths import ROOT

PLAIN = "from arith.cli import main\nif __name__ == '__main__':\n    main()\n"
"""The program; the workers that it starts import it too."""
UNTRAINED = f"""if __name__ != "__main__":
    import sys
    from arith.verify.training import device
    from builders import stand_in
    device.train_alone = lambda: None  # it asks torch
    sys.modules["arith.verify.running.execute"] = stand_in
{PLAIN}"""
"""A program whose workers train nothing (see ``builders.stand_in``)."""
_PATH = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
SECONDS = 120.0
"""The longest wait for anything; a busy machine is slow."""


_CELLS = (
    """
[[cell]]
task = "add"
pe = "ape"
base = 3
train-digits = 2
test-digits = [2, 3]
model = "{model}"
""",
    """
[[cell]]
task = "mod_add"
modulus = 5
pe = "rpe"
base = 3
train-digits = 2
test-digits = [2, 3]
model = "{model}"
""",
)


def tiny_grid(model: str, cells: int = 2) -> str:
    """A grid file of one or two cells that train in seconds."""
    return "".join(_CELLS[:cells]).format(model=model)


def stored_runs(store: Path) -> dict[Identity, Run]:
    """What is in a store, without how long it took."""
    runs, _ = Store(store).runs()
    found = {run.identity: replace(run, seconds=0.0) for run in runs}
    assert len(found) == len(runs)
    return found


def trained_here(path: Path, seeds: int, budget: int) -> dict[Identity, Run]:
    """The models of a grid file, trained in this process, as a store gives them back."""
    # Imported late: it needs torch.
    from arith.verify.running.execute import execute

    cells = grid(str(path))
    made = [execute([Job(c, s, c.recipe)], budget, "cpu")[0] for c in cells for s in range(seeds)]
    read = [Run.from_json(json.dumps(run.to_json())) for run in made]
    return {run.identity: replace(run, seconds=0.0) for run in read}


class Started:
    """A command of ``arith`` in a process of its own; it and all that it starts can be found.

    Args:
        folder: the working directory; the program is written there, and its standard error.
        words: the command line.
        program: the source of what is run.
        stdout: where its output goes.
        variables: added to the environment.
    """

    def __init__(
        self,
        folder: Path,
        *words: str,
        program: str = PLAIN,
        stdout: Any = subprocess.PIPE,
        **variables: str,
    ) -> None:
        name, value = "ARITH_TEST_MARK", uuid4().hex
        self.mark = f"{name}={value}"
        script = folder / f"program_{value}.py"
        script.write_text(program)
        self.errors = folder / f"{script.stem}.err"
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(script), *words],
                cwd=folder,
                env={**_inherited(), "PYTHONPATH": _PATH, name: value, **variables},
                stdout=stdout,
                stderr=errors,
                text=True,
            )

    def wait(self) -> int:
        """The exit code."""
        return self.process.wait(SECONDS)

    def lines(self) -> list[str]:
        """What was said on standard error so far."""
        return self.errors.read_text().splitlines()

    def told(self) -> list[str]:
        """The same, without how far it is."""
        return told(self.lines())

    def until(self, text: str) -> None:
        """Wait until a line on standard error begins so."""
        end = time.monotonic() + SECONDS
        while not any(line.startswith(text) for line in self.lines()):
            assert time.monotonic() < end and self.process.poll() is None, self.lines()
            time.sleep(0.05)

    def workers(self) -> list[int]:
        """The training processes that run."""
        return [pid for pid in self.alive() if b"spawn_main" in _read(pid, "cmdline")]

    def variables(self, pid: int) -> list[str]:
        """The environment that a process was started in, as ``NAME=VALUE``."""
        return _read(pid, "environ").decode().split("\0")

    def alive(self) -> list[int]:
        """Every process that belongs to this command."""
        pids = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()]
        return [pid for pid in pids if self.mark.encode() in _read(pid, "environ")]


def told(lines: list[str]) -> list[str]:
    """Lines without those on how far it is, which a busy machine has the time to say."""
    return [line for line in lines if not line.startswith("still training: ")]


def _inherited() -> dict[str, str]:
    """The environment, without what this project asks of the C library of its processes."""
    return {k: v for k, v in os.environ.items() if k != "GLIBC_TUNABLES"}


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
