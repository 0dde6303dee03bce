"""The picture of a prediction: what is drawn at which length, and in which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders.predictions import predicted
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arith.theory.errors import InvalidInput
from arith.theory.text.length_plot import MOST_WORDED, Measured, draw_lengths, plot_lengths

MOD_101 = {"task": "mod_add", "modulus": 101, "train_digits": "2"}
MODELS = (
    Measured("seed 0", True, {2: (1.0, 1.0, 1.0), 3: (0.01, 0.0, 0.02)}),
    Measured("seed 1", False, {2: (0.6, 0.5, 0.7), 4: (0.3, 0.2, 0.4)}),
)


def drawn(*models: Measured, **words: Any) -> Axes:
    ax = Figure().add_subplot()
    draw_lengths(ax, predicted(**words), models)
    return ax


def lines(ax: Axes, label: str) -> list[tuple[list[float], list[float]]]:
    """The places and heights of the lines whose label begins so."""
    found = [x for x in ax.lines if str(x.get_label()).startswith(label)]
    return [([float(x) for x in f.get_xdata()], [float(y) for y in f.get_ydata()]) for f in found]


def boxes(ax: Axes, label: str) -> list[tuple[float, float]]:
    """Left and right ends of the fields whose label begins so."""
    found = [x for x in ax.patches if str(x.get_label()).startswith(label)]
    return [(x.get_x(), x.get_x() + x.get_width()) for x in found]  # type: ignore[attr-defined]


def test_each_length_has_its_claim_and_the_trained_one_is_marked() -> None:
    ax = drawn(**MOD_101)
    heights = [ys[0] for _, ys in lines(ax, "predicted")]
    assert heights == pytest.approx([1, 0, 49 / 4950, 99 / 10000])
    assert boxes(ax, "no claim") == [(-0.5, 0.5)]
    assert boxes(ax, "trained") == [(0.5, 1.5)]
    assert boxes(ax, "±") == []  # so thin that its line would hide it
    wide = drawn(**MOD_101 | {"modulus": 13}, base=6)
    assert [round(left, 2) for left, _ in boxes(wide, "±")] == [
        2.58,
        3.58,
    ]  # of 0 to 0.028 the first
    [(forecast, _)] = lines(drawn(*MODELS, **MOD_101), "forecast")
    ends = [x for place, _ in lines(drawn(*MODELS, **MOD_101), "seed") for x in place]
    assert forecast[0] < min(ends) - 0.3 and lines(ax, "forecast")[0][0] == [-0.3, -0.3]
    below = [x.get_text() for x in ax.get_xticklabels()]
    assert below[0] == "1\nshorter\nno claim" and below[3] == "4\nlonger\n0.0099\n± 0.01"


def test_a_bound_is_said_to_be_one() -> None:
    ax = drawn(task="add", train_domain="every")
    assert lines(ax, "predicted: at most")[0] == ([2.58, 3.42], [0.19, 0.19])
    assert ax.get_xticklabels()[3].get_text() == "4\nlonger\n≤ 0.19"


def test_models_stand_at_their_lengths_and_unconverged_ones_are_crosses() -> None:
    ax = drawn(*MODELS, **MOD_101)
    [(places, heights)] = lines(ax, "seed 0: measured, converged")
    assert [round(x) for x in places] == [1, 2] and heights == [1.0, 0.01]
    [(places, heights)] = lines(ax, "seed 1: measured, not converged")
    assert [round(x) for x in places] == [1, 3] and heights == [0.6, 0.3]
    marks = {str(x.get_label()): x.get_marker() for x in ax.lines}
    assert marks["seed 0: measured, converged"] != marks["seed 1: measured, not converged"]
    assert ([3.08, 3.08], [0.2, 0.4]) in [
        ([round(x, 2) for x in xs], ys) for xs, ys in lines(ax, "_")
    ]


def test_the_title_is_the_answer_and_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        plot_lengths(predicted(**MOD_101), tmp_path / name, MODELS)
    text = (tmp_path / "a.svg").read_text()
    for words in ("Right at 2 digits (trained)", "no claim at 1 digit", "seed 1: measured, not"):
        assert words in text
    assert text == (tmp_path / "b.svg").read_text()
    with pytest.raises(InvalidInput, match=r"\.png or \.svg"):
        plot_lengths(predicted(**MOD_101), tmp_path / "a.pdf")


def test_many_lengths_and_models_have_few_words() -> None:
    ax = drawn(
        *(Measured(f"seed {i}", True, {1: (1.0, 1.0, 1.0)}) for i in range(20)),
        task="add",
        train_digits="3",
        test_digits=f"1-{MOST_WORDED + 30}",
    )
    below = [x.get_text() for x in ax.get_xticklabels()]
    assert below[0] == "1" and len(below) < 25
    assert set(ax.get_legend_handles_labels()[1]) >= {"measured, converged"}
    dots = [x for x in ax.lines if x.get_label() == "measured, converged"]
    assert len(dots) == 20 and len({str(x.get_color()) for x in dots}) == 1
