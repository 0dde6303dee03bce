"""The command line: contracts, bad input, and every command of the README."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from verify.sizes import SIZES

ROOT = Path(__file__).parent.parent


def arith(
    *arguments: str,
    cwd: Path = ROOT,
    timeout: float = 300,
    stdout: Any = subprocess.PIPE,
    **env: str,
) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **env}
    return subprocess.run(
        [sys.executable, "-c", "from cli import main; main()", *arguments],
        cwd=cwd,
        env=environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=timeout,
        check=False,
    )


def predicted(*arguments: str) -> dict:
    done = arith("predict", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_json_contract() -> None:
    got = predicted("--task", "mod_mul", "--modulus", "125", "--pe", "ape")
    assert got["expression"] == "Mod(a*b, 125)"
    assert got["learned_function"] == "Mod(Mod(a, 1000)*Mod(b, 1000), 125)"
    assert got["train"] == {"digits": [3], "domain": "longest"}
    assert got["verdict"] == {"downward": "generalizes", "upward": "generalizes"}
    assert [x["digits"] for x in got["lengths"]] == [1, 2, 3, 4, 5, 6]
    first = got["lengths"][0]
    assert (first["direction"], first["status"], first["accuracy"]) == (
        "downward",
        "generalizes",
        "1",
    )
    assert set(got["derivation"][0]) == {"rule", "statement", "source"}


def test_the_multiplication_fraction() -> None:
    got = predicted(*["--task", "mul", "--train-digits", "3", "--test-digits", "4", "--pe", "ape"])
    assert got["lengths"][0]["accuracy"] == "1/5500"
    assert got["verdict"] == {"downward": "none", "upward": "fails"}


def test_an_expression_with_everything() -> None:
    got = predicted(
        *shlex.split(
            "--expr '(2*a + 3*b) % 12' --base 6 --pe rpe --layout interleaved --window 6 "
            "--train-digits 3 --test-digits 1-8"
        )
    )
    assert got["modulus"] == 12
    assert len(got["lengths"]) == 8


def test_undetermined_has_no_accuracy() -> None:
    got = predicted(*["--task", "add", "--pe", "rpe"])
    assert got["lengths"][3]["status"] == "undetermined"
    assert got["lengths"][3]["accuracy"] is None
    assert got["published"]["upward"] == "generalizes"


def test_predict_does_not_import_torch() -> None:
    code = (
        "import sys, runpy; sys.argv = ['arith', 'predict', '--task', 'mod_add', '--modulus', '101'];"
        "import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "assert 'torch' not in sys.modules\n"
        "assert {m for m in sys.modules if m.startswith('verify.')} == {'verify.sizes'}"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)


BAD = [
    ("predict --task mod_mull", "did you mean 'mod_mul'?"),
    ("predict --task add --pe rp", "did you mean 'rpe'?"),
    ("predict --task add --layout alined", "did you mean 'aligned'?"),
    ("predict --task mod_mul", "needs a modulus"),
    ("predict --task mod_mul --modulus 0", "modulus must be at least 1"),
    ("predict --task mul --modulus 7", "takes no modulus; did you mean 'mod_mul'?"),
    ("predict --task add --base 1", "base must be between 2"),
    ("predict --task add --train-digits 0", "from 1 to 100,"),
    ("predict --task add --test-digits 5-2", "from 1 to 1000,"),
    ("predict --task add --test-digits x", "from 1 to 1000,"),
    ("predict --task add --train-allowed 2:15", "15 is no digit of base 10"),
    ("predict --task add --window -1", "window must be 0"),
    ("predict --task add --train-domain all", "unknown domain 'all'"),
    ("predict --task mod_add --modulus 101 --layout interleaved", "digit causal"),
    ("predict --expr 'a/b'", "is not allowed"),
    ("predict --expr '__import__(\"os\")'", "is not allowed"),
    ("predict --expr 'a**b'", "whole number"),
    ("predict --expr 'a +'", "is not an expression"),
    ("predict --expr '3 % 5'", "no operand"),
    ("predict --expr 'a % 5' --modulus 7", "leave out --modulus"),
    ("predict --expr 'a*b - a'", "whether it is ever negative is not decided"),
    ("predict --expr 'a + q'", "unknown operand 'q'"),
    ("predict --task add --base 2 --train-digits 2 --train-allowed 3:1", "no operands of 2 digits"),
    ("predict --expr '200 - a' --base 12 --train-digits 1", "defined nowhere on D_4"),
    ("predict", "give a task"),
    ("predict --task add --bogus", "No such option"),
    ("predict --task add --base ten", "--base"),
    ("verify", "say what to verify"),
    ("verify --grid smok", "did you mean 'smoke'?"),
    ("verify --grid nothing.toml", "cannot read the grid"),
    ("verify --grid smoke --task add", "not both"),
    ("verify --grid smoke --pe ape --train-digits 3", "(--pe, --train-digits), not both"),
    ("grid --grid smoke --pe rpe", "No such option: --pe"),
    ("verify --task add --model hf:gpt --seeds 2", "is not trained"),
    ("verify --task add --model nan", "did you mean 'nano'?"),
    ("verify --task add --device tpu", "unknown device"),
    ("verify --task add --seeds 0", "--seeds"),
    ("verify --task add --store README.md", "cannot use the store"),
    ("verify --task add --store README.md/x.sqlite", "README.md/x.sqlite: its folder is a file"),
    ("verify --task add --store README.md/a/x.sqlite", "README.md/a/x.sqlite: Not a directory"),
    ("verify --task add --junit-xml README.md/x.xml", "cannot write README.md/x.xml"),
    ("inspect --task add --out README.md", "cannot write README.md/mechanism.json"),
    ("inspect --task add --model hf:/x", "only verify takes hf:PATH"),
    ("report --grid nothing", "unknown grid"),
    ("report --folder no/such --store no.sqlite", "no measurements"),
]


@pytest.mark.parametrize(("command", "message"), BAD, ids=[c for c, _ in BAD])
def test_bad_input_is_one_clear_line(command: str, message: str) -> None:
    done = arith(*shlex.split(command))
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [", "not valid TOML"),
        ("x = 1", "no [[cell]]"),
        ('[[cell]]\ntask = "add"\npe = "ape"\ntrain-digit = 3', "did you mean 'train-digits'?"),
        ('[[cell]]\ntask = "add"\npe = "apex"\ntrain-digits = 3', "did you mean 'ape'?"),
        ('[[cell]]\ntask = "add"\npe = "ape"\ntrain-digits = true', "no value for 'train-digits'"),
        ('[[cell]]\ntask = "add"\nbase = "ten"', "no value for 'base'"),
    ],
)
def test_a_bad_grid_file_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "grid.toml"
    path.write_text(text)
    done = arith("verify", "--grid", str(path))
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_output_fits_a_narrow_terminal() -> None:
    done = arith("predict", "--task", "mul", COLUMNS="60")
    assert max(map(len, done.stdout.splitlines())) <= 60
    assert "\x1b" not in done.stdout


def test_a_terminal_of_no_width_is_none() -> None:
    assert "learned function" in arith("predict", "--task", "add", COLUMNS="0").stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", ["predict --task add", "tasks --json", "--help"])
def test_output_that_cannot_be_written_is_one_clear_line(command: str) -> None:
    with open("/dev/full", "w") as full:
        done = arith(*command.split(), stdout=full)
    assert done.returncode == 2
    assert done.stderr == "arith: No space left on device\n"


def test_what_an_encoding_lacks_is_replaced() -> None:
    done = arith("predict", "--expr", "(a+b) // 10", PYTHONIOENCODING="ascii")
    assert done.stdout.startswith("?(a + b) / 10?")
    assert done.stderr == ""


def test_the_bare_command_shows_its_help() -> None:
    done = arith()
    assert done.returncode == 0
    assert "Commands:" in done.stdout and "predict" in done.stdout


def test_help_says_what_an_option_does_here() -> None:
    shown = {
        c: " ".join(arith(c, "--help").stdout.split()) for c in ("verify", "inspect", "report")
    }
    for name in SIZES:
        assert f"{name}," in shown["verify"].replace(";", ",")
    assert "hf:PATH" in shown["verify"] and "hf:" not in shown["inspect"]
    assert "not redone" in shown["verify"] and "redone" not in shown["report"]
    assert "a smaller budget are made again" in shown["verify"]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("tasks", "task summary digit_causal carries translation_invariant"),
        ("encodings", "encoding reference own_parameter summary source"),
        ("layouts", "layout example summary"),
        ("theorems", "rule statement premises source"),
        ("literature", "finding source setting reported predicted theorem outcome reason"),
    ],
)
def test_lists_as_json(name: str, keys: str) -> None:
    rows = json.loads(arith(name, "--json").stdout)
    assert len(rows) > 3
    assert all(list(row) == keys.split() for row in rows)


def test_the_accuracy_of_each_digit() -> None:
    [got] = predicted("--task", "add", "--test-digits", "4", "--per-digit")["per_digit"]
    assert got["digits"] == 4
    assert got["each"] == ["1", "1", "1", "1/11", "99/200"]
    assert got["lowest"] == ["1", "1", "1", "1/11", "0"]
    assert "per_digit" not in predicted("--task", "add")
    assert predicted("--task", "add", "--pe", "rpe", "--per-digit")["per_digit"] is None


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("--pe rpe", "no accuracy of single digits: no learned function is predicted"),
        ("--pe rpe --layout interleaved --window 6", "every result digit is right: what is "),
    ],
)
def test_where_there_is_no_accuracy_of_digits_it_says_why(command: str, line: str) -> None:
    done = arith("predict", "--task", "add", "--per-digit", *command.split())
    assert done.stdout.splitlines()[-1].startswith(line)


def test_the_derivation_says_what_the_table_holds() -> None:
    done = arith("predict", "--task", "add", "--explain")
    [longer] = [line for line in done.stdout.splitlines() if line.startswith("longer inputs")]
    assert longer.split("  ")[1].strip() == "fails (accuracy below 1)"
    assert "1. The model is right on held-out D_3. (convergence [1])" in done.stdout


TINY = """
[[cell]]
task = "add"
pe = "ape"
base = 2
train-digits = 2
test-digits = [2, 3]
model = "nano"

