"""The section on whether firm answers tell which models are right on unseen combinations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.markdown import table_rows
from builders.runs import run

from arith.theory.prediction.predict import predict
from arith.verify.judging.judge import judge
from arith.verify.records.predicted import predicted
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.robustness import steadiness

CELL = cell(digits=3)


def trained(kept: float | None, right: float, seed: int, theory: str, premise: float = 1.0) -> Run:
    """A model with so many right answers at two digits, of which so many stay."""
    made = run(CELL, {1: 1.0, 2: right, 3: 1.0, 4: 0.0}, seed=seed, premise=premise)
    measured = [replace(m, steady=kept if m.digits == 2 else None) for m in made.measurements]
    told = replace(predicted(predict(CELL.setting)), theory=theory)
    return replace(made, measurements=tuple(measured), predicted=told)


def text(runs: list[Run], tmp_path: Path) -> str:
    return markdown_page(steadiness(Report("made up", [judge(CELL, runs)], tmp_path)), tmp_path)


def test_measurements_are_counted_by_the_answers_that_stay(tmp_path: Path) -> None:
    runs = [
        trained(1.0, 1.0, 0, "25"),
        trained(1.0, 0.9, 1, "26"),
        trained(0.998, 0.99, 2, "26"),
        trained(0.99, 0.99, 7, "26"),
        trained(0.9, 0.5, 3, "25"),
        trained(0.5, 1.0, 4, "26"),
        trained(1.0, 1.0, 5, "26", premise=0.5),  # not converged: not counted
        trained(None, 1.0, 6, "26"),  # not measured
    ]
    said = text(runs, tmp_path)
    assert "Of 4 measurements that kept enough" in said
    assert "3 are as predicted; of 2 that did not, 1." in said
    since = said.partition("by what it asked then: ")[2].partition("\n")[0]
    assert since.startswith("3 measurements")
    assert since.endswith("2 are as predicted; of 1 that did not, 1.")
    assert table_rows(said, 2) == [
        ["all", "1 of 2"],
        ["0.998 or more, not all", "1 of 1"],
        ["0.99 or more, not 0.998", "1 of 1"],
        ["less than 0.99: not judged", "1 of 2"],
    ]
    assert "has to be seen" not in said


def test_what_a_claim_asked_for_when_it_was_stored_is_counted(tmp_path: Path) -> None:
    """0.995 of the answers were enough by theory 29, not by 31, and are by 33."""
    for theory, firm in (("29", 1), ("31", 0), ("33", 1)):
        said = text([trained(0.995, 1.0, 0, theory)], tmp_path)
        assert "Of 1 measurement that kept enough" in said
        since = said.partition("by what it asked then: ")[2]
        assert since.startswith(f"{firm} measurement")


def test_claims_that_ask_for_a_trial_have_a_column(tmp_path: Path) -> None:
    """Under RPE two digits up 0.998 of the answers have to stay, one up 0.99."""
    c = cell("mod_add", 50, pe="rpe", test_lengths=(3, 4))
    made = run(c, {3: 1.0, 4: 0.9}, learned=0.9)
    found = replace(made, measurements=tuple(replace(m, steady=0.995) for m in made.measurements))
    said = markdown_page(steadiness(Report("made up", [judge(c, [found])], tmp_path)), tmp_path)
    assert "Of 1 measurement that kept enough" in said
    assert "of 1 that did not, 0." in said
    assert table_rows(said, 3) == [["0.99 or more, not 0.998", "1 of 1", "0 of 1"]]
    assert "*has to be seen*" in said


def test_ignored_digits_are_counted_beside_and_since_they_ask_for_it(tmp_path: Path) -> None:
    """At four digits f^ is wrong everywhere; a model that answers otherwise leaks."""
    made = []
    for seed, (kept, learned, theory) in enumerate([(1.0, 1.0, "27"), (0.9, 0.5, "28")]):
        one = trained(1.0, 1.0, seed, theory)
        measured = [
            replace(m, steady=kept, learned=round(learned * m.samples)) if m.digits == 4 else m
            for m in one.measurements
        ]
        made.append(replace(one, measurements=tuple(measured)))
    said = text(made, tmp_path)
    assert table_rows(said, 3) == [
        ["all", "2 of 2", "1 of 1"],
        ["less than 0.99: not judged", "-", "0 of 1"],
    ]
    since = said.partition("by what it asked then: ")[2].partition("\n")[0]
    assert since.startswith("2 measurements") and since.endswith("of 1 that did not, 0.")


def test_where_it_was_not_measured_nothing_is_said(tmp_path: Path) -> None:
    assert text([trained(None, 1.0, 0, "26")], tmp_path) == ""
