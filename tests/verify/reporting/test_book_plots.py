"""The pictures of the book are those that are drawn today, and each stands on a page."""

from __future__ import annotations

import re
from pathlib import Path

from builders.paths import ROOT

from arith.verify.reporting.book_plots import PICTURES, draw


def words(path: Path) -> list[tuple[str, str]]:
    """The texts and colours of a picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>|stroke: (#\w+)", path.read_text())


def test_the_pictures_are_those_that_are_drawn(tmp_path: Path) -> None:
    draw(tmp_path, ROOT / "reports")
    kept = ROOT / "docs" / "pictures"
    assert {x.stem for x in kept.glob("*.svg")} == set(PICTURES)
    assert [x for x in PICTURES if words(tmp_path / f"{x}.svg") != words(kept / f"{x}.svg")] == []


def test_the_models_of_a_picture_are_named_or_counted() -> None:
    said = {
        x: [text for text, _ in words(ROOT / "docs" / "pictures" / f"{x}.svg")] for x in PICTURES
    }
    assert "measured: 1 model" in said["not-found"]
    assert "measured: 5 models, a colour for each" in said["constants"]
    assert not [x for x in said["constants"] if x.startswith("±: ")]


def test_every_picture_stands_on_a_page_with_a_text() -> None:
    pages = "".join(
        path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    )
    texts = {Path(x).stem: said for said, x in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", pages)}
    assert [x for x in PICTURES if len(texts.get(x, "")) < 60] == []
