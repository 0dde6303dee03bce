"""The section on what decides whether ignored digits are ignored."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from builders.cells import cell
from builders.runs import RIGHT, run

from arith.theory.arithmetic.domains import Domain
from arith.verify.judging.judge import judge
from arith.verify.plan.recipe import DENSE, FACTORS, PAPER
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.robustness import followed, what_decides

CELL = cell(digits=3)


def trained(version: str, learned: float, premise: float = 1.0, seed: int = 0) -> Run:
    made = run(CELL, RIGHT, learned=learned, premise=premise, seed=seed)
    return replace(made, recipe=version)


def test_a_length_that_priming_trains_is_no_longer_input() -> None:
    primed = cell(digits=3, train=Domain((3,), priming=((4, Fraction(1, 10)),)))
    assert followed(run(primed, RIGHT, learned=0.5)) == []


def test_recipes_are_compared_by_the_answers_that_follow_f(tmp_path: Path) -> None:
    noise, dropout, *_ = FACTORS
    v = judge(CELL, [trained(DENSE.version, 1.0), trained(DENSE.version, 0.9, seed=1)])
    others = [
        trained(noise.version, 0.9),
        trained(dropout.version, 0.5),
        trained(dropout.version, 0.1, premise=0.5, seed=1),
        trained(PAPER.version, 0.2),
    ]
    text = markdown_page(what_decides(Report("made up", [v], tmp_path, others=others)), tmp_path)
    assert (
        f"One change costs most, {dropout.about}: at the longest inputs f^ explains 0.500 of the "
        "answers in place of 1.000." in text
    )
    assert (
        f"- `{dropout.name}` ({dropout.about}): f^ explains 0.500 of the answers at the longest "
        "inputs (`dense-noise`, same seeds: 1.000), in 1 model of 1 cell." in text
    )
    assert "0.950 (2/2)" in text and "0.500 (1/2)" in text
    drawn = (tmp_path / "what_decides.svg").read_text(encoding="utf-8")
    assert all(name in drawn for name in (dropout.about, noise.about, PAPER.about))
    assert FACTORS[-1].about not in drawn  # not trained


def test_a_cell_counts_once_however_many_models_it_has(tmp_path: Path) -> None:
    small = cell("mod_add", modulus=50, digits=2)
    vs = [
        judge(CELL, [trained(DENSE.version, 1.0, seed=seed) for seed in range(3)]),
        judge(small, [replace(run(small, RIGHT), recipe=DENSE.version)]),
    ]
    other = FACTORS[0].version
    others = [
        *(trained(other, 0.6, seed=seed) for seed in range(3)),
        replace(run(small, RIGHT, learned=1.0), recipe=other),
    ]
    text = markdown_page(what_decides(Report("made up", vs, tmp_path, others=others)), tmp_path)
    assert (
        "f^ explains 0.800 of the answers at the longest inputs (`dense-noise`, same seeds: "
        "1.000), in 4 models of 2 cells" in text
    )


def test_recipes_that_share_no_seed_are_not_compared(tmp_path: Path) -> None:
    v = judge(CELL, [trained(DENSE.version, 1.0)])
    others = [trained(FACTORS[0].version, 0.5, seed=1)]
    text = markdown_page(what_decides(Report("made up", [v], tmp_path, others=others)), tmp_path)
    assert "0.500 (1/1)" in text and "same seeds: " not in text


def test_where_no_pair_met_the_premise_all_are_compared(tmp_path: Path) -> None:
    v = judge(CELL, [trained(DENSE.version, 1.0)])
    others = [trained(PAPER.version, 0.5, premise=0.5)]
    text = markdown_page(what_decides(Report("made up", [v], tmp_path, others=others)), tmp_path)
    assert "in 1 model of 1 cell; 1 of 1 missed the premise." in text


def test_with_one_recipe_there_is_nothing_to_compare(tmp_path: Path) -> None:
    v = judge(CELL, [trained(DENSE.version, 1.0)])
    assert what_decides(Report("made up", [v], tmp_path)) == []


def test_where_no_change_costs_anything_the_one_that_helps_most_is_named(tmp_path: Path) -> None:
    noise, dropout, *_ = FACTORS
    v = judge(CELL, [trained(DENSE.version, 0.8)])
    others = [trained(noise.version, 0.9), trained(dropout.version, 0.8)]
    text = markdown_page(what_decides(Report("made up", [v], tmp_path, others=others)), tmp_path)
    assert f"One change helps most, {noise.about}: at the longest inputs f^ explains 0.900" in text


def test_cells_without_longer_inputs_or_without_f_are_not_compared(tmp_path: Path) -> None:
    trained_only = cell(digits=3, test_lengths=(1, 2, 3))
    relative = cell(pe="rpe", digits=3)
    for c in (trained_only, relative):
        made = run(c, dict.fromkeys(c.setting.test_lengths, 1.0))
        made = replace(
            made, measurements=tuple(replace(m, learned=None) for m in made.measurements)
        )
        v = judge(c, [replace(made, recipe=DENSE.version)])
        others = [replace(made, recipe=FACTORS[0].version)]
        assert what_decides(Report("made up", [v], tmp_path, others=others)) == []


def test_many_cells_are_not_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    v = judge(CELL, [trained(DENSE.version, 1.0)])
    report = Report("made up", [v], tmp_path, others=[trained(FACTORS[0].version, 0.5)])
    for most, is_drawn in ((0, False), (1, True)):
        monkeypatch.setattr("arith.verify.reporting.sections.robustness.MOST_DRAWN", most)
        assert ("what_decides.svg" in markdown_page(what_decides(report), tmp_path)) == is_drawn
        assert (tmp_path / "what_decides.svg").exists() == is_drawn
