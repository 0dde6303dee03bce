"""Forecasts: what was measured in settings like one, beside what is claimed of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest
from builders.strategies import examples, requests
from hypothesis import assume, given

from arith.printing import plain_text, prediction_parts
from arith.theory.arithmetic.effort import budget
from arith.theory.errors import InvalidInput
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.forecast import (
    ALL,
    ASKED,
    INTERVAL,
    Forecast,
    Forecasts,
    Measured,
    forecast,
    group_of,
    length_features,
    setting_features,
    written,
)
from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request
from arith.verify.reporting.forecasts import FEWEST, calibrated


def predicted(**options: Any) -> Prediction:
    return predict(Request(**options).setting())


ROPE = predicted(task="add", pe="rope", train_digits="3")
FAR = predicted(
    task="add", pe="abacus", padding="none", layout="aligned", base=1000, train_digits="1-9"
)


def of(prediction: Prediction, **options: Any) -> dict[int, Forecast]:
    return forecast(prediction.setting, prediction.derivation, prediction.lengths, **options)


@examples(20)
@given(requests())
def test_no_length_of_any_setting_is_without_a_claim_and_without_a_forecast(words: Request) -> None:
    """Every untrained length has a forecast if no accuracy is claimed of all models.

    Where the claim is on stable models alone, the forecast does not keep to it.
    """
    try:
        with budget(10**8):  # a question that takes seconds is no better than another
            setting = words.setting()
            found = predict(setting)
    except InvalidInput:
        assume(False)
        raise
    untrained = (x for x in found.lengths if not setting.is_premise(x.digits))
    due = [x for x in untrained if x.accuracy is None or x.requires_measured_stability]
    assert list(found.forecasts) == [x.digits for x in due]
    for said in due:
        x, (least, most) = found.forecasts[said.digits], (float(said.at_least), float(said.at_most))
        if said.requires_measured_stability:
            least, most = 0.0, 1.0
        assert 0 <= least <= x.low <= x.median <= x.high <= most <= 1
        assert 1 <= len(x.cells) <= x.models
        assert x.near or (x.low, x.high) == (least, most)


@pytest.mark.parametrize("task", ["add,sub", "add"])
def test_several_operations_have_forecasts_too(task: str) -> None:
    found = predicted(task=task, pe="rope", padding="none", train_digits="1-3").forecasts
    assert set(found) == {4, 5, 6}


def test_in_json_it_stands_beside_the_claim() -> None:
    lengths = json.loads(json.dumps(ROPE.to_json()))["lengths"]
    assert [x["digits"] for x in lengths if x["forecast"] is None] == [1, 2, 3]
    told = lengths[3]["forecast"]
    assert lengths[3]["claim"] == "exact" and {"median", "low", "high", "models"} < told.keys()
    assert told["cells"] == len(told["nearest"]) > 1


def test_a_cell_is_forecast_without_itself_by_trees_that_never_saw_it() -> None:
    cell, longer = "a + b · RoPE · aligned · D_3", 4
    assert cell in of(ROPE)[longer].cells
    assert cell not in of(ROPE, without=cell)[longer].cells


def table(right: dict[str, list[float]]) -> Forecasts:
    """A table of cells at one length of ``ROPE``, and of trees that ask for the encoding alone."""
    features = setting_features(ROPE.setting)
    of_length = length_features(ROPE.setting, ROPE.derivation, ROPE.lengths[3])
    assert (*features, *of_length, "noise") == ASKED
    found = [
        features | of_length | {"noise": "by place", "encoding": cell.split()[0]} for cell in right
    ]
    texts = [{name: written(x) for name, x in each.items()} for each in found]
    of_cell = list(range(len(right)))
    return calibrated(Measured(list(right), of_cell, texts, list(right.values())), trees=8)


RIGHT = {
    **{f"rope {n}": [0.25] * 4 for n in range(3)},
    **{f"rope {n}": [0.25, 0.75] for n in range(3, 6)},
    **{f"ape {n}": [1.0] * 8 for n in range(6)},
}


def test_cells_at_the_same_leaves_count_alike_whatever_models_they_have() -> None:
    found = replace(table(RIGHT), left_out={ALL: 0.2})
    x = of(ROPE, table=found)[4]
    assert (x.low, x.median, x.high, x.near) == (0.25, 0.25, 0.75, True)
    assert len(x.cells) == 5 and all(cell.startswith("rope") for cell in x.cells)
    others = of(ROPE, table=found, without="rope 4")[4]
    assert (others.median, "rope 4" in others.cells) == (0.25, False)


def test_intervals_of_a_group_are_as_narrow_as_holds_its_models() -> None:
    """Each cell without itself; a group of few models has the intervals of all together."""
    some = {f"rope {n}": [n / 60] for n in range(61)}
    found = table(some)
    longer = length_features(ROPE.setting, ROPE.derivation, ROPE.lengths[3])
    group = group_of(setting_features(ROPE.setting) | longer)
    assert found.left_out[group] == found.left_out[ALL]

    def held() -> float:
        without = (of(ROPE, table=found, without=cell)[4] for cell in some)
        return fmean(
            x.low <= right <= x.high for x, [right] in zip(without, some.values(), strict=True)
        )

    assert held() >= INTERVAL
    found.left_out[group] += 0.01
    assert held() < INTERVAL
    few = table(dict(list(some.items())[: FEWEST - 1]))
    assert set(few.left_out) == {ALL}


def test_where_a_value_was_never_measured_the_interval_is_wide() -> None:
    x = of(predicted(task="add", pe="alibi"), table=table(RIGHT))[4]
    assert (x.low, x.high, x.near) == (0, 1, False)
    [x, *_] = [FAR.forecasts[y.digits] for y in FAR.lengths if y.digits in FAR.forecasts]
    assert (x.low, x.high, x.near) == (0, 1, False)
    text = " ".join(plain_text(prediction_parts(FAR)).split())
    silent = [y for y in FAR.lengths if y.claim == Claim.NONE]
    assert silent and "Nothing like this was measured" in text


def test_the_answer_has_a_line_on_lengths_without_a_claim_only() -> None:
    text = plain_text(prediction_parts(ROPE))
    text = " ".join(text.split())
    head = "Measured in settings like this, of stable models and others (a forecast, no claim): "
    assert f"{head}at 4 digits 0.00 to" in text
    assert "at 2 digits 1.00" not in text and "Nearest" not in text
    explained = " ".join(plain_text(prediction_parts(ROPE, explain=True)).split())
    assert re.search(
        r"Nearest that was measured, for 4 digits: a \+ b · RoPE · aligned · D_\d; ", explained
    )
    claimed = predicted(task="mod_add", modulus=100, train_digits="2-3", test_digits="4")
    assert "Measured" not in plain_text(prediction_parts(claimed))


def test_of_many_lengths_the_first_and_the_last_are_told() -> None:
    many = predicted(task="add", pe="t5", train_digits="3", test_digits="4-12")
    text = " ".join(plain_text(prediction_parts(many)).split())
    assert "at 6 digits" in text and "; ...; at 12 digits" in text and "at 7 digits" not in text
