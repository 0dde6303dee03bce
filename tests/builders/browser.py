"""Chromium, headless, for the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

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


def widest(browser: Any, width: int) -> int:
    """How wide a page gets in a window of so many pixels."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_script("document.querySelectorAll('details').forEach(x => { x.open = true })")
    found: int = browser.execute_script("return document.documentElement.scrollWidth")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return found
