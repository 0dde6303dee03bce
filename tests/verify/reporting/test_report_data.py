"""The report as data: its counts are those of the committed pages, and of its own cells."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from builders.cells import cell
from builders.command_line import run_cli
from builders.evidence import judged
from builders.paths import REPORTS
from builders.runs import RIGHT, run

from arith.theory.arithmetic.domains import Domain
from arith.theory.text.answer import UNCLAIMED
from arith.verify import pipeline
from arith.verify.judging.judge import Untested, judge
from arith.verify.plan.cells import Cell
from arith.verify.plan.grids import grid
from arith.verify.plan.recipe import DENSE, RECIPE
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.exports import cell_json, report_json
from arith.verify.reporting.page import cells_page, page, summary_blocks
from arith.verify.reporting.report import Report
from arith.verify.reporting.summary import summarize

NAMES = pytest.mark.parametrize("name", ["headline", "full", "constants"])


@cache
def report(name: str) -> dict[str, Any]:
    """What ``arith report --json`` prints on the committed evidence of a grid."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "judge", lambda grid, *_: judged(grid))
        done = run_cli("report", "--grid", name, "--folder", str(REPORTS), "--check", "--json")
    return json.loads(done.out)


@cache
def rows(name: str) -> list[dict[str, str]]:
    """The rows of the committed page that has every length of a grid."""
    found: list[dict[str, str]] = []
    head: list[str] = []
    for line in (REPORTS / name / "cells.md").read_text().splitlines():
        fields = [field.strip() for field in line.strip("|").split("|")]
        if line.startswith("| digits"):
            head = fields
        elif line.startswith("| "):
            found.append(dict(zip(head, fields, strict=True)))
    return found


@NAMES
def test_the_counts_are_those_of_the_committed_pages(name: str) -> None:
    counted, told = report(name)["summary"], rows(name)
    verdicts = Counter(row["verdict"] for row in told)
    unjudged = (UNCLAIMED, Untested.WEAK, Untested.UNSTABLE)
    silent = [r for r in told if r["verdict"] in unjudged and r["measured"] != "-"]
    unclaimed = [r for r in silent if r["predicted"] == UNCLAIMED]
    lengths = [x for c in report(name)["cells"] for x in c["lengths"]]
    void = [
        x
        for x in lengths
        if "measured stability" in x["premises"] and x["verdict"] == "undetermined"
    ]
    said = [r["predicted"] for r in silent if r["predicted"] != UNCLAIMED]
    bounds = [r["predicted"] for r in silent if r["verdict"] == Untested.WEAK]
    assert len(said) - len(bounds) == len(void)
    assert len(unclaimed) >= len(bounds)
    assert all(re.match("at most|at least|below", x) for x in bounds)  # near 0 or 1
    theorem = Counter(row["theorem judged"] for row in told)
    both = Counter((row["verdict"], row["theorem judged"]) for row in told)
    exact = [r for r in told if re.match(r"\d", r["predicted"]) and r["verdict"] == "agree"]
    shares = [Fraction(re.split(" ±|,", r["predicted"])[0]) for r in exact]
    middle = [x for x in shares if Fraction(1, 20) < x < Fraction(19, 20)]
    open_shares = [x for x in lengths if x["verdict"] == "agree" and x["claim"] == "exact"]
    left = sum(x["unseen_share"] not in (None, "0") for x in open_shares)
    assert sum("±" in r["predicted"] for r in exact) == left
    assert counted["claims"]["agree"] == verdicts["agree"] > 0
    assert counted["claims"]["diverge"] == verdicts["diverge"]
    assert counted["claims"]["silent"] == len(silent)
    assert counted["published"] == {x: theorem[x] for x in ("agree", "diverge")}
    assert counted["wins_over_published"] == both["agree", "diverge"]
    assert counted["losses_to_published"] == both["diverge", "agree"]
    assert counted["fractional_agree"] == len(middle)
    first = (REPORTS / name / "README.md").read_text()
    assert f"{counted['converged']} of {counted['models']} model" in first
    assert f"{counted['claims']['agree']} claims agree" in first


def says_nothing(x: dict[str, Any]) -> bool:
    """Whether nothing is claimed, or only of models that are steady, and none is.

    A bound so near to 0 or 1 that nothing contradicts it is no claim either.
    """
    if "measured stability" in x["premises"] and x["verdict"] == "undetermined":
        return True
    least, most = Fraction(x["at_least"]), Fraction(x["at_most"])
    return x["accuracy"] is None and least <= Fraction("0.02") and most >= Fraction("0.98")


