"""The report as one page for a browser, which needs nothing but itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

from arith.theory.prediction.lengths import MOST_UNSEEN
from arith.verify.judging.intervals import CONFIDENCE
from arith.verify.judging.standards import MECHANISM, TOLERANCE
from arith.verify.plan.premise import INDIFFERENT, PREMISE, SEEN_STEADY, STEADY, needed
from arith.verify.plan.sizes import size
from arith.verify.reporting.answer import answer
from arith.verify.reporting.html_cells import cell_view, outcome
from arith.verify.reporting.html_sections import Section, html_sections
from arith.verify.reporting.page import after_cells
from arith.verify.reporting.picture import picture
from arith.verify.reporting.report import Report
from arith.verify.reporting.totals import totals


def html_page(report: Report) -> str:
    """The page of a report, all its cells and sections in one file of HTML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("arith.verify.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    verdicts = sorted(report.verdicts, key=lambda v: not v.runs)
    cells = [cell_view(v, report.recipe) for v in verdicts]
    settings = [v.cell.setting for v in verdicts]
    return environment.get_template("report.html").render(
        name=report.name,
        totals=totals(verdicts),
        answer=answer(verdicts),
        seeds=sorted({run.seed for v in verdicts for run in v.runs}),
        picture=picture(verdicts),
        cells=cells,
        outcomes=list(dict.fromkeys(map(outcome, verdicts))),
        encodings={s.encoding.label: s.encoding.summary for s in settings},
        models={v.cell.model: size(v.cell.model) for v in verdicts},
        layouts=list(dict.fromkeys(s.layout for s in settings)),
        sections=_sections(replace(report, verdicts=verdicts)),
        standards=_standards(),
    )


def _sections(report: Report) -> list[Section]:
    """The sections of the Markdown report, their figures drawn for this page alone."""
    links = {v.name: f"cell-{i}" for i, v in enumerate(report.verdicts)}
    with TemporaryDirectory() as name:
        folder, inspected = Path(name), report.folder / "mechanism"
        if inspected.exists():
            copytree(inspected, folder / "mechanism")
        return html_sections(after_cells(replace(report, folder=folder)), folder, links)


def _standards() -> dict[str, Any]:
    """The numbers by which is judged, as the page says them."""
    return {
        "premise": f"{PREMISE:.0%}",
        "needed": needed(),
        "indifferent": f"{INDIFFERENT:.0%}",
        "steady": f"{STEADY:.0%}",
        "seen_steady": f"{SEEN_STEADY:.1%}",
        "confidence": f"{CONFIDENCE:.0%}",
        "tolerance": TOLERANCE,
        "mechanism": f"{MECHANISM:.0%}",
        "unseen": f"{float(MOST_UNSEEN):.0%}",
    }
