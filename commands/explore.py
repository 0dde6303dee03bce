"""The command that opens a page to play with settings."""

from __future__ import annotations

import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import typer

from arith.commands.options import DEFAULT_STORE, check_store, takes
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request

LARGEST_PORT = 65_535
PAGE = Path(__file__).with_name("explore_app.py")


@takes(Request)
def explore(
    context: typer.Context,
    port: int = 2718,
    no_browser: bool = False,
    store: Path = DEFAULT_STORE,
    **options: Any,
) -> None:
    """Open a page to play with settings, on this machine alone.

    Args:
        port: Of this machine, 1 to 65535.
        no_browser: Print the address alone, and open no browser.
        store: Where arith verify kept its measurements.
    """
    check_store(context, store)
    request = Request(**options)
    asked = {n: x for n, x in options.items() if x != getattr(Request, n)}
    if asked:
        request.setting()
    if not 1 <= port <= LARGEST_PORT:
        raise InvalidInput(f"--port goes from 1 to {LARGEST_PORT}, not {port}")
    if find_spec("marimo") is None:
        raise InvalidInput("the page needs the extra: pip install 'arith[explore]'")
    texts = {n: " ".join(x) if isinstance(x, tuple) else x for n, x in asked.items()}
    words = [sys.executable, "-m", "marimo", "run", str(PAGE), "--port", str(port)]
    words += [*["--headless"] * no_browser, "--", "--store", str(store.absolute())]
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        what = f"cannot serve at port {port}: {error.strerror}"
        raise InvalidInput(f"{what} (--port takes another)") from None
    os.execv(sys.executable, [*words, f"--setting={urlencode(texts)}"])
