"""Chromium, headless, for the tests of pages."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from builders.paths import ROOT

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--force-prefers-reduced-motion --window-size=1280,900"
)


@contextmanager
def chromium(folder: Path) -> Iterator[Any]:
    """A browser, 1280 pixels wide, with its profile in a folder; skips where there is none."""
    if not (CHROMIUM.exists() and DRIVER.exists()):
        pytest.skip("needs Chromium and its driver in /usr/bin")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS.split(), f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(str(DRIVER)))
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def explored(*options: str) -> Iterator[str]:
    """The address of the page that ``arith explore`` serves."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = [sys.executable, "-m", "arith", "explore", "--no-browser", "--port", str(port), *options]
    served = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert served.stdout
        next(x for x in served.stdout if f":{port}" in x)
        yield f"http://127.0.0.1:{port}/"
    finally:
        served.send_signal(signal.SIGINT)
        served.wait(60)


def resize(browser: Any, width: int, height: int = 900) -> None:
    """Give the window a size in pixels."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def widest(browser: Any, width: int) -> int:
    """How wide a page gets in a window of so many pixels."""
    resize(browser, width)
    browser.execute_script("document.querySelectorAll('details').forEach(x => { x.open = true })")
    found: int = browser.execute_script("return document.documentElement.scrollWidth")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return found
