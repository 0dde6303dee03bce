"""The layers: imports only go down, and what needs no torch does without it.

The docstring of each room (a folder of theory or verify) names the room below it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from builders.paths import ROOT

from arith.verify.plan.grids import grid
from arith.verify.records.evidence import read_evidence
from arith.verify.records.store import Store
from arith.verify.training.device import pick_device, precision_name

PACKAGES = ("arith.theory", "arith.verify")
TOP = ("cli", "commands", "printing", "judging", "predicting", "keywords", "picture")
"""What stands on both packages."""
ONLY_IN = {
    "torch": "model training running mechanism external_model",
    "matplotlib": "text mechanism reporting",
}
"""Libraries that are slow to import, and the rooms that may."""


@cache
def files() -> dict[str, ast.Module]:
    """The syntax tree of every file of theory and verify, by the name of its module."""
    found = {}
    for path in (p for name in ("theory", "verify") for p in sorted((ROOT / name).rglob("*.py"))):
        parts = ("arith", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(p for p in parts if p != "__init__")] = ast.parse(path.read_text())
    return found


@cache
def imports(name: str) -> set[str]:
    """The modules that a file imports anywhere: in functions and for type checks too."""
    found = set[str]()
    for node in ast.walk(files()[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{name}: imports are absolute"
            each = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {x if x in files() else node.module for x in each}
    return found


@cache
def ours(name: str) -> set[str]:
    """The modules of theory and verify that a file imports."""
    return {x for x in imports(name) if x.startswith(PACKAGES)}


def room(name: str) -> str:
    """The folder of a file, or the file itself if it is in no room."""
    return ".".join(name.split(".")[:3])


@cache
def below(of: str) -> set[str]:
    """The rooms that a room may import, as its docstring and theirs say."""
    if of == "arith.theory":
        return {room(x) for x in files() if room(x).startswith("arith.theory")}
    if of == "arith.theory.errors":
        return set()
    text = ast.get_docstring(files()[of]) or ""
    found = re.search(r"\nMay import: ([\w.]+)(?: and below)?\.$", text)
    assert found, f"{of}: its docstring ends with what it may import"
    return {found[1]} | below(found[1])


def test_every_import_goes_down() -> None:
    """Files in no room stand on top of all, but for the errors and the rules."""
    rooms = {room(x) for x in files() if x.count(".") >= 3}
    rooms |= {"arith.theory.errors", "arith.theory.rules"}
    upward = {
        (name, x)
        for name in files()
        if room(name) in rooms
        for x in ours(name)
        if room(x) not in below(room(name)) | {room(name)}
    }
    assert upward == set()
    assert not any(room(x).startswith("arith.verify") for x in ours("arith.theory"))
    above = tuple(f"arith.{name}" for name in TOP)
    # The package arith.verify is the function of that name too.
    below_all = files().keys() - {"arith.verify"}
    assert not any(x.startswith(above) for name in below_all for x in imports(name))


def test_no_files_import_each_other_in_a_circle() -> None:
    known = {x: ours(x) for x in files()}
    TopologicalSorter(known).prepare()


@pytest.mark.parametrize("library", ONLY_IN)
def test_slow_libraries_are_imported_in_their_rooms_alone(library: str) -> None:
    found = {name for name in files() if library in {x.split(".")[0] for x in imports(name)}}
    assert {room(name).split(".")[2] for name in found} <= set(ONLY_IN[library].split())


COMMAND = """
import os, sys
from arith import cli
sys.argv = {words}
try:
    cli.main()
except SystemExit as ended:
    assert ended.code == 0
assert len(os.listdir("/proc/self/task")) == 1, "a thread is started in vain"
"""
PREDICT = ["arith", "predict", "--task", "mod_add", "--modulus", "101"]
REPORT = ["arith", "report", "--grid", "headline", "--check"]
PLAIN = """
import sys, arith.theory.studies.phase, arith.theory.text.phase_plot
from arith.theory import *
for task in (("add",), ("sub",), ("affine",), ("mod_mul", 125)):
    form, train = layout("aligned"), Domain((3,))
    predict(Setting(named_task(*task), 10, encoding("ape"), form, train)).to_json()
