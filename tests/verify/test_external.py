"""Models of one's own: what they are asked, what their answers say, and how these are judged."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
import torch
from builders.command_line import run_cli

import arith
from arith.theory.arithmetic.observed import AnsweredDomain, widths_of
from arith.theory.errors import InvalidInput
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.verify.data.answers import said_numbers
from arith.verify.data.files import Examples
from arith.verify.data.sampling import Sampler
from arith.verify.data.texts import example_texts
from arith.verify.external import Answer, ask
from arith.verify.external_model import greedy
from arith.verify.judging.answer_files import answered_setting
from arith.verify.judging.answers import JudgedAnswers, Stays, answered_domain, judge_examples
from arith.verify.judging.judge import Verdict, exit_code, judge
from arith.verify.plan.cells import Cell
from arith.verify.plan.inputs import inputs
from arith.verify.reporting.answers import (
    answer_legend,
    answer_rows,
    answer_sentence,
    left_out_lines,
)

pytestmark = pytest.mark.long


def setting(**words: Any) -> Setting:
    return Request(**words).setting()


def oracle(s: Setting, function: Callable[..., int]) -> Answer:
    """Answers prompts of a sum by a function of its operands, in the digit order of a layout."""
    least = s.layout.operands_first == "least"

    def answer(prompts: list[str]) -> list[str]:
        each = [p.rstrip("=").split("+") for p in prompts]
        said = [function(*(int(x[::-1] if least else x) for x in row)) for row in each]
        return [f"{n}"[:: -1 if s.layout.result_first == "least" else 1] for n in said]

    return answer


def judged(s: Setting, function: Callable[..., int]) -> JudgedAnswers:
    return judge_examples(s, [ask(oracle(s, function), s)])


def verdicts(j: JudgedAnswers) -> list[Verdict]:
    return [x.verdict for x in j.verdict.lengths]


PLAIN: dict[str, Any] = {"layout": "plain", "padding": "none"}
SUM = setting(task="add", pe="rope", train_digits="2", test_digits="1-3", **PLAIN)
MOD = setting(task="mod_add", modulus=101, train_digits="2")
ONE = setting(task="add", train_digits="1", test_digits="1", **PLAIN)


def test_a_model_is_judged_by_its_answers() -> None:
    """It is asked what trained models are, each input once, and judged by the same standards."""
    got = judged(SUM, lambda a, b: a + b)
    assert verdicts(got) == [Verdict.DIVERGE, Verdict.PREMISE, Verdict.DIVERGE]
    assert exit_code([got.verdict]) == 1
    one, two, three = got.lengths
    assert (one.inputs, one.exhaustive, two.inputs, two.exhaustive) == (100, True, 9900, True)
    assert 9900 < three.inputs <= 10_000 and not three.exhaustive
    assert three.explained.best == "f" and not any(three.wrong_digits)
    operands, _ = inputs(Cell(SUM, "pico"), SUM.test(3), None)
    fmt = Cell(SUM, "pico").format
    assert set(example_texts(fmt, operands).prompts) <= set(ask(lambda p: p, SUM).prompts)

    learned = judged(SUM, lambda a, b: a + b if 10 <= max(a, b) < 100 else 0)
    assert verdicts(learned)[::2] == [Verdict.AGREE] * 2
    assert exit_code([learned.verdict]) == 0


@pytest.mark.parametrize("form", ["aligned", "plain", "reversed", "bare", "reversed, no equals"])
def test_the_answers_of_the_expected_function_agree_in_any_layout(form: str) -> None:
    """Padded operands under absolute positions: what a model ignores is not asked of answers."""
    s = setting(task="mod_add", modulus=7, base=4, train_digits="2", layout=form)
    cell = Cell(s, "pico")

    def answer(prompts: list[str]) -> list[str]:
        from arith.verify.judging.answers import read_prompts

        operands = read_prompts(prompts, cell.format)
        a, b = cell.format.values(operands)
        return example_texts(
            cell.format, operands, cell.format.to_digits((a % 16 + b % 16) % 7)
        ).answers

    got = judge_examples(s, [ask(answer, s)])
    assert verdicts(got)[2:] == [Verdict.AGREE] * 3
    assert {x.explained.best for x in got.lengths[2:]} == {"f^"}
    assert got.explained.counts["f^"] == got.explained.answers and not got.surprising


def test_other_answers_do_not_refute_a_claim_on_models_that_ignore_digits() -> None:
    got = judged(MOD, lambda a, b: (a + b) % 101)
    assert verdicts(got)[2:] == [Verdict.INCONCLUSIVE] * 3 and exit_code([got.verdict]) == 3
    first = got.surprising[0]
    assert (first.digits, first.function) == (3, "f^") and first.answer != first.expected
    assert len(got.surprising) == 10


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda a, b: a + b, "f"),
        (lambda a, b: a % 10 + b % 10, "lowest 1"),
        (lambda a, b: int("".join(str((x + y) % 10) for x, y in digits(a, b))), "no carry"),
        (lambda a, b: int(str(a + b)[::-1]), "reversed"),
        (lambda a, b: b, "b"),
        (lambda a, b: 7, None),
    ],
)
def test_the_function_that_explains_the_answers_is_named(
    function: Callable[..., int], name: str | None
) -> None:
    s = setting(task="add", train_digits="1", test_digits="1,4", **PLAIN)
    got = judged(s, lambda a, b: a + b if max(a, b) < 10 else function(a, b))
    longer = got.lengths[-1].explained
    assert longer.best == name
    assert longer.unlike == (0 if name else longer.answers) or name is None


def digits(a: int, b: int) -> list[tuple[int, int]]:
    width = max(len(str(a)), len(str(b)))
    return [(int(x), int(y)) for x, y in zip(f"{a:0{width}}", f"{b:0{width}}", strict=True)]


def test_the_digits_that_are_wrong_are_counted() -> None:
    s = setting(task="add", train_digits="1", test_digits="1,3", **PLAIN)
    got = judged(s, lambda a, b: a + b if max(a, b) < 10 else (a + b) // 10 * 10 + (a + b + 1) % 10)
    assert got.lengths[1].wrong_digits == (1, 0, 0, 0)


def test_a_model_that_is_wrong_where_it_was_trained_is_not_judged() -> None:
    got = arith.judge(oracle(SUM, lambda a, b: 0), SUM)
    assert got.verdict == Verdict.INCONCLUSIVE
    assert got.to_json()["sentence"].startswith("Inconclusive: it is right on 0.000 of the inputs")


def test_a_premise_that_is_not_met_has_one_name() -> None:
    """In the table, the sentence, JSON and Python, where noise changes a fifth of the answers."""
    s = setting(task="mod_add", modulus=101, train_digits="2", test_digits="2-3")
    got = arith.judge(oracle(s, lambda a, b: (a % 100 + b % 100) % 101), s)
    assert got.verdict == "agree"
    judged = got.judged
    leaks = replace(judged.verdict.runs[0], indifference=0.8)
    judged = replace(judged, verdict=judge(judged.verdict.cell, [leaks]), stays=(Stays(0.8, {}),))
    missed, words = replace(got, judged=judged), "premise not met"
    told = missed.to_json()
    assert (told["verdict"], missed.verdict, answer_rows(judged)[-1][-1]) == (words,) * 3
    assert [x["verdict"] for x in told["lengths"]] == ["premise", words]
    assert f"{words} at 3 digits (noise changes 20% of the answers)" in told["sentence"]


def test_a_bound_that_cannot_fail_is_called_so() -> None:
    s = setting(task="add", pe="abacus", train_digits="1-2", test_digits="4", **PLAIN)
    half = judged(s, lambda a, b: a + b if max(a, b) < 100 or a % 2 else 0)
    right = judged(s, lambda a, b: a + b)
    assert half.verdict.lengths[0].prediction.at_most > 0.98
    for got in (half, right):
        assert verdicts(got) == [Verdict.UNDETERMINED]
        assert answer_rows(got)[0][-3::2] == ["at most 0.999", "too weak to test"]
        assert "so it cannot fail" in answer_legend(got)[-1]


def test_too_few_answers_are_called_so_and_how_many_are_enough() -> None:
    """All are as claimed; of a model without them alone is it said that premises are not known."""
    s = setting(task="mod_add", modulus=100, layout="plain", train_digits="2", test_digits="2,3")
    trained = [(a, b) for a in range(0, 100, 3) for b in range(10, 100, 7)]
    longer = [(a, b) for a in range(100, 1000, 50) for b in range(100, 1000, 50)]

    def said(number: int, wrong: int = 0) -> tuple[Verdict, str]:
        asked = [*trained, *longer[:number]]
        sums = [(a + b) % 100 + (i >= len(asked) - wrong) for i, (a, b) in enumerate(asked)]
        prompts = [f"{a:03}+{b:03}=" for a, b in asked]
        got = judge_examples(s, [Examples(prompts, [f"{x}" for x in sums])])
        return got.verdict.lengths[-1].verdict, answer_sentence(got)

    few = "inconclusive at 3 digits (too few answers; 133 of each model are enough if they are as"
    assert said(5)[1].startswith(f"Longer inputs: {few} claimed).")
    assert few in said(132)[1] and said(133)[0] == Verdict.AGREE
    assert "not as predicted, and the premises are not known" in said(200, wrong=40)[1]


def test_several_models_are_judged_each_and_one_that_did_not_learn_is_left_out() -> None:
    s = replace(SUM, test_lengths=(1,))
    right, wrong = (ask(oracle(s, f), s) for f in (lambda a, b: a + b, lambda a, b: 1))
    got = judge_examples(s, [right, wrong])
    assert len(got.verdict.runs) == 2 and len(got.verdict.converged) == 1
    assert got.lengths[0].inputs == 200


def numbers(rows: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Pairs of numbers of some lengths, so many of each."""
    rng = np.random.default_rng(0)
    low = [(10 ** (m - 1), 10 ** (n - 1)) for m, n in rows]
    return [
        (int(rng.integers(a, 10 * a)), int(rng.integers(b, 10 * b)))
        for a, b in low
        for _ in range(count)
    ]


