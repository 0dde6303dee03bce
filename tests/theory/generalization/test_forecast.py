"""Forecasts: what was measured in settings like one, beside what is claimed of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders.golden import FOLDER, read_blocks, read_words

from arith.printing import plain_text, prediction_parts
from arith.theory.errors import InvalidInput
from arith.theory.generalization import forecast as module
from arith.theory.generalization.forecast import (
    OF_LENGTH,
    OF_SETTING,
    Forecast,
    forecast,
    setting_features,
)
from arith.theory.generalization.outcomes import Claim
from arith.theory.generalization.predict import Prediction, predict
from arith.theory.setting.requests import Request


def predicted(**options: Any) -> Prediction:
    return predict(Request(**options).setting())


ROPE = predicted(task="add", pe="rope", train_digits="3")
FAR = predicted(
    task="add", pe="abacus", padding="none", layout="aligned", base=1000, train_digits="1-9"
)


def of(prediction: Prediction, **options: Any) -> dict[int, Forecast]:
    return forecast(prediction.setting, prediction.derivation, prediction.lengths, **options)


def test_every_untrained_length_has_a_forecast_and_no_trained_one() -> None:
    """Of settings drawn at random, with several operations among them."""
    settings = [read_words(words) for words in list(read_blocks(FOLDER / "drawn.txt"))[::40]]
    settings.append(Request(task="add,sub", pe="rope").setting())
    seen = 0
    for setting in settings:
        try:
            found = predict(setting)
        except InvalidInput:
            continue
        untrained = [n for n in setting.test_lengths if not setting.is_premise(n)]
        assert list(found.forecasts) == untrained
        for x in found.forecasts.values():
            assert 0 <= x.low <= x.median <= x.high <= 1
            assert x.models >= module.MODELS and 1 <= len(x.cells) <= x.models
            assert x.near or (x.low, x.high) == (0, 1)
            seen += 1
    assert seen > 200


def test_in_json_it_stands_beside_the_claim() -> None:
    lengths = json.loads(json.dumps(ROPE.to_json()))["lengths"]
    assert [x["digits"] for x in lengths if x["forecast"] is None] == [3]
    told = lengths[3]["forecast"]
    assert lengths[3]["claim"] == "none" and {"median", "low", "high", "models"} < told.keys()
    assert told["cells"] == len(told["nearest"]) > 1


def test_the_cell_itself_is_the_nearest_and_can_be_left_out() -> None:
    cell, longer = "a + b · RoPE · aligned · D_3", 4
    assert of(ROPE)[longer].cells[0] == cell
    assert cell not in of(ROPE, without=("cell", cell))[longer].cells
    assert not any("RoPE" in x for x in of(ROPE, without=("encoding", "rope"))[longer].cells)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[float]]:
    """A table of four cells: three of the setting of ``ROPE``, and one of another encoding."""
    right = {"one": [0.25] * 2, "two": [0.25] * 2, "many": [0.75] * 8, "other": [1.0] * 20}
    lines = []
    for cell, models in right.items():
        values = dict(setting_features(ROPE.setting))
        if cell == "other":
            values |= {"encoding": "ape", "reference": "absolute"}
        lines.append("\t".join([cell, *(module.written(values[x]) for x in OF_SETTING)]))
        of_length = module.length_features(ROPE.setting, ROPE.derivation, ROPE.lengths[3])
        assert list(of_length) == list(OF_LENGTH)
        texts = [module.written(x) for x in of_length.values()]
        lines.append("\t".join(["", "4", *texts, " ".join(map(str, models))]))
    table = module._Table("\n".join(lines))
    monkeypatch.setattr(module, "_table", lambda: table)
    return right


def test_the_nearest_cells_decide_and_each_counts_once(small: dict[str, list[float]]) -> None:
    """Those that are alike are taken together; one that differs much counts little."""
    x = of(ROPE)[4]
    assert (x.low, x.median, x.high, x.near) == (0.25, 0.25, 0.75, True)
    assert x.cells == ("one", "two", "many") and x.models == 12
    others = of(ROPE, without=("cell", "many"))[4]
    assert others.cells == ("one", "two", "other") and others.models == 24
    assert (others.low, others.median, others.high) == (0.25, 0.25, 0.25)


def test_where_nothing_is_near_the_interval_is_wide(small: dict[str, list[float]]) -> None:
    [x, *_] = [FAR.forecasts[y.digits] for y in FAR.lengths if y.digits in FAR.forecasts]
    assert (x.low, x.high, x.near) == (0, 1, False)
    text = " ".join(plain_text(prediction_parts(FAR)).split())
    silent = [y for y in FAR.lengths if y.claim == Claim.NONE]
    assert silent and f"at {silent[0].digits} digits nothing near, so 0 to 1" in text


def test_the_answer_has_a_line_on_lengths_without_a_claim_only() -> None:
    text = plain_text(prediction_parts(ROPE))
    assert "Measured in settings like this (a forecast, no claim): at 4 digits 0.00 to" in text
    assert "at 2 digits 1.00" not in text and "Nearest" not in text
    explained = " ".join(plain_text(prediction_parts(ROPE, explain=True)).split())
    assert "Nearest that was measured, for 4 digits: a + b · RoPE · aligned · D_3; " in explained
    claimed = predicted(task="mod_add", modulus=100, train_digits="2-3", test_digits="4")
    assert "Measured" not in plain_text(prediction_parts(claimed))


def test_of_many_lengths_the_first_and_the_last_are_told() -> None:
    many = predicted(task="add", pe="t5", train_digits="3", test_digits="4-12")
    text = " ".join(plain_text(prediction_parts(many)).split())
    assert "at 6 digits" in text and "; ...; at 12 digits" in text and "at 7 digits" not in text
