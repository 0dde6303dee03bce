"""The report as one page for a browser, which needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

from theory.prediction.lengths import MOST_UNSEEN
from verify.judging.intervals import CONFIDENCE
from verify.judging.judge import CellVerdict
from verify.judging.standards import MECHANISM, TOLERANCE
from verify.plan.premise import INDIFFERENT, PREMISE, needed
from verify.reporting.html_cells import NOT_TRAINED, cell_view, outcome
from verify.reporting.html_sections import Section, html_sections
from verify.reporting.page import after_cells
from verify.reporting.picture import picture
from verify.reporting.report import Report
from verify.reporting.tables import count
from verify.reporting.totals import FRACTIONAL, Totals, totals


def html_page(report: Report) -> str:
    """The page of a report, all its cells and sections in one file of HTML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("verify.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    verdicts = sorted(report.verdicts, key=lambda v: not v.runs)
    cells, settings = [cell_view(v) for v in verdicts], [v.cell.setting for v in verdicts]
    encodings = {x["encoding"]: s.encoding.summary for x, s in zip(cells, settings, strict=True)}
    t = totals(verdicts)
    return environment.get_template("report.html").render(
        name=report.name,
        totals=t,
        answer=_answer(t, verdicts),
        seeds=sorted({run.seed for v in verdicts for run in v.runs}),
        picture=picture(verdicts),
        cells=cells,
        outcomes=list(dict.fromkeys(map(outcome, verdicts))),
        encodings=encodings,
        models={v.cell.model: v.cell.size for v in verdicts},
        layouts=list(dict.fromkeys(s.layout for s in settings)),
        sections=_sections(replace(report, verdicts=verdicts)),
        standards=_standards(),
    )


def _answer(t: Totals, verdicts: Sequence[CellVerdict]) -> list[str]:
    """What was found, in three sentences."""
    agree, apart, tested = t.claims.agree, t.claims.diverge, t.claims.tested
    found = f"Of {count(tested, 'tested claim')} {agree} agree with what was measured"
    found += f", and {apart} {'does' if apart == 1 else 'do'} not"
    if not apart:
        found = f"All {count(tested, 'tested claim')} agree with what was measured"
    if not tested:
        found = "No claim was tested"
    if t.fractional:
        found += f"; {t.fractional} of those that agree are fractions well between 0 and 1"
    measured = count(tested + t.silent, "measured length")
    silent = f"The theory is silent at {t.silent} of {measured}"
    if not t.silent:
        silent = f"The theory has a claim at every one of {measured}"
    if t.inconclusive:
        left = sum(not v.runs for v in verdicts)
        lost = sum(bool(v.runs) and not v.converged for v in verdicts)
        why = [f"{count(left, 'cell')} not trained yet"] if left else []
        why += [f"{count(lost, 'cell')} without a converged model"] if lost else []
        silent += f"; {count(t.inconclusive, 'more claim')} could not be tested"
        silent += f" ({', '.join(why)})" if why else ""
    theorem = (
        f"The published theorem, judged beside it, is true of the models at "
        f"{count(t.theorem.agree, 'length')} and false at {t.theorem.diverge}"
    )
    return [f"{x}." for x in (found, silent, theorem)]


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
        "confidence": f"{CONFIDENCE:.0%}",
        "tolerance": TOLERANCE,
        "mechanism": f"{MECHANISM:.0%}",
        "unseen": f"{float(MOST_UNSEEN):.0%}",
        "fractional": float(FRACTIONAL),
        "not_trained": NOT_TRAINED,
    }