"""


@cache
def imported_by(program: str) -> set[str]:
    """The modules that a fresh process has imported at the end of a program."""
    program += "print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_predictions_and_maps_do_without_slow_libraries() -> None:
    assert not imported_by(PLAIN) & {"torch", "matplotlib", "sympy", "arith.verify"}


TYPER = {"typer", "annotated_doc", "shellingham"}
"""Typer with what it imports at once."""
START = "arith arith.cli arith.commands arith.commands.loading arith.theory arith.theory.errors"
"""All of ours that the list of commands takes."""
THEORY = (
    "arithmetic transformer setting rules observation counting generalization prediction"
    " learning text"
)
"""The rooms that a prediction passes on its way to a table."""
LISTED = {*THEORY.split()} - {"prediction", "learning"}
"""The rooms that a list of tasks takes."""
SPLIT = {
    f"arith.verify{x}"
    for x in ("", ".data", ".data.numbering", ".data.sampling", ".data.sequences", ".plan")
} | {f"arith.verify.plan.{x}" for x in ("cells", "inputs", "premise", "recipe", "sizes")}
"""What counts the inputs that can be held out of training."""
COLD = [
    (["--help"], set(), set(), TYPER),
    (["--version"], {"arith.verify.plan.recipe"}, {"arithmetic", "rules", "setting"}, TYPER),
    (["tasks"], {"arith.commands.lists"}, LISTED, None),
    (["theorems"], {"arith.commands.lists"}, LISTED, None),
    (PREDICT[1:], {"arith.commands.predictions"} | SPLIT, {*THEORY.split()}, None),
    (
        [*PREDICT[1:], "--json"],
        {"arith.commands.predictions"},
        {*THEORY.split()} - {"learning", "text"},
        TYPER | {"numpy"},
    ),
]
"""Commands, the modules of ours and the rooms of theory that they import, and the libraries."""
SHOWN = {"arith.commands.options", "arith.printing"}
"""Needed by every command that shows something of a setting."""


@pytest.mark.parametrize(
    ("words", "modules", "rooms", "libraries"), COLD, ids=[" ".join(x[0]) for x in COLD]
)
def test_a_cold_command_imports_no_more_than_this(
    words: list[str], modules: set[str], rooms: set[str], libraries: set[str] | None
) -> None:
    """Modules are counted and not seconds; ``benchmarks`` has the seconds."""
    found = imported_by(COMMAND.format(words=["arith", *words]))
    ours = {x for x in found if x.split(".")[0] == "arith"}
    in_rooms = {x for x in ours if x.startswith("arith.theory.")} - {"arith.theory.errors"}
    assert {room(x).split(".")[2] for x in in_rooms} == rooms
    packages = {"arith.verify", "arith.verify.plan"} if "--version" in words else set()
    shown = SHOWN if any("commands." in x for x in modules) else set()
    assert ours - in_rooms == {*START.split()} | modules | packages | shown
    installed = {x.split(".")[0] for x in found if x in third_party(found)}
    assert installed == (TYPER | {"numpy", "rich"} if libraries is None else libraries)
    assert len(found) < len(imported_by("import sympy, sys\n"))


BAD = """
judge --answers /nope --task add --train-digits 3
judge --answers /nope --data /nope
judge
judge --model /nope
judge --model hf:/nope --task add --train-digits 3
ask /nope 1+1
export /nope /nope
inspect --from /nope
inspect --task nope
inspect --task add --device nope
inspect --task add --precision nope
inspect --task add --recipe nope
inspect --task add --budget 0
inspect --task add --out /dev/null/nope
verify --grid nope
verify --task add --device nope
verify --task add --seeds 0
"""
"""What is wrong in its words alone."""
ANSWERED = """
import json, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from arith import cli
sys.argv = ["arith", "judge", "--task", "add", "--train-digits", "2", "--layout", "plain"]
with TemporaryDirectory() as folder:
    file = Path(folder, "answers.jsonl")
    each = [(a, b) for a in range(0, 1000, 9) for b in range(0, 1000, 9)]
    rows = [{"prompt": f"{a:04}+{b:04}=", "answer": str(a % 100 + b % 100)} for a, b in each]
    file.write_text("\\n".join(map(json.dumps, rows)))
    sys.argv += ["--answers", str(file)]
    try:
        cli.main()
    except SystemExit as ended:
        assert ended.code in (0, 3), ended.code
