"""Predictions stay what the golden files say: what differs is shown line by line."""

from __future__ import annotations

import os

import pytest
from builders.golden import (
    FILES,
    FOLDER,
    differences,
    drawn,
    read_blocks,
    read_words,
    setting_words,
)

from arith.theory.inference.rules import THEORY_VERSION

STEP = 1 if int(os.environ.get("ARITH_EXAMPLES", "0")) >= 100 else 10
"""Every tenth setting, or all."""
pytestmark = pytest.mark.soak
PARTS = [("cells", 0), ("cells", 1), ("published", 0), ("drawn", 0), ("drawn", 1)]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_predictions_are_those_of_the_golden_files(name: str, part: int) -> None:
    """If this fails, a prediction has changed.

    Say so by a new ``THEORY_VERSION`` and its entry, and write the files anew.
    """
    kept = read_blocks(FOLDER / f"{name}.txt")
    parts = max(p for n, p in PARTS if n == name) + 1
    asked = list(kept)[:: STEP if name != "published" else 1][part::parts]
    found = differences(name, {words: kept[words] for words in asked})
    changed = [f"{words}\n- {old}\n+ {new}" for words, old, new in found]
    assert changed == []


def test_the_settings_of_the_files_are_those_that_are_listed() -> None:
    for name, settings in FILES.items():
        assert (FOLDER / f"{name}.txt").read_text().startswith(f"# theory {THEORY_VERSION}\n")
        if settings is not drawn:  # which takes half a minute
            words = [" ".join(setting_words(x)) for x in settings()]
            assert list(read_blocks(FOLDER / f"{name}.txt")) == words
    for words in list(read_blocks(FOLDER / "drawn.txt"))[::50]:
        assert " ".join(setting_words(read_words(words))) == words
