"""What people bring along: small inputs, each with the right value or one clear line."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from builders.command_line import run_cli
from builders.predictions import predicted

ADD: dict[str, Any] = {"task": "add", "padding": "none"}


def bounds(**words: Any) -> list[tuple[Fraction, Fraction]]:
    """The least and the largest accuracy that is claimed at each length."""
    return [
        (x.at_least, x.at_most if x.accuracy is None else x.accuracy + x.unseen)
        for x in predicted(**words).lengths
    ]


OPEN = (Fraction(0), Fraction(1))
RIGHT = (Fraction(1), Fraction(1))
WRONG = (Fraction(0), Fraction(0))


@pytest.mark.parametrize(
    "text",
    [
        "12+34=46\n5+7=12\n",
        '{"prompt": "12+34=", "answer": "46"}\n{"prompt": "5+7=", "answer": "12"}',
    ],
)
def test_a_file_of_examples_is_taken(text: str, tmp_path: Path) -> None:
    (tmp_path / "examples").write_text(text)
    done = run_cli("predict", "--data", "examples", cwd=tmp_path)
    assert done.code == 0
    assert "2 of 2 examples are of a + b in base 10: plain layout, natural lengths" in done.out


def test_a_mark_before_each_line_may_stand_before_prompts_too(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("$12+34=64$\n$5+7=21$\n$3+4=7$\n$41+90=131$\n")
    prompts = "".join(f'{{"prompt": "${n}+{n}=", "answer": "{2 * n}$"}}\n' for n in range(1, 5))
    (tmp_path / "answers.jsonl").write_text(prompts)
    data = "--data", "train.txt", "--layout", "reversed"
    said = run_cli("predict", *data, cwd=tmp_path).out
    assert "$ before each is taken for the begin token: prompts lack it" in said
    judged = run_cli("judge", "--answers", "answers.jsonl", *data, cwd=tmp_path)
    assert re.search(r"1 +trained +4 +1\.000", judged.out), judged.out + judged.err


def test_digits_left_out_of_natural_lengths_leave_shorter_numbers_whole() -> None:
    found = bounds(**ADD, train_digits="1-3", train_allowed=("3:1-4,6-9",))
    assert found == [RIGHT, RIGHT, *[OPEN] * 4]


def test_leading_zeros_in_the_test_alone_move_digits() -> None:
    """Under RoPE two digits of three stand at offsets that training showed; three do not."""
    asked = {"train_digits": "1-3", "test_digits": "1-3", "test_layout": "plain, leading zero"}
    found = predicted(**ADD, **asked, layout="plain", pe="ape")
    assert all(x.at_most < 1 and x.because == ("not found",) for x in found.lengths)
    other = ADD | asked | {"test_layout": "aligned, leading zero", "pe": "rope"}
    assert [x.at_most < 1 for x in predicted(**other).lengths] == [False, False, True]


def test_a_difference_may_be_negative() -> None:
    """f^ of 3 digits after 2 is right where a and b have the same hundreds: 9 of 99."""
    found = predicted(task="sub", results="signed", train_digits="2", test_digits="3-4").lengths
    assert [x.accuracy for x in found] == [Fraction(1, 11), Fraction(1, 110)]
    assert predicted(task="sub", train_digits="2", test_digits="2").lengths[0].accuracy == 1


def test_a_token_of_three_digits_is_a_base_of_a_thousand() -> None:
    assert bounds(task="add", base=1000, train_digits="1", test_digits="1-2") == [RIGHT, WRONG]
    grouped = {"layout": "plain, 3 digits per token", "train_digits": "3", "test_digits": "3,6"}
    assert bounds(task="add", **grouped) == [RIGHT, WRONG]


LEFT = "plain, 3 digits per token from the left"


def test_tokens_from_the_left_shift_with_the_length_of_a_number() -> None:
    """Of 5 digits after 4 both tokens stand where they did; of 7 there is a third."""
    found = bounds(**ADD, layout=LEFT, train_digits="1-4", test_digits="4,5,7")
    assert found[:2] == [RIGHT, OPEN] and found[2][1] < Fraction(1, 5)
    padded = {"task": "add", "train_digits": "3", "test_digits": "3,6"}
    assert bounds(**padded, layout=LEFT) == [RIGHT, WRONG]  # whole tokens


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--layout LEFT --pe abacus", "Abacus positions are of single digits"),
        ("--layout LEFT --results signed", "results have no sign"),
        ("--layout UNITS", "are counted from the left"),
        ("--layout plain --test-layout aligned", "tests have the order of the result's digits"),
    ],
)
def test_where_theory_has_no_word_on_a_format_it_says_so(words: str, line: str) -> None:
    units = LEFT.removesuffix(" from the left")
    asked = [{"LEFT": LEFT, "UNITS": units}.get(x, x) for x in words.split()]
    done = run_cli("predict", "--task", "add", "--padding", "none", *asked)
    assert done.code == 2 and line in done.err and len(done.err.splitlines()) == 1


def test_a_file_does_not_tell_tokens_and_shows_few_of_them(tmp_path: Path) -> None:
    """Each digit is shown at each place, and few of the pairs of tokens."""
    pairs = [(i * 37 % 1000, i * 91 % 1000) for i in range(3000)]
    (tmp_path / "examples").write_text("".join(f"{a}+{b}={a + b}\n" for a, b in pairs))
    done = run_cli("predict", "--data", "examples", "--layout", LEFT, cwd=tmp_path)
    assert done.code == 0 and "no claim at 1..3 digits (trained)" in " ".join(done.out.split())
    assert "lacks some tokens of several digits, or pairs of them" in done.out


def test_zeros_before_operands_alone_are_found_in_a_file(tmp_path: Path) -> None:
    pairs = [(a, b) for a in range(100) for b in range(100)]
    (tmp_path / "examples").write_text("".join(f"{a:04}+{b:04}={a + b}\n" for a, b in pairs))
    done = run_cli("predict", "--data", "examples", cwd=tmp_path)
    assert done.code == 0 and "plain, padded to 4 with zeros" in " ".join(done.out.split())
    found = bounds(task="add", layout="plain, padded to 4 with zeros", train_digits="1-2")
    assert found[:2] == [RIGHT, RIGHT] and found[3][1] < Fraction(1, 5)


def test_five_operands_are_added() -> None:
    found = bounds(expr="a + b + c + d + e", train_digits="2", test_digits="1-3")
    assert found == [RIGHT, RIGHT, WRONG]


@pytest.mark.parametrize(("starts", "at_most"), [(32, Fraction(1, 10)), (100, Fraction(1))])
def test_how_far_abacus_goes_depends_on_its_starts_which_are_said(
    starts: int, at_most: Fraction
) -> None:
    words = {"pe": "abacus", "train_digits": "1-20", "test_digits": "60,80,100", "starts": starts}
    found = predicted(**ADD, **words)
    assert all(x.at_most <= at_most and (x.at_most < 1) == (at_most < 1) for x in found.lengths)
    asked = [f"--{name.replace('_', '-')} {value}" for name, value in (ADD | words).items()]
    assert f"from {starts} starts" in run_cli("predict", *" ".join(asked).split()).out


def test_spaces_in_training_alone_are_no_plain_training() -> None:
    """Four of 24 such models were right on more than .93 at one digit more."""
    words = {"layout": "plain, random spaces", "test_layout": "plain", "pe": "sinusoidal"}
    lengths = {"train_digits": "1-7+9", "test_digits": "8,10"}
    assert bounds(**ADD, **words, **lengths) == [OPEN, OPEN]
    plain = bounds(**ADD, layout="plain", pe="sinusoidal", **lengths)
    assert all(most < 1 for _, most in plain)


def test_a_length_between_trained_ones_depends_on_the_order_of_digits() -> None:
    words = {"pe": "abacus", "starts": 51, "train_domain": "every", "test_domain": "every"}
    lengths = {"train_digits": "1-7+9", "test_digits": "8"}
    assert bounds(**ADD, **words, **lengths, layout="aligned") == [RIGHT]
    [(least, most)] = bounds(**ADD, **words, **lengths, layout="reversed")
    assert (least, most) == (0, Fraction(1, 9))


def test_a_model_on_disk_is_judged_by_its_own_command() -> None:
    done = run_cli("verify", "--task", "add", "--model", "hf:somewhere")
    assert done.code == 2 and "arith judge" in done.err and len(done.err.splitlines()) == 1
