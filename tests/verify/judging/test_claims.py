"""The claim table: which claim a length belongs to, and how cells and seeds are counted."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from builders.cells import cell
from builders.runs import RIGHT, run

from arith.theory.arithmetic.domains import Domain
from arith.theory.arithmetic.tasks import named_task
from arith.theory.prediction.predict import predict
from arith.theory.rules import RULES
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.theory.transformer.encodings import ENCODINGS, encoding
from arith.theory.transformer.layouts import layout
from arith.verify.judging.claims import (
    THEOREMS,
    UNTREATED,
    Claim,
    Tally,
    claims,
    rules_of,
    theorem,
)
from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.plan.cells import Cell
from arith.verify.records.trajectory import Trajectory
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.sections.agreement import COLUMNS, claim_tables


def found(*verdicts: CellVerdict) -> dict[str, Claim]:
    return {c.name: c for c in claims(verdicts)}


def total(tally: Tally) -> int:
    return tally.tested + tally.not_reached + tally.no_claim


def windowed(pe: str) -> Cell:
    """Addition in the interleaved layout with a window that hides the landmarks."""
    return cell(pe=pe, form="interleaved", digits=3, window=6)


def used(setting: Setting, rule: str) -> list[int]:
    prediction = predict(setting)
    return [x.digits for x in prediction.lengths if rule in rules_of(prediction, x)]


def test_every_claim_is_listed_and_those_that_no_cell_speaks_to_are_counted() -> None:
    listed = claims([])
    names = [f"{t}, {d}" for t in THEOREMS for d in ("downward", "upward")]
    names += RULES
    assert [c.name for c in listed] == names
    assert {c.cells for c in listed} == {c.seeds for c in listed} == {Tally()}
    text = markdown_page(claim_tables(listed))
    assert text.splitlines()[-1].startswith(f"{len(names)} others are used by no cell")
    rule = RULES["support"]
    spoken = replace(next(c for c in listed if c.name == rule.name), cells=Tally(supports=1))
    explained = f"- *{rule.name}*: {' '.join(rule.statement.split())}"
    assert explained not in text.splitlines()
    assert explained in markdown_page(claim_tables([spoken])).splitlines()


@pytest.mark.parametrize(
    ("task", "modulus", "pe", "expected"),
    [
        ("add", None, "ape", "addition, absolute encoding"),
        ("add", None, "rope", "addition, RoPE"),
        ("mul", None, "sinusoidal", "multiplication, absolute encoding"),
        ("mul", None, "rpe", "multiplication, relative encoding"),
        ("mod_add", 100, "rpe", "modular addition, p divides B^n"),
        ("mod_add", 125, "ape", "modular addition, p does not divide B^n"),
        ("mod_mul", 50, "ape", "modular multiplication, p divides B^n"),
        ("mod_mul", 51, "rpe", "modular multiplication, p does not divide B^n"),
        ("sub", None, "ape", UNTREATED),
        ("mod_sub", 100, "ape", UNTREATED),
        ("add", None, "nope", UNTREATED),
    ],
)
def test_the_theorem_of_a_setting(task: str, modulus: int | None, pe: str, expected: str) -> None:
    assert theorem(predict(cell(task, modulus, pe=pe).setting)) == expected


RELATIVE = tuple(x.name for x in ENCODINGS.values() if x.reference == "relative")


def test_a_theorem_says_what_the_published_verdict_of_its_settings_says() -> None:
    tasks: list[tuple[str, int | None]] = [("add", None), ("mul", None)]
    tasks += [(t, p) for t in ("mod_add", "mod_mul") for p in (10, 100, 101, 150)]
    seen = set()
    for (task, p), pe, n in product(tasks, ("ape", "sinusoidal", *RELATIVE), (1, 2)):
        place = (encoding(pe), layout("aligned"), Domain((n,)), 0, (1, 2, 3))
        prediction = predict(Setting(named_task(task, p), 10, *place))
        name = theorem(prediction)
        seen.add(name)
        assert (prediction.published.downward, prediction.published.upward) == THEOREMS[name]
    assert seen == THEOREMS.keys() - {UNTREATED}


@pytest.mark.parametrize(
    ("pe", "train"), [("coupled", Domain((3,))), ("ape", Domain((3,), allowed=((1, (5, 6)),)))]
)
def test_the_theorems_do_not_speak_of_other_encodings_or_missing_digits(
    pe: str, train: Domain
) -> None:
    prediction = predict(
        Setting(named_task("add"), 10, encoding(pe), layout("aligned"), train, 0, (1, 4))
    )
    assert theorem(prediction) == UNTREATED
    assert {prediction.published_verdict(d) for d in ("downward", "upward")} == {"undetermined"}


def test_where_nothing_follows_of_longer_inputs_support_decides_shorter_ones_only() -> None:
    setting = cell(pe="nope", digits=3).setting
    assert used(setting, "support") == [1, 2]
    assert used(setting, "selection") == [4]
    told = cell(pe="rpe", digits=3).setting
    assert used(told, "two candidates") == used(told, "landmark") == [4]


def test_where_no_answer_is_predicted_the_rule_that_says_so_decides_every_length() -> None:
    setting = cell(digits=3).setting
    few = replace(setting, train=Domain((3,), pairs=10))
    assert used(few, "sample") == [1, 2, 4]
    assert used(few, "support") == used(setting, "sample") == []
    hidden = replace(setting, window=2)
    assert used(hidden, "blind") == [1, 2, 4]
    assert used(hidden, "support") == used(setting, "blind") == []


def test_a_bound_counts_for_the_rule_that_it_rests_on() -> None:
    words = {"task": "add", "pe": "rpe", "padding": "none", "train_digits": "1-5"}
    spaced = Request(**words, layout="spaced", test_digits="6-12").setting()
    moved, lost = used(spaced, "spaces"), used(spaced, "address")
    assert moved and sorted(moved + lost) == [6, 7, 8, 9, 10, 11, 12]
    aligned = Request(**words, layout="aligned", test_digits="6").setting()
    assert (used(aligned, "spaces"), used(aligned, "address")) == ([], [6])


def test_rules_about_the_modulus_speak_of_longer_inputs() -> None:
    setting = cell("mod_add", 101).setting
    assert used(setting, "residual modulus") == [3]
    assert used(setting, "joint support") == [1]
    assert used(setting, "support") == [1, 3]


def test_a_contradicting_run_moves_the_counts() -> None:
    first, second = cell(digits=3), cell(form="reversed", digits=3)
    good = judge(first, [run(first, RIGHT)])
    bad = judge(second, [run(second, {**RIGHT, 4: 1.0})])
    for name in ("addition, absolute encoding, upward", "support"):
        one, both = found(good)[name], found(good, bad)[name]
        assert one.cells == one.seeds == Tally(supports=1)
        assert both.cells == both.seeds == Tally(supports=1, contradicts=1)
    downward = found(good, bad)["addition, absolute encoding, downward"]
    assert downward.cells == downward.seeds == Tally(supports=2)


def test_one_seed_contradicts_for_its_cell_and_the_others_are_counted() -> None:
    c = cell(digits=3)
    v = judge(c, [run(c, RIGHT), run(c, {**RIGHT, 2: 0.85}, seed=1)])
    claim = found(v)["addition, absolute encoding, downward"]
    assert claim.cells == Tally(contradicts=1)
    assert claim.seeds == Tally(supports=1, contradicts=1)


def test_without_the_premise_a_claim_is_not_reached() -> None:
    c = cell(digits=3)
    lost = run(c, RIGHT, premise=0.9)
    claim = found(judge(c, [lost]))["support"]
    assert claim.cells == claim.seeds == Tally(not_reached=1)
    claim = found(judge(c, [lost, run(c, RIGHT, seed=1)]))["support"]
    assert claim.cells == Tally(supports=1)
    assert claim.seeds == Tally(supports=1, not_reached=1)


def test_where_the_theory_claims_nothing_no_measurement_counts() -> None:
    c = cell(pe="nope", digits=3)
    for premise, measured in product((1.0, 0.9), (0.0, 1.0)):
        v = judge(c, [run(c, {**RIGHT, 4: measured}, premise=premise)])
        assert found(v)["selection"].cells == Tally(no_claim=1)
    nope = cell(pe="nope", digits=3)
    v = judge(nope, [run(nope, RIGHT)])
    assert found(v)[f"{UNTREATED}, upward"].cells == Tally(no_claim=1)


def test_the_premise_is_no_evidence_for_itself() -> None:
    c = cell(digits=3)
    v = judge(c, [run(c, RIGHT), run(c, RIGHT, premise=0.5, seed=1)])
    assert found(v)["convergence"].seeds == Tally(not_reached=1, no_claim=1)


def test_the_plateau_rule_counts_the_modular_models_that_did_not_learn() -> None:
    c = cell("mod_add", 150, digits=3)
    third = dict.fromkeys(RIGHT, 1 / 3)
    runs = [run(c, third, premise=1 / 3), run(c, {**RIGHT, 4: 0.34}, seed=1)]
    claim = found(judge(c, runs))["plateau"]
    assert (claim.cells, claim.seeds) == (Tally(supports=1), Tally(supports=1))
    between = [run(c, third, premise=0.2), run(c, third, premise=0.9, seed=1)]
    claim = found(judge(c, between))["plateau"]
    assert (claim.cells, claim.seeds) == (Tally(contradicts=1), Tally(contradicts=1, no_claim=1))


@pytest.mark.parametrize(
    ("modulus", "steps", "expected"),
    [  # mod 300 asks for two digits at once, mod 200 for three
        (300, 500, Tally(supports=1)),
        (300, 2000, Tally(contradicts=1)),
        (200, 500, Tally(no_claim=1)),
        (200, 2000, Tally(no_claim=1)),
    ],
)
def test_the_leap_rule_counts_how_soon_models_learned(
    modulus: int, steps: int, expected: Tally
) -> None:
    c = cell("mod_add", modulus, digits=3)
    course = Trajectory((100, steps), {3: (0.0, 1.0)}, None)
    made = replace(run(c, RIGHT), trajectory=course)
    assert found(judge(c, [made]))["leap"].seeds == expected
    never = replace(run(c, RIGHT, premise=0.5), trajectory=Trajectory((100,), {3: (0.5,)}, None))
    late = Tally(no_claim=1) if modulus == 200 else Tally(contradicts=1)
    assert found(judge(c, [never]))["leap"].seeds == late


def test_each_headline_cell_counts_under_one_theorem(headline: list[CellVerdict]) -> None:
    for direction in ("downward", "upward"):
        mine = [c for c in claims(headline) if c.name.endswith(direction)]
        assert sum(total(c.cells) for c in mine) == len(headline)
        assert sum(total(c.seeds) for c in mine) == sum(len(v.runs) for v in headline)
        converged = sum(len(v.converged) for v in headline)
        assert sum(c.seeds.tested for c in mine) == converged


def test_each_headline_cell_counts_under_the_rules_that_it_cites(
    headline: list[CellVerdict],
) -> None:
    listed = found(*headline)
    for name in set(RULES) - {
        "plateau",
        "leap",
        "two candidates",
    }:  # no derivation cites two of them, which are about learning; the last claims nothing
        citing = [v for v in headline if name in {s.rule for s in v.prediction.derivation}]
        if name == "support":
            citing = [v for v in citing if not v.prediction.continues]
        claim = listed[name]
        assert total(claim.cells) == len(citing)
        assert total(claim.seeds) == sum(len(v.runs) for v in citing)


def test_the_table_counts_cells_and_seeds() -> None:
    first, second = cell(digits=3), cell(form="reversed", digits=3)
    bad = [run(second, {**RIGHT, 4: 1.0}), run(second, RIGHT, premise=0.9, seed=1)]
    listed = claims([judge(first, [run(first, RIGHT)]), judge(second, bad)])
    [line] = [
        x
        for x in markdown_page(claim_tables(listed)).splitlines()
        if "addition, absolute encoding, up" in x
    ]
    cells = [x.strip() for x in line.strip("|").split("|")]
    assert dict(zip(COLUMNS, cells, strict=True)) == {
        "claim": "addition, absolute encoding, upward: fails",
        "supports": "1 cell, 1 of 2 models",
        "contradicts": "1 cell, 1 of 2 models",
        "not tested": "0 cells, 1 model",
        "nothing to test": "0 cells",
    }
