"""An option of a setting is described once: every place that has options has it from there."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from builders.paths import ROOT

from arith.theory.setting.requests import Request, flag, options_of

PROGRAM = """
import json, sys
from dataclasses import dataclass
from arith.theory.setting import requests
from arith.theory.setting.requests import option

@dataclass(frozen=True)
class Domain(requests.Domain):
    noise: int = 0

@dataclass(frozen=True)
class Request(requests.Request):
    train_noise: int = option(0, "Wrong answers per thousand.", "train.noise")

requests.Domain, requests.Request = Domain, Request

from builders.command_line import run_cli
from builders.paths import ROOT
sys.path.insert(0, str(ROOT / "tests"))
from test_options import table
from arith.verify.plan.cells import Cell
from arith.verify.plan.grids import grid

plain, [noisy] = Request("add").setting(), grid(sys.argv[1])
asked = ("predict", "--task", "add", "--train-noise", "5")
print(json.dumps({
    "help": run_cli("verify", "--help").out,
    "predict": run_cli(*asked, "--json").out,
    "asked": run_cli(*asked).code,
    "default": Cell(plain, "pico").to_json(),
    "cell": noisy.to_json(),
    "again": Cell.from_json(noisy.to_json()) == noisy,
    "command": noisy.command(0),
    "table": table(Request),
}))
"""
"""Adds an option in one place, before anything else is imported; prints what each place says."""


def table(request: type[Request]) -> str:
    """The table of the options, as the page on usage has it."""
    lines = ["| option | default | values |", "| --- | --- | --- |"]
    for name, about in options_of(request).items():
        default = getattr(request, name)
        lines.append(
            f"| `{flag(name)}` | {'' if default in (None, ()) else default} | {about.help} |"
        )
    return "\n".join(lines) + "\n"


def test_the_page_on_usage_has_the_table_of_the_options() -> None:
    page, rows = (ROOT / "docs" / "usage.md").read_text(), table(Request)
    assert [row for row in rows.splitlines() if row not in page.splitlines()] == []
    assert rows in page


def test_a_new_option_is_known_everywhere(tmp_path: Any) -> None:
    (tmp_path / "grid.toml").write_text('[[cell]]\ntask = "add"\ntrain-noise = 5\n')
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "grid.toml")],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert "--train-noise <int>" in said["help"] and "per thousand.  [default: 0]" in said["help"]
    assert json.loads(said["predict"])["train"]["noise"] == 5
    assert said["asked"] == 0
    assert "train_noise" not in said["default"]  # the cells that there are keep their identity
    assert list(said["cell"])[-1] == "train_noise" and said["cell"]["train_noise"] == 5
    assert said["again"]
    assert " --train-noise 5 " in said["command"]
    assert "| `--train-noise` | 0 | Wrong answers per thousand. |" in said["table"]
