"""What would be trained, and how long: nothing is trained or stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.cells import cell
from builders.command_line import run_cli
from builders.kept_models import kept_run

from arith.theory.prediction.convergence import convergence
from arith.verify.plan.cells import Cell
from arith.verify.plan.flops import training_flops
from arith.verify.plan.plan import Job, Plan
from arith.verify.plan.recipe import RECIPES
from arith.verify.records.evidence import write_evidence
from arith.verify.records.store import Store
from arith.verify.running import estimate as module
from arith.verify.running.estimate import estimate

PICO = cell(base=3, test_lengths=(2, 3))
LARGE = Cell(PICO.setting, "gpt2")
CELL = ["--task", "add", "--base", "3", "--train-digits", "2", "--test-digits", "2,3"]
WORDS = [*CELL, "--model", "pico", "--dry-run"]


def flops(c: Cell) -> int:
    return training_flops(c, 128, c.format.result_width)


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sizes that are timed; a step of each takes a second."""
    timed: list[str] = []

    def step_seconds(group: list[Job], device: str, precision: str) -> float:
        timed.append(group[0].cell.model)
        return 1.0

    monkeypatch.setattr(module, "_step_seconds", step_seconds)
    return timed


def test_times_are_those_of_the_steps_shared_out(second: list[str]) -> None:
    plan = Plan([PICO], seeds=3, budget=6000)
    found = estimate(plan, plan.models, 1, "cpu", 2)
    assert second == ["pico"]
    assert set(found.each.values()) == {(4000.0, 6000.0)}
    assert found.total == (6000.0, 9000.0)
    chance = f"{convergence(PICO.setting, budget=6000).share:.0%}"
    assert found.rows() == [(PICO.label(), "pico", "100,480", "3 of 3", "67 min to 1.7 h", chance)]
    assert found.sentence().startswith(
        "Would be trained: 3 models (1 again, to be kept).\nTime: about 1.7 to 2.5 h, 2 at once."
    )
    assert found.sentence().endswith("a model takes 4,000 to 6,000 steps.")


def test_of_a_large_step_a_small_part_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Job] = []

    def step_seconds(group: list[Job], device: str, precision: str) -> float:
        made.extend(group)
        return 1.0

    monkeypatch.setattr(module, "_step_seconds", step_seconds)
    plan = Plan([PICO, LARGE], budget=6000)
    found = estimate(plan, plan.models, 0, "cpu", 1)
    [part, small] = made
    assert small == Job(PICO, 0, PICO.recipe) and part.cell.size.width == LARGE.size.width
    of = training_flops(part.cell, part.recipe.batch_size, part.cell.format.result_width)
    assert of <= 10**10
    ratio = flops(LARGE) / of
    assert found.each[Job(LARGE, 0, LARGE.recipe)] == pytest.approx((4000 * ratio, 6000 * ratio))


def test_models_take_as_many_steps_as_others_of_their_cell_did(second: list[str]) -> None:
    other = cell(base=3, test_lengths=(2, 4))
    plan = Plan([PICO, other], budget=6000)
    version = PICO.recipe.version
    before = [
        replace(kept_run(PICO), seed=i, recipe=version, steps=n, budget=6000)
        for i, n in enumerate((4500, 5100))
    ]
    # One that a larger budget would train for longer, and one by another recipe, tell nothing.
    cut_short = replace(before[0], cell=other, steps=1000, budget=1000, premise=0.5)
    before += [cut_short, replace(before[0], cell=other, recipe="9")]
    found = estimate(plan, plan.models, 0, "cpu", 1, before)
    first, last = found.each.values()
    assert first == (4800.0, 4800.0) and last == (4000.0, 6000.0)
    assert found.total == (8800.0, 10_800.0)
    assert found.sentence().endswith(
        "a few steps timed now and the steps that models of the same cell took before; another "
        "takes 4,000 to 6,000 steps."
    )
    found = estimate(Plan([PICO], budget=6000), plan.models[:1], 0, "cpu", 1, before)
    assert found.sentence().endswith("the steps that models of the same cell took before.")


def test_where_nothing_near_was_trained_there_is_no_chance(second: list[str]) -> None:
    plan = Plan([LARGE])
    [row] = estimate(plan, plan.models, 0, "cpu", 1).rows()
    assert row[-1] == "?"
    size = LARGE.size
    assert int(row[2].replace(",", "")) == pytest.approx(size.in_layers, rel=0.01)


def test_a_recipe_that_never_settles_takes_its_budget(second: list[str]) -> None:
    plan = Plan([PICO], budget=6000, recipe=RECIPES["paper"])
    found = estimate(plan, plan.models, 0, "cpu", 1)
    assert found.total == (6000.0, 6000.0)
    assert "a model takes 6,000 steps" in found.sentence()


def test_a_dry_run_stores_nothing(tmp_path: Path) -> None:
    store = tmp_path / "none" / "store.sqlite"
    done = run_cli("verify", *WORDS, "--store", str(store), "--keep-models", str(tmp_path / "kept"))
    assert (done.code, done.err) == (0, "")
    assert "1 of 1" in done.out and "Would be trained: 1 model." in done.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.training
def test_a_dry_run_looks_at_the_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    Store(path).add(kept_run(PICO))
    done = run_cli("verify", *WORDS, "--store", str(path), "--budget", "8000")
    assert done.out.strip().endswith("Nothing would be trained: the store has 1 model.")
    done = run_cli("verify", *WORDS, "--store", str(path), "--seeds", "2", width=60)
    assert "1 of 2" in done.out
    assert "Would be trained: 1 model of 2; the store has the others." in done.out


def test_a_dry_run_of_a_grid_looks_at_its_evidence(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[[cell]]\ntask = "add"\nbase = 3\ntrain-digits = "2"\ntest-digits = "2,3"\n'
    )
    words = ("verify", "--grid", "mine.toml", "--dry-run")
    assert "the same cell" not in run_cli(*words, cwd=tmp_path).out
    evidence = tmp_path / "reports" / "mine" / "evidence.jsonl"
    evidence.parent.mkdir(parents=True)
    write_evidence(evidence, [kept_run(PICO)])
    assert "models of the same cell" in " ".join(run_cli(*words, cwd=tmp_path).out.split())
