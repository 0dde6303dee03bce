"""Predictions in words: what is claimed is told apart from what the learned function does."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from builders.predictions import predicted

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.effort import LITTLE, PART
from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.learning.leap_complexity import setting_leaps
from arith.theory.learning.learnability import learnability
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.requests import Request
from arith.theory.studies.advise import advise
from arith.theory.text import answer, text
from arith.theory.text.answer import UNCLAIMED, answer_line, expected_line, published_lines
from arith.theory.text.latex import latex
from arith.theory.text.text import (
    LENGTH_COLUMNS,
    advice_text,
    claim_text,
    length_rows,
    setting_lines,
)


def rows(prediction: Prediction) -> list[dict[str, str]]:
    return [dict(zip(LENGTH_COLUMNS, row, strict=True)) for row in length_rows(prediction)]


def legend(prediction: Prediction) -> list[str]:
    return text.legend(prediction, setting_leaps(prediction.setting))


def explanation(prediction: Prediction) -> list[str]:
    return answer.explanation(prediction, learnability(prediction.setting))


FLAGSHIP = {"task": "mod_mul", "modulus": 125}


ACCURACY = LENGTH_COLUMNS[2]


def test_every_length_of_the_flagship_is_claimed_under_premises_that_the_legend_names() -> None:
    said = predicted(**FLAGSHIP)
    claims = [(row[ACCURACY], row["claim"]) for row in rows(said)]
    assert claims == [("1", "premise" if n == 3 else "exact") for n in range(1, 7)]
    assert legend(said) == [
        "Premises: the model is right on held-out inputs (converged). Noise on ignored digits "
        "changes no answer (arith theorems noise invariance). Disturbing all digits a little "
        "changes "
        "none at 1..2, 4..6 digits (arith theorems stability).",
        "Theorems that decide: shown apart (observed) at 1..2 digits; equal views (proved) at 3 "
        "digits; constants and shown apart (observed) at 4..6 digits.",
        "It may take long to converge, or never do so (arith theorems leap).",
        "claim: exact, the accuracy is the one shown.",
    ]
    assert "±" in legend(predicted(task="mod_add", modulus=101, train_digits="2"))[-1]
    assert legend(predicted(task="add", test_digits="1"))[0] == (
        "Premises: the model is right on held-out inputs (converged). Disturbing all digits a "
        "little changes no answer at 1 digit (arith theorems stability)."
    )
    natural = predicted(task="add", padding="none", train_digits="1-2", test_digits="2-4")
    assert legend(natural)[0] == (
        "Premises: the model is right on held-out inputs (converged). At 3..4 digits no query "
        "depends on a digit that a later query lacks (arith theorems address)."
    )


def test_what_a_stable_model_may_compute_is_shown_where_nothing_is_claimed() -> None:
    words = {"pe": "nope", "base": 2, "train_digits": "2", "test_digits": "2,3"}
    said = predicted(expr="a + b", **words)
    last = rows(said)[-1]
    assert (last[ACCURACY], last["claim"]) == ("1 or 0", UNCLAIMED)
    line = (
        "1 or c: no claim, but a stable model is expected either to be right, or to ignore digits "
        "that never varied in training, which is right on a share of c"
    )
    named = "(arith theorems two candidates)."
    assert f"{line} {named}" in legend(said)
    assert "no claim at" in answer_line(said).lower() and "stable" not in answer_line(said)
    shorter = predicted(task="mod_add", modulus=101, train_digits="2", test_digits="1,2")
    assert rows(shorter)[0][ACCURACY] == "1 if stable"
    right = f"1 if stable: no claim, but a stable model is expected to be right {named}"
    assert right in legend(shorter)
    many = predicted(expr="a - b", **words)
    assert rows(many)[-1][ACCURACY] == "1 or 7/26 ≈ 0.269"
    assert "1 or 7/26 $\\approx$ 0.269" in latex(many)
    assert [x["candidates"] for x in many.to_json()["lengths"]] == [[], ["1", "7/26"]]
    assert not any(x.candidates for x in predicted(**FLAGSHIP).lengths)
    assert "two candidates" not in " ".join(legend(predicted(**FLAGSHIP)))


@pytest.mark.parametrize(
    "words",
    [
        {
            "task": "mod_mul",
            "modulus": 10,
            "layout": "interleaved",
            "train_digits": "1",
            "test_digits": "2",
        },
        {
            "expr": "a - b + 1",
            "base": 2,
            "pe": "nope",
            "layout": "interleaved",
            "window": 3,
            "layers": 3,
            "train_digits": "4+5",
            "test_digits": "1-7",
        },
    ],
    ids=["the mask hides what training does not show", "claims only where every context is shown"],
)
def test_what_needs_no_observed_rule_is_said_to_be_proved(words: dict[str, Any]) -> None:
    said = predicted(**words)
    proved = "What is claimed is proved for a model that is right on all of training."
    assert said.observed == [] and proved in legend(said)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            FLAGSHIP,
            "right at 1..2 digits (shorter), 3 digits (trained) and 4..6 digits (longer).",
        ),
        (
            {"task": "add"},
            "right at 1..2 digits (shorter) and 3 digits (trained); wrong on every input at 4..6 "
            "digits (longer).",
        ),
        (
            {"task": "mod_add", "modulus": 101, "train_digits": "2"},
            "right at 2 digits (trained); wrong on at least 98% of the inputs at 3..5 digits "
            "(longer). No claim at 1 digit (shorter): the training data do not determine the "
            "answer.",
        ),
        (
            {"task": "mul", "train_digits": "2+4", "test_digits": "1-5"},
            "right at 1 digit (shorter), 2 digits (trained), 3 digits (between) and 4 digits "
            "(trained); wrong on at least 99% of the inputs at 5 digits (longer).",
        ),
        (
            {"task": "add", "train_pairs": 10, "test_digits": "4"},
            "no claim at 4 digits (longer): drawn pairs may lack digits; a file of them shows "
            "which (--data).",
        ),
    ],
)
def test_the_answer_is_a_plain_sentence(words: dict, line: str) -> None:
    assert answer_line(predicted(**words)) == f"Answer, if the premises are met: {line}"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (FLAGSHIP, "right on shorter and longer inputs."),
        (
            {"task": "mul"},
            "right on shorter inputs, wrong on some longer inputs. It ignores which "
            "digits training showed together.",
        ),
        ({"task": "add"}, "right on shorter inputs, wrong on some longer inputs."),
        ({"task": "add", "pe": "alibi"}, "right on shorter and longer inputs."),
        ({"task": "add", "pe": "nope"}, "no claim on shorter and longer inputs."),
        ({"task": "add", "test_digits": "3"}, "not tested."),
    ],
)
def test_the_published_theorem_and_what_it_leaves_out(words: dict, line: str) -> None:
    assert published_lines(predicted(**words))[0] == f"Published theorem: {line}"


def test_the_accuracy_is_a_fraction_with_its_decimals_and_what_is_left_open() -> None:
    by_digits = {
        row["digits"]: row for row in rows(predicted(task="mod_add", modulus=101, train_digits="2"))
    }
    assert by_digits["1"][ACCURACY] == "1 if stable"
    assert by_digits["1"]["claim"] == UNCLAIMED
    assert by_digits["4"][ACCURACY] == "49/4950 ≈ 0.0099 ± 0.01"
    assert by_digits["4"]["claim"] == Claim.EXACT


def test_a_long_fraction_is_shown_in_decimals() -> None:
    said = predicted(task="mul", train_digits="2", test_digits="9")
    [row] = rows(said)
    exact = said.lengths[0].accuracy
    assert exact is not None and len(str(exact)) > 9
    assert float(row[ACCURACY].split(" ≈ ")[-1].split(" = ")[-1].split(" ± ")[0]) == pytest.approx(
        float(exact), rel=0.01
    )


def test_inputs_are_shorter_trained_between_or_longer() -> None:
    said = predicted(task="add", train_digits="2+4", test_digits="1-5")
    assert [row["inputs"] for row in rows(said)] == [
        "shorter",
        "trained",
        "between",
        "trained",
        "longer",
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"task": "add"}, "(a mod 1000) + (b mod 1000)"),
        ({"task": "add", "train_digits": "60"}, "(a mod 10^60) + (b mod 10^60)"),
        (
            {"expr": "a + 100000000*b", "base": 12, "train_digits": "8"},
            "(a mod 12^8) + 100000000·(b mod 12^8)",
        ),
        ({"task": "add", "pe": "nope"}, "training does not determine it"),
        (
            {"task": "add", "pe": "rpe", "layout": "interleaved", "window": 8},
            "the task itself, if it is stable: a + b",
        ),
        (
            {"task": "add", "pe": "rpe", "layout": "interleaved", "window": 5, "layers": 1},
            "the task itself, a + b",
        ),
    ],
)
def test_the_expected_function_is_named_or_said_to_be_open(words: dict, line: str) -> None:
    assert expected_line(predicted(**words)) == f"Expected function f^ of a converged model: {line}"


def test_the_head_says_what_the_domains_are() -> None:
    head = setting_lines(predicted(task="add", train_digits="4+5").setting)
    assert "trained on D_4 + D_5: the longest operand has 4 or 5 digits" in head[0]
    head = setting_lines(predicted(task="add", train_domain="every").setting)
    assert "each operand has 3 digits" in head[0]
    assert head[2] == "tested where the longest operand has n digits"


@pytest.mark.parametrize(
    ("words", "digits", "text"),
    [
        (FLAGSHIP, 4, "1"),
        ({"task": "add", "pe": "nope"}, 4, "no claim"),
        ({"task": "mul", "train_digits": "2"}, 3, "1/550"),
        ({"task": "add", "train_domain": "every"}, 4, "at most 19/100"),
        ({"task": "mod_add", "modulus": 101, "train_digits": "2"}, 4, "49/4950"),
    ],
)
def test_a_claim_in_words(words: dict, digits: int, text: str) -> None:
    said = predicted(**words)
    [x] = [x for x in said.lengths if x.digits == digits]
    assert claim_text(x) == text


def test_an_explanation_numbers_its_steps_and_cites_each_source_once() -> None:
    said = predicted(**FLAGSHIP)
    lines = explanation(said)
    steps = [line for line in lines if line[:1].isdigit()]
    assert [line.split(".")[0] for line in steps] == ["1", "2", "3", "4", "5", "6"]
    for line, step in zip(steps, said.derivation, strict=True):
        seen = ", observed" * (step.rule in ("support", "joint support"))
        assert step.statement in line and f"({step.rule}{seen} [" in line
    sources = [line for line in lines if line.startswith("[")]
    assert sources == [
        "[1] Xu et al. 2024, arXiv 2407.17963",
        "[2] ours: docs/ignored-digits.md",
        "[3] ours; docs/findings.md (rules: arith theorems)",
    ]
    assert [line[-4:-1] for line in steps] == ["[1]", "[1]", "[2]", "[1]", "[3]", "[3]"]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (
            {"task": "add"},
            "degree 1 and is homogeneous; f(10·a, 10·b) = 10·a + 10·b = 10·f(a, b), so it is "
            "translation invariant; a carry c goes on as ⌊(c + s) / 10⌋ with s from 0 to 18, so "
            "carries are from 0 to 1.",
        ),
        ({"expr": "a + 1", "base": 2}, "f(2·a) - 2·f(a) = -1, so it is not translation invariant;"),
        ({"task": "square"}, "f(10·a) - 10·f(a) = 90·a^2, so it is not translation invariant."),
        (
            {"task": "mod_sub", "modulus": 101},
            "f(10·a, 10·b) - 10·f(a, b) = 0 modulo 101; 101 divides no power of 10, as "
            "101 / gcd(101, 10^7) = 101 is prime to it.",
        ),
        ({"task": "mod_mul", "modulus": 100}, " = -10·a·b modulo 100; 100 divides 10^2 and not"),
        ({"expr": "(a*b + a) % 100"}, "is not homogeneous; f(10·a, 10·b) - 10·f(a, b) = "),
    ],
)
def test_the_properties_of_the_task_are_shown_with_why(words: dict, shown: str) -> None:
    [line] = [x for x in explanation(predicted(**words)) if x.startswith("The polynomial f has")]
    assert shown in line


def test_a_source_in_part_ours_says_so() -> None:
    lines = explanation(predicted(task="add", train_domain="every"))
    assert any(
        line.startswith("[2] Xu et al. 2024, arXiv 2407.17963; in part ours") for line in lines
    )


def test_a_value_never_shown_of_a_digit_that_changes_nothing_is_said_so() -> None:
    steps = predicted(task="mod_add", modulus=10, train_domain="every").derivation
    [step] = [x for x in steps if x.rule == "joint support"]
    assert step.statement.endswith(
        "the answer follows: the digits that lack some value there make no difference modulo 10."
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (FLAGSHIP, "0 there counts as 5 does modulo 125, and 5 was shown"),
        ({"task": "add"}, "the digits only add up"),
        ({"task": "mod_mul", "modulus": 50}, "place 3 makes no difference modulo 50"),
        (
            {"task": "mod_mul", "modulus": 1000},
            "the digits that the task makes interact were shown together",
        ),
    ],
)
def test_joint_support_gives_the_reason_that_applies(words: dict, reason: str) -> None:
    [step] = [x for x in predicted(**words).derivation if x.rule == "joint support"]
    assert step.statement == (
        "Inputs of 1..2 digits have 0 at place 3 of both operands, never so in D_3. "
        f"But the answer follows: {reason}."
    )


def test_what_nothing_fixes_is_named_too() -> None:
    first, second = (x for x in predicted(task="mul").derivation if x.rule == "joint support")
    assert first.statement == (
        "Inputs of 1..2 digits have 0 at place 3 of both operands, never so in D_3, and the "
        "task makes these digits interact. Nothing follows there."
    )
    assert second.statement == (
        "An exact accuracy is said, give or take the inputs that are open, where these are at most "
        "5%: at 4..6 digits."
    )


def test_advice_begins_with_the_answer() -> None:
    lines = advice_text(advise(Request("add", pe="rpe").setting()))
    answer, change, why = (
        next(i for i, line in enumerate(lines) if line.startswith(start))
        for start in ("A model generalizes after", "1. ", "As it is, it does not")
    )
    assert answer < change < why
    nothing = advice_text(advise(Request("mod_add", modulus=100, test_digits="8").setting()))
    assert nothing[-1].startswith("Nothing has to be changed: a model that meets the premises")


def test_the_table_shows_what_json_holds() -> None:
    said = predicted(task="mod_add", modulus=150, train_digits="2")
    both = list(zip(rows(said), said.to_json()["lengths"], strict=True))
    exact = [(row, entry) for row, entry in both if entry["accuracy"] is not None]
    assert len(exact) == 4  # of five: 0 beside 0 in the tens is open
    for row, entry in exact:
        shown = re.split(" [=≈±] ", row[ACCURACY])[0].split(" ± ")[0]
        assert Fraction(shown) == Fraction(entry["accuracy"])


def test_a_prediction_is_shown_in_a_line() -> None:
    assert repr(predicted(task="add")) == (
        "<Prediction: a + b, base 10, APE, aligned layout, trained on D_3: "
        "downward generalizes, upward fails>"
    )


def test_a_bound_is_rounded_up_and_a_missing_one_explained() -> None:
    got = predicted(task="add", padding="none", test_digits="4")
    [at] = [row for row in rows(got) if row["digits"] == "4"]
    assert got.lengths[0].at_most == Fraction(73, 330_000) and at["claim"] == "at most 0.000222"
    big = predicted(task="mod_mul", modulus=10**11)
    assert {row["claim"] for row in rows(big)} >= {"below 1"}
    assert "below 1: some inputs are wrong" in legend(big)[-1]


def test_what_is_known_of_some_inputs_is_claimed_of_all() -> None:
    got = predicted(task="add", train_domain="every", test_digits="3,4")
    assert [x["claim"] for x in rows(got)] == ["at least 0.818", "at most 0.19"]
    assert "at least, it is not below this" in legend(got)[-1]
    assert "right on at least 81% of the inputs at 3 digits (trained)" in answer_line(got)
    less = predicted(task="sub", train_digits="2", test_digits="3,4")
    assert [x["claim"] for x in rows(less)] == ["0.0907 to 0.547", "0.00908 to 0.506"]
    assert "a range, the accuracy lies within it" in legend(less)[-1]
    half = predicted(task="add", base=2, train_digits="6", test_digits="4,6,8")
    assert rows(half)[-1][ACCURACY] == "0 to 0.25" and not any("±" in x for x in legend(half))
    [claimed] = predicted(task="sub", base=4, train_digits="2", test_digits="3").lengths
    assert claim_text(claimed) == "7/36 to 11/18"
    words = {"task": "digit_sum", "modulus": 3, "base": 4, "train_digits": "2"}
    fives = list(rows(predicted(**words, test_digits="5")))
    assert [(x[ACCURACY], x["claim"]) for x in fives] == [("0.25 to 0.5",) * 2]


@pytest.mark.parametrize(("least", "text"), [(0, "below 1"), (Fraction(1, 3), "1/3 to below 1")])
def test_a_bound_that_rounds_to_one_is_below_it(least: Fraction, text: str) -> None:
    x = LengthPrediction(
        3, Direction.UPWARD, None, known=Fraction(least), at_most=1 - Fraction(1, 10**20)
    )
    assert claim_text(x) == text


def test_a_modulus_beyond_64_bits_is_no_obstacle() -> None:
    for modulus in (2**63, 10**39):
        got = predicted(task="mod_add", modulus=modulus)
        assert explanation(got) and legend(got)
    assert legend(predicted(task=None, expr=f"a + {10**22}"))


def test_the_reason_for_silence_is_the_true_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("arith.theory.prediction.predict.PART", PART // 100)
        patch.setattr("arith.theory.prediction.predict.LITTLE", LITTLE // 100)
        given_up = predicted(task="add", test_digits="1-100")
    assert not all(x.counted for x in given_up.lengths)
    assert "it was not counted" in answer_line(given_up)
    blind = predicted(task="add", window=1, layers=1)
    assert "no query sees digit 1 of a" in answer_line(blind)
    assert "so no model can learn the task" in answer_line(blind)
    narrow = predicted(task="add", window=3)
    assert "outside a window of 3, so a model may never learn the task" in answer_line(narrow)


def test_shorter_and_longer_inputs_have_bounds_of_their_own() -> None:
    words = {"base": 2, "train_domain": "every", "train_digits": "4", "test_digits": "2,6"}
    said = answer_line(predicted(task="mul", **words))
    assert "wrong on every input at 2 digits (shorter); wrong on at least 99% of the inputs" in said
    assert "and arith advise what to change" in " ".join(legend(predicted(task="add", pe="nope")))