[[cell]]
task = "add"
pe = "rpe"
base = 2
train-digits = 2
test-digits = [2, 3]
model = "nano"

[[cell]]
task = "mod_add"
modulus = 3
pe = "ape"
base = 2
train-digits = 2
test-digits = [2, 3]
model = "nano"
"""


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """SIGKILL in the middle: nothing that was finished is lost or made again."""
    (tmp_path / "tiny.toml").write_text(TINY)
    store = str(tmp_path / "store.sqlite")
    command = ["verify", "--grid", "tiny.toml", "--store", store, "--budget", "200", "--jobs", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from cli import main; main()", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines: list[str] = []
    while not any(line.startswith("[1/3]") for line in lines):
        lines.append(process.stderr.readline())
        assert process.poll() is None or lines[-1]
    process.send_signal(signal.SIGKILL)
    process.wait()
    first = next(line for line in lines if line.startswith("[1/3]"))
    time.sleep(1)

    again = arith(*command, cwd=tmp_path)
    assert again.returncode in (0, 1, 3)
    assert "training 2 models" in again.stderr
    assert first.split("]")[1].split(",")[0] not in again.stderr

    third = arith(*command, cwd=tmp_path)
    assert third.stderr == ""  # everything is there: nothing is trained
    assert third.stdout == again.stdout

    xml = tmp_path / "verdicts.xml"
    fourth = arith(*command, "--junit-xml", str(xml), cwd=tmp_path)
    assert fourth.returncode == third.returncode
    assert 'tests="6"' in xml.read_text()


def readme_commands() -> list[str]:
    blocks = re.findall(r"```(?:console|sh|bash)\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    lines = [line.removeprefix("$ ").strip() for b in blocks for line in b.splitlines()]
    return [line for line in lines if line.startswith("arith ")]


def test_every_command_of_the_readme_runs(tmp_path: Path) -> None:
    """Predictions run whole; training commands are read to the end, and given no time to train."""
    commands = readme_commands()
    assert len(commands) >= 5
    for command in commands:
        words = shlex.split(command.split("  #")[0])[1:]
        if words[0] == "inspect":
            done = arith(*words, "--seed", "-1")
            assert "--seed and --budget" in done.stderr, command
        elif words[0] == "verify":
            done = arith(*words, "--store", str(ROOT / "README.md"))
            assert "cannot use the store" in done.stderr, command
        elif words[0] == "report":
            done = arith(*words, "--check")
            assert done.returncode in (0, 1, 3), (command, done.stderr)
        else:
            assert arith(*words, cwd=tmp_path).returncode == 0, command


def test_the_readmes_output_is_what_the_command_prints() -> None:
    text = (ROOT / "README.md").read_text()
    block = re.search(r"```console\n\$ (arith predict .*?)\n(.*?)```", text, re.S)
    assert block is not None
    done = arith(*shlex.split(block[1])[1:])
    shown = [line.rstrip() for line in block[2].strip().splitlines()]
    assert [line.rstrip() for line in done.stdout.strip().splitlines()] == shown


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), re.M)):
        assert f"\n{target}:" in makefile


def test_a_grid_is_listed_with_its_predictions() -> None:
    done = arith("grid", "--grid", "headline")
    assert done.returncode == 0
    assert "15 cells" in done.stdout
    line = next(x for x in done.stdout.splitlines() if "mod 101 · APE" in x)
    assert "4: 49/4950" in line
    lines = arith("grid", "--grid", "full", "--json").stdout.splitlines()
    assert len(lines) > 100
    first = json.loads(lines[0])
    assert first["cell"]["task"] == first["prediction"]["task"] == "add"


def test_inspect_trains_one_cell_and_looks_inside(tmp_path: Path) -> None:
    cell = ["--task", "add", "--base", "2", "--train-digits", "3", "--test-digits", "3,4"]
    done = arith("inspect", *cell, "--budget", "150", "--out", str(tmp_path / "in"))
    assert done.returncode in (0, 3), done.stderr
    assert "in domain" in done.stdout and "learned function" in done.stdout
    found = json.loads((tmp_path / "in" / "mechanism.json").read_text())
    assert found["digits"] == 4
    assert len(found["leaks"]["mended by layer"]) == 2
    truth = found["influence"]["truth"]
    assert truth[0][0][0] == 1  # the units digit of a sum changes with that of an operand
    assert truth[0][1][0] == 0  # and with no higher one
    for name in ("influence.svg", "states.svg"):
        assert (tmp_path / "in" / name).read_text().startswith("<?xml")


def test_plateaus_are_explained_to_programs_too() -> None:
    asked = ("--task", "mod_add", "--modulus", "150", "--test-digits", "4")
    assert "plateaus" not in predicted(*asked)
    [*_, last] = predicted(*asked, "--explain")["plateaus"]
    assert (last["digits_read"], last["accuracy"]) == (2, "1/3")
    assert predicted(*asked, "--explain")["leaps"] is True


def test_an_explanation_says_how_many_digits_a_task_asks_for_at_once() -> None:
    asked = ("predict", "--task", "mod_add", "--explain")
    soon = "up to 2 digits at once: mostly learned soon (leap)"
    assert soon in arith(*asked, "--modulus", "300").stdout
    late = "more than 2 digits at once: often learned late, or never (leap)"
    assert late in arith(*asked, "--modulus", "200").stdout
    assert "(leap)" not in arith(*asked, "--modulus", "200", "--pe", "rpe").stdout


def test_a_prediction_says_what_is_claimed() -> None:
    asked = ("--task", "mod_mul", "--modulus", "150", "--train-digits", "2", "--test-digits", "1-3")
    assert [x["claim"] for x in predicted(*asked)["lengths"]] == ["none", "exact", "at most"]
    shown = arith("predict", *asked).stdout
    assert "at most 0.448" in shown and "(rule: leak)" in shown
    asked = ("predict", "--task", "mod_mul", "--modulus", "100", "--test-digits", "4")
    [line] = [x for x in arith(*asked).stdout.splitlines() if x.split()[:1] == ["4"]]
    assert line.split() == ["4", "longer", "conditional", "1", "none"]


def test_a_table_too_wide_for_the_terminal_is_written_row_by_row() -> None:
    lines = arith("literature", COLUMNS="60").stdout.splitlines()
    [at] = [i for i, line in enumerate(lines) if line == "finding principled-add-on-4"]
    assert lines[at + 1] == "  reported: fails; predicted: fails; outcome: agrees"
    assert max(map(len, lines)) <= 60