def test_answers_are_judged_by_what_is_predicted_of_their_operand_lengths() -> None:
    """Trained on equal lengths, and asked no others: a bound for all of a length says nothing."""
    equal = setting(task="add", pe="rope", train_digits="1-4", train_domain="every", **PLAIN)
    asked = numbers([(n, n) for n in range(1, 7)], 400)
    rows = [(f"{a}+{b}=", str(a + b if max(a, b) < 10_000 else 0)) for a, b in asked]
    got = arith.judge(rows, equal).judged
    assert verdicts(got)[:4] == [Verdict.PREMISE] * 4
    assert verdicts(got)[4:6] == [Verdict.AGREE] * 2 and exit_code([got.verdict]) in (0, 3)
    mixed = numbers([(n, n) for n in range(1, 5)] + [(1, 4)], 300)
    got = arith.judge([(f"{a}+{b}=", str(a + b)) for a, b in mixed], equal).judged
    [domain] = got.verdict.cell.setting.tests[-1:]
    assert isinstance(domain, AnsweredDomain) and {w for w, _ in domain.shapes} == {(4, 4), (1, 4)}
    assert verdicts(got)[3] == Verdict.UNDETERMINED  # half of them were never shown


@pytest.mark.parametrize("kind", ["longest", "every", "lengths", "coin"])
def test_the_domain_that_answers_were_drawn_from_is_found(kind: str) -> None:
    s = setting(task="add", train_digits="2", test_digits="3", **PLAIN)
    domain = replace(s.test(3), kind=kind)
    fmt = Cell(s, "pico").format_for(3)
    digits = Sampler(fmt, domain).sample(2_000, np.random.default_rng(0))
    shapes = Counter(map(tuple, widths_of(digits).tolist()))
    assert answered_domain(s.test(3), shapes, s) == domain
    other = answered_domain(s.test(3), Counter({(3, 1): 500, (3, 3): 500}), s)
    assert isinstance(other, AnsweredDomain)
    assert sum(w for _, w in other.weighted_boxes(10, 2)) == 1


