"""Phase diagrams: their points against single predictions, their tables, and their pictures."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from builders.predictions import predicted

from arith.theory import Task, encoding, layout, named_task, parse_task
from arith.theory.display.phase_grid import Grid, left_out, write_csv
from arith.theory.display.phase_plot import MOST_NUMBERED, plot
from arith.theory.errors import InvalidInput
from arith.theory.setting.directions import Direction
from arith.theory.setting.properties import base_aligned, residual_modulus
from arith.theory.studies.phase import Point, phase_diagram


@pytest.fixture(autouse=True)
def _agg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")


def diagram(
    moduli: Sequence[int | None],
    bases: Sequence[int] = (10,),
    train_digits: Sequence[int] = (1, 2, 3),
    task: str | Callable[[int | None], Task] = "mod_add",
    pe: str = "ape",
    ahead: Sequence[int] = (1, 2, 3),
    form: str = "aligned",
    window: int = 0,
    layers: int = 0,
) -> list[Point]:
    make = task if callable(task) else lambda p: named_task(task, p)
    parts = moduli, bases, train_digits, encoding(pe), layout(form), ahead, window, layers
    return phase_diagram(make, *parts)


def cell(points: list[Point], x: int, n: int) -> Point:
    return next(
        p for p in points if x in (p.setting.task.modulus, p.setting.base) and p.train_digits == n
    )


# --- values -----------------------------------------------------------------------------


def test_100_generalizes_from_two_digits_on_and_101_never_does() -> None:
    points = diagram((100, 101))
    for n in (2, 3):
        point = cell(points, 100, n)
        assert point.verdict == "generalizes"
        assert [point.at(d).accuracy for d in (1, 2, 3)] == [1, 1, 1]
        assert (point.residual_modulus, point.base_aligned) == (1, 2)
    assert cell(points, 100, 1).verdict == "fails"
    assert cell(points, 100, 1).at(3).accuracy == Fraction(1, 10)
    for n in (1, 2, 3):
        point = cell(points, 101, n)
        assert point.verdict == "fails"
        assert [point.at(d).accuracy for d in (1, 2, 3)] == [
            0,
            Fraction(49, 4950),
            Fraction(99, 10000),
        ]
        assert (point.residual_modulus, point.base_aligned) == (101, None)


@pytest.mark.parametrize("task", ["mod_add", "mod_sub", "mod_mul"])
@pytest.mark.parametrize(("p", "base", "n"), [(7, 10, 2), (12, 6, 1), (125, 10, 2), (64, 2, 3)])
def test_a_point_is_the_prediction_for_its_setting(task: str, p: int, base: int, n: int) -> None:
    (point,) = diagram((p,), (base,), (n,), task)
    asked = {"train_digits": str(n), "test_digits": f"{n + 1}-{n + 3}"}
    prediction = predicted(task=task, modulus=p, base=base, **asked)
    assert point.lengths == prediction.lengths
    assert point.verdict == prediction.verdict(Direction.UPWARD)
    assert point.residual_modulus == residual_modulus(p, base, n)
    assert point.base_aligned == base_aligned(p, base)


def test_every_combination_is_there_once_and_in_order() -> None:
    points = diagram((4, 9, 4), (2, 3), (1, 2))
    found = [(p.setting.task.modulus, p.setting.base, p.train_digits) for p in points]
    assert found == [(p, b, n) for p in (4, 9) for b in (2, 3) for n in (1, 2)]


def test_a_task_may_be_a_function_of_the_modulus() -> None:
    (point,) = diagram((50,), train_digits=(2,), task=lambda p: parse_task("2*a + 3*b", p))
    assert point.setting.task.text() == "(2·a + 3·b) mod 50"
    assert point.verdict == "generalizes"


def test_a_task_without_modulus_has_no_residual_modulus() -> None:
    (point,) = diagram((None,), train_digits=(2,), task="add")
    assert {point.setting.task.modulus, point.residual_modulus, point.base_aligned} == {None}
    assert point.at(1).accuracy == 0


def test_an_undetermined_accuracy_is_none() -> None:
    (point,) = diagram((None,), task="add", train_digits=(2,), pe="rope")
    assert point.verdict == "undetermined"
    assert [point.at(n).accuracy for n in (1, 3)] == [None, None]


def test_a_window_and_layers_decide_under_relative_encodings() -> None:
    add: Any = {"moduli": (None,), "task": "add", "pe": "alibi", "form": "interleaved"}
    seen = [
        cell(diagram(**add, window=w, layers=n), 10, 3).verdict for w, n in ((5, 1), (5, 0), (6, 1))
    ]
    assert seen == ["generalizes", "undetermined", "undetermined"]


# --- tables -----------------------------------------------------------------------------


def test_csv_round_trip(tmp_path: Path) -> None:
    points = diagram((100, 101), ahead=(1, 3)) + diagram((101,), pe="rope", ahead=(1, 3))
    path = tmp_path / "new" / "map.csv"
    write_csv(points, path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(points)
    for row, point in zip(rows, points, strict=True):
        assert row["task"] == point.setting.task.text()
        assert row["encoding"] == point.setting.encoding.name
        assert row["layout"] == point.setting.layout.name
        assert (row["window"], row["layers"]) == ("0", "0")
        assert int(row["modulus"]) == point.setting.task.modulus
        assert int(row["base"]) == point.setting.base
        assert int(row["train_digits"]) == point.train_digits
        assert row["verdict"] == point.verdict
        assert int(row["residual_modulus"]) == point.residual_modulus
        assert row["base_aligned"] == ("" if point.base_aligned is None else "2")
        for d in (1, 3):
            exact, approximate = row[f"accuracy_plus_{d}"], row[f"accuracy_plus_{d}_float"]
            accuracy = point.at(d).accuracy
            assert Fraction(row[f"accuracy_plus_{d}_at_most"]) == point.at(d).at_most
            if accuracy is None:
                assert exact == approximate == ""
            else:
                assert Fraction(exact) == accuracy
                assert float(approximate) == float(accuracy)


# --- pictures ---------------------------------------------------------------------------


PICTURES: dict[str, dict[str, Any]] = {
    "many moduli, with 100 and 101": {"moduli": range(80, 122), "train_digits": (1, 2)},
    "many moduli, none generalizes": {"moduli": range(301, 350), "train_digits": (2,)},
    "few moduli, one row": {"moduli": range(2, 21), "train_digits": (3,)},
    "one cell": {"moduli": (100,), "train_digits": (2,)},
    "bases": {"moduli": (100,), "bases": range(2, 37), "train_digits": (2,)},
    "bases, with room for bounds": {"moduli": (100,), "bases": range(2, 8), "train_digits": (2,)},
    "bases without a modulus": {"moduli": (None,), "bases": range(2, 8), "task": "add"},
    "undetermined": {"moduli": (7, 100), "pe": "rope"},
}


@pytest.mark.parametrize("kind", PICTURES)
def test_plot_writes_a_picture(kind: str, tmp_path: Path) -> None:
    plot(diagram(**PICTURES[kind]), tmp_path / "new" / "map.svg")
    assert "<svg" in (tmp_path / "new" / "map.svg").read_text()


def test_a_picture_may_be_pixels(tmp_path: Path) -> None:
    plot(diagram((100,), train_digits=(2,)), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_points_give_the_same_svg(tmp_path: Path) -> None:
    points = diagram(range(99, 102))
    plot(points, tmp_path / "a.svg")
    plot(points, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def words(points: list[Point], tmp_path: Path) -> str:
    """All words of a picture."""
    plot(points, tmp_path / "map.svg")
    return (tmp_path / "map.svg").read_text()


def test_the_picture_says_why_100_and_101_differ(tmp_path: Path) -> None:
    moduli = range(101 - MOST_NUMBERED, 102)
    text = words(diagram(moduli, train_digits=(2,)), tmp_path)
    for part in ("100 generalizes", "It divides 10²", "101 fails", "It shares no factor with 10"):
        assert part in text


def test_few_columns_have_their_numbers_written_in(tmp_path: Path) -> None:
    text = words(diagram((100, 101), train_digits=(2,)), tmp_path)
    for part in ("p′ = 1<", "p′ = 101<", ">0.0099<", "modulus p", "(a + b) mod p, base 10"):
        assert part in text


def test_a_map_says_of_how_many_columns_it_claims_nothing(tmp_path: Path) -> None:
    moduli = (4, 9, 100, 101)
    silent: Any = {"train_digits": (2,), "pe": "alibi", "form": "bare"}
    open_ones = words(diagram(moduli, **silent), tmp_path)
    assert "No claim 3 digits up for any of 4 moduli: training on 2 digits leaves" in open_ones
    assert "open: no claim" in open_ones and "Hatched: no claim in 4 of 4 cells" in open_ones
    assert "accuracy<" not in open_ones  # no scale of colours: nothing here is an answer
    known = words(diagram(moduli, train_digits=(2,)), tmp_path)
    assert "Trained on 2 digits, 2 of 4 moduli generalize to longer numbers" in known
    assert "generalize (p divides 10²): 4, 100" in known and "no claim" not in known
    some = [*diagram((4, 100), train_digits=(2,)), *diagram((9, 101), **silent)]
    assert Grid.of(some).headline().endswith("generalize to longer numbers; no claim for 2")
    assert "Hatched: no claim in 2 of 4 cells." in words(some, tmp_path)


# --- errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        (((), (10,), (2,), (3,)), "the range of moduli is empty"),
        (((7,), (), (2,), (3,)), "the range of bases is empty"),
        (((7,), (10,), (), (3,)), "the range of training lengths is empty"),
        (((7,), (10,), (2,), ()), "the range of test distances is empty"),
        (((7,), (10,), (2,), (0, 1)), "at least 1 digit ahead, not 0"),
        (((7,), (1,), (2,), (3,)), "base must be between 2"),
        (((7,), (10,), (0,), (3,)), "digits must be at least 1"),
        (((0,), (10,), (2,), (3,)), "modulus must be at least 1"),
        (((None,), (10,), (2,), (3,)), "needs a modulus"),
    ],
)
def test_ranges_that_make_no_sense(ranges: tuple[tuple[int, ...], ...], message: str) -> None:
    moduli, bases, train_digits, ahead = ranges
    with pytest.raises(InvalidInput, match=message):
        diagram(moduli, bases, train_digits, ahead=ahead)


def test_moduli_that_a_layout_cannot_write_are_left_out() -> None:
    moduli = (5, 7, 10, 11)
    points = diagram(moduli, train_digits=(1, 2), pe="rpe", form="interleaved")
    assert [point.setting.task.modulus for point in points] == [5, 5, 10, 10]
    line = left_out(points, moduli, (10,))
    assert line is not None
    assert line.endswith("7, 11; 2 in all")
    assert left_out(points, (5, 10), (10,)) is None


def test_a_modulus_that_makes_sense_at_one_training_length_only_is_left_out() -> None:
    moduli = (30_001, 100_000)
    points = diagram(moduli, train_digits=(1, 2), form="interleaved")
    assert [point.setting.task.modulus for point in points] == [100_000, 100_000]


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    points = diagram((100,))
    for name in ("map.pdf", "map"):
        with pytest.raises(InvalidInput, match=r"\.png or \.svg"):
            plot(points, tmp_path / name)


def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    points = diagram((100,))
    (tmp_path / "file").touch()
    for write, name in ((write_csv, "map.csv"), (plot, "map.png"), (plot, "map.svg")):
        with pytest.raises(InvalidInput, match=r"cannot write .*map"):
            write(points, tmp_path / "file" / name)


def test_points_that_fill_no_picture_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "map.png"
    with pytest.raises(InvalidInput, match="no points"):
        plot([], path)
    with pytest.raises(InvalidInput, match="no points"):
        write_csv([], tmp_path / "map.csv")
    with pytest.raises(InvalidInput, match="not both"):
        plot(diagram((7, 8), (9, 10)), path)
    with pytest.raises(InvalidInput, match="every training length"):
        plot(diagram((7, 8))[:-1], path)
    with pytest.raises(InvalidInput, match="4 digits ahead, only 1, 2, 3"):
        diagram((7, 8))[0].at(4)


def test_without_matplotlib_plotting_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InvalidInput, match="drawing needs matplotlib"):
        plot(diagram((100,)), tmp_path / "map.png")
