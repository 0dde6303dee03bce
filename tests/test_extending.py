"""The page on additions of one's own: its script runs, and what it adds is known everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from builders.paths import ROOT

from theory.display.catalogue import encoding_rows, layout_rows
from theory.errors import InvalidInput
from theory.prediction.predict import predict
from theory.setting.encodings import ENCODINGS, Encoding
from theory.setting.layouts import LAYOUTS
from theory.setting.requests import Request
from theory.setting.tasks import TASKS
from verify.model.positions import POSITIONS
from verify.plan.sizes import SIZES, size

PAGE = ROOT / "docs" / "extending.md"
TABLES: tuple[dict, ...] = (TASKS, LAYOUTS, SIZES, ENCODINGS, POSITIONS)


@pytest.fixture
def tables_as_they_were() -> Iterator[None]:
    before = [dict(table) for table in TABLES]
    yield
    for table, rows in zip(TABLES, before, strict=True):
        table.clear()
        table.update(rows)


@pytest.mark.training
@pytest.mark.usefixtures("tables_as_they_were")
def test_the_script_adds_predicts_trains_and_judges(capsys: pytest.CaptureFixture[str]) -> None:
    [script] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert "budget=6000" in script
    exec(script.replace("budget=6000", "budget=50"), {"__name__": "extending"})
    first, *lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"in domain 0\.\d{3}: inconclusive", first)  # after 50 steps
    assert [line.split()[:2] for line in lines] == [[str(n), "generalizes"] for n in range(1, 7)]
    assert "kerple" in {row[0] for row in encoding_rows()}
    assert "unsigned" in {row[0] for row in layout_rows()}
    assert size("small").width == 32
    got = predict(Request("lean", pe="kerple", layout="unsigned", test_digits="4").setting())
    assert [step.rule for step in got.derivation][-1] == "selection"
    assert got.setting.task.evaluate(3, 4) == 17


def test_an_encoding_with_a_misspelled_word_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown selection 'ordre'; did you mean 'order'"):
        Encoding("kerple", "relative", False, "", "", selection="ordre")
    with pytest.raises(InvalidInput, match="unknown reference 'relativ'; did you mean 'relative'"):
        Encoding("kerple", "relativ", False, "", "")
