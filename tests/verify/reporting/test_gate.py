"""The gate: the committed evidence agrees with the theory, and a wrong theory is caught."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from builders.command_line import Done, run_cli
from builders.evidence import FROZEN, committed_runs, judged
from builders.paths import REPORTS
from matplotlib.backends.backend_svg import FigureCanvasSVG

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.properties import base_aligned
from arith.theory.generalization.outcomes import Claim
from arith.theory.prediction.predict import predict
from arith.verify import pipeline
from arith.verify.judging.candidates import candidate_counts
from arith.verify.judging.premises import claim_applied
from arith.verify.judging.standards import TOLERANCE, is_testable
from arith.verify.pipeline import grids_with_evidence
from arith.verify.plan.cells import Cell
from arith.verify.plan.grids import grid, recipe_of
from arith.verify.plan.recipe import BY_VERSION
from arith.verify.records.evidence import PREDICTIONS, write_evidence
from arith.verify.reporting import blocks
from arith.verify.reporting.before import FORECASTS
from arith.verify.reporting.overview import merge_grids, overview_page
from arith.verify.reporting.page import cells_page, page

pytestmark = pytest.mark.long
NAMES = sorted(folder.name for folder in REPORTS.iterdir() if folder.is_dir())
DRAWN = ("full", "headline")
"""Grids whose figures are drawn: between them they have one of each kind."""


def check(name: str) -> Done:
    """The first step of the gate."""
    return run_cli("report", "--grid", name, "--folder", str(REPORTS), "--check")


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_evidence_does_not_diverge(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A divergence whose cause is named beside the evidence has been looked into."""
    monkeypatch.setattr(pipeline, "judge", lambda grid, *_: judged(grid))
    done = check(name)
    assert done.code in (0, 3)
    assert ("inconclusive (exit code 3)" in " ".join(done.out.split())) == (done.code == 3)


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_evidence_is_written_as_it_was(name: str, tmp_path: Path) -> None:
    for waiting in (REPORTS / name).glob(PREDICTIONS):  # with those of cells not trained yet
        shutil.copy(waiting, tmp_path)
    write_evidence(tmp_path / "evidence.jsonl", committed_runs(name))
    for file in {*(REPORTS / name).glob("*.jsonl")} - {REPORTS / name / FORECASTS}:
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_one_wrong_rule_fails_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mod 101 declared base aligned: the evidence says otherwise, and the gate exits 1."""

    def wrong(p: int, base: int) -> int | None:
        return 2 if p == 101 else base_aligned(p, base)

    lengths = import_module("arith.theory.generalization.lengths")
    monkeypatch.setattr(lengths, "base_aligned", wrong)
    # Predictions are made anew: cells remember theirs.
    monkeypatch.setattr(Cell, "prediction", property(lambda c: predict(c.setting)))
    assert check("headline").code == 1


def numbers(text: str) -> list[list[str]]:
    """The numbers in each row of a page's tables."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [re.findall(r"\d[\d,]*(?:\.\d+)?", row) for row in rows]


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_report_has_the_numbers_of_the_committed_evidence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tables do; the words around them may have changed since.

    Figures are drawn for some grids, and written for none.
    """
    monkeypatch.setattr(FigureCanvasSVG, "print_svg", lambda self, path, **_: Path(path).touch())
    if name not in DRAWN:
        undrawn = property(lambda figure: Path.touch, lambda figure, draw: None)
        monkeypatch.setattr(blocks.Figure, "draw", undrawn, raising=False)
    folder = REPORTS / name
    shutil.copytree(folder, tmp_path / name)
    report = replace(judged(name), folder=tmp_path / name)
    assert numbers((folder / "README.md").read_text()) == numbers(page(report))
    every = numbers(cells_page(report))
    assert numbers((folder / "cells.md").read_text()) == every
    assert len(every) > len(report.trained)
    for picture in (tmp_path / name).iterdir():
        assert (folder / picture.name).exists()


def test_the_page_over_all_grids_has_the_numbers_of_their_evidence(tmp_path: Path) -> None:
    page = (REPORTS / "README.md").read_text()
    every = [judged(name) for name in grids_with_evidence(REPORTS)]
    assert numbers(page) == numbers(overview_page(every, tmp_path))


def test_what_noise_tells_of_stable_models_stands_in_the_findings() -> None:
    page = " ".join((REPORTS.parent / "docs" / "findings.md").read_text().split())
    reports = [judged(name) for name in grids_with_evidence(REPORTS)]
    counts = candidate_counts(v for some in merge_grids(reports).values() for v in some)
    for noise, kinds in counts.items():
        for kept, x in kinds.items():
            assert f"| {noise} | {kept} | {x.lengths} | {x.task} | {x.expected} |" in page
    tested = candidate_counts(judged("two-candidates").verdicts)
    reads, ignores = (next(iter(kinds.values())) for kinds in tested.values())
    assert reads.lengths == reads.task and ignores.lengths == ignores.expected
    told = f"{reads.lengths} computed f, and {ignores.lengths} f^"
    assert f"{reads.lengths + ignores.lengths} longer lengths" in page and told in page


def test_how_many_claims_a_plain_rule_would_meet_stands_in_the_pages() -> None:
    """Shorter inputs right, and longer ones wrong: of the claims that were stored and tested."""
    right = {Direction.DOWNWARD: 1, Direction.UPWARD: 0}
    met = []
    for v in (v for name in FROZEN for v in judged(name).verdicts):
        for x in (x.prediction for x in v.lengths if x.prediction.direction in right):
            for run in v.converged:
                stored = run.predicted and run.predicted.at(x.digits)
                if stored is None or stored.claim == Claim.NONE or not is_testable(stored):
                    continue
                if claim_applied(x, v.cell.setting, run):
                    [m] = (m for m in run.measurements if m.digits == x.digits)
                    met.append(abs(m.correct / m.samples - right[x.direction]) <= TOLERANCE)
    pages = (REPORTS.parent / name for name in ("README.md", "docs/findings.md"))
    readme, findings = (" ".join(page.read_text().split()) for page in pages)
    assert f"would have come true at {sum(met)} of these {len(met)}." in readme
    told = f"Of the {len(met)} claims that were tested in the three grids, *shorter right, longer"
    assert f"{told} wrong* would have met {sum(met)}." in findings


@pytest.mark.parametrize("name", NAMES)
def test_evidence_is_of_known_recipes_and_of_its_grid(name: str) -> None:
    runs = judged(name).runs
    assert {r.recipe for r in runs} <= BY_VERSION.keys()
    assert {r.cell.key for r in runs} <= {cell.key for cell in grid(name)}
    by = recipe_of(name)
    assert any(r.recipe == (by or r.cell.recipe).version for r in runs)


def test_every_cell_of_the_headline_was_trained() -> None:
    runs = judged("headline").runs
    trained = {r.cell.key for r in runs if r.recipe == r.cell.recipe.version}
    assert trained == {cell.key for cell in grid("headline")}
