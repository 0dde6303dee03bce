"""The command line: contracts and bad input."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from builders.command_line import run_cli
from builders.paths import ROOT
from builders.processes import Started

from arith.verify.plan.grids import grid
from arith.verify.plan.sizes import SIZES
from arith.verify.records.store import Store


def predicted(*arguments: str) -> dict:
    done = run_cli("predict", *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


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
    assert set(got["derivation"][0]) == {"rule", "statement", "source", "lengths"}
    for name in ("accuracy", "at_most", "at_least", "learned_accuracy", "unseen_share"):
        assert first[f"{name}_float"] == float(Fraction(first[name]))


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


def test_accuracies_of_more_digits_than_python_writes_by_default() -> None:
    setting = "--task mod_add --modulus 7 --base 256 --train-digits 1 --test-digits 1000"
    words = shlex.split(setting)
    done = run_cli("predict", *words)
    assert (done.code, done.err) == (0, "")
    [length] = json.loads(run_cli("predict", *words, "--json").out)["lengths"]
    assert len(length["learned_accuracy"]) > 4300
    words = shlex.split("--task add --base 256 --train-digits 1 --test-digits 1000")
    assert run_cli("predict", *words, "--per-digit", "--explain").err == ""


def test_undetermined_has_no_accuracy() -> None:
    got = predicted(*["--task", "add", "--pe", "rpe", "--train-pairs", "20"])
    assert got["lengths"][3]["status"] == "undetermined"
    assert got["lengths"][3]["accuracy"] is None
    assert got["published"]["upward"] == "generalizes"


BAD = [
    ("predict --task mod_mull", "did you mean 'mod_mul'?"),
    ("theorems joint", "did you mean 'joint support'?"),
    ("predict --task add --pe rp", "did you mean 'rpe'?"),
    ("predict --task add --layout alined", "did you mean 'aligned'?"),
    ("predict --task mod_mul", "needs a modulus"),
    ("predict --task mod_mul --modulus 0", "modulus must be at least 1"),
    ("predict --task mul --modulus 7", "takes no modulus; did you mean 'mod_mul'?"),
    ("predict --task add --base 1", "base must be between 2"),
    ("predict --task add --train-digits 0", "from 1 to 200,"),
    ("predict --task add --test-digits 5-2", "from 1 to 1000,"),
    ("predict --task add --test-digits x", "from 1 to 1000,"),
    ("predict --task add --test-digits 4-", "from 1 to 1000,"),
    ("predict --task mod_add --modulus 100 --layout interleaved --padding none", "fewer than 3"),
    ("verify --task add --model hf:gpt", "arith judge --model hf:gpt judges it"),
    ("judge --task add --train-digits 2", "say what to judge: --answers FILE"),
    ("judge --answers x --model hf:gpt --task add", "--answers or --model, not both"),
    ("judge --answers none.jsonl --train-digits 2 --task add", "cannot read the answers none.js"),
    ("judge --answers x --task add --prompt-template x", "--prompt-template goes with --model"),
    ("judge --model gpt --task add --train-digits 2", "is given as hf:PATH"),
    ("judge --model hf:gpt --task add --train-digits 2", "there is no folder gpt"),
    ("judge --answers x --task add --plot x.pdf", "end in .png or .svg"),
    ("compare --task add --by encoding", "unknown option to compare by 'encoding'"),
    ("compare --task add --window 3,x", "Invalid value for '--window': 'x' is no whole number"),
    ("compare --task add --pe ape,rop", "did you mean 'rope'?"),
    ("compare --task mod_mul", "needs a modulus"),
    ("compare --task add --plot x.pdf", "end in .png or .svg"),
    ("verify --grid smoke --dry-run --junit-xml x.xml", "leave out --junit-xml"),
    ("predict --task add --train-allowed 2:15", "15 is no digit of base 10"),
    ("predict --task add --window -1", "window must be 0"),
    ("predict --task add --train-domain all", "unknown domain 'all'"),
    ("predict --task mod_add --modulus 101 --layout interleaved", "digit causal"),
    ("predict --expr 'a/b'", "is not allowed"),
    ("predict --expr '__import__(\"os\")'", "is not allowed"),
    ("predict --expr 'max(a,b)'", "'max(...)' is not allowed: only a, b"),
    ("predict --expr 'a**b'", "whole number"),
    ("predict --expr 'a +'", "is not an expression"),
    ("predict --expr '3 % 5'", "no operand"),
    ("predict --expr 'a % 5' --modulus 7", "leave out --modulus"),
    ("predict --expr 'a*b - a'", "whether it is ever negative is not decided"),
    ("predict --expr 'a + q'", "unknown operand 'q'"),
    ("predict --task add --base 2 --train-digits 2 --train-allowed 3:1", "no operands of 2 digits"),
    ("predict --expr '200 - a' --base 12 --train-digits 1", "defined nowhere on D_4"),
    ("predict --expr 'a - 12' --train-digits 1+2 --test-digits 1", "defined nowhere on D_1"),
    ("predict", "or --expr, or examples of it: --data FILE"),
    ("compare --pe ape,rope", "or --expr, or examples of it: --data FILE"),
    ("inspect", "give a task: --task"),
    ("predict --task add --bogus", "No such option"),
    ("verify --task add --steps 5000", "No such option: --steps (Possible options: --budget)"),
    ("verify --data train.txt", "files of examples are for arith predict, advise and judge"),
    ("predict --task add --encoding ape", "No such option: --encoding (Possible options: --pe)"),
    ("predict --task add --train-digit 3", "--train-digits, "),
    ("predict --task add --base ten", "--base"),
    ("predict --task add --store x.sqlite", "give --plot"),
    ("predict --task add --plot x.pdf", "end in .png or .svg"),
    ("predict --task add --plot x.svg --store no.sqlite", "there is no store no.sqlite"),
    ("map --out x.pdf", "end in .png or .svg"),
    ("map --modulus 2..30 --base 4..12", "a range of moduli or a range of bases, not both"),
    ("verify", "say what to verify"),
    ("verify --grid smok", "did you mean 'smoke'?"),
    ("verify --grid nothing.toml", "cannot read the grid"),
    ("verify --grid smoke --task add", "not both"),
    ("verify --grid smoke --pe ape --train-digits 3", "(--pe, --train-digits), not both"),
    ("grid --grid smoke --pe rpe", "No such option: --pe"),
    ("verify --task add --model nan", "did you mean 'nano'?"),
    ("verify --task add --device tpu", "unknown device"),
    ("verify --task add --seeds 0", "--seeds"),
    ("verify --task add --store README.md", "cannot use the store"),
    ("verify --task add --store README.md/x.sqlite", "README.md/x.sqlite: its folder is a file"),
    ("verify --task add --store README.md/a/x.sqlite", "README.md/a/x.sqlite: Not a directory"),
    ("verify --task add --junit-xml README.md/x.xml", "cannot write README.md/x.xml"),
    ("inspect --task add --out README.md", "cannot write README.md/mechanism.json"),
    ("inspect --task add --model hf:/x", "hf:/x is not trained: arith judge"),
    ("inspect --from nothing --seed 1 --pe rpe", "--from or how to train a model (--seed, --pe)"),
    ("inspect --from nothing", "nothing is no kept model"),
    ("ask nothing '12 + 34'", "nothing is no kept model"),
    ("export nothing folder", "nothing is no kept model"),
    ("report --grid nothing", "unknown grid"),
    ("report --store no.sqlite", "there is no store no.sqlite"),
    ("data --store x.sqlite --folder reports", "give --store or --folder, not both"),
]


@pytest.mark.parametrize(("command", "message"), BAD, ids=[c for c, _ in BAD])
def test_bad_input_is_one_clear_line(command: str, message: str) -> None:
    done = run_cli(*shlex.split(command))
    assert done.code == 2
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert done.out == ""


def test_a_report_without_measurements_says_which_it_lacks(tmp_path: Path) -> None:
    Store(tmp_path / "empty.sqlite").runs()
    asked = ("--grid", "smoke", "--folder", "none", "--store", "empty.sqlite")
    done = run_cli("report", *asked, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "no measurements of the smoke grid" in done.err


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
    done = run_cli("verify", "--grid", str(path))
    assert done.code == 2
    assert message in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_output_fits_a_narrow_terminal() -> None:
    done = run_cli("predict", "--task", "mul", width=60)
    assert max(map(len, done.out.splitlines())) <= 60
    assert "\x1b" not in done.out


def test_a_terminal_of_no_width_is_none() -> None:
    assert "Expected function" in run_cli("predict", "--task", "add", width=0).out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", ["predict --task add", "tasks --json", "--help"])
def test_output_that_cannot_be_written_is_one_clear_line(command: str, tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        started = Started(tmp_path, *command.split(), stdout=full)
    assert (started.wait(), started.lines()) == (
        4,
        ["arith: cannot write the output: No space left on device"],
    )


@pytest.mark.parametrize("command", ["predict --task add --json", "theorems --json", "tasks"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_stops_early_is_not_a_divergence(command: str, unbuffered: str) -> None:
    words = [sys.executable, "-m", "arith", *command.split()]
    more = {"PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env={**os.environ, **more}
    ) as started:
        assert started.stdout is not None and started.stderr is not None
        started.stdout.close()
        assert (started.wait(), started.stderr.read()) == (141, b"")


def in_shell(line: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A line of bash, in which ``$arith`` is the command."""
    words = {"arith": f"{sys.executable} -m arith", "PYTHONPATH": str(ROOT), **more}
    asked = ["bash", "-c", line]
    given = {**os.environ, **words}
    return subprocess.run(asked, cwd=folder, env=given, capture_output=True, text=True)


