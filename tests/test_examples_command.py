"""``arith examples``, and ``arith predict`` from the files that it writes."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from builders.command_line import run_cli

import arith

SETTING = ("--task", "mod_add", "--modulus", "101", "--train-digits", "2")


def test_a_file_is_written_and_predicted_from(tmp_path: Path) -> None:
    wrote = run_cli("examples", *SETTING, "--out", "train.txt", cwd=tmp_path)
    assert wrote.code == 0 and "wrote 10,000 examples to train.txt" in wrote.err
    head, first, *_ = (tmp_path / "train.txt").read_text().split("\n")
    assert head.startswith("# arith examples --task mod_add --modulus 101")
    assert "=" in first
    printed = run_cli(*head.removeprefix("# arith ").split(), cwd=tmp_path)
    assert printed.out == (tmp_path / "train.txt").read_text()
    told = run_cli("predict", "--data", "train.txt", cwd=tmp_path)
    assert "10,000 of 10,000 examples are of (a + b) mod 101 in base 10" in told.out
    assert "49/4950 ≈ 0.0099 ± 0.01" in told.out
    got = json.loads(run_cli("predict", "--data", "train.txt", "--json", cwd=tmp_path).out)
    assert got["data"]["options"]["modulus"] == 101
    assert got["lengths"][3]["accuracy"] == "49/4950"
    there = arith.predict(data=tmp_path / "train.txt")
    assert there.records()[3]["accuracy"] == "49/4950" and "10,000 of 10,000" in repr(there)


def test_json_lines_have_their_command_beside_them(tmp_path: Path) -> None:
    assert (
        run_cli("examples", *SETTING, "--as", "jsonl", "--out", "x.jsonl", cwd=tmp_path).code == 0
    )
    assert (tmp_path / "x.jsonl.txt").read_text().startswith("arith examples --task mod_add")
    lines = (tmp_path / "x.jsonl").read_text().splitlines()
    assert {*json.loads(lines[0])} == {"prompt", "answer"}
    done = run_cli("predict", "--data", "x.jsonl", "--test-data", "x.jsonl", "--json", cwd=tmp_path)
    assert [x["digits"] for x in json.loads(done.out)["lengths"]] == [2]


def test_a_task_of_lm_evaluation_harness(tmp_path: Path) -> None:
    done = run_cli(
        "examples", *SETTING, "--number", "30", "--as", "lm-eval", "--out", "folder", cwd=tmp_path
    )
    assert done.code == 0, done.err
    task = yaml.safe_load((tmp_path / "folder" / "arith_mod_add.yaml").read_text())
    assert task["task"] == "arith_mod_add" and task["output_type"] == "generate_until"
    file = tmp_path / task["dataset_kwargs"]["data_files"][task["test_split"]]
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(entries) == 30
    assert task["doc_to_text"] == "{{prompt}}" and task["doc_to_target"] == "{{answer}}"
    assert len(entries[0]["answer"]) <= task["generation_kwargs"]["max_gen_toks"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("predict --data train.txt --train-digits 3", "leave one of them out"),
        ("predict --data train.txt --test-data train.txt --test-digits 3", "leave one of them out"),
        ("predict --test-data train.txt", "--test-data needs --data"),
        ("predict --data nothing.txt", "cannot read the examples nothing.txt"),
        ("predict --data - --test-data -", "standard input has one file"),
        ("predict --data train.txt --task mul", "33.3% of the examples are of a·b"),
        ("predict --data train.txt --task mod_add --modulus 7", "not read as examples"),
        ("predict --data train.txt --expr a+b+c", "not read as examples"),
        ("predict --data .", "cannot read the examples ."),
        ("examples", "give a task"),
        ("examples --task add --number 0", "--number goes from 1"),
        ("examples --task add --seed -1", "--seed is 0 or more"),
        ("examples --task add --as xml", "unknown kind of file 'xml'"),
        ("examples --task add --as lm-eval", "say which by --out"),
        ("examples --expr 'a+b,2*a+b' --layout plain", "both be written with '+'"),
        ("examples --task add --layout 'plain, whole numbers'", "no text but their digits"),
        ("examples --task add --layout interleaved --as jsonl", "interleaved"),
    ],
)
def test_what_makes_no_sense_gets_one_line(words: str, message: str, tmp_path: Path) -> None:
    import shlex

    (tmp_path / "train.txt").write_text("12+34=46\n5+7=12\n9+9=18\n")
    done = run_cli(*shlex.split(words), cwd=tmp_path)
    assert done.code == 2 and message in done.err
    assert done.err.count("\n") == 1


def test_no_input_is_tested_twice() -> None:
    """Of one digit there are 100 inputs, so all of them are there; of others as many as asked."""
    words = ("examples", "--task", "add", "--train-digits", "2", "--test-digits", "1-3", "--test")
    done = run_cli(*words, "--number", "600")
    _, *lines = done.out.splitlines()
    assert len(lines) == len(set(lines)) == 100 + 200 + 200
    assert done.err == (
        "500 of the 600 tests that were asked for: there are no more inputs to test at 1 digit\n"
    )
    assert not run_cli(*words, "--number", "200").err


def test_one_example_is_told_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("12+34=46\n")
    wrote = run_cli("examples", *SETTING, "--number", "1", "--out", "one.txt", cwd=tmp_path)
    assert wrote.err == "wrote 1 example to one.txt\n"
    told = " ".join(run_cli("predict", "--data", "train.txt", cwd=tmp_path).out.split())
    assert "the examples lack digits or combinations of lengths." in told
    assert "drawn pairs" not in told and "(--data)" not in told
    assert "1 of 1 example is of a + b" in told and "trained on 1 example of D_2" in told


def test_a_file_without_its_option_is_told_the_option(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("12+34=46\n")
    done = run_cli("predict", "train.txt", cwd=tmp_path)
    assert done.code == 2 and "is given as --data train.txt" in done.err
    other = run_cli("predict", "nothing.txt", cwd=tmp_path)
    assert other.code == 2 and "--data" not in other.err


@pytest.mark.parametrize(
    "words",
    [
        "verify --task add --model net.pt",
        "judge --task add --train-digits 2 --model net.pt",
        "judge --task add --train-digits 2 --model hf:net.pt",
    ],
)
def test_a_file_of_weights_is_told_the_way_from_python(words: str, tmp_path: Path) -> None:
    (tmp_path / "net.pt").write_text("")
    done = run_cli(*words.split(), cwd=tmp_path)
    assert done.code == 2 and "arith.judge(module, " in done.err


def test_advice_says_that_it_is_of_all_inputs_where_a_file_lacks_some(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("12+345=753\n345+271=616\n")
    every = [f"{a}+{b}={str(a + b)[::-1]}\n" for a in range(10) for b in range(10)]
    (tmp_path / "all.txt").write_text("".join(every))
    said = "training on all inputs of these lengths. The file lacks some"
    for name, lacks in (("two.txt", True), ("all.txt", False)):
        told = run_cli("advise", "--data", name, "--test-digits", "2", cwd=tmp_path)
        assert told.code == 0
        assert (said in " ".join(told.out.split())) == lacks


def test_advice_forecasts_of_a_file_what_a_prediction_does(tmp_path: Path) -> None:
    """Models were trained on all sums of up to six digits, and none on 300 of them."""
    words = ("--task", "add", "--train-digits", "1-6", "--layout", "plain", "--padding", "none")
    run_cli("examples", *words, "--number", "300", "--out", "few.txt", cwd=tmp_path)
    trained = ("--test-digits", "1-6")  # these generalize, so no change is looked for

    def told(command: str, *options: str) -> dict[str, Any]:
        return json.loads(run_cli(command, *options, "--json", cwd=tmp_path).out)

    assert told("advise", *words, *trained)["recipes"] is not None
    assert not told("predict", "--data", "few.txt")["convergence"]["near"]
    assert told("advise", "--data", "few.txt", *trained)["recipes"] is None


PHRASED = {
    "What is {a} plus {b}? {c}": ("What is 98 plus 7? 105", "What is 98 plus 7? "),
    "Q: {a} + {b} = A: {c}": ("Q: 98 + 7 = A: 105", "Q: 98 + 7 = A: "),
    "${a}+{b}={c}$": ("$98+7=105$", "98+7="),
    "The sum of {a} and {b} is {c}.": ("The sum of 98 and 7 is 105.", "The sum of 98 and 7 is "),
    '{{"question": "{a}+{b}?", "answer": "{c}"}}': (None, "98+7?"),
    "{a},{b},{c}": (None, None),
}
"""Lines of training, the line of a test beside them and its prompt; None: as the layout says."""


@pytest.mark.parametrize("form", PHRASED)
def test_tests_beside_a_file_are_written_as_it_is(form: str, tmp_path: Path) -> None:
    pairs = [(a, b) for a in range(100) for b in range(100) if (a, b) != (98, 7)]
    lines = [form.format(a=a, b=b, c=a + b) for a, b in pairs]
    (tmp_path / "train.txt").write_text("\n".join(lines))
    words = ("examples", "--data", "train.txt", "--test", "--test-digits", "2", "--number", "1")
    text, prompts = (run_cli(*words, "--as", x, cwd=tmp_path) for x in ("text", "jsonl"))
    line, prompt = PHRASED[form]
    assert text.out.splitlines()[1] == (line or "98+7=105")
    assert json.loads(prompts.out)["prompt"] == (prompt or "98+7=")
    assert ("written in the plain layout, without what" in text.err) == ("question" in form)
    assert not prompts.err


def test_tests_beside_two_operations_and_beside_two_forms(tmp_path: Path) -> None:
    pairs = [(a, b) for a in range(100) for b in range(a)]
    asks = {0: "Compute {} minus {}: {}", 1: "What is {} plus {}? {}"}
    lines = [asks[b % 2].format(a, b, a + b if b % 2 else a - b) for a, b in pairs]
    (tmp_path / "two.txt").write_text("\n".join(lines))
    forms = ["{}+{}={}", "What is {} plus {}? {}"]
    (tmp_path / "mixed.txt").write_text(
        "\n".join(forms[b % 2].format(a, b, a + b) for a, b in pairs)
    )
    words = ("examples", "--test", "--test-digits", "3", "--number", "50", "--data")
    two, mixed = (run_cli(*words, x, cwd=tmp_path) for x in ("two.txt", "mixed.txt"))
    starts = {x.split()[0] for x in two.out.splitlines()[1:]}
    assert starts == {"Compute", "What"} and not two.err
    assert "What" not in mixed.out
    said = "written in the plain layout, without what mixed.txt has around numbers\n"
    assert mixed.err == said


def test_tests_beside_spaced_digits_are_spaced_and_say_what_training_has(tmp_path: Path) -> None:
    def spaced(number: int) -> str:
        return " ".join(str(number)[::-1])

    pairs = [(a, b) for a in range(100) for b in range(100) if (a, b) != (98, 7)]
    rows = [(f"Q: {spaced(a)} + {spaced(b)} = A:", spaced(a + b)) for a, b in pairs]
    lines = [json.dumps({"prompt": p, "completion": f" {c}"}) for p, c in rows]
    (tmp_path / "train.jsonl").write_text("\n".join(lines))
    words = ("--data", "train.jsonl", "--test", "--as", "jsonl", "--number", "90")
    done = run_cli("examples", *words, cwd=tmp_path)
    tests = [json.loads(x) for x in done.out.splitlines()]
    assert {"prompt": "Q: 8 9 + 7 = A:", "answer": "5 0 1"} in tests
    assert {re.sub("[0-9]( [0-9])*", "", x["prompt"]) for x in tests} == {"Q:  +  = A:"}
    assert "around numbers" not in done.err
    assert "training has all inputs at 1 digit: the tests there are of these\n" in done.err


def test_advice_keeps_how_often_a_file_has_each_length(tmp_path: Path) -> None:
    """Also where numbers are padded, which natural lengths may be by a change."""
    often = {
        "skewed": ({1: 40, 2: 400, 3: 3000}, "", "--train-weights 1:40,2:400,3:3000"),
        "padded": ({1: 300, 2: 300, 3: 300}, "06", "--train-weights balanced "),
        "alike": ({1: 300, 2: 300, 3: 300}, "", ""),
    }
    for name, (counts, width, weights) in often.items():
        rng = random.Random(0)
        rows = [
            (rng.randrange(10 ** (n - 1), 10**n), rng.randrange(10**n))
            for n, count in counts.items()
            for _ in range(count)
        ]
        form = f"{{:{width}}}+{{:{width}}}={{:{width and '07'}}}\n"
        (tmp_path / name).write_text("".join(form.format(a, b, a + b) for a, b in rows))
        done = run_cli("advise", "--data", name, "--pe", "ape", "--json", cwd=tmp_path)
        found = json.loads(done.out)["suggestions"]
        for x in found:
            is_padded = "pad operands with zeros" in x["changes"]
            assert is_padded <= (not width)
            said = weights or "--train-weights balanced " * is_padded
            assert (said or "--train-digits") in x["command"]
            assert bool(said) == ("--train-weights" in x["command"])
        first = ["mix in 10% of 6-digit examples"]
        assert found[0]["changes"] == first if width else ["pad operands with zeros", *first]