"""


def test_what_needs_no_model_is_said_without_torch() -> None:
    """Bad input, and a verdict on a file of answers."""
    words = [line.split() for line in BAD.strip().splitlines()]
    program = f"""
import sys
from arith import cli
for words in {words}:
    sys.argv = ["arith", *words]
    try:
        cli.main()
    except SystemExit as ended:
        assert ended.code == 2, words
    assert "torch" not in sys.modules, words
"""
    assert "arith.cli" in imported_by(program)
    found = imported_by(ANSWERED)
    assert "arith.verify.judging.answers" in found and "torch" not in found


def third_party(names: set[str]) -> set[str]:
    """Those of the modules that are neither ours nor Python's."""
    known = {*sys.stdlib_module_names, "arith", "__main__"}
    return {x for x in names if x.split(".")[0] not in known and not x.startswith("_")}


def test_importing_arith_changes_nothing_of_the_process() -> None:
    """The limit on digits, and a notebook's look at a prediction, are whose process it is."""
    changed = """
import sys
limit = sys.get_int_max_str_digits()
import arith, arith.theory, arith.predicting
from arith.theory import Prediction
assert sys.get_int_max_str_digits() == limit and not hasattr(Prediction, "_repr_markdown_")
"""
    imported_by(changed)


def test_a_grid_of_a_file_is_read_when_it_is_asked_for() -> None:
    program = """
import os, sys
opened = []
def look(event, args):
    if event == "open" and str(args[0]).endswith(".toml"):
        opened.append(os.path.basename(args[0]))
sys.addaudithook(look)
from arith.verify.plan.grids import GRIDS, grid
assert opened == []
assert len(grid("smoke")) == 3 and set(opened) == {"01-smoke.toml"}
"""
    imported_by(program)


def test_a_prediction_is_drawn_without_torch(tmp_path: Path) -> None:
    words = [*PREDICT, "--plot", str(tmp_path / "new" / "a.svg")]
    assert "torch" not in imported_by(COMMAND.format(words=words))
    assert (tmp_path / "new" / "a.svg").exists()


@pytest.mark.skipif(
    sys.platform != "linux" or pick_device("auto") != "cpu",
    reason="PyTorch is asked for the precision, or the GPU",
)
def test_a_grid_whose_models_are_all_stored_is_judged_without_torch(tmp_path: Path) -> None:
    path, precision, cells = tmp_path / "store.sqlite", precision_name("cpu"), grid("smoke")
    with closing(Store(path)) as store:
        for run in read_evidence(ROOT / "reports" / "headline" / "evidence.jsonl"):
            if run.cell in cells:
                store.add(replace(run, precision=precision))
    words = ["arith", "verify", "--grid", "smoke", "--store", str(path)]
    for more in ([], ["--dry-run"]):
        found = imported_by(COMMAND.format(words=[*words, *more]))
        assert not found & {"torch", "matplotlib", "sympy", "scipy.stats"}


def test_the_report_does_without_slow_libraries() -> None:
    slow = {"torch", "matplotlib", "sympy", "scipy.stats"}
    assert not imported_by(COMMAND.format(words=REPORT)) & slow