PREDICT = "$arith predict --task add --test-digits 4"


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        (f"{PREDICT} >&-", 4, "arith: cannot write the output: Bad file descriptor\n"),
        (f"{PREDICT} 2>&-", 0, ""),
        (f"{PREDICT} <&- >&- 2>&-", 4, ""),
        ("$arith predict --task nothing 2>&-", 2, ""),
        (f"{PREDICT} --store $'a\\xff'", 2, "arith: 'a\\udcff' is no text in UTF-8\n"),
    ],
)
def test_closed_streams_and_words_of_no_encoding(
    line: str, code: int, error: str, tmp_path: Path
) -> None:
    done = in_shell(line, tmp_path)
    assert (done.returncode, done.stderr) == (code, error)
    assert ("claim" in done.stdout) == (code == 0)


def test_work_goes_on_when_nobody_reads_what_is_said_of_it(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "arith", *["predict", "--task", "add", "--plot", "a.svg"]]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, cwd=tmp_path, env=env, **pipes) as started:
        assert started.stdout is not None and started.stderr is not None
        started.stderr.close()
        assert b"claim" in started.stdout.read() and started.wait() == 0


@pytest.mark.parametrize(("name", "code"), [("TERM", 143), ("HUP", 129)])
def test_a_signal_ends_it_with_the_code_of_the_table(name: str, code: int, tmp_path: Path) -> None:
    """Sent while it waits for somebody to read what it writes."""
    # Under nohup, say, the signal would be ignored, and waited for without end.
    started = f"env --default-signal={name} {sys.executable} -m arith grid --json"
    line = f"{started} > pipe & exec 3< pipe; read x <&3"
    line = f"mkfifo pipe; {line}; kill -{name} $!; wait $!"
    done = in_shell(line, tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


UNFORESEEN = [
    ("ZeroDivisionError('x')", "failed unexpectedly, by ZeroDivisionError: x"),
    ("MemoryError()", "not enough memory; what had finished is kept"),
    ("RecursionError('deep')", "failed unexpectedly, by RecursionError: deep"),
    ("EOFError()", "ended early (EOFError)"),
    ("UnicodeDecodeError('utf-8', b'x', 0, 1, 'bad')", "by UnicodeDecodeError: 'utf-8' codec"),
    ("OSError(12, 'Cannot allocate memory')", "by OSError: [Errno 12] Cannot allocate memory"),
]


@pytest.mark.parametrize(
    ("raised", "said"), UNFORESEEN, ids=[x.split("(")[0] for x, _ in UNFORESEEN]
)
def test_what_nobody_foresaw_is_no_verdict(
    raised: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = eval(raised)

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("arith.theory.prediction.predict.predict", fails)
    done = run_cli("predict", "--task", "add")
    assert (done.code, done.out) == (4, "")
    assert said in done.err and len(done.err.splitlines()) == 1
    assert "ARITH_DEBUG=1 shows where" in done.err
    monkeypatch.setenv("ARITH_DEBUG", "1")
    with pytest.raises((type(error), RuntimeError)):
        run_cli("predict", "--task", "add")


def test_what_an_encoding_lacks_is_replaced() -> None:
    done = run_cli("predict", "--expr", "2*a", encoding="ascii")
    assert done.out.startswith("2*a")
    assert (done.code, done.err) == (0, "")


def test_the_bare_command_shows_its_help() -> None:
    done = run_cli()
    assert done.code == 0
    assert "Commands:" in done.out and "predict" in done.out


def test_help_says_what_an_option_does_here() -> None:
    shown = {
        c: " ".join(run_cli(c, "--help").out.split())
        for c in ("verify", "inspect", "report", "judge")
    }
    for name in SIZES:
        assert f"{name}," in shown["verify"].replace(";", ",")
    assert "hf:PATH" in shown["judge"] and "hf:" not in shown["verify"] + shown["inspect"]
    assert "not redone" in shown["verify"] and "redone" not in shown["report"]
    assert "a smaller budget are made again" in shown["verify"]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("tasks", "task summary digit_causal carries translation_invariant"),
        ("encodings", "encoding reference own_parameter selection summary source"),
        ("layouts", "layout example summary"),
        ("models", "model layers heads width mlp"),
        ("theorems", "rule statement premises source basis"),
    ],
)
def test_lists_as_json(name: str, keys: str) -> None:
    rows = json.loads(run_cli(name, "--json").out)
    assert len(rows) > 3
    assert all(list(row) == keys.split() for row in rows)


