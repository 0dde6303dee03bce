"""The page of a grid: what its summary says of the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.markdown import table_rows
from builders.runs import RIGHT, run

from arith.theory.arithmetic.domains import Domain
from arith.theory.prediction.predict import predict
from arith.theory.rules import THEORY_VERSION
from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.records.predicted import predicted
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.page import cells_page, summary_blocks, versions
from arith.verify.reporting.report import Report


def summary(verdicts: Sequence[CellVerdict]) -> str:
    return markdown_page(summary_blocks(verdicts))


def test_a_report_counts_what_was_predicted_before_apart() -> None:
    c = cell(digits=3)
    told = replace(run(c, RIGHT), predicted=predicted(predict(c.setting)))
    assert "stored before" not in summary([judge(c, [told])])  # today's theory claims the same
    older = replace(told.predicted, theory="1")
    runs = [told, replace(run(c, {**RIGHT, 4: 1.0}, seed=1), predicted=older)]
    judged = [judge(c, runs)]
    assert "stored before" not in summary(judged)
    small = cell(digits=2)
    untold = [judge(small, [run(small, {1: 1.0, 2: 1.0, 3: 0.5})])]
    kept, given_up, stored, after, today = (
        [int(x) for x in row[1:]] for row in table_rows(summary([*judged, *untold]), 4)
    )
    assert stored == kept == [2, 1, 3] and after == [1, 1, 2] and today == [3, 2, 5]
    assert [a + b for a, b in zip(kept, given_up, strict=True)] == stored
    assert [a + b for a, b in zip(kept, after, strict=True)] == today
    page = cells_page(Report("x", [*judged, *untold], Path()))
    tested = [row for row in table_rows(page, 8) if row[6] in ("agree", "diverge")]
    assert [row[3].endswith(", later") for row in tested] == [False] * 3 + [True] * 2
    [line] = versions(judged)
    assert line.endswith(
        f"(today's is {THEORY_VERSION}; a length counts under the newest that "
        f"claimed something of one of its models): version {THEORY_VERSION}: 2 and 1."
    )
    untold = [judge(c, [run(c, RIGHT)])]
    assert "stored before" not in summary(untold) and versions(untold) == []


def test_a_report_counts_the_models_that_ignore_what_they_should() -> None:
    c = cell(digits=3)
    runs = [replace(run(c, RIGHT, seed=i), indifference=x) for i, x in enumerate((1.0, 0.9))]
    text = summary([judge(c, runs)])
    assert "1 of 2 models with a claim that rests on ignored digits kept 99%" in text
    unknown = [replace(run(c, RIGHT), indifference=None)]
    assert "Noise invariance" not in summary([judge(c, unknown)])


def test_a_report_counts_the_measurements_that_are_firm() -> None:
    c = cell(digits=3)
    made = run(c, RIGHT)
    assert "Stability" not in summary([judge(c, [made])])
    shares = {1: 0.99, 2: 0.98, 4: 0.5}
    measured = tuple(replace(m, steady=shares.get(m.digits)) for m in made.measurements)
    text = summary([judge(c, [replace(made, measurements=measured)])])
    assert "1 of 3 measurements where a claim rests on ignored digits, or on digits that" in text
    assert "kept 99% of the answers (99.8% where the claim asks for it)" in text
    tried = cell("mod_add", 50, pe="rpe", test_lengths=(3, 4))
    both = run(tried, {3: 1.0, 4: 1.0})
    measured = tuple(replace(m, steady=0.995) for m in both.measurements)
    assert "1 of 2 measurements" in summary([judge(tried, [replace(both, measurements=measured)])])


def test_a_model_that_wavers_is_marked_where_a_claim_asks(tmp_path: Path) -> None:
    """One digit up under RPE 0.99 of the answers have to stay, two up 0.998."""
    c = cell("mod_add", 50, pe="rpe", test_lengths=(3, 4))
    made = run(c, {3: 1.0, 4: 1.0})
    measured = tuple(replace(m, steady=0.995) for m in made.measurements)
    v = judge(c, [replace(made, measurements=measured)])
    text = cells_page(Report("made up", [v], tmp_path))
    assert "1.000 at 3, 1.000 at 4 (not stable)" in text


def test_a_report_says_how_much_is_claimed_and_where_only_one_theory_is_right() -> None:
    absolute, relative = (
        judge(c, [run(c, RIGHT)]) for c in (cell(digits=3), cell(pe="rpe", digits=3))
    )
    text = summary([absolute, relative])
    assert "trained or not, 1 of 1 under APE, 0 of 1 under other encodings carry a claim" in text
    assert "the refined theory alone is right at 0 lengths, the theorem alone at 0." in text
    constant = cell(digits=3, base=2, train=Domain((3,), "every"))
    text = summary([judge(constant, [run(constant, {1: 0.0, 2: 0.0, 4: 1.0})])])
    assert "the refined theory alone is right at 2 lengths" in text
