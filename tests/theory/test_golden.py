"""Predictions stay what the golden files say: what differs is shown line by line."""

from __future__ import annotations

import os

import pytest
from builders.golden import (
    FILES,
    FOLDER,
    differences,
    kept_drawn,
    read_blocks,
    setting_words,
)

from arith.theory.rules import THEORY_VERSION

STEP = 1 if int(os.environ.get("ARITH_EXAMPLES", "0")) >= 100 else 10
"""Every tenth setting, or all."""
pytestmark = pytest.mark.soak


@pytest.mark.parametrize("name", ["cells", "drawn"])
def test_predictions_are_those_of_the_golden_files(name: str) -> None:
    """If this fails, a prediction has changed.

    Say so by a new ``THEORY_VERSION`` and in the changelog, and write the files anew.  The test of
    published findings has the third file.
    """
    kept = read_blocks(FOLDER / f"{name}.txt")
    asked = {words: kept[words] for words in list(kept)[::STEP]}
    assert list(differences(name, asked)) == []


def test_the_settings_of_the_files_are_those_that_are_listed() -> None:
    for name, settings in FILES.items():
        path = FOLDER / f"{name}.txt"
        assert path.read_text().startswith(f"# theory {THEORY_VERSION}\n")
        if settings is not kept_drawn:  # which are those of the file
            assert list(read_blocks(path)) == [" ".join(setting_words(x)) for x in settings()]