@NAMES
def test_the_counts_are_those_of_its_cells(name: str) -> None:
    counted, cells = report(name)["summary"], report(name)["cells"]
    lengths = [x for c in cells for x in c["lengths"]]
    assert [c["setting"] for c in cells] == [c.to_json() for c in grid(name)]
    assert counted["cells"] == len(cells)
    assert counted["conclusive"] == sum(c["verdict"] != "inconclusive" for c in cells)
    before = Counter(x["predicted_before"] for x in lengths)
    assert counted["predicted_before"] == {x: before[x] for x in ("agree", "diverge")}
    assert all(x["verdict"] == x["predicted_before"] for x in lengths if x["claim_is_stored"])
    after = Counter(x["verdict"] for x in lengths if not x["claim_is_stored"])
    assert counted["explained_after"] == {x: after[x] for x in ("agree", "diverge")}
    untested = [
        x
        for c in cells
        for x in c["lengths"]
        if x["verdict"] == "inconclusive" and not says_nothing(x)
        if not Cell.from_json(c["setting"]).setting.is_premise(x["digits"])
    ]
    assert counted["claims"]["inconclusive"] == len(untested)
    for where, silent in counted["silent_upward"].items():
        without = [
            says_nothing(x)
            for c in cells
            for x in c["lengths"]
            if c["models"] and x["direction"] == "upward"
            if (c["setting"]["pe"] == "ape") == (where == "ape")
        ]
        assert silent == (sum(without) / len(without) if without else None)


def test_the_markdown_has_the_same_counts() -> None:
    c = cell(digits=3)
    constant = cell(digits=3, base=2, train=Domain((3,), "every"))
    runs = [run(c, {**RIGHT, 4: 1.0})]
    verdicts = [judge(c, runs), judge(constant, [run(constant, {1: 0.0, 2: 0.0, 4: 1.0})])]
    counted, text = summarize(verdicts).to_json(), markdown_page(summary_blocks(verdicts))
    assert counted["wins_over_published"] == 2 and "refined theory alone is right at 2" in text
    assert counted["silent_upward"] == {"ape": 0.0, "other": None}
    assert counted["claims"]["diverge"] == 2 and "2 diverge" in text


def test_a_cell_has_all_that_was_asked_predicted_and_measured() -> None:
    c = cell("mod_add", 101, digits=2)
    runs = [run(c, {1: 1.0, 2: 1.0, 3: x}, seed=i) for i, x in enumerate((0.0, 0.01))]
    found = cell_json(judge(c, runs))
    longer = found["lengths"][-1]
    assert (longer["accuracy"], longer["claim"], longer["verdict"]) == ("0", "exact", "agree")
    assert [x["correct"] for x in longer["seeds"]] == [0, 10]
    assert longer["measured"]["low"] < longer["measured"]["accuracy"] == 0.005
    assert (longer["published"], longer["published_verdict"]) == ("fails", "agree")
    assert found["learned_function"] == "Mod(Mod(a, 100) + Mod(b, 100), 101)"
    assert "--seeds 2" in found["command"] and found["derivation"]
    assert [m["converged"] for m in found["models"]] == [True, True]
    assert json.loads(json.dumps(found)) == found


def test_the_command_trains_by_the_recipe_of_the_report(tmp_path: Path) -> None:
    c, other = cell(digits=3), cell(digits=2)
    for recipe, ending in ((DENSE, "dense-noise"), (RECIPE, "place-noise"), (None, "place-noise")):
        version = (recipe or c.recipe).version
        vs = [judge(c, [replace(run(c, RIGHT), recipe=version)]), judge(other, [])]
        report = Report("made up", vs, tmp_path, recipe=recipe)
        for told in report_json(report)["cells"]:
            assert told["command"].endswith(f"--recipe {ending}")
        used = recipe or c.recipe
        assert f"`{used.name}`, version {used.version}: {used.about}." in page(report)
        assert f"--recipe {ending}`" in cells_page(report)


def test_a_cell_that_was_not_trained_can_be(headline: list) -> None:
    cell = headline[0].cell
    found = cell_json(judge(cell, []))
    assert found["command"] == cell.command(0, recipe=cell.recipe)
    assert (found["verdict"], found["models"]) == ("inconclusive", [])
