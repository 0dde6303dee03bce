"""The section on the noise that each place got."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.cells import cell
from builders.runs import RIGHT, run

from arith.verify.judging.judge import judge
from arith.verify.plan.recipe import LEARNED, RECIPE
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.robustness import learned_noise

SUM = cell("mod_add", 100, digits=3)


def noisy(needed: float, others: float, seed: int = 0, premise: float = 1.0) -> Run:
    """A model whose units and tens got one share of the noise, and all else another."""
    tokens = SUM.training_format.tokens[:-1]
    noise = tuple(needed if t.kind == "operand" and t.position < 3 else others for t in tokens)
    made = run(SUM, RIGHT, seed=seed, premise=premise)
    return replace(made, recipe=RECIPE.version, noise=noise)


def said(*runs: Run) -> str:
    report = Report("made up", [judge(SUM, runs)], Path("nowhere"))
    return markdown_page(learned_noise(report))


def test_models_are_counted_that_spare_the_needed_digits_alone() -> None:
    text = said(noisy(0.4, 1.0), noisy(0.6, 0.9, seed=1), noisy(0.7, 0.7, seed=2))
    assert "In 2 of 3 models each operand digit" in text
    assert "| 0.40 to 0.70 | 0.70 to 1.00 " in text  # hundreds, which varied, are not needed


def test_only_models_that_met_the_premise_and_learned_their_noise_count() -> None:
    assert "In 1 of 1 model " in said(noisy(0.4, 1.0), noisy(0.4, 1.0, seed=1, premise=0.5))
    assert said(run(SUM, RIGHT)) == ""


def test_numbers_of_natural_length_are_left_out() -> None:
    natural = cell(digits=3, padding="none", test_lengths=(3, 4))
    noise = (1.0,) * (len(natural.training_format.tokens) - 1)
    v = judge(natural, [replace(run(natural, {3: 1.0, 4: 1.0}), noise=noise)])
    assert learned_noise(Report("made up", [v], Path("nowhere"))) == []


def test_each_recipe_has_a_row_of_its_own() -> None:
    text = said(noisy(0.0, 1.0), replace(noisy(0.4, 1.0), recipe=LEARNED.version))
    rows = [line.split("|")[2:4] for line in text.splitlines() if SUM.label() in line]
    assert [[x.strip() for x in row] for row in rows] == [
        ["place-noise", "0.00 to 0.00"],
        ["learned-noise", "0.40 to 0.40"],
    ]
