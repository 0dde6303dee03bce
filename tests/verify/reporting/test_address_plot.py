"""The picture of addresses: each arrow as one finds it by counting tokens, and the file of docs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builders.paths import ROOT
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arith.verify.reporting.address_plot import ROWS, SUMS, Row, draw_row, plot_addresses

TRAINED, LONGER = SUMS
BY_NAME = {row.name: row for row in ROWS}


def addresses(row: Row, numbers: tuple[int, ...]) -> list[tuple[str, bool]]:
    return [(arrow.address, arrow.shown) for arrow in row.arrows(numbers)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_training_shows_all_that_a_trained_length_asks_for(row: Row) -> None:
    assert [shown for _, shown in addresses(row, TRAINED)] == [True, True]


def test_a_digit_more_moves_offsets_and_keeps_numbers_and_markers() -> None:
    """Offsets as counted by hand: ``<bos> 1 3 4 + 2 5 8 = 3`` asks, 3 and 5 are needed."""
    assert addresses(BY_NAME["plain"], LONGER) == [("7", False), ("3", True)]
    assert addresses(BY_NAME["reversed"], LONGER) == [("7", False), ("3", True)]
    assert addresses(BY_NAME["aligned"], LONGER) == [("7", False), ("3", False)]
    assert addresses(BY_NAME["index hints"], LONGER) == [("[2]", True), ("[2]", True)]
    assert addresses(BY_NAME["position coupling"], LONGER) == [("+1", True), ("+1", True)]
    assert addresses(BY_NAME["interleaved"], LONGER) == [("1", True), ("0", True)]  # 4 8 2 3 5 asks


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_arrows_go_from_the_last_token_to_the_tens(row: Row) -> None:
    tokens = row.tokens(LONGER)
    for operand, arrow in enumerate(row.arrows(LONGER)):
        assert (tokens[arrow.query + 1].kind, tokens[arrow.query + 1].position) == ("result", 2)
        digit = tokens[arrow.key]
        assert (digit.kind, digit.operand, digit.position) == ("operand", operand, 2)


def drawn(name: str) -> Axes:
    ax = Figure().add_subplot()
    draw_row(ax, BY_NAME[name], 0.0)
    return ax


def test_a_row_shows_what_is_written_up_to_the_query_and_no_digit_after_it() -> None:
    texts = [x.get_text() for x in drawn("plain").texts]
    written = "".join(x for x in texts if re.fullmatch(r"[\d+=?]", x))
    assert written == "34+58=?" + "52" + "134+258=3?" + "73"
    small = [x.get_text() for x in drawn("position coupling").texts if x.get_fontsize() < 7]
    assert "".join(small) == "1201201" + "123012301"


def test_the_picture_of_the_page_is_the_one_that_is_drawn(tmp_path: Path) -> None:
    plot_addresses(tmp_path / "new.svg")
    new, kept = (
        re.findall(r"<text[^>]*>([^<]*)</text>|stroke: (#\w+)", path.read_text())
        for path in (tmp_path / "new.svg", ROOT / "docs" / "recipes.svg")
    )
    assert len(new) > 100
    assert new == kept
