"""How many models converge: a forecast from those of the settings most alike."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from arith.printing import plain_text, prediction_parts
from arith.theory.prediction.convergence import (
    MISSED,
    SELDOM,
    Convergence,
    Models,
    Steps,
    better_recipe,
    convergence,
    training_features,
)
from arith.theory.prediction.forecast import Columns, Measured, written
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.theory.studies.advise import advise
from arith.theory.text.text import advice_text, convergence_line
from arith.verify.reporting.forecasts import grow


def setting(**options: object) -> Setting:
    return Request(**options).setting()  # type: ignore[arg-type]


ROPE = setting(task="add", pe="rope", train_digits="3")
HARD = setting(task="sub", padding="none", layout="plain", train_digits="1-4")
FAR = setting(
    task="add", pe="abacus", padding="none", layout="aligned", base=1000, train_digits="1-9"
)


def models(*cells: tuple[str, str, list[float]]) -> Models:
    """Models of cells that differ in name and recipe alone."""
    found = [training_features(ROPE, recipe, "pico") for _, recipe, _ in cells]
    texts = [{name: written(x) for name, x in each.items()} for each in found]
    ends = [each for *_, each in cells]
    measured = Measured([name for name, *_ in cells], [*range(len(cells))], texts, ends)
    columns = Columns.of(texts)
    converged = replace(measured, right=[[float(x % 1 == 0) for x in each] for each in ends])
    recipes = list(columns.words.get("recipe", ()))
    made = Models.made(measured, columns, grow(converged, columns, trees=20), recipe=None)
    place = [recipes.index(recipe) for _, recipe, _ in cells]
    return replace(made, recipe=made.of * 0 + place)


@cache
def one() -> Models:
    """Models of two kinds of cells; made late, for it takes a second."""
    return models(
        *((f"a {n}", "place-noise", [100, 150 + MISSED]) for n in range(4)),
        *((f"b {n}", "place-noise", [200, 300 + MISSED]) for n in range(4)),
    )


def of(
    budget: int, table: Models | None = None, recipe: str = "place-noise", **more: str
) -> Convergence:
    return convergence(ROPE, recipe, "pico", budget, table=table or one(), **more)


@pytest.mark.parametrize(("budget", "share"), [(99, 0), (100, 1 / 4), (199, 1 / 4), (250, 5 / 8)])
def test_the_share_is_the_kaplan_meier_estimate(budget: int, share: float) -> None:
    """One that had too few steps is left out of what comes later: 1 - 3/4 · 1/2 = 5/8."""
    x = of(budget)
    assert x.share == pytest.approx(share, abs=1e-4)
    assert (x.budget, x.models, x.cells, x.near) == (budget, 14, 7, True)


def test_the_steps_are_those_of_models_that_converge() -> None:
    assert of(99).steps is None and of(100).steps == Steps(100, 100, 100)
    assert of(250).steps == Steps(200, 100, 200)


def test_one_model_that_converged_does_not_tell_when_half_do() -> None:
    """One of fourteen, whose setting is as like as others: its steps are no median."""
    table = models(
        ("a", "place-noise", [100, 150 + MISSED]),
        *((f"b {n}", "place-noise", [300 + MISSED] * 2) for n in range(7)),
    )
    x = of(250, table)
    assert 0 < x.share * x.models < 2 and x.steps is None
    line = convergence_line(x)
    assert f"{x.share:.0%} of models converge within 250 steps (" in line
    assert line.endswith("cells, weighted by likeness).") and "half" not in line


def test_a_cell_is_left_out_by_its_name() -> None:
    """Without it 3 of 14 converge at 100 steps, and 4 of the 8 that are left at 200."""
    x = of(250, without="a 0")
    assert x.share == pytest.approx(1 - 11 / 14 / 2, abs=1e-4)


def test_models_of_another_recipe_do_not_count() -> None:
    one, other = "one", "other"
    both = models(
        *((str(n), one, [100.0, 100.0]) for n in range(4)),
        *((str(n), other, [300 + MISSED, 300 + MISSED]) for n in range(4, 8)),
    )
    shares = {name: of(300, both, name) for name in (one, other, "none such")}
    assert [x.share for x in shares.values()] == [1, 0, 0]
    assert [x.near for x in shares.values()] == [True, True, False]
    assert [x.models for x in shares.values()] == [8, 8, 0]


def test_by_default_it_is_of_the_usual_training_and_never_falls_with_the_budget() -> None:
    assert predict(HARD).convergence == convergence(HARD, "dense-noise", "pico", 18_000)
    shares = [convergence(HARD, budget=n).share for n in (1000, 5000, 10_000, 18_000, 50_000)]
    assert shares == sorted(shares) and shares[0] == 0 < shares[-1] < SELDOM


def test_the_answer_has_one_line_on_it() -> None:
    text = " ".join(plain_text(prediction_parts(predict(ROPE))).split())
    x = convergence(ROPE)
    assert x.steps is not None and x.near
    line = (
        f"Trained in settings like this (a forecast, no claim): {x.share:.0%} of models converge "
        f"within 18,000 steps, half of these by {x.steps.median:,} ({x.models} models of {x.cells} "
        "cells)."
    )
    assert line in text
    assert line in " ".join(plain_text(prediction_parts(predict(ROPE), explain=True)).split())
    told = json.loads(json.dumps(predict(ROPE).to_json()))["convergence"]
    assert told["share"] == x.share and told["steps"] == vars(x.steps)
    assert (told["recipe"], told["budget"], told["near"]) == ("place-noise", 18_000, True)


def test_where_nothing_is_near_it_says_so() -> None:
    text = " ".join(plain_text(prediction_parts(predict(FAR))).split())
    assert "Nothing near this setting was trained: no forecast" in text


def test_a_better_recipe_is_named_where_few_models_converge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Changes of the setting, which take seconds to try, are another matter."""
    monkeypatch.setattr("arith.theory.studies.advise._combinations", lambda setting: [])
    found = better_recipe(HARD)
    assert found is not None
    usual, best = found
    assert (usual.recipe, best.recipe) == ("dense-noise", "annealed")
    assert usual.share < SELDOM and usual.share + 0.1 <= best.share and best.cells >= 5
    advice = advise(HARD)
    text = " ".join(" ".join(advice_text(advice)).split())
    assert f"by the usual recipe, dense-noise, {usual.share:.0%} within 18,000 steps" in text
    assert f"with --recipe annealed {best.share:.0%} ({best.models} models" in text
    assert [x["recipe"] for x in advice.to_json()["recipes"]] == ["dense-noise", "annealed"]


def test_no_recipe_is_named_where_most_models_converge() -> None:
    assert better_recipe(ROPE) is None and better_recipe(FAR) is None
    advice = advise(setting(task="mod_add", modulus=100, test_digits="8"))
    assert advice.to_json()["recipes"] is None
    assert "recipe" not in " ".join(advice_text(advice))


def test_few_examples_are_not_near_what_was_measured_of_many() -> None:
    fresh, few = (predict(Request("add", pe="rope", train_pairs=n).setting()) for n in (None, 300))
    assert fresh.convergence.near and not few.convergence.near
