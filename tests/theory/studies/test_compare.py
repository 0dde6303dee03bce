"""Comparisons: predictions of one task side by side, as a table, as JSON and as a picture."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from builders.command_line import run_cli

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.studies.compare import BY, compare, values_of
from arith.theory.text.comparison import comparison_legend, comparison_table, heading
from arith.theory.transformer.encodings import ENCODINGS


def test_each_row_is_the_prediction_of_its_setting() -> None:
    asked = Request(task="mod_add", modulus=150, train_digits="2")
    found = compare(asked, {"pe": BY["pe"]})
    assert [row.values for row in found.rows] == [(pe,) for pe in ENCODINGS]
    for row in found.rows:
        request = Request(task="mod_add", modulus=150, train_digits="2", pe=row.values[0])
        assert row.prediction is not None
        assert row.prediction.lengths == predict(request.setting()).lengths


def test_a_table_has_a_column_per_length_and_one_for_what_all_trained() -> None:
    found = compare(Request(task="mod_add", modulus=150, train_digits="2-4"), {"pe": "ape,rope"})
    columns, rows = comparison_table(found)
    assert columns == [
        "encoding",
        "1 digit (shorter)",
        "2..4 digits",
        *(f"{n} digits (longer)" for n in (5, 6, 7)),
    ]
    assert rows[0][0] == "ape" and len(rows[0]) == 6
    assert [row[2] for row in rows] == ["trained"] * 2
    assert heading(found).endswith("by encoding") and "RoPE" not in heading(found)


def test_settings_that_make_no_sense_are_rows_with_the_reason() -> None:
    found = compare(Request(task="mod_add", modulus=101), {"layout": "plain,interleaved"})
    _, rows = comparison_table(found)
    assert set(rows[1][1:]) == {"-"}
    assert any(x.startswith("interleaved: the interleaved") for x in comparison_legend(found))
    with pytest.raises(InvalidInput, match="digit causal"):
        compare(Request(task="mod_add", modulus=101), {"layout": "interleaved"})


def test_training_lengths_are_compared_at_the_same_test_lengths() -> None:
    found = compare(Request(task="add"), {"train_digits": "1,3,1-2", "pe": "ape"})
    assert found.by == ("train_digits",) and found.lengths == [1, 2, 3, 4, 5, 6]
    assert all(row.at(6) is not None for row in found.rows)
    assert comparison_table(found)[1][2][:4] == ["1-2", "trained", "trained", "0"]


def test_values_are_apart_by_commas_and_words_of_a_layout_stay_with_it() -> None:
    assert values_of("pe", "ape, rope,ape") == ("ape", "rope")
    two = values_of("layout", "plain,reversed, no signs,  result spaces,aligned")
    assert two == ("plain", "reversed, no signs, result spaces", "aligned")


@pytest.mark.parametrize(
    ("varied", "message"),
    [
        ({"pe": "ape,rop"}, "did you mean 'rope'"),
        ({"base": "2,3"}, "unknown option to compare by 'base'"),
        ({"window": "0,x"}, "'x' is no whole number"),
        ({"window": ",".join(map(str, range(300)))}, "at most 200 rows"),
    ],
)
def test_what_cannot_be_compared(varied: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        compare(Request(task="add"), varied)


def test_the_command_prints_a_table_or_json_and_draws(tmp_path: Path) -> None:
    words = ["compare", "--task", "add", "--train-digits", "1-5", "--padding", "none"]
    words += ["--pe", "ape,rope", "--layout", "plain,aligned"]
    done = run_cli(*words, "--plot", "c.svg", cwd=tmp_path)
    assert done.code == 0 and (tmp_path / "c.svg").exists()
    assert done.out.splitlines()[1].split()[:2] == ["encoding", "layout"]
    got = json.loads(run_cli(*words, "--json").out)
    assert got["by"] == ["pe", "layout"] and len(got["rows"]) == 4
    assert got["rows"][0]["prediction"]["lengths"][5]["claim"] == "at most"
    every = run_cli("compare", "--task", "add", "--train-digits", "1-5").out.splitlines()
    assert sum(line.split()[0] in ENCODINGS for line in every) == len(ENCODINGS)


def test_what_is_not_claimed_has_a_forecast_and_a_reason() -> None:
    found = compare(Request(task="add", train_digits="2"), {"pe": "ape,nope,rope"})
    rows = [
        dict(zip(comparison_table(found)[0], x, strict=True)) for x in comparison_table(found)[1]
    ]
    assert rows[0]["3 digits (longer)"] == "0"
    assert re.fullmatch(r"~\d\.\d\d \([\d.]+-[\d.]+\)", rows[1]["3 digits (longer)"])
    assert rows[2]["3 digits (longer)"] == "0*"
    legend = comparison_legend(found)
    assert "*: of models that are stable there" in legend[0]
    assert any("a forecast" in line for line in legend)
    silent = "No claim at 3..5 digits: the training data do not determine the answer (nope)"
    assert silent in legend
    assert "D_n: the inputs whose longest operand has n digits" in legend


def test_a_file_of_examples_is_compared_by_encodings(tmp_path: Path) -> None:
    lines = (f"{a}+{b}={a + b}" for a in range(100) for b in range(100))
    (tmp_path / "train.txt").write_text("\n".join(lines))
    words = ["compare", "--data", "train.txt", "--pe", "ape,rope"]
    got = json.loads(run_cli(*words, "--json", cwd=tmp_path).out)
    assert [row["pe"] for row in got["rows"]] == ["ape", "rope"]
    said = got["rows"][0]["prediction"]["lengths"]
    assert [x["claim"] for x in said[:3]] == ["exact", "exact", "at most"]
    done = run_cli(*words, cwd=tmp_path)
    assert "10,000 of 10,000 examples are of a + b" in done.out
    refused = run_cli(*words, "--by", "train-digits", "--train-digits", "1,2", cwd=tmp_path)
    assert refused.code == 2 and "leave out --train-digits" in refused.err
