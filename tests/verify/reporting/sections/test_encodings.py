"""The section that sets encodings beside each other."""

from __future__ import annotations

from pathlib import Path

from builders.cells import cell
from builders.runs import RIGHT, run

from arith.verify.judging.judge import CellVerdict, judge
from arith.verify.reporting.blocks import markdown_page
from arith.verify.reporting.report import Report
from arith.verify.reporting.sections.agreement import encodings


def verdict(pe: str, longer: float = 0.0, **how: object) -> CellVerdict:
    c = cell(pe=pe, digits=3, **how)  # type: ignore[arg-type]
    lengths = dict.fromkeys((1, 2, 3), 1.0) | dict.fromkeys((4, 5, 6), longer)
    return judge(c, [run(c, lengths)])


def test_claims_and_what_became_of_the_others_are_counted(tmp_path: Path) -> None:
    how = {"form": "interleaved", "window": 5, "layers": 1}
    narrow = [verdict(pe, right, **how) for pe, right in (("rpe", 1.0), ("rope", 0.5))]
    open_ones = [verdict("rpe"), verdict("nope", longer=1.0)]
    known = judge(open_ones[0].cell, open_ones[0].runs)
    absolute = cell(digits=3)
    report = Report(
        "x", [*narrow, known, open_ones[1], judge(absolute, [run(absolute, RIGHT)])], tmp_path
    )
    text = markdown_page(encodings(report), tmp_path)
    assert "1 of 2 cells with a tested claim on longer inputs agree" in text
    assert "1 of 2 cells without a claim are right" in text
    drawn = (tmp_path / "encodings.svg").read_text()
    assert drawn.count("interleaved W=5 L=1") == 1  # one row for both encodings
    assert {"APE", "RPE", "RoPE", "NoPE"} <= set(drawn.replace("<", ">").split(">"))


def test_one_encoding_alone_is_no_comparison(tmp_path: Path) -> None:
    assert encodings(Report("x", [verdict("rpe")], tmp_path)) == []
