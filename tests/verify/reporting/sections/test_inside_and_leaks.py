"""The report's sections on single models: what they count, and when there is nothing to say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from builders.cells import cell

from arith.theory.arithmetic.tasks import named_task
from arith.theory.errors import InvalidInput
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.inside import inside

TASKS = {"one": named_task("add"), "two": named_task("mul"), "three": named_task("mod_add", 50)}


def model(name: str, *leak: float) -> dict[str, Any]:
    """What ``arith inspect`` writes, in short."""
    found: dict[str, Any] = {
        "cell": cell(task=TASKS[name]).to_json(),
        "digits": 3,
        "distance": {"truth": {"largest": 0.5}, "learned function": {"largest": 0.1}},
        "equivalence": {"by layer": [None, 0.25]},
    }
    if leak:
        found["leaks"] = {"as it is": leak[0], "mended by layer": list(leak[1:])}
    return found


def written(folder: Path, **models: dict[str, Any]) -> list[str]:
    for name, data in models.items():
        path = folder / "mechanism" / name / "mechanism.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(data))
    return texts(folder)


def texts(folder: Path) -> list[str]:
    """What is under each heading."""
    report = Report("made up", [], folder)
    text = markdown_page(inside(report), folder)
    return re.split(r"\n\n(?=## )", text) if text else []


def test_leaks_are_counted_by_the_layer_that_mends_them(tmp_path: Path) -> None:
    by_digits, by_work = model("one", 0.5, 0.9, 0.52), model("two", 0.4, 0.5, 0.8)
    [seen, leaking] = written(
        tmp_path, one=by_digits, two=by_work, three=model("three", 0.99, 1, 1)
    )
    assert "In 3 of 3 models" in seen
    assert "In 1 of 2 models that leak" in leaking
    assert "in 1 more than where the first does not" in leaking
    row = next(x for x in leaking.splitlines() if "a·b" in x)
    assert [x.strip() for x in row.split("|")[3:6]] == ["0.400", "0.500", "0.800"]
    assert "as it is" in (tmp_path / "leaks.svg").read_text()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mechanism" / "one" / "mechanism.json"
    path.parent.mkdir(parents=True)
    for text in ('{"digits": 5', "[]", '{"digits": 5}'):
        path.write_text(text)
        with pytest.raises(InvalidInput, match="it is not what arith inspect writes"):
            texts(tmp_path)


def test_models_that_do_not_leak_have_no_section(tmp_path: Path) -> None:
    [seen] = written(tmp_path, one=model("one", 0.99, 1.0, 1.0), two=model("two"))
    assert "## Inside" in seen
    assert texts(tmp_path / "elsewhere") == []
