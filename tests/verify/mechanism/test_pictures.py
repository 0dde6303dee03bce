"""Pictures: the same file for the same data, and what is in it."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from builders.cells import cell
from builders.tiny_models import untrained

from theory.errors import InvalidInput
from theory.setting.domains import Domain
from verify.mechanism.influence import answerers, influences
from verify.mechanism.pictures import draw_influences, draw_states, principal

SUM = cell(base=2, train=Domain((1, 2, 3)), test_lengths=(3, 4))


# --- influences


def both() -> dict[str, np.ndarray]:
    return influences(answerers(untrained(SUM), SUM), SUM, 4)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_same_influences_give_the_same_picture(suffix: str, tmp_path: Path) -> None:
    first, second, third = (tmp_path / "new" / f"{x}.{suffix}" for x in "abc")
    found = both()
    draw_influences(found, "addition", first)
    draw_influences(found, "addition", second)
    draw_influences(found | {"truth": np.zeros((2, 4, 5))}, "addition", third)
    assert first.read_bytes() == second.read_bytes() != third.read_bytes()
    assert first.read_bytes()[:8] in (b"\x89PNG\r\n\x1a\n", b"<?xml ve")


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


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_same_states_give_the_same_picture(suffix: str, tmp_path: Path) -> None:
    first, second, third = (tmp_path / "new" / f"{x}.{suffix}" for x in "abc")
    c = cell()
    model = untrained(c, std=0.6)
    for result_digit, path in ((2, first), (2, second), (3, third)):
        draw_states(model, c, 3, result_digit, path, samples=40)
    assert first.read_bytes() == second.read_bytes() != third.read_bytes()


def test_the_picture_says_what_is_what(tmp_path: Path) -> None:
    c = cell(base=16)
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        draw_states(untrained(c), c, 3, 2, tmp_path / "a.svg", samples=100)
    text = (tmp_path / "a.svg").read_text()
    for part in (
        "a + b",
        "result digit 2",
        "trained (true digit)",
        "3 digits (digit of f^)",
        "first component",
        ">14<",
    ):
        assert part in text
