"""The command ``arith``, run in the process of the tests."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from builders.paths import ROOT

_COLOURS = ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "NO_COLOR")
"""Variables by which a user asks for colour or against it."""


class Done(NamedTuple):
    """A command line that has ended: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


def run_cli(*arguments: str, cwd: Path = ROOT, width: int = 200, encoding: str = "utf-8") -> Done:
    """Run ``arith`` in this process, as if its output were piped.

    Whatever it raises, other than its exit, is raised here: a user would see a traceback.

    Args:
        cwd: the working directory.
        width: columns of the terminal.
        encoding: of what is written.
    """
    # Imported late: some tests ask what importing the command imports.
    from arith.cli import main

    out, err = _pipe(encoding), _pipe(encoding)
    code: Any = None
    with (
        chdir(cwd),
        _environment(COLUMNS=str(width)),
        patch.object(sys, "argv", ["arith", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    return Done(code if isinstance(code, int) else int(code is not None), _text(out), _text(err))


def _pipe(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")


def _text(pipe: io.TextIOWrapper) -> str:
    pipe.flush()
    written = pipe.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode(pipe.encoding)


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """The environment with these variables, and without those that ask for colour."""
    kept = {k: v for k, v in os.environ.items() if k not in _COLOURS}
    with patch.dict(os.environ, kept | values, clear=True):
        yield
