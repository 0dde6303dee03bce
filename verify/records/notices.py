"""Notices: lines for whoever watches a long run."""

from __future__ import annotations

import sys
from contextlib import suppress


def say(line: str) -> None:
    """Print a line on standard error; work goes on when nobody reads the lines any more."""
    if sys.stderr is not None:  # or print would write to standard output
        with suppress(OSError, ValueError):  # the pipe is broken, or the stream closed
            print(line, file=sys.stderr, flush=True)
