"""The sections on where theory is silent and where the published theorem is wrong."""

from __future__ import annotations

from pathlib import Path

from builders.cells import cell
from builders.runs import RIGHT, run

from arith.theory.arithmetic.domains import Domain
from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.plan.cells import Cell
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.agreement import no_claim, published_wrong


def about(*verdicts: CellVerdict) -> Report:
    return Report("made up", verdicts, Path("nowhere"))


def measured(c: Cell, accuracy: dict[int, float]) -> CellVerdict:
    return judge(c, [run(c, accuracy)])


def test_what_was_measured_without_a_claim_stands_below_the_rule_that_says_why() -> None:
    silent = measured(cell(pe="nope", digits=3), {**RIGHT, 4: 0.3})
    text = markdown_page(no_claim(about(silent, measured(cell(digits=3), RIGHT))))
    assert "At 1 length theory is silent: the training data leave the answer open" in text
    assert text.endswith(f"**Selection**\n\n- {silent.name}: 0.300 at 4")


def test_the_rule_that_decides_other_lengths_is_named_where_it_leaves_some_open() -> None:
    stops = cell(pe="nope", form="interleaved", window=5, layers=5, digits=3)
    text = markdown_page(no_claim(about(measured(stops, {1: 1.0, 2: 1.0, 4: 0.0}))))
    there = f"{judge(stops, []).name}: 1.000 at 1, 1.000 at 2"
    assert text.endswith(f"**Receptive field**\n\n- {there}")


def test_where_the_theorem_is_wrong_both_theories_are_told() -> None:
    constant = cell(digits=3, base=2, train=Domain((3,), "every"))
    silent = measured(cell(pe="rpe", digits=3), {**RIGHT, 4: 0.3})
    wrong = measured(constant, {1: 0.0, 2: 0.0, 4: 0.0})
    lines = markdown_page(published_wrong(about(silent, wrong)))
    *_, first, second = lines.splitlines()
    assert first.startswith(f"- {silent.name}: *generalizes* on longer inputs (the task is ")
    assert first.endswith("measured 0.300 at 4. Refined theory: 0.")
    assert "*generalizes* on shorter inputs; measured 0.000 at 1, 0.000 at 2" in second
    assert second.endswith("Refined theory: 0.")


def test_where_there_is_nothing_to_say_nothing_is_said() -> None:
    agreeing = measured(cell(digits=3), RIGHT)
    assert no_claim(about(agreeing)) == published_wrong(about(agreeing)) == []
    untrained = judge(cell(pe="rpe", digits=3), [])
    assert no_claim(about(untrained)) == published_wrong(about(untrained)) == []
