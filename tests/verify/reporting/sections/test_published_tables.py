"""The published tables beside ours: figures, exact fractions, and which run is shown where."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from builders.evidence import committed_runs
from builders.runs import run

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import named_task
from arith.theory.prediction.predict import predict
from arith.theory.setting.settings import Setting
from arith.theory.studies.literature import findings
from arith.theory.transformer.encodings import encoding
from arith.theory.transformer.layouts import layout
from arith.verify.judging.judge import CellVerdict, judge, judge_evidence
from arith.verify.plan.cells import Cell
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections import published_tables
from arith.verify.reporting.sections.published_tables import (
    PAPER,
    REACH,
    published_rows,
    same_training,
)

MOD_50 = "a·b mod 50 · D_3, tested on D_n^every"


def judged(runs: list[Run]) -> list[CellVerdict]:
    return judge_evidence(list(dict.fromkeys(r.cell for r in runs)), runs)


def section(runs: list[Run]) -> str:
    return markdown_page(published_tables.published_tables(judged(runs)))


def blocks(runs: list[Run]) -> dict[str, str]:
    """The text under each heading of a section."""
    parts = section(runs).split("\n### ")[1:]
    return {heading: text for heading, _, text in (part.partition("\n") for part in parts)}


def column(text: str, name: str) -> dict[int, str]:
    """A column of the table in a block, by length; its name without the number of seeds."""
    lines = [x.strip("|").split("|") for x in text.splitlines() if x.startswith("|")]
    head, _, *rows = [[x.strip() for x in line] for line in lines]
    where = [x.split(" (")[0] for x in head].index(name)
    return {int(row[0]): row[where] for row in rows}


def fractions(text: str) -> dict[int, Fraction | None]:
    """The predicted accuracies of a block."""
    said = column(text, "predicted").items()
    return {n: None if x == "undetermined" else Fraction(x.split(" = ")[0]) for n, x in said}


def place(
    layout_name: str = "aligned",
    kind: str = "longest",
    pe: str = "ape",
    window: int = 0,
    p: int = 50,
) -> Cell:
    """A cell of ours: multiplication mod p on three digits, tested on the same domain."""
    where = (encoding(pe), layout(layout_name), Domain((3,)), window)
    tests = (1, 2, 3, 4) if kind == "longest" else (1, 2, 4)
    return Cell(Setting(named_task("mod_mul", p), 10, *where, tests, kind), "wide")


SHOWN = {1: 1.0, 2: 1.0, 3: 1.0, 4: 0.975}


def test_every_published_finding_is_in_one_row() -> None:
    rows = published_rows()
    ids = [f.id for row in rows for f in row]
    assert sorted(ids) == sorted(f.id for f in findings() if f.paper.source == f"arXiv {PAPER}")
    assert all([f.against for f in row] == ["truth", "learned_function"] for row in rows)
    near = [row for row in rows if max(row[0].train) <= REACH]
    assert len(blocks([])) == len(near)
    [far] = [line for line in section([]).splitlines() if line.startswith("Not compared")]
    assert far.count(";") + 1 == len(rows) - len(near)
    assert "a + b · D_4^every, tested on D_n;" in far


def test_the_published_figures_stand_as_published() -> None:
    text = blocks([])["a·b · D_2"]
    truth, learned = column(text, "P"), column(text, "P as f^")
    assert list(truth.values()) == ["80 %", "99.4 %", "0.1 %", *["0 %"] * 6]
    assert [truth[2], learned[1], learned[9]] == ["99.4 %", "85 %", "88.7 %"]


def test_the_prediction_mod_150_is_what_enumeration_counts() -> None:
    # Both sides are told by a and b mod 3000, and four digits go through that three times.
    a, right = np.arange(1000, 4000, dtype=np.int32), 0
    for b in a:
        right += int(np.count_nonzero(a * b % 150 == (a % 1000) * (b % 1000) % 150))
    expected = Fraction(right, 3000**2)
    text = blocks([])["a·b mod 150 · D_3, tested on D_n^every"]
    assert fractions(text)[4] == expected
    assert column(text, "predicted")[4] == f"{expected} = {100 * float(expected):.3g} %"


def test_the_prediction_of_a_product_is_what_enumeration_counts() -> None:
    a = np.arange(1000)
    longest = np.maximum.outer(a, a) >= 100
    same = np.multiply.outer(a, a) == np.multiply.outer(a % 100, a % 100)
    expected = Fraction(int((same & longest).sum()), int(longest.sum()))
    assert fractions(blocks([])["a·b · D_1 + D_2"])[3] == expected == Fraction(1, 550)


@pytest.mark.parametrize("p", [50, 51, 100, 150, 200, 201])
def test_the_predictions_are_those_of_the_published_setting(p: int) -> None:
    where = (encoding("ape"), layout("reversed"), Domain((3,)), 0, tuple(range(1, 10)), "every")
    lengths = predict(Setting(named_task("mod_mul", p), 10, *where)).lengths
    text = blocks([])[f"a·b mod {p} · D_3, tested on D_n^every"]
    assert fractions(text) == {x.digits: x.accuracy for x in lengths}
    learned = column(text, "predicted as f^")
    for x in lengths:
        said = learned[x.digits]
        assert said == "undetermined" if x.accuracy is None else said.startswith("1 = 100 %")
        assert ("±" in said) == (x.accuracy is not None and x.unseen > 0)


def test_the_remark_on_the_premise_is_what_the_findings_were_marked_with() -> None:
    for row, text in zip(
        (row for row in published_rows() if max(row[0].train) <= REACH),
        blocks([]).values(),
        strict=True,
    ):
        had = "had converged" if row[0].converged else "had not converged"
        assert f"P's {row[0].model} {had} (in domain " in text
    assert "(in domain 51.9 to 52.4 %)" in blocks([])["a·b mod 150 · D_3, tested on D_n^every"]


def test_a_run_of_ours_stands_in_its_row_and_only_there() -> None:
    c = place()
    before, after = blocks([]), blocks([run(c, SHOWN), run(c, {**SHOWN, 4: 0.985}, seed=1)])
    assert [name for name in before if before[name] != after[name]] == [MOD_50]
    text = after[MOD_50]
    assert "| ours (2 seeds)" in text
    assert column(text, "ours") == {
        **{1: "100 %", 2: "100 %", 3: "100 %", 4: "98 %"},
        **dict.fromkeys(range(5, 10), "-"),
    }
    assert column(text, "ours as f^")[4] == "100 %"
    assert "aligned layout, wide (2 layers, width 128), 2 of 2 models converged" in text


@pytest.mark.parametrize(
    "other",
    [
        place(p=75),
        place(pe="rpe"),
        place(window=6),
        replace(place(), setting=replace(place().setting, train=Domain((3,), "every"))),
        replace(place(), setting=replace(place().setting, train=Domain((2,)))),
        replace(place(), setting=replace(place().setting, digit_base=20)),
    ],
    ids=["modulus", "encoding", "window", "domain", "lengths", "base"],
)
def test_a_run_of_another_setting_is_shown_nowhere(other: Cell) -> None:
    assert section([run(other, SHOWN)]) == section([])


def test_another_test_domain_is_named() -> None:
    longest, every = place(), place(kind="every")
    note = "tested on D_n, P's on D_n^every"
    assert note in blocks([run(longest, SHOWN)])[MOD_50]
    text = blocks([run(longest, SHOWN), run(every, {**SHOWN, 4: 0.5})])[MOD_50]
    assert note not in text
    assert column(text, "ours")[4] == "50 %"


def test_the_published_layout_comes_first_and_what_is_left_out_is_named() -> None:
    setting = published_rows()[0][0].setting
    assert not same_training(setting, [])
    [row] = [r for r in published_rows() if r[0].id == "principled-mod-mul-50-on-3"]
    cells = [place(name, "every") for name in ("plain", "aligned", "reversed")]
    runs = [run(c, SHOWN) for c in cells]
    ranked = same_training(row[0].setting, judged(runs))
    assert [v.cell.setting.layout.name for v in ranked] == ["reversed", "aligned", "plain"]
    text = blocks(runs)[MOD_50]
    assert "Ours: reversed layout" in text
    assert "Also in the evidence: aligned layout" in text
    unconverged = [run(c, SHOWN, premise=0.5 if c is cells[2] else 1.0) for c in cells]
    assert same_training(row[0].setting, judged(unconverged))[0].cell is cells[1]


def test_a_model_without_the_premise_is_shown_as_such_and_only_by_itself() -> None:
    c = place()
    lost = run(c, {**SHOWN, 4: 0.2}, premise=0.671)
    text = blocks([lost])[MOD_50]
    assert "| ours (1 seed, not converged) " in text
    assert column(text, "ours")[4] == "20 %"
    assert "0 of 1 model converged (in domain 67.1 %)" in text
    both = blocks([run(c, {**SHOWN, 4: 0.2}, premise=0.671), run(c, SHOWN, seed=1)])[MOD_50]
    assert column(both, "ours")[4] == "97.5 %"
    assert "1 of 2 models converged" in both


def test_published_models_that_had_not_converged_stand_at_plateaus() -> None:
    shown = blocks([])
    found = {name: text for name, text in shown.items() if "| plateau" in text}
    assert set(found) == {name for name in shown if name.startswith(("a·b mod 150", "a·b mod 200"))}
    [at_200] = [column(text, "plateau") for name, text in found.items() if "200" in name]
    assert (at_200[2], at_200[3], at_200[4], at_200[9]) == ("-", "65.1 %", "62.5 %", "62.5 %")


def test_the_committed_evidence_shows_multiplication_beside_the_published_one() -> None:
    runs = [r for r in committed_runs("full") if r.recipe == r.cell.recipe.version]
    mine = [
        r
        for r in runs
        if r.cell.setting.task.name == "mul"
        and r.cell.setting.encoding.name == "ape"
        and r.cell.setting.train.lengths == (2,)
    ]
    beside = blocks(runs)
    shown = column(beside["a·b · D_2"], "ours as f^")
    judged = judge(mine[0].cell, mine)
    expected = {
        x.prediction.digits: "-" if x.learned is None else f"{100 * x.learned.value:.3g} %"
        for x in judged.lengths
    }
    assert {n: shown[n] for n in expected} == expected
    assert beside["a·b · D_3"] == blocks([])["a·b · D_3"]


def test_without_a_model_of_ours_in_any_row_there_is_no_section(tmp_path: Path) -> None:
    inside, elsewhere = place(), place(p=75)
    for c, there in ((inside, True), (elsewhere, False)):
        report = Report("made up", judged([run(c, SHOWN)]), tmp_path)
        assert bool(published_tables.compared_tables(report)) is there


def test_a_longer_row_is_shown_once_a_model_is_trained_on_it() -> None:
    name = "a + b · D_4"
    where = (encoding("ape"), layout("reversed"), Domain((4,)))
    c = Cell(Setting(named_task("add", None), 10, *where, test_lengths=(4, 5), width=20), "pico")
    assert name not in blocks([])
    text = blocks([run(c, {4: 1.0, 5: 0.0})])[name]
    assert column(text, "ours") == {4: "100 %", 5: "0 %"} | dict.fromkeys(
        [1, 2, 3, 6, 7, 8, 9], "-"
    )
    assert "reversed layout, padded to 20 digits, pico" in text