# --- files ---------------------------------------------------------------------------------

MANY = [(f"{a}+{b}=", str(a % 100 + b % 100)) for a in range(0, 1000, 7) for b in range(0, 1000, 9)]
"""More answers at one length than trained models are asked for."""
LINES = [row for i, row in enumerate(MANY) if len(row[0]) <= len("12+34=") or i % 9 == 0]
OPTIONS = ["--task", "add", "--pe", "rope", "--train-digits", "1-2"]
OPTIONS = ["--layout", "plain", "--padding", "none", *OPTIONS]


def log_entry(i: int, prompt: str, answer: str) -> dict[str, Any]:
    """A line of a log of samples, as lm-evaluation-harness writes them."""
    return {
        "doc_id": i,
        "doc": {"question": "?"},
        "target": "0",
        "arguments": {"gen_args_0": {"arg_0": f"1+1=2\n{prompt}", "arg_1": {"until": ["\n"]}}},
        "resps": [[f" {answer}\n"]],
        "filtered_resps": [answer],
        "filter": "none",
    }


WRITERS: dict[str, Callable[[list[tuple[str, str]]], str]] = {
    "jsonl": lambda x: "\n".join(json.dumps({"prompt": p, "answer": a}) for p, a in x),
    "csv": lambda x: "\n".join(["prompt,answer", *(f"{p},{a}" for p, a in x)]),
    "log": lambda x: "\n".join(json.dumps(log_entry(i, *row)) for i, row in enumerate(x)),
    "list": lambda x: json.dumps([{"prompt": p, "answer": a} for p, a in x]),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_files_of_answers_give_the_same_numbers(kind: str, tmp_path: Path) -> None:
    """Whatever they are written in, as if the pairs had been given in Python."""
    rows = MANY if kind == "jsonl" else LINES
    (tmp_path / "answers").write_text(WRITERS[kind](rows))
    done = run_cli("judge", "--answers", "answers", *OPTIONS, "--json", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    got = json.loads(done.out)
    options = {"task": "add", "pe": "rope", "train_digits": "1-2", **PLAIN}
    python = arith.judge(rows, **options).to_json()
    assert got["lengths"] == python["lengths"]
    assert [(x["digits"], x["verdict"]) for x in got["lengths"]] == [
        (1, "premise"),
        (2, "premise"),
        (3, "agree"),
    ]
    longer = got["lengths"][-1]
    assert longer["explained_by"] == "lowest 2"
    assert longer["asked"] > (10_000 if rows is MANY else 1_000)
    assert longer["measured"]["accuracy"] == longer["correct"] / longer["asked"]


def test_the_table_names_each_length_and_what_explains_it(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(WRITERS["jsonl"]([*LINES, ("what?", "1"), LINES[0]]))
    files = ("--html", "a.html", "--plot", "a.svg")
    done = run_cli("judge", "--answers", "a.jsonl", *OPTIONS, *files, cwd=tmp_path)
    assert done.code == 0
    lines = done.out.splitlines()
    assert any(x.split()[:2] == ["3", "longer"] for x in lines)
    assert "lowest 2: a + b of the lowest 2 digits of each operand" in done.out
    what = "1 that are no inputs of the task as training writes them, the first is number"
    assert what in " ".join(done.out.split()) and "'what?'; 1 that repeat" in done.out
    said = "Longer inputs: agree at 3 digits. 1 of 1 model converged (right where trained)."
    assert lines[-1] == said
    assert "<svg" in (tmp_path / "a.html").read_text() and (tmp_path / "a.svg").exists()


def test_a_file_of_training_examples_stands_for_the_options(tmp_path: Path) -> None:
    every = [f"{a}+{b}={a + b}" for a in range(100) for b in range(100)]
    (tmp_path / "train.txt").write_text("\n".join(every))
    (tmp_path / "a.jsonl").write_text(WRITERS["jsonl"](LINES))
    done = run_cli("judge", "--answers", "a.jsonl", "--data", "train.txt", cwd=tmp_path)
    assert done.code == 0 and "the encoding: ape is taken" in done.err
    assert "Longer inputs: agree at 3 digits" in done.out


def test_of_a_length_with_few_training_examples_others_tell_whether_a_model_converged(
    tmp_path: Path,
) -> None:
    pairs = [(a, b) for a in range(100, 400, 7) for b in range(100, 1000, 91)]
    (tmp_path / "train.txt").write_text("\n".join(f"{a}+{b}={a + b}" for a, b in pairs))
    others = [(f"{a}+{b}=", str(a + b)) for a in range(401, 1000) for b in (107, 853)]
    (tmp_path / "a.jsonl").write_text(WRITERS["jsonl"](others))
    words = ["judge", "--answers", "a.jsonl", "--data", "train.txt", "--json"]
    told = json.loads(run_cli(*words, cwd=tmp_path).out)
    assert told["models"][0]["in_domain"] == 1.0 and told["models"][0]["converged"]


def test_a_model_that_was_not_measured_is_judged_as_if_noise_changed_its_answers(
    tmp_path: Path,
) -> None:
    """Where the claim is on models that read what never varied in training."""
    window = ["--pe", "rpe", "--layout", "aligned", "--window", "16", "--train-digits", "3"]
    words = [*window, "--task", "add", "--test-digits", "3,4"]
    run_cli("examples", *words, "--test", "--as", "jsonl", "--out", "a.jsonl", cwd=tmp_path)
    done = run_cli("judge", "--answers", "a.jsonl", *words, cwd=tmp_path)
    assert done.code == 0 and "Longer inputs: agree at 4 digits" in done.out


def test_answers_at_no_trained_length_are_inconclusive(tmp_path: Path) -> None:
    longer = [row for row in LINES if len(row[0]) > 7]
    (tmp_path / "a.jsonl").write_text(WRITERS["jsonl"](longer))
    done = run_cli("judge", "--answers", "a.jsonl", *OPTIONS, cwd=tmp_path)
    assert done.code == 3 and "no answers at the trained lengths (1..2 digits)" in done.out
    (tmp_path / "a.jsonl").write_text(WRITERS["jsonl"]([*longer, ("12+34=", "46")]))
    done = run_cli("judge", "--answers", "a.jsonl", *OPTIONS, cwd=tmp_path)
    assert done.code == 3 and "too few answers at trained lengths (1)" in done.out


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", OPTIONS, "has no examples"),
        ('{"prompt": "1+2="}', OPTIONS, "needs a prompt and an answer"),
        ("\0", OPTIONS, "no text"),
        ('{"resps": 3}', OPTIONS, "line 1: a log of lm-evaluation-harness has a prompt"),
        ('{"prompt": "hello", "answer": "1"}', OPTIONS, "'hello' is not written as '"),
        (
            '{"prompt": "hello", "answer": "1"}',
            ["--task", "add", "--train-digits", "3"],
            "'hello' is not written as '",
        ),
        ('{"prompt": "1+2=", "answer": "3"}', ["--task", "add"], "say how the models were trained"),
        ('{"prompt": "1+2=", "answer": "3"}', [*OPTIONS[:-1], "q"], "--train-digits 'q'"),
        ('{"prompt": "1+2=", "answer": "3"}', [*OPTIONS, "--device", "cpu"], "goes with --model"),
    ],
)
def test_a_wrong_file_is_one_clear_line(
    text: str, options: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(text)
    done = run_cli("judge", "--answers", "a.jsonl", *options, cwd=tmp_path)
    assert (done.code, done.out) == (2, "") and message in done.err
    assert len(done.err.splitlines()) == 1


def test_long_lines_are_no_inputs_and_no_answers() -> None:
    rows = [*LINES[:200], ("1" * 10**6 + "+1=", "3"), ("5+5=", "1" * 10**6)]
    got = arith.judge(rows, task="add", train_digits="1-3", test_digits="1-4", **PLAIN).judged
    assert got.unread[0] == 1 and sum(x.silent for x in got.lengths) == 1


def test_prompts_that_are_written_otherwise_than_training_are_named(tmp_path: Path) -> None:
    padded = [f"{a:05}+{b:05}={a + b:06}" for a, b in PAIRS]
    (tmp_path / "train.txt").write_text("\n".join(padded))
    (tmp_path / "wide.txt").write_text("\n".join(f"{a:07}+{b:07}={a + b:08}" for a, b in PAIRS))
    (tmp_path / "same.txt").write_text("\n".join(padded[::2]))
    judge = ("judge", "--data", "train.txt", "--answers")
    done = run_cli(*judge, "wide.txt", cwd=tmp_path)
    assert done.code == 2 and "(wide.txt, line 1) (--width 7, if training pads" in done.err
    done = run_cli(*judge, "same.txt", cwd=tmp_path)
    assert done.code == 2 and "same.txt has inputs of the training examples alone" in done.err
    zeros = [(f"{a}+{b}=", str(a + b)) for a, b in PAIRS[::3]]
    got = arith.judge([*zeros, ("012+034=", "46")], task="add", train_digits="1-2", **PLAIN).judged
    assert got.unread == (1, len(zeros) + 1, "012+034=")
    signed = setting(task="sub", train_digits="1-2", padding="none", results="signed")
    said = said_numbers(["21-", "3", "-21"], Cell(signed, "pico").format)
    assert said.tolist() == [-12, 3, -12]


def test_inputs_of_training_are_known_however_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(
        "\n".join(f"What is {a} plus {b}? {a + b}" for a, b in PAIRS)
    )
    rows = [{"prompt": f"{a} + {b} =", "answer": str(a + b)} for a, b in PAIRS[::2]]
    (tmp_path / "said.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = run_cli("judge", "--data", "train.txt", "--answers", "said.jsonl", cwd=tmp_path)
    message = "has inputs of the training examples alone"
    assert done.code == 2 and f"said.jsonl {message}" in done.err
    for trained in (arith.read, lambda data: arith.predict(data=data)):
        with pytest.raises(InvalidInput, match=message):
            arith.judge(rows, trained(tmp_path / "train.txt"))


def test_text_around_the_numbers_of_prompts_is_told(tmp_path: Path) -> None:
    """Where it has several lengths, and where it is another than that of training."""
    (tmp_path / "train.txt").write_text("\n".join(f"{a} + {b} = {a + b}" for a, b in PAIRS))
    other = [(a, b) for a, b in ((b + 1, a) for a, b in PAIRS)]
    written = {
        "same": [(f"{a} + {b} =", str(a + b)) for a, b in other],
        "names": [(f"{'Max' * (a % 2)} {a} plus {b}?", f"{a}+{b} = {a + b}") for a, b in other],
        "words": [(f"What is {a} plus {b}?", f"It is {a + b}.") for a, b in other],
    }
    said = {}
    for name, rows in written.items():
        (tmp_path / name).write_text(WRITERS["jsonl"](rows))
        words = ["--answers", name, "--data", "train.txt"]
        done = run_cli("judge", *words, cwd=tmp_path, width=1000)
        said[name] = [x for x in done.out.splitlines() if "positions are as if" in x]
        assert done.code != 2, done.err
    assert said["same"] == []
    assert "names: the text around the numbers has no constant length (before a 1 to 4" in str(
        said["names"]
    )
    assert "(before a 8 characters, and not 0, before b 6 characters, and not 3, " in str(
        said["words"]
    )


def test_padded_operands_are_asked_and_judged_as_a_file_writes_them(tmp_path: Path) -> None:
    """Whether the file or options say how: at the lengths that the padding has room for."""
    pairs = [(a, b) for a in range(100, 1000, 41) for b in range(0, 1000, 37)]
    text = "".join(f"{a:03}+{b:03}={f'{a + b:04}'[::-1]}\n" for a, b in pairs)
    (tmp_path / "rev.txt").write_text(text)
    words = ["--data", "rev.txt", "--test", "--as", "jsonl", "--number", "300", "--out", "a.jsonl"]
    run_cli("examples", *words, cwd=tmp_path)
    asked = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])["prompt"]
    assert len(asked) == len("000+000=")
    told = run_cli("predict", "--data", "rev.txt", "--json", cwd=tmp_path)
    assert [x["digits"] for x in json.loads(told.out)["lengths"]] == [1, 2, 3]
    options = ["--task", "add", "--layout", "reversed", "--train-digits", "2-3"]
    for how in (["--data", "rev.txt"], options, [*options, "--width", "3"]):
        done = run_cli("judge", "--answers", "a.jsonl", *how, "--json", cwd=tmp_path)
        assert [x["digits"] for x in json.loads(done.out)["lengths"]] == [1, 2, 3], done.err
    for prompt in ("12+34=", "12*34=", "012*034="):
        (tmp_path / "b.jsonl").write_text(json.dumps({"prompt": prompt, "answer": "64"}))
        done = run_cli("judge", "--answers", "b.jsonl", "--data", "rev.txt", cwd=tmp_path)
        assert f"'{prompt}' is not written as '0" in done.err and "(b.jsonl, line 1)" in done.err


def test_a_trained_length_with_other_inputs_and_an_unmeasured_premise_are_told(
    tmp_path: Path,
) -> None:
    """Trained on two operands of two digits each, and asked shorter second ones too."""
    rows = [(a, b) for a in range(10, 100, 3) for b in range(10, 100, 7)]
    (tmp_path / "train.txt").write_text("\n".join(f"{a}+{b}={a + b}" for a, b in rows))
    others = [(f"{a}+{b}=", str(a + b)) for a in range(11, 100, 3) for b in range(1, 100, 5)]
    (tmp_path / "a.jsonl").write_text(WRITERS["jsonl"](others))
    told = run_cli("predict", "--data", "train.txt", cwd=tmp_path, width=1000)
    assert "Tests at 2 digits (trained) also have inputs that training shows seldom" in told.out
    done = run_cli("judge", "--answers", "a.jsonl", "--data", "train.txt", cwd=tmp_path, width=1000)
    assert "Trained inputs: diverge at 2 digits (with inputs that training lacks)" in done.out
    lacks = "a query depends on a digit that a later query lacks (asked at 2 digits)"
    assert f"Premises of the claim, not measured. Answers do not show whether {lacks}" in done.out


PAIRS = [(a, b) for a in range(0, 100, 3) for b in range(0, 100, 7)]


def test_test_lengths_are_those_that_were_answered() -> None:
    padded = setting(task="add", train_digits="2", layout="plain")
    found = answered_setting(padded, [Examples(["000012+000034="], ["46"])])
    assert (found.test_lengths, found.width) == ((2,), 6)
    natural = setting(task="add", train_digits="2", **PLAIN)
    found = answered_setting(natural, [Examples(["12+34=", "1234+5="], ["46", "1239"])])
    assert found.test_lengths == (2, 4)
    ones = "1" * 1_001
    found = answered_setting(natural, [Examples(["12+34=", f"{ones}+5="], ["46", ones])])
    assert found.test_lengths == (2,)


def test_a_long_number_is_judged_at_once_and_one_too_long_is_named() -> None:
    ones = "1" * 700
    rows = [*LINES[:200], (f"{ones}+5=", ones[:-1] + "6"), ("1" * 1_200 + "+5=", "1")]
    model = Examples([prompt for prompt, _ in rows], [answer for _, answer in rows])
    started = process_time()
    asked = answered_setting(setting(task="add", train_digits="1-3", **PLAIN), [model])
    got = judge_examples(asked, [model])
    assert process_time() - started < 5
    assert max(x.digits for x in got.lengths) == 700
    assert "with a number of 1,200 digits: at most 1,000" in " ".join(left_out_lines(got))


# --- Python --------------------------------------------------------------------------------


def test_what_python_takes_and_gives() -> None:
    asked = arith.predict("add", pe="rope", train_digits=2, test_digits="2-3", **PLAIN)
    got = arith.judge(oracle(asked.setting, lambda a, b: a % 100 + b % 100), asked)
    assert "the answers are those of" in repr(got)
    assert got.explained["lowest 2"] == sum(x.inputs for x in got.judged.lengths)
    [row] = [x for x in got.records() if x["digits"] == 3]
    assert (row["encoding"], row["explained_by"], row["measured"]) == ("rope", "lowest 2", 0)
    assert got.plot().axes


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: arith.verify("add", model=lambda q: "46"), r"judged by arith\.judge\(model"),
        (lambda: arith.judge(lambda q: "46", ONE), "prompts were asked, and 1 answered"),
        (lambda: arith.judge(lambda q: None, ONE), "failed with TypeError: .* takes a list"),
        (lambda: arith.judge(lambda q: [None] * len(q), ONE), "has to be text, not NoneType"),
        (lambda: arith.judge([1, 2], ONE), "a list of pairs"),
        (lambda: arith.judge(lambda q: q, "add"), "'add' is no setting and no file"),
        (
            lambda: arith.judge(lambda q: q.index("="), ONE),
            "failed with ValueError: .* takes a list",
        ),
        (
            lambda: arith.judge(lambda q: ["?"] * len(q), ONE),
            "no answer has a number: the first prompt",
        ),
        (lambda: arith.judge(lambda q: q, ONE, task="add"), "a setting or its options"),
        (lambda: arith.judge(lambda q: q), "give a task"),
        (lambda: arith.judge(torch.nn.Linear(1, 1), ONE), "needs tokenizer="),
        (lambda: arith.judge(lambda q: q, ONE, prompt_template="Q:"), "lacks {prompt}, or {a} and"),
        (
            lambda: arith.judge(lambda q: q, task="add", layout="interleaved", padding="none"),
            "there are no prompts to be answered",
        ),
    ],
)
def test_bad_input_from_python(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ask()


def test_a_template_writes_what_a_model_is_given() -> None:
    given: list[str] = []

    def answer(prompts: list[str]) -> list[str]:
        given.extend(prompts)
        return ["0"] * len(prompts)

    for template in ("Q: {prompt} A:", "{a} plus {b} is"):
        ask(answer, ONE, template)
    assert given[0] == "Q: 0+0= A:" and given[-1] == "9 plus 9 is" and len(given) == 200


class Adder(torch.nn.Module):
    """Logits of a sum of two one-digit numbers, as a table would give them."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        logits = torch.zeros(*ids.shape, 13)
        for row, tokens in enumerate(ids.tolist()):
            digits = [*f"{tokens[0] + tokens[2]}", *[None] * 9]
            said = digits[len(tokens) - 4]
            logits[row, -1, 12 if said is None else int(said)] = 1.0
        return logits * self.scale


class Characters:
    """A tokenizer of a character each."""

    eos_token_id = 12

    def encode(self, text: str) -> list[int]:
        return ["0123456789+=".index(c) for c in text]

    def decode(self, ids: list[int]) -> str:
        return "".join("0123456789+="[i] for i in ids)


def test_a_torch_module_is_asked_with_its_tokenizer() -> None:
    net = Adder()
    assert greedy(net, Characters(), ["1+2=", "9+9="], 5) == ["3", "18"] and net.training
    got = arith.judge(
        net, tokenizer=Characters(), task="add", train_digits=1, test_digits=1, **PLAIN
    )
    assert got.judged.lengths[0].correct == 100
    with pytest.raises(InvalidInput, match="no method 'encode'"):
        greedy(net, object(), ["1+2="], 1)
    with pytest.raises(InvalidInput, match="logits of shape"):
        greedy(torch.nn.Flatten(), Characters(), ["1"], 1)


class Causal(torch.nn.Module):
    """Sums of two binary numbers, of which the highest digits are ignored but for a leak."""

    def __init__(self, leak: float) -> None:
        super().__init__()
        self.tokens = torch.nn.Embedding.from_pretrained(torch.eye(13))
        self.leak = leak

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        one = self.tokens(ids)[:, :, 1]
        a, b = (one[:, i + 1] * 2 + one[:, i + 2] for i in (0, 4))
        total = (a.round() + b.round() + (one[:, 0] > 1 - self.leak)).long()
        places = (9 - torch.arange(ids.shape[1])).clamp(0, 4)
        return torch.nn.functional.one_hot(total[:, None] // 2**places % 2, 13).float()


@pytest.mark.parametrize("leak", [0.0, 0.6])
def test_the_premises_of_a_module_are_measured(leak: float) -> None:
    """One that uses a digit that training never varied is said to; one that does not is judged."""
    words = {"task": "mod_add", "modulus": 8, "base": 2, "train_digits": "2", "layout": "plain"}
    got = arith.judge(Causal(leak), tokenizer=Characters(), test_digits="2-3", **words)
    run, told = got.judged.verdict.runs[0], got.to_json()["premises"]
    assert run.premise == 1 and got.judged.measured
    assert (told["stay_under_noise"] == 1) == (leak == 0)
    assert got.verdict == Verdict.INCONCLUSIVE and "too few answers" in got.reason
    answers = arith.judge([("000+000=", "000")] + [("011+001=", "100")], test_digits="2-3", **words)
    assert not answers.judged.measured and answers.to_json()["premises"] is None


def test_several_operations_are_explained_each_by_its_sign() -> None:
    s = setting(task="add,sub", train_digits="1-2", test_digits="1-3", **PLAIN)

    def answer(prompts: list[str]) -> list[str]:
        import re

        found = []
        for p in prompts:
            a, sign, b = re.fullmatch(r"(\d+)([+-])(\d+)=", p).groups()  # type: ignore[union-attr]
            x, y = (int(v) % 100 for v in (a, b))
            found.append(str(x + y if sign == "+" else max(x - y, 0)))
        return found

    got = judge_examples(s, [ask(answer, s)])
    assert got.lengths[-1].explained.best == "lowest 2"
    assert got.lengths[0].correct == got.lengths[0].inputs


def test_digits_beyond_nine_are_letters() -> None:
    s = setting(task="add", base=16, train_digits="1", test_digits="1,2", **PLAIN)

    def answer(prompts: list[str]) -> list[str]:
        each = [p.rstrip("=").split("+") for p in prompts]
        return [f"{int(a, 16) + int(b, 16):x}" for a, b in each]

    got = judge_examples(s, [ask(answer, s)])
    assert [x.correct / x.inputs for x in got.lengths] == [1, 1]
    assert replace(got).lengths[0].inputs == 256
    assert np.allclose(got.lengths[1].wrong_digits, 0)
