"""Counts with their nouns: one of them is never said in the plural."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from builders.paths import REPORTS
from matplotlib.backends.backend_svg import FigureCanvasSVG

from arith.theory.text.text import count
from arith.verify.pipeline import judge
from arith.verify.reporting.exports import junit, report_json
from arith.verify.reporting.page import cells_page, html_page, page
from arith.verify.reporting.terminal import cell_legend, outcome_line, summary_line

NOUNS = "cells|models|lengths|digits|claims|seeds|rows|lines|others|measurements|cases|questions"
WRONG = re.compile(rf"(?<![\d.,/])\b1 (?:tested |measured |test )?(?:{NOUNS})\b")


def test_one_is_one() -> None:
    assert [count(n, "cell") for n in (0, 1, 2)] == ["0 cells", "1 cell", "2 cells"]
    assert WRONG.search("of 1 models") and not WRONG.search("0.1 models, 11 cells, 1 cell")


@pytest.mark.parametrize("name", ["headline", "published"])
def test_no_form_of_a_report_of_one_cell_and_one_model_says_1_cells(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        FigureCanvasSVG, "print_svg", lambda self, path, **_: path.write_text("<svg/>")
    )
    whole = judge(name, REPORTS)
    one = replace(whole.verdicts[0], runs=whole.verdicts[0].runs[:1])
    report = replace(whole, verdicts=[one], others=(), folder=tmp_path)
    said = [page, cells_page, html_page, lambda r: json.dumps(report_json(r))]
    said += [lambda r: junit(r.verdicts), lambda r: outcome_line(r.verdicts, r.known)]
    said += [lambda r: summary_line(r.verdicts), lambda r: " ".join(cell_legend(r.verdicts))]
    for form in said:
        text = re.sub(r"</?[a-z][^>]*>", " ", form(report))
        assert (found := WRONG.search(text)) is None, found
