"""The notebooks run from the first cell to the last; one shows what it has committed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from builders.paths import ROOT

QUICKSTART = ROOT / "notebooks" / "quickstart.ipynb"
OWN_MODEL = ROOT / "notebooks" / "own_model.ipynb"
SECONDS = 600
"""For one cell, on a busy machine."""


def executed(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A notebook, run in a folder."""
    # Imported late: only these tests need them.
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    fresh = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(fresh, timeout=SECONDS, resources=where).execute()
    return fresh


def outputs(notebook: Any, kind: str) -> list[str]:
    """The outputs of that kind, in the order of the cells."""
    every = [x.get("data", {}) for cell in notebook.cells for x in cell.get("outputs", ())]
    return [data[kind] for data in every if kind in data]


def predicted(notebook: Any) -> list[str]:
    """What its predictions say; what is measured may differ from processor to processor."""
    return [x for x in outputs(notebook, "text/plain") if "digits" in x and "measured" not in x]


@pytest.mark.documents
@pytest.mark.training
def test_the_notebook_runs_and_says_what_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nbformat

    committed = nbformat.read(QUICKSTART, as_version=4)
    fresh = executed(QUICKSTART, tmp_path, monkeypatch)
    assert predicted(fresh) == predicted(committed) and len(predicted(fresh)) >= 4
    assert any("Theory and experiment agree: 3 of 3" in x for x in outputs(fresh, "text/plain"))
    assert any("400/400" in x for x in outputs(fresh, "text/html"))  # how far the training was
    assert len(outputs(fresh, "image/png")) == 1
    assert (tmp_path / ".arith" / "measurements.sqlite").exists()


@pytest.mark.documents
@pytest.mark.training
def test_a_model_of_a_plain_loop_is_explained_by_the_expected_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = executed(OWN_MODEL, tmp_path, monkeypatch)
    said = outputs(fresh, "text/plain")
    [judged] = [x for x in said if "the answers are those of" in x]
    assert "Longer inputs: agree at 3 digits" in judged
    assert re.search(r"3  longer .* f\^ ", judged) and re.search(r"\bf\^: ", judged)
    assert said[-1] == "True"  # the same from a file


@pytest.mark.parametrize("notebook", [QUICKSTART, OWN_MODEL], ids=lambda x: x.stem)
def test_its_links_are_there(notebook: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", notebook.read_text(encoding="utf-8"))
    assert len(links) >= 3 and all((notebook.parent / x).exists() for x in links)