def test_the_accuracy_of_each_digit() -> None:
    [got] = predicted("--task", "add", "--test-digits", "4", "--per-digit")["per_digit"]
    assert got["digits"] == 4
    assert got["each"] == ["1", "1", "1", "1/11", "99/200"]
    assert got["lowest"] == ["1", "1", "1", "1/11", "0"]
    assert "per_digit" not in predicted("--task", "add")
    assert predicted("--task", "add", "--pe", "nope", "--per-digit")["per_digit"] is None


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("--task add --pe nope", "no accuracy of single digits: no expected function is predicted"),
        (
            "--task add --pe rpe --layout interleaved --window 5 --layers 1",
            "every result digit is right",
        ),
        ("--task mul --train-digits 2", "?: not counted, for it would take too long."),
    ],
)
def test_where_there_is_no_accuracy_of_digits_it_says_why(command: str, line: str) -> None:
    done = run_cli("predict", "--per-digit", *command.split())
    assert done.out.splitlines()[-1].startswith(line)


def test_the_derivation_says_what_the_table_holds() -> None:
    done = run_cli("predict", "--task", "add", "--explain")
    assert "wrong on every input at 4..6 digits (longer)." in " ".join(done.out.split())
    assert "1. Premise: the model is right on held-out D_3. (convergence [1])" in done.out


