"""Phase diagrams: their points against single predictions, their tables, and their pictures."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from builders.predictions import predicted

from arith.theory.arithmetic.directions import Direction
from arith.theory.errors import InvalidInput
from arith.theory.prediction.predict import Prediction
from arith.theory.setting.requests import Request
from arith.theory.studies.phase import PhaseDiagram, phase_diagram
from arith.theory.text.phase_plot import headline, left_out_line, plot_phases, write_csv


@pytest.fixture(autouse=True)
def _agg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")


def diagram(
    moduli: Sequence[int | None],
    bases: Sequence[int] = (10,),
    train_digits: Sequence[int] = (1, 2, 3),
    **same: Any,
) -> PhaseDiagram:
    words = {"task": "mod_add"} | same
    return phase_diagram(Request(**words), moduli, bases, train_digits)


def upward(found: Prediction) -> str:
    return found.verdict(Direction.UPWARD)


def accuracies(found: Prediction) -> list[Fraction | None]:
    return [x.accuracy for x in found.lengths]


# --- values -----------------------------------------------------------------------------


def test_100_generalizes_from_two_digits_on_and_101_never_does() -> None:
    d = diagram((100, 101))
    for n in (2, 3):
        assert upward(d.cells[100, n]) == "generalizes"
        assert accuracies(d.cells[100, n]) == [1, 1, 1]
        assert d.residual_modulus(100, n) == 1
    assert upward(d.cells[100, 1]) == "fails"
    assert d.at(100, 1).accuracy == Fraction(1, 10)
    for n in (1, 2, 3):
        assert upward(d.cells[101, n]) == "fails"
        assert accuracies(d.cells[101, n]) == [0, Fraction(49, 4950), Fraction(99, 10000)]
        assert d.residual_modulus(101, n) == 101
    assert (d.xs, d.rows, d.generalizing, d.open) == ([100, 101], [1, 2, 3], [100], [])


@pytest.mark.parametrize("task", ["mod_add", "mod_sub", "mod_mul"])
@pytest.mark.parametrize(("p", "base", "n"), [(7, 10, 2), (12, 6, 1), (125, 10, 2), (64, 2, 3)])
def test_a_cell_is_the_prediction_for_its_setting(task: str, p: int, base: int, n: int) -> None:
    found = diagram((p,), (base,), (n,), task=task).cells[p, n]
    asked = {"train_digits": str(n), "test_digits": f"{n + 1}-{n + 3}"}
    assert found == predicted(task=task, modulus=p, base=base, **asked)


def test_every_combination_is_there_once_and_in_order() -> None:
    assert [*diagram((4, 9, 4), (2,), (1, 2)).cells] == [(4, 1), (4, 2), (9, 1), (9, 2)]
    assert [*diagram((4,), (3, 2), (1,)).cells] == [(3, 1), (2, 1)]


@pytest.mark.parametrize(
    ("p", "base", "same"),
    [
        (11, 16, {"task": "digit_sum"}),
        (16, 10, {"layout": "aligned, 2 digits per token"}),
        (7, 3, {"layout": "plain, whole numbers"}),
        (None, 10, {"task": "add", "padding": "none", "pe": "abacus"}),
        (7, 10, {"width": 8, "train_allowed": ("1:1-9",)}),
    ],
)
def test_a_cell_takes_every_option_as_a_prediction_does(
    p: int | None, base: int, same: dict[str, Any]
) -> None:
    [found] = diagram((p,), (base,), (1,), **same).cells.values()
    asked = {"task": "mod_add", **same, "modulus": p, "base": base, "train_digits": "1"}
    assert found == predicted(**asked, test_digits="2-4")


def test_the_task_may_be_an_expression() -> None:
    found = diagram((50,), train_digits=(2,), task=None, expr="2*a + 3*b")
    assert found.cells[50, 2].setting.task.text() == "(2·a + 3·b) mod 50"
    assert upward(found.cells[50, 2]) == "generalizes"


def test_a_task_without_modulus_has_no_residual_modulus() -> None:
    d = diagram((None,), train_digits=(2,), task="add")
    assert (d.axis, [*d.cells], d.residual_modulus(10, 2)) == ("base", [(10, 2)], None)
    assert d.cells[10, 2].lengths[0].accuracy == 0


def test_an_undetermined_accuracy_is_none() -> None:
    found = diagram((None,), task="add", train_digits=(2,), pe="nope").cells[10, 2]
    assert upward(found) == "undetermined"
    assert accuracies(found) == [None, None, None]


def test_a_window_and_layers_decide_under_relative_encodings() -> None:
    add: Any = {"moduli": (None,), "task": "add", "pe": "alibi", "layout": "interleaved"}
    seen = [
        upward(diagram(**add, window=w, layers=n).cells[10, 3]) for w, n in ((5, 1), (5, 0), (6, 1))
    ]
    assert seen == ["generalizes"] * 3  # the others of stable models
    add["pe"] = "nope"
    assert upward(diagram(**add, window=6, layers=1).cells[10, 3]) == "undetermined"


# --- tables -----------------------------------------------------------------------------


@pytest.mark.parametrize("pe", ["ape", "rope"])
def test_csv_round_trip(pe: str, tmp_path: Path) -> None:
    d = diagram((100, 101), pe=pe)
    path = tmp_path / "new" / "map.csv"
    write_csv(d, path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(d.cells)
    for row, ((p, n), found) in zip(rows, d.cells.items(), strict=True):
        s = found.setting
        assert (row["task"], row["encoding"]) == (s.task.text(), s.encoding.name)
        assert (row["layout"], row["window"], row["layers"]) == (s.layout.name, "0", "0")
        assert (int(row["modulus"]), int(row["base"]), int(row["train_digits"])) == (p, 10, n)
        assert row["verdict"] == upward(found)
        assert int(row["residual_modulus"]) == d.residual_modulus(p, n)
        assert row["base_aligned"] == ("2" if p == 100 else "")
        for ahead, at in zip((1, 2, 3), found.lengths, strict=True):
            name = f"accuracy_plus_{ahead}"
            assert Fraction(row[f"{name}_at_most"]) == at.at_most
            if at.accuracy is None:
                assert row[name] == row[f"{name}_float"] == ""
            else:
                assert Fraction(row[name]) == at.accuracy
                assert float(row[f"{name}_float"]) == float(at.accuracy)


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
    plot_phases(diagram(**PICTURES[kind]), tmp_path / "new" / "map.svg")
    assert "<svg" in (tmp_path / "new" / "map.svg").read_text()


def test_a_picture_may_be_pixels(tmp_path: Path) -> None:
    plot_phases(diagram((100,), train_digits=(2,)), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_points_give_the_same_svg(tmp_path: Path) -> None:
    points = diagram(range(99, 102))
    plot_phases(points, tmp_path / "a.svg")
    plot_phases(points, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def words(d: PhaseDiagram, tmp_path: Path) -> str:
    """All words of a picture."""
    plot_phases(d, tmp_path / "map.svg")
    return (tmp_path / "map.svg").read_text()


def test_few_columns_have_their_numbers_written_in(tmp_path: Path) -> None:
    text = words(diagram((100, 101), train_digits=(2,)), tmp_path)
    for part in (">1<", ">.01<", "modulus p", "(a + b) mod p, base 10"):
        assert part in text


def test_a_picture_names_the_modulus_and_the_base_as_they_are_asked(tmp_path: Path) -> None:
    text = words(diagram((7, 11), train_digits=(1,), task="digit_sum"), tmp_path)
    assert "digit_sum(a) mod p, base 10" in text
    pairs = diagram((8, 16, 20), train_digits=(3,), layout="aligned, 2 digits per token")
    text = words(pairs, tmp_path)
    assert "(a + b) mod p, base 10" in text
    assert (pairs.generalizing, pairs.residual_modulus(16, 3)) == ([20], 2)
    assert "generalize: 20" in text  # not because it divides 10^3: so does 8


def test_a_map_says_of_how_many_columns_it_claims_nothing(tmp_path: Path) -> None:
    moduli = (4, 9, 100, 101)
    silent: Any = {"train_digits": (2,), "pe": "alibi", "layout": "bare"}
    open_ones = words(diagram(moduli, **silent), tmp_path)
    assert "No claim 3 digits up for any of 4 moduli: training on 2 digits leaves" in open_ones
    assert "open: no claim" in open_ones and "Hatched: no claim in 4 of 4 cells" in open_ones
    assert "accuracy<" not in open_ones  # no scale of colours: nothing here is an answer
    known = words(diagram(moduli, train_digits=(2,)), tmp_path)
    assert "Trained on 2 digits, 2 of 4 moduli generalize to longer numbers" in known
    assert "generalize (p divides 10²): 4, 100" in known and "no claim" not in known
    cells = diagram((4, 100), train_digits=(2,)).cells | diagram((9, 101), **silent).cells
    some = PhaseDiagram("modulus", cells)
    assert headline(some).endswith("generalize to longer numbers; no claim for 2")
    assert "Hatched: no claim in 2 of 4 cells." in words(some, tmp_path)


# --- errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        (((), (10,), (2,)), "the range of moduli is empty"),
        (((7,), (), (2,)), "the range of bases is empty"),
        (((7,), (10,), ()), "the range of training lengths is empty"),
        (((7,), (1,), (2,)), "base must be between 2"),
        (((7,), (10,), (0,)), "no list of lengths from 1 to 200"),
        (((0,), (10,), (2,)), "modulus must be at least 1"),
        (((None,), (10,), (2,)), "needs a modulus"),
        (((7, 8), (9, 10), (2,)), "a range of moduli or a range of bases, not both"),
    ],
)
def test_ranges_that_make_no_sense(ranges: tuple[tuple[int, ...], ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        diagram(*ranges)


def test_moduli_that_a_layout_cannot_write_are_left_out() -> None:
    moduli = (5, 7, 10, 11)
    d = diagram(moduli, train_digits=(1, 2), pe="rpe", layout="interleaved")
    assert (d.xs, d.left_out) == ([5, 10], (7, 11))
    line = left_out_line(d)
    assert line is not None and line.endswith("7, 11; 2 in all")
    assert left_out_line(diagram((5, 10), pe="rpe", layout="interleaved")) is None


def test_a_modulus_that_makes_sense_at_one_training_length_only_is_left_out() -> None:
    d = diagram((30_001, 100_000), train_digits=(1, 2), layout="interleaved")
    assert [*d.cells] == [(100_000, 1), (100_000, 2)]


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    points = diagram((100,))
    for name in ("map.pdf", "map"):
        with pytest.raises(InvalidInput, match=r"\.png or \.svg"):
            plot_phases(points, tmp_path / name)


def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    points = diagram((100,))
    (tmp_path / "file").touch()
    for write, name in ((write_csv, "map.csv"), (plot_phases, "map.png"), (plot_phases, "map.svg")):
        with pytest.raises(InvalidInput, match=r"cannot write .*map"):
            write(points, tmp_path / "file" / name)


def test_without_matplotlib_plotting_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InvalidInput, match="drawing needs matplotlib"):
        plot_phases(diagram((100,)), tmp_path / "map.png")
