"""Pictures of examples: the kinds of tokens as one finds them by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arith.theory.prediction.predict import predict
from arith.theory.setting.requests import Request
from arith.theory.setting.settings import Setting
from arith.verify.reporting.example_plot import OUTSIDE, marks, plot_carries


def setting(task: str, **options: Any) -> Setting:
    return Request(task, **options).setting()


def kinds(asked: Setting, numbers: tuple[int, ...], position: int) -> str:
    """The first letters of the kinds: read, ignored, apart, sign, outside; ``?`` is asked."""
    found = marks(asked, numbers, position)
    return "".join("?" if x.text == "?" else x.kind[0] for x in found)


def test_digits_above_the_trained_ones_are_ignored() -> None:
    asked = setting("add", layout="plain", test_digits="4")
    found = marks(asked, (1234, 1065), 5)
    assert "".join(x.text for x in found) == "<bos>1234+1065=?"
    assert kinds(asked, (1234, 1065), 5) == "sirrrsirrrs?"


def test_zeros_that_never_stood_together_are_marked() -> None:
    asked = setting("add", test_digits="2", width=3)
    assert kinds(asked, (12, 34), 1) == "srrasrras?"
    assert kinds(asked, (12, 734), 1) == "srrrsrrrs?"


def test_a_window_leaves_the_context_of_a_longer_sum_as_in_training() -> None:
    asked = setting("add", pe="rpe", layout="interleaved", window=5, layers=1, test_digits="6")
    long, short = marks(asked, (34512, 27688), 5), marks(asked, (345, 276), 3)
    assert kinds(asked, (34512, 27688), 5) == "o" * 10 + "rrrrr?"
    in_sight = ["".join(x.text for x in found if x.kind != OUTSIDE) for found in (long, short)]
    assert in_sight == ["47232?"] * 2


def test_the_grid_has_the_share_that_is_predicted(tmp_path: Path) -> None:
    for modulus in (12, 150, 101):
        prediction = predict(setting("mod_add", modulus=modulus, train_digits="2"))
        drawn = plot_carries(tmp_path / "grid.svg", prediction, 3)
        assert drawn == next(x.accuracy for x in prediction.lengths if x.digits == 3)
