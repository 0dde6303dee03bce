"""The page of ``arith explore`` in a browser, and its parts without one."""

from __future__ import annotations

import json
import os
import random
import re
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from builders.browser import chromium, explored, widest
from builders.command_line import run_cli

from arith.commands.explore_controls import CHIEF, FIRST, controls_of, texts_of, values_of
from arith.commands.explore_page import MODULI, command_html, strips
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request, request_of
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS

pytestmark = pytest.mark.skipif(find_spec("marimo") is None, reason="the page is made by marimo")
WAITS = 120
"""Seconds, on a machine that does much else."""


def text_of(html: str) -> str:
    """The words of a part of the page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def state(draw: random.Random) -> dict[str, str]:
    """A random state of the page; it may make no sense."""
    task = draw.choice(["mod_add", "mod_mul", "mod_sub", "add", "sub", "mul", "copy", "parity"])
    state = {
        "task": task,
        "modulus": str(draw.randint(2, 300)) if task.startswith("mod_") else "",
        "base": draw.choice(["10", "10", "2", "7", "16"]),
        "pe": draw.choice(list(ENCODINGS)),
        "layout": draw.choice([*LAYOUTS, "plain, no signs", "reversed, end"]),
        "window": draw.choice(["0", "0", "5", "8"]),
        "train_digits": draw.choice(["1", "2", "3", "1-3", "2+4"]),
        "test_digits": draw.choice(["", "1-5", "1,6"]),
        "padding": draw.choice(["fixed", "fixed", "none"]),
    }
    return texts_of(values_of(*controls_of(state)))


@cache
def states() -> list[dict[str, str]]:
    """Fifty of them, made when they are asked for."""
    return [state(random.Random(seed)) for seed in range(50)]


def words(texts: Mapping[str, str]) -> list[str]:
    """The options of a state on the command line."""
    return [x for name, text in texts.items() for x in (f"--{name.replace('_', '-')}", text)]


def agrees(shown: str, texts: Mapping[str, str]) -> bool:
    """Whether what is shown of a state is what the command says of it, length by length."""
    done = run_cli("predict", *words(texts), "--json")
    if done.code:
        return shown == done.err.strip()
    said = json.loads(done.out)
    rows = re.findall(r"digits:(\d+) inputs:(\w+) accuracy:(.*?) claim:(.*?)(?=$| digits)", shown)
    told = {"exact": "exact", "none": "no claim", "at least": "at least", "at most": ""}
    assert len(rows) == len(said["lengths"]) > 0
    for (digits, inputs, accuracy, claim), x in zip(rows, said["lengths"], strict=True):
        assert int(digits) == x["digits"]
        is_longer = x["direction"] == "upward"
        assert (inputs == "longer") == is_longer
        assert claim == "premise" or claim.startswith(told[x["claim"]])
        if x["claim"] == "exact" and len(x["accuracy"]) <= 15:
            assert accuracy.startswith(x["accuracy"])
    return True


ROWS = """return [...document.querySelectorAll('.lengths tbody tr')].map(row => {
    const at = name => row.querySelector(`[data-label="${name}"]`).textContent.trim()
    return `digits:${at('digits')} inputs:${at('inputs')} accuracy:${at('expected accuracy')}`
        + ` claim:${at('claim')}`
}).join(' ')"""


def test_every_state_has_a_page_and_the_command_that_says_the_same() -> None:
    predicted = 0
    for texts in states():
        try:
            prediction = predict(request_of(texts).setting())
        except InvalidInput:
            continue
        command = text_of(command_html(prediction))
        asked = re.search(r"arith (predict .*?) The address", command)
        line = [x.strip('"') for x in re.findall(r'"[^"]*"|\S+', asked[1])]
        assert json.loads(run_cli(*line, "--json").out) == prediction.to_json()
        predicted += 1
    assert predicted >= 20


def test_the_strip_is_what_is_predicted_of_each_modulus() -> None:
    texts = {"task": "mod_add", "modulus": "100", "train_digits": "2", "pe": "nope"}
    asked = Request(task="mod_add", modulus=100, train_digits="2")
    *_, last = strips(asked, texts)
    said = dict(re.findall(r"<title>modulus (\d+): ([^<]*)</title>", last))
    assert {*map(int, said)} == {*MODULI}
    for p in (4, 100, 101, 150):
        at = predict(replace(asked, modulus=p).setting())
        exact = float(at.lengths[-1].accuracy or 0)
        assert said[str(p)] == ("right on all inputs" if exact == 1 else f"accuracy {exact:.3g}")
    assert "8 of 199 moduli are right on all inputs: 2, 4, 5, 10, 20, 25, 50, 100." in text_of(last)


@pytest.mark.parametrize(
    ("texts", "part"),
    [
        ({"task": "mod_add"}, "needs a modulus"),
        ({"task": "mod_add", "modulus": "abc"}, "'abc' is no whole number"),
        ({"task": "add", "pe": "rpa"}, "did you mean 'rpe'?"),
        ({"task": "add", "base": "1"}, "base must be between"),
        ({"task": "add", "layout": "no sings"}, "unknown layout"),
        ({"expr": "a +"}, "a +"),
    ],
)
def test_bad_input_is_said_as_on_the_command_line(texts: dict[str, str], part: str) -> None:
    kept = texts_of(values_of(*controls_of(texts)))
    with pytest.raises(InvalidInput) as raised:
        request_of(kept).setting()
    assert run_cli("predict", *words(texts)).err == f"arith: {raised.value}\n"
    assert part in str(raised.value)


def test_the_command_refuses_what_it_cannot_serve(tmp_path: Path) -> None:
    for line in (["--port", "0"], ["--task", "add", "--base", "1"], ["--store", "none"]):
        done = run_cli("explore", *line, cwd=tmp_path)
        assert done.code == 2 and len(done.err.splitlines()) == 1
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run_cli("explore", "--port", str(taken.getsockname()[1]))
        assert done.code == 2 and "cannot serve at port" in done.err


# --- in a browser -------------------------------------------------------------------------


class Page:
    """The page in a browser."""

    def __init__(self, browser: Any, url: str) -> None:
        self.browser, self.url = browser, url

    def open(self, texts: Mapping[str, str]) -> None:
        """Load a state by its address."""
        self.browser.get(f"{self.url}?{urlencode(texts)}")
        self.shows(texts or FIRST)

    def control(self, name: str) -> Any:
        """The field of a control."""
        label = CHIEF.get(name, name.replace("_", " ").capitalize())
        return self.browser.execute_script(
            """const [label] = arguments
            for (const x of document.querySelectorAll('.arith-controls [data-label]')) {
                const root = x.shadowRoot
                if (root && root.querySelector('label')?.textContent.trim() === label)
                    return root.querySelector('select, input')
            }""",
            label,
        )

    def choose(self, name: str, text: str) -> None:
        """Give a control another value, by keyboard where it is a field."""
        from selenium.webdriver.common.keys import Keys
        from selenium.webdriver.support.select import Select

        control = self.control(name)
        if control.tag_name == "select":
            Select(control).select_by_visible_text(text)
        else:
            written = control.get_attribute("value") or ""
            control.send_keys(Keys.END, *[Keys.BACKSPACE] * len(written), text, Keys.ENTER)

    def move(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """Go from one state to another, control by control."""
        was, wanted = values_of(*controls_of(before)), values_of(*controls_of(after))
        for name, value in wanted.items():
            if value != was[name]:
                self.choose(name, "" if value is None else str(value))

    def shows(self, texts: Mapping[str, str]) -> None:
        """Wait until the state is shown: its command, or its error."""
        try:
            prediction = predict(request_of(texts).setting())
            wanted = text_of(command_html(prediction)).partition(" The address")[0]
        except InvalidInput as error:
            wanted = f"arith: {error}"
        wanted = " ".join(wanted.removeprefix("The same answer in a terminal").split())
        script = """return [...document.querySelectorAll('.command code, .error p')]
            .map(x => x.textContent.trim())"""
        end = time.monotonic() + WAITS
        while time.monotonic() < end:
            found = [" ".join(x.split()) for x in self.browser.execute_script(script)]
            if found == [wanted]:
                return
            time.sleep(0.02)
        raise AssertionError(f"{found} is shown in place of {wanted}")

    def rows(self) -> str:
        """The table of lengths, or the error."""
        error = self.all(".error p")
        found: str = error[0].text if error else self.browser.execute_script(ROWS)
        return found

    def all(self, selector: str) -> list[Any]:
        found: list[Any] = self.browser.find_elements("css selector", selector)
        return found

    def errors(self) -> list[str]:
        """What the console holds that is no note of the notebook's own."""
        told = self.browser.get_log("browser")
        return [x["message"] for x in told if x["level"] == "SEVERE"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page as the command serves it."""
    folder = tmp_path_factory.mktemp("explore")
    with chromium(folder) as browser, explored() as url:
        yield Page(browser, url)


@pytest.mark.documents
@pytest.mark.long
def test_the_page_in_a_browser(page: Page) -> None:
    """One load: the first state, every control, random states, widths, no error in the console.

    With ``ARITH_EXAMPLES`` set, it is all 50 states.

    How long it took is printed (``pytest -s``), for a busy machine takes many times as long.
    """
    page.open({})
    script = "return performance.now() - performance.timing.loadEventEnd + performance.timeOrigin"
    first, seconds = page.browser.execute_script(script) / 1000, []
    assert parse_qs(urlsplit(page.browser.current_url).query) == {n: [x] for n, x in FIRST.items()}
    before: dict[str, str] = dict(FIRST)
    changes = (
        ("modulus", "150", "1/3"),
        ("train_digits", "1-3", "1..3 digits"),
        ("base", "6", "base 6"),
        ("pe", "rope", "RoPE encoding"),
        ("layout", "plain", "as people write"),
        ("differs", "no signs", "plain, no signs"),
        ("window", "9", "attention window 9"),
        ("test_digits", "2-5", "--test-digits 2,3,4,5"),
        ("task", "add", "a + b in base 6"),
    )
    for name, value, said in changes:
        started = time.monotonic()
        page.choose(name, value)
        if name == "differs":
            before["layout"] += f", {value}"
        else:
            before[name] = value
        if name == "task":
            del before["modulus"]
        page.shows(before)
        seconds.append(time.monotonic() - started)
        assert agrees(page.rows(), before), before
        assert said in page.browser.find_element("css selector", "body").text
        query = parse_qs(urlsplit(page.browser.current_url).query)
        assert query == {n: [x] for n, x in before.items()}
    for texts in states() if "ARITH_EXAMPLES" in os.environ else states()[:4]:
        page.move(before, texts)
        page.shows(texts)
        assert agrees(page.rows(), texts), texts
        before = texts
    for width in (400, 1280):
        assert widest(page.browser, width) <= width
    assert page.errors() == []
    print(f"first answer {first:.2f} s after the load, each change {median(seconds):.2f} s")