def test_lengths_with_a_gap_are_named_as_such() -> None:
    asked = ["--task", "mul", "--train-digits", "3+5", "--test-digits", "1-5"]
    steps = [step["statement"] for step in predicted(*asked)["derivation"]]
    assert any("digits of inputs of 1..2, 4 digits (100% of them)" in text for text in steps)


def test_a_grid_is_listed_with_its_predictions() -> None:
    done = run_cli("grid", "--grid", "headline")
    assert done.code == 0
    assert f"{len(grid('headline'))} cells" in done.out
    line = next(x for x in done.out.splitlines() if "mod 101 · APE" in x)
    assert "4: 49/4950" in line
    lines = run_cli("grid", "--grid", "full", "--json").out.splitlines()
    assert len(lines) > 100
    first = json.loads(lines[0])
    assert first["cell"]["task"] == first["prediction"]["task"] == "add"


@pytest.mark.training
def test_inspect_trains_one_cell_and_looks_inside(tmp_path: Path) -> None:
    cell = ["--task", "add", "--base", "2", "--train-digits", "3", "--test-digits", "3,4"]
    done = run_cli("inspect", *cell, "--budget", "20", "--out", str(tmp_path / "in"))
    assert done.code in (0, 3), done.err
    assert "in domain" in done.out and "learned function" in done.out
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
    soon = "up to 2 digits jointly (leap complexity): mostly learned soon"
    assert soon in run_cli(*asked, "--modulus", "300").out
    late = "more than 2 digits jointly (leap complexity): training may be slow"
    assert late in run_cli(*asked, "--modulus", "200").out
    assert "(leap complexity)" not in run_cli(*asked, "--modulus", "200", "--pe", "rpe").out


