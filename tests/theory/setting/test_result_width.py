"""Results padded to a width: what is predicted stays, as the digits above are always 0."""

from __future__ import annotations

import numpy as np
import pytest

from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request, read_setting, setting_json
from arith.verify.plan.cells import CellRequest


@pytest.mark.parametrize(
    "asked",
    [
        Request("add", layout="reversed", train_digits="4", width=20),
        Request("mod_mul", modulus=50, layout="reversed", train_digits="3", width=20),
        Request("add", layout="plain", train_digits="3"),
        Request("add", pe="rpe", window=8, layers=1, train_digits="4"),
        Request("add", pe="rpe", layout="interleaved", window=5, layers=1, train_digits="4"),
        Request("mod_add", modulus=101, pe="rope", train_digits="2"),
    ],
)
def test_padding_of_results_changes_no_claim(asked: Request) -> None:
    setting, padded = (Request(**vars(asked) | {"result_width": n}).setting() for n in (0, 21))
    assert predict(padded).lengths == predict(setting).lengths
    assert "results to 21" in padded.text() and read_setting(setting_json(padded)) == padded


def test_examples_have_results_of_that_width() -> None:
    cell = CellRequest("mod_add", modulus=50, train_digits="2", result_width=4).cell()
    digits = np.zeros((1, 2, cell.format.width), dtype=np.int64)
    digits[0, 0, :2] = 9, 3  # 39 + 0
    assert cell.format.results(digits).tolist() == [[9, 3, 0, 0]]
    assert cell.format.write(digits, cell.format.results(digits)).shape == (1, 3 + 2 * 5 + 4)


def test_a_width_that_does_not_hold_every_result_is_refused() -> None:
    with pytest.raises(InvalidInput, match="0 or from 7, the longest result"):
        Request("add", result_width=3).setting()
    with pytest.raises(InvalidInput, match="--result-width needs padded operands"):
        Request("add", result_width=30, padding="none").setting()
