"""Random lines of every command: each ends soon, in little memory, with a code of the table.

None ends by the last resort either, which is for what nobody foresaw.

All run in one process.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time

import pytest
from builders.command_line import run_cli
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arith.cli import COMMANDS, EXIT_CODES
from arith.theory.arithmetic.tasks import TASKS
from arith.theory.transformer.encodings import ENCODINGS
from arith.theory.transformer.layouts import LAYOUTS

SECONDS, BYTES = 10, 2**30
WAITS = 60
"""Seconds by the clock: nothing reads from a pipe for ever."""
# A line that fails is reported as it was drawn: to shrink one Hypothesis traces every line of
# Python, and then other lines fail by their time.
LINES = settings(phases=[Phase.generate], suppress_health_check=list(HealthCheck))

wild = st.one_of(
    st.sampled_from(
        ("", " ", "nan", "inf", "-1", "0", "1e999", "9" * 5000, "2147483648", "\x1b[31m", "\x07")
    ),
    st.sampled_from(("ä", "１２", "a\nb", "\ud800", "[bold]x", "1..", "-", "--", "%", "../x")),
    st.text(st.characters(exclude_characters="\0"), max_size=12),  # no word has a NUL
    st.integers().map(str),
)
numbers = st.one_of(st.integers(-2, 60).map(str), st.integers(0, 10**12).map(str), wild)
lengths = st.one_of(
    st.integers(1, 6).map(str),
    st.sampled_from(("1-3", "2+4", "1-20", "100", "1-100", "1,50", "99+100", "1-1000", "1000")),
    wild,
)
atoms = st.sampled_from(("a", "b", "c", "d", "a", "b", "2", "10", "7", "999983", "(a+b)", "a**3"))
expressions = st.one_of(
    st.recursive(
        atoms,
        lambda x: st.one_of(
            st.tuples(x, st.sampled_from(("+", "-", "*", " ", "//", "**", "%")), x).map("".join),
            x.map(lambda text: f"({text})"),
        ),
        max_leaves=6,
    ),
    st.sampled_from(
        (
            "(a+b+c+d)%999983",
            "(a+b+c+d)**8",
            "(a**7*b+c**7*d)%9999",
            "a#b",
            "(a*b) // 10",
            "a-b",
            "a" * 600,
            "(" * 200 + "a" + ")" * 200,
        )
    ),
    wild,
)
modular = st.tuples(expressions, st.sampled_from(("", " % 100", " % 101", " % 99991"))).map("".join)
SETTING = {
    "--expr": modular,
    "--modulus": numbers,
    "--base": st.one_of(st.sampled_from(("2", "3", "6", "10", "256")), numbers),
    "--pe": st.one_of(st.sampled_from(sorted(ENCODINGS)), wild),
    "--layout": st.one_of(st.sampled_from(sorted(LAYOUTS)), wild),
    "--window": numbers,
    "--train-digits": lengths,
    "--train-domain": st.one_of(st.sampled_from(("longest", "every")), wild),
    "--train-priming": st.one_of(
        st.sampled_from(("6:0.01", "8:0.1", "100:1e-6", "6:1e1000000000", "6:1e-400", "6:1/3")),
        wild,
    ),
    "--train-allowed": st.one_of(st.sampled_from(("1:1,3", "2:1,5", "2:6-9", "1:0")), wild),
    "--train-pairs": numbers,
    "--test-digits": lengths,
    "--test-domain": st.one_of(st.sampled_from(("longest", "every")), wild),
}
HARD = {
    "--modulus": st.sampled_from(("1", "97", "840", "9973", "99991", "999983", "4999999")),
    "--base": st.sampled_from(("2", "3", "6", "10", "16", "256")),
    "--pe": st.sampled_from(("ape", "rpe", "rope", "t5", "alibi", "nope")),
    "--layout": st.sampled_from(sorted(LAYOUTS)),
    "--window": st.sampled_from(("0", "5", "6", "13", "50", "5000")),
    "--train-digits": st.sampled_from(("1", "2", "3", "2+4", "1-8", "20", "1-20", "100", "1-100")),
    "--train-domain": st.sampled_from(("longest", "every")),
    "--train-priming": st.sampled_from(("8:0.1", "60:0.01", "100:1e-6")),
    "--train-allowed": st.sampled_from(("1:1,3", "2:1", "2:0,1", "1:0", "50:0,1")),
    "--train-pairs": st.sampled_from(("1", "1000", "100000", "1000000000")),
    "--test-digits": st.sampled_from(("1", "1-8", "1-30", "1-103", "200", "1-1000", "1000")),
    "--test-domain": st.sampled_from(("longest", "every")),
}
"""Values that are taken, some of them much work together."""
HARD_EXPRESSIONS = st.sampled_from(
    (
        "(a+b+c+d)%999983",
        "(a+b+c+d)**8",
        "(a**7*b+c**7*d)%9999",
        "(a*b) % 97",
        "a*a*b*b % 4999",
        "a-b",
        "3*a - 2*b + 7",
        "12345*a*b + c",
        "(a*b + c*d + a*d) % 360",
        "a**8 % 83160",
        "1234567890123*a + 9876543210987*b",
    )
)
TASK = {"--task": st.one_of(st.sampled_from(sorted(TASKS)), wild)}


@st.composite
def option_lists(draw: st.DrawFn, table: dict[str, st.SearchStrategy[str]]) -> list[str]:
    """Some of the options, each with a value."""
    names = draw(st.lists(st.sampled_from(sorted(table)), min_size=1, max_size=5, unique=True))
    return [part for name in names for part in (name, draw(table[name]))]


@st.composite
def settings_asked(draw: st.DrawFn) -> list[str]:
    """A task and some options of a setting."""
    if draw(st.booleans()):
        expr = draw(st.booleans())
        words = (
            ["--expr", draw(HARD_EXPRESSIONS)]
            if expr
            else ["--task", draw(st.sampled_from(sorted(TASKS)))]
        )
        table = {name: values for name, values in HARD.items() if name != "--modulus"}
        if words[1].startswith("mod_"):
            words += ["--modulus", draw(HARD["--modulus"])]
        return words + draw(option_lists(table))
    head = draw(st.sampled_from(("task", "task", "expr", "none")))
    words = []
    if head == "task":
        name = draw(TASK["--task"])
        words = ["--task", name]
        if name.startswith("mod_") and draw(st.booleans()):
            words += ["--modulus", draw(st.integers(1, 2000).map(str))]
    if head == "expr":
        words = ["--expr", draw(modular)]
    return words + draw(option_lists(SETTING))


grids = st.one_of(
    st.sampled_from(("smoke", "headline", "plateaus", "grid.toml", "deep.toml", "long.toml")),
    st.sampled_from(("zero.toml", "pipe.toml", "folder.toml", "bytes.toml")),
    wild,
)
files = st.one_of(
    st.sampled_from(("pipe", "zero", "/dev/null", "grid.toml", ".", "none", "x" * 300, "/")),
    st.sampled_from(("train.txt", "train.jsonl", "bytes.toml")),
    wild,
)
"""What is read: a pipe that nobody writes to, a file without end, and what is no such file."""
made = st.sampled_from(("new", "a.svg", "/dev/full", "/dev/null", ".", "grid.toml/x", "x" * 300))
"""What is written."""
huge = st.sampled_from(("1" + "0" * 400, "-" + "9" * 400, "1e400", "9" * 5000))
counts = st.one_of(st.integers(-2, 3).map(str), huge, wild)
deep = st.sampled_from(("(" * 3000 + "a" + ")" * 3000, "-" * 3000 + "a", "a" + "+a" * 3000, "1/0"))
SETTING_OR_HUGE = SETTING | {name: st.one_of(SETTING[name], huge) for name in SETTING}
OPTIONS: dict[str, dict[str, st.SearchStrategy[str]]] = {
    "map": {
        **SETTING,
        "--task": TASK["--task"],
        "--modulus": st.one_of(st.sampled_from(("2..60", "2..1000000", "97,99991")), numbers, huge),
        "--base": st.one_of(st.sampled_from(("2..12", "2..501")), numbers, huge),
        "--train-digits": lengths,
        "--out": made,
    },
    "examples": {
        **SETTING_OR_HUGE,
        "--number": st.one_of(st.just("1000"), counts),
        "--seed": counts,
        "--as": st.one_of(st.sampled_from(("text", "jsonl", "lm-eval")), wild),
        "--out": made,
    },
    "compare": {
        **SETTING,
        "--pe": st.sampled_from(("ape,rope", "rope", "ape,,", "nope,x")),
        "--layout": st.sampled_from(("plain,reversed, no signs", "aligned", "x", ",")),
        "--window": st.one_of(st.sampled_from(("0,3", "5", "-1", "x")), huge),
        "--by": st.sampled_from(("pe", "layout", "window", "train-digits", "x")),
        "--data": files,
        "--plot": made,
    },
    "judge": {
        **SETTING,
        "--answers": files,
        "--data": files,
        "--model": st.one_of(st.sampled_from(("pico", "hf:none", "hf:", "hf:pipe")), wild),
        "--prompt-template": wild,
        "--html": made,
        "--plot": made,
    },
    "grid": {"--grid": grids},
    "report": {
        "--grid": grids,
        "--store": files,
        "--folder": st.one_of(st.just("reports"), files),
        "--html": made,
    },
    "data": {"--folder": files, "--store": files, "--out": made},
    "verify": {
        **SETTING_OR_HUGE,
        "--grid": grids,
        "--model": st.one_of(st.sampled_from(("pico", "hf:none")), wild),
        "--seeds": counts,
        "--first-seed": counts,
        "--jobs": counts,
        "--budget": counts,
        "--device": st.one_of(st.just("cpu"), wild),
        "--precision": st.one_of(st.just("float32"), wild),
        "--recipe": wild,
        "--store": files,
        "--junit-xml": made,
        "--keep-models": made,
        "--tensorboard": made,
    },
    "inspect": {**SETTING_OR_HUGE, "--from": files, "--seed": counts, "--budget": counts},
}
"""The options of commands that take more than a setting."""
FLAGS = {
    "predict": ["--json", "--explain", "--per-digit"],
    "examples": ["--test"],
    "advise": ["--json"],
    "compare": ["--json"],
    "judge": ["--json", "--trust-remote-code"],
    "grid": ["--json"],
    "report": ["--json", "--check", "--all"],
    "ask": ["--json"],
    "literature": ["--json", "--latex"],
    **{name: ["--json"] for name in ("tasks", "encodings", "layouts", "models", "theorems")},
}
WORDS = {
    "ask": st.tuples(files, st.one_of(st.just("12 + 34"), deep, wild)).map(list),
    "export": st.tuples(files, made).map(list),
    "literature": st.lists(wild, max_size=1),
    "theorems": st.lists(st.one_of(st.just("support"), wild), max_size=2),
}
"""What commands take beside options."""
NO_PORTS = st.one_of(st.sampled_from(("0", "-1", "65536")), huge)
NOT_TRAINED = (
    ["--train-digits", "0"],
    ["--expr", "a#b"],
    ["--base", "1"],
    ["--budget", "-1"],
    ["--pe", "\x1b[31m"],
    ["--task", "mod_add", "--modulus", "1000000007"],
)
"""What no cell can have."""


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """A command with options that make sense, or do not; nothing is trained."""
    command = draw(st.sampled_from((*COMMANDS, *("predict", "advise") * 3, "nothing", "--version")))
    words = draw(WORDS.get(command, st.just([])))
    flags = st.sampled_from(FLAGS.get(command, ["--nothing"]))
    more = draw(st.lists(flags, unique=True, max_size=2))
    if command == "predict" and draw(st.booleans()):
        data = {"--data": files, "--test-data": files}
        return [command, *draw(option_lists(data)), *draw(option_lists(SETTING)), *more]
    if command in ("predict", "advise"):
        asked = draw(st.one_of(settings_asked(), st.tuples(st.just("--expr"), deep).map(list)))
        return [command, *asked, *more]
    asked = draw(option_lists(OPTIONS[command])) if command in OPTIONS else []
    if command == "explore":  # nothing is served at such a port
        return [command, *draw(option_lists(SETTING_OR_HUGE)), "--port", draw(NO_PORTS)]
    if command == "examples":
        return [command, *draw(settings_asked()), *asked, *more]
    if command in ("verify", "inspect"):
        task = [] if "--grid" in asked or "--from" in asked else ["--task", "add"]
        more = draw(st.sampled_from(([], ["--dry-run"]))) if command == "verify" else []
        more = more or draw(st.sampled_from(NOT_TRAINED))
        asked = [*task, *asked]
    if command in ("report", "data") and "--folder" not in asked:
        asked += ["--folder", "none"]  # all that is committed takes seconds
    return [command, *words, *asked, *more]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the lines run: a folder with grids of its own, and what is no file to read."""
    (tmp_path / "grid.toml").write_text('[[cell]]\ntask = "add"\n[[cell]]\ntask = "mul"\n')
    (tmp_path / "deep.toml").write_text("x = " + "[" * 5000 + "]" * 5000)
    (tmp_path / "long.toml").write_text('[[cell]]\ntask = "add"\nbase = ' + "9" * 5000)
    (tmp_path / "bytes.toml").write_bytes(bytes(range(256)))
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "train.txt").write_text("12+34=46\n5+7=12\n99-1=98\n1+1=2\n")
    (tmp_path / "train.jsonl").write_text('{"prompt": "12+34=", "answer": "46"}\n')
    for name in ("zero", "zero.toml"):
        (tmp_path / name).symlink_to("/dev/zero")
    for name in ("pipe", "pipe.toml"):
        os.mkfifo(tmp_path / name)
    return tmp_path


@contextmanager
def limited() -> Iterator[None]:
    """So much memory more than there is, and an end to waiting for what never comes."""
    asked = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)

    def late(*_: object) -> None:
        raise AssertionError(f"it waited for {WAITS} seconds")

    handler = signal.signal(signal.SIGALRM, late)
    signal.alarm(WAITS)
    resource.setrlimit(resource.RLIMIT_AS, (asked + BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)


@pytest.mark.soak
def test_every_line_ends(folder: Path) -> None:
    @LINES
    @given(command_lines())
    def run(words: list[str]) -> None:
        started = process_time()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with limited():
            done = run_cli(*words, cwd=folder)
        taken = process_time() - started
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert done.code in EXIT_CODES, words
        assert "Traceback" not in done.err and "ARITH_DEBUG" not in done.err, (words, done.err)
        if done.code == 2:
            assert len(done.err.splitlines()) == 1 and done.err.rstrip("\n").isprintable()
        assert taken < SECONDS, words
        assert grown * 1024 < BYTES

    run()