def test_a_prediction_says_what_is_claimed() -> None:
    asked = ("--task", "mod_mul", "--modulus", "150", "--train-digits", "2", "--test-digits", "1-3")
    assert [x["claim"] for x in predicted(*asked)["lengths"]] == ["none", "exact", "exact"]
    [line] = [x for x in run_cli("predict", *asked).out.splitlines() if x.split()[:1] == ["3"]]
    assert line.split()[:2] == ["3", "longer"] and line.split()[-1] == "exact"
    asked = ("--task", "add", "--train-domain", "every", "--test-digits", "4")
    [at_four] = predicted(*asked)["lengths"]
    assert at_four["claim"] == "at most" and "at most 0." in run_cli("predict", *asked).out


def test_a_map_of_a_modular_task_has_moduli_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "map.svg"
    asked = ("--train-digits", "1,2", "--out", str(out))
    done = run_cli("map", *asked)
    assert done.code == 0 and "of 199 moduli" in out.read_text()
    assert "They are 2, 4, 5, " in done.out and "of 199 moduli generalize" in done.out
    assert run_cli("map", *asked, "--task", "add").code == 0
    assert out.with_suffix(".csv").read_text().count("\n") == 1 + 2


def test_a_map_is_of_what_predict_says(tmp_path: Path) -> None:
    asked = ("--task", "digit_sum", "--modulus", "11", "--train-digits", "1", "--padding", "fixed")
    run_cli("map", *asked, "--base", "16,20", "--out", "map.svg", cwd=tmp_path)
    with (tmp_path / "map.csv").open(newline="") as file:
        first, _ = csv.DictReader(file)
    [at_four] = predicted(*asked, "--base", "16", "--test-digits", "4")["lengths"]
    assert (
        Fraction(first["accuracy_plus_3"]) == Fraction(at_four["accuracy"]) == Fraction(343, 3840)
    )
    words = ("--expr", "2*a + 3*b", "--modulus", "50", "--train-digits", "2", "--width", "8")
    words += ("--train-priming", "4:0.01")
    assert run_cli("map", *words, "--out", "map.svg", cwd=tmp_path).code == 0
    said = "".join(re.findall(r">([^<]*)<", (tmp_path / "map.svg").read_text()))
    assert "(2·a + 3·b) mod p, base 10, APE" in said
    assert "padded to 8 digits, trained on D_n + 1% D_4." in " ".join(said.split())
