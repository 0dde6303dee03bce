"""What CI and make do with an exit code of arith: only 0 passes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from builders.paths import ROOT


def script(path: Path, text: str) -> None:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The Makefile and the script of CI, with an environment that is ready and empty."""
    for name in (".ci/run", "Makefile", "pyproject.toml", "constraints.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("python", "ruff", "mypy", "mkdocs", "chromedriver"):
        script(tmp_path / ".venv/bin" / name, "exit 0")
    (tmp_path / ".venv/.ready").touch()
    return tmp_path


def run(project: Path, *command: str) -> int:
    """The exit code of a command in the project, its output put away."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    # A browser is there, so that none is installed.
    environment["PATH"] = f"{project / '.venv/bin'}:{environment['PATH']}"
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False)
    return done.returncode


@pytest.mark.parametrize("step", ["report --grid headline", "verify --grid smoke"])
@pytest.mark.parametrize("code", [0, 1, 2, 3, 4])
def test_ci_passes_with_0_only(project: Path, step: str, code: int) -> None:
    script(project / ".venv/bin/arith", f'case "$*" in "{step}"*) exit {code} ;; esac')
    assert run(project, "bash", ".ci/run") == code


@pytest.mark.parametrize(
    ("verify", "report", "passes"),
    [(0, 0, True), (0, 1, False), (0, 2, False), (0, 4, False), (1, 0, False), (3, 0, False)],
)
def test_make_verify_passes_where_both_do(
    project: Path, verify: int, report: int, passes: bool
) -> None:
    text = f'case "$1" in verify) exit {verify} ;; report) exit {report} ;; esac'
    script(project / ".venv/bin/arith", text)
    assert (run(project, "make", "verify") == 0) == passes
