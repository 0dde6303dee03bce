"""Pictures: the same file for the same data, and what is in it."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from builders.cells import cell
from builders.tiny_models import untrained

from arith.theory.arithmetic.domains import Domain
from arith.theory.errors import InvalidInput
from arith.verify.mechanism.influence import answerers, influences
from arith.verify.mechanism.pictures import draw_groups, draw_states, principal
from arith.verify.reporting.influence_plot import draw_influences

# --- influences


def test_the_same_influences_give_the_same_picture(tmp_path: Path) -> None:
    first, second, third = (tmp_path / "new" / f"{x}.svg" for x in "abc")
    small = cell(base=2, train=Domain((1, 2)), test_lengths=(2,))
    found = influences(answerers(untrained(small), small), small, 2, samples=50)
    draw_influences(found, "addition", first)
    draw_influences(found, "addition", second)
    draw_influences(found | {"truth": 0 * found["truth"]}, "addition", third)
    assert first.read_bytes() == second.read_bytes() != third.read_bytes()


def words(found: dict[str, np.ndarray], path: Path) -> str:
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        draw_influences(found, "what moves what", path)
    return path.read_text()


def test_the_picture_names_every_digit_and_writes_the_shares(tmp_path: Path) -> None:
    shares = np.array([[[0.0, 0.37], [0.999, 1.0]], [[0.001, np.nan], [0.5, 0.5]]])
    text = words({"model": shares}, tmp_path / "a.svg")
    for part in ("what moves what", "model", "a₁", "a₂", "b₁", "b₂", ">.37<", ">.99<", ">.01<"):
        assert part in text
    assert "nan" not in text


def test_numbers_are_left_out_where_they_have_no_room(tmp_path: Path) -> None:
    shares = np.full((2, 2, 40), 0.37)
    assert ">.37<" not in words({"model": shares, "truth": shares}, tmp_path / "a.svg")


def test_pictures_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"\.png or \.svg"):
        draw_influences({"model": np.zeros((2, 2, 3))}, "", tmp_path / "a.pdf")


# --- hidden states


def test_principal_components_of_a_plane_keep_its_distances() -> None:
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(40, 2)) * (3, 1)
    basis, _ = np.linalg.qr(rng.normal(size=(8, 2)))
    points, shares = principal(flat @ basis.T + 5)
    assert shares.sum() == pytest.approx(1)
    assert shares[0] > shares[1]
    assert np.linalg.norm(points[1:] - points[0], axis=1) == pytest.approx(
        np.linalg.norm(flat[1:] - flat[0], axis=1)
    )
    assert principal(np.ones((5, 3)))[1].tolist() == [0, 0]


def test_components_point_the_same_way_on_every_machine() -> None:
    for seed in range(10):
        states = np.random.default_rng(seed).normal(size=(40, 3)) * (5, 2, 0.1)
        points, _ = principal(states)
        assert ((points * states[:, :2]).sum(0) > 0).all()


def test_the_same_states_give_the_same_picture(tmp_path: Path) -> None:
    first, second, third = (tmp_path / "new" / f"{x}.svg" for x in "abc")
    c = cell()
    model = untrained(c, std=0.6)
    for result_digit, path in ((2, first), (2, second), (3, third)):
        draw_states(model, c, 3, result_digit, path, samples=40)
    assert first.read_bytes() == second.read_bytes() != third.read_bytes()
    assert "a + b" in first.read_text() and "result digit 3" in third.read_text()


def groups(apart: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """States in a plane around the mean of their digit, means so far apart."""
    digits = rng.integers(4, size=200)
    means = apart * np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]])
    return means[digits] + rng.normal(size=(200, 3)), digits


def test_states_in_groups_are_drawn_and_numbered(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    draw_groups(
        groups(30, rng), groups(30, rng), "title", "3 digits (digit of f^)", tmp_path / "a.svg"
    )
    text = (tmp_path / "a.svg").read_text()
    for part in ("trained (true digit)", "3 digits (digit of f^)", "first component", ">3<"):
        assert part in text
    assert "100% of the" in text and "In numbers" not in text


def test_where_there_are_no_groups_numbers_stand_in_place_of_the_picture(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    draw_groups(groups(0, rng), groups(0, rng), "title", "longer", tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert "too little to show a" in text and "group for each digit. In numbers:" in text
    assert "all of the state, trained" in text and "first component" not in text
