"""The picture of ``docs/explore.md``: ``python tests/builders/explore_picture.py`` takes it anew.

``--width`` and ``--dark`` take another, to be looked at; the options of a setting say which.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from builders.browser import chromium, explored, resize
from builders.paths import ROOT

WAITS = 120
"""Seconds until the strip of moduli is counted."""


def take(path: Path, width: int, dark: bool, setting: list[str]) -> None:
    """Write the page of a setting, as high as it is, as a picture."""
    with (
        TemporaryDirectory() as folder,
        chromium(Path(folder)) as browser,
        explored(*setting) as url,
    ):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        resize(browser, width)
        browser.get(url)
        end = time.monotonic() + WAITS
        while not browser.execute_script(
            "return document.querySelector('.strip p:not([role])') && 1"
        ):
            assert time.monotonic() < end
            time.sleep(0.1)
        highest = "return Math.max(...[...document.querySelectorAll('*')].map(x => x.scrollHeight))"
        for _ in range(2):  # what is higher may be narrower
            resize(browser, width, browser.execute_script(highest) + 20)
            time.sleep(1)  # until it is drawn
        browser.save_screenshot(str(path))


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "assets" / "explore.png")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--dark", action="store_true")
    asked, others = parser.parse_known_args()
    take(asked.out, asked.width, asked.dark, others)
