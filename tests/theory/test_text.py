"""Predictions in words: what is claimed is told apart from what the learned function does."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theory.advise import advise
from theory.predict import EXACT, NO_CLAIM, UNDETERMINED, Prediction, predict
from theory.requests import Request
from theory.text import (
    CONDITIONAL,
    LENGTH_COLUMNS,
    advice_text,
    claim_text,
    explanation,
    learned_line,
    legend,
    length_rows,
    setting_lines,
    verdict_rows,
)


def say(**words: object) -> Prediction:
    return predict(Request(**words).setting())  # type: ignore[arg-type]


def rows(prediction: Prediction) -> list[dict[str, str]]:
    return [dict(zip(LENGTH_COLUMNS, row, strict=True)) for row in length_rows(prediction)]


FLAGSHIP = {"task": "mod_mul", "modulus": 125}


def test_where_only_f_is_right_the_prediction_is_conditional() -> None:
    said = say(**FLAGSHIP)
    for row, x in zip(rows(said), said.lengths, strict=True):
        assert row["accuracy of f^"] == "1"
        assert (row["prediction"] == CONDITIONAL) == (said.claim(x) == NO_CLAIM)
        assert row["claim"] == said.claim(x)
    assert [row[1] for row in verdict_rows(said)] == ["generalizes if it computes f^"] * 2
    assert legend(said)[0].startswith(CONDITIONAL)
    assert any("multiplies digits" in line and "leak" in line for line in legend(said))


def test_the_accuracy_is_a_fraction_with_its_decimals_and_what_is_left_open() -> None:
    by_digits = {
        row["digits"]: row for row in rows(say(task="mod_add", modulus=101, train_digits="2"))
    }
    assert by_digits["1"]["accuracy of f^"] == "1 ± 1"
    assert by_digits["1"]["prediction"] == UNDETERMINED
    assert by_digits["4"]["accuracy of f^"] == "49/4950 = 0.0099 ± 0.01"
    assert by_digits["4"]["claim"] == EXACT


def test_a_long_fraction_is_shown_in_decimals() -> None:
    said = say(task="mul", train_digits="2", test_digits="9")
    [row] = rows(said)
    exact = said.lengths[0].accuracy
    assert exact is not None and len(str(exact)) > 9
    assert float(row["accuracy of f^"].split(" = ")[-1].split(" ± ")[0]) == pytest.approx(
        float(exact), rel=0.01
    )


def test_inputs_are_shorter_trained_between_or_longer() -> None:
    said = say(task="add", train_digits="2+4", test_digits="1-5")
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
        ({"task": "add"}, "Learned function: f^ = Mod(a, 1000) + Mod(b, 1000)"),
        ({"task": "add", "pe": "rpe"}, "Learned function f^: training does not determine it"),
        (
            {"task": "add", "pe": "rpe", "layout": "interleaved", "window": 6},
            "Learned function: the task itself, f^ = a + b",
        ),
    ],
)
def test_the_learned_function_is_named_or_said_to_be_open(words: dict, line: str) -> None:
    assert learned_line(say(**words)) == line


def test_the_head_says_what_the_domains_are() -> None:
    head = setting_lines(say(task="add", train_digits="4+5").setting)
    assert "trained on D_4 + D_5: the longest operand has 4 or 5 digits" in head[0]
    head = setting_lines(say(task="add", train_domain="every").setting)
    assert "each operand has 3 digits" in head[0]
    assert head[2] == "tested where the longest operand has n digits"


@pytest.mark.parametrize(
    ("words", "digits", "text"),
    [
        (FLAGSHIP, 4, "no claim (f^: 1)"),
        ({"task": "add", "pe": "rpe"}, 4, "no claim"),
        ({"task": "mul", "train_digits": "2"}, 3, "at most 13/1100"),
        ({"task": "mod_add", "modulus": 101, "train_digits": "2"}, 4, "49/4950"),
    ],
)
def test_a_claim_in_words(words: dict, digits: int, text: str) -> None:
    said = say(**words)
    [x] = [x for x in said.lengths if x.digits == digits]
    assert claim_text(said, x) == text


def test_an_explanation_numbers_its_steps_and_cites_each_source_once() -> None:
    said = say(**FLAGSHIP)
    lines = explanation(said)
    steps = [line for line in lines if line[:1].isdigit()]
    assert [line.split(".")[0] for line in steps] == ["1", "2", "3", "4", "5"]
    for line, step in zip(steps, said.derivation, strict=True):
        assert step.statement in line and f"({step.rule} [" in line
        assert lines[-1].count(f" {step.source}") >= 1
    assert lines[-1].count("[1]") == 1


def test_advice_begins_with_the_answer() -> None:
    lines = advice_text(advise(Request("add", pe="rpe").setting()))
    answer, change, why = (
        next(i for i, line in enumerate(lines) if line.startswith(start))
        for start in ("It generalizes after", "1. ", "As it is, it does not")
    )
    assert answer < change < why
    nothing = advice_text(advise(Request("mod_add", modulus=100, test_digits="8").setting()))
    assert nothing[-1] == "Nothing has to be changed: it generalizes."
    assert "if it computes f^" in advice_text(advise(Request("mod_mul", modulus=125).setting()))[-1]


def test_the_table_shows_what_json_holds() -> None:
    said = say(task="mod_add", modulus=150, train_digits="2")
    for row, entry in zip(rows(said), said.to_json()["lengths"], strict=True):
        if entry["accuracy"] is not None:
            shown = row["accuracy of f^"].split(" = ")[0].split(" ± ")[0]
            assert Fraction(shown) == Fraction(entry["accuracy"])
