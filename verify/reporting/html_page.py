"""The report as one page for a browser, which needs nothing but itself."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from arith.theory.display.markdown import one_line
from arith.theory.display.text import count
from arith.theory.prediction.lengths import MOST_UNSEEN
from arith.verify.judging.intervals import CONFIDENCE
from arith.verify.judging.standards import MECHANISM, TOLERANCE
from arith.verify.plan.premise import INDIFFERENT, PREMISE, SEEN_STEADY, STEADY, needed
from arith.verify.plan.sizes import size
from arith.verify.reporting.answer import answer
from arith.verify.reporting.html_cells import cell_view, outcome
from arith.verify.reporting.html_sections import html_sections
from arith.verify.reporting.page import after_cells
from arith.verify.reporting.picture import picture
from arith.verify.reporting.report import Report
from arith.verify.reporting.totals import ledger, totals

_MOST_SEEDS = 12
"""That are named one by one."""


def html_page(report: Report) -> str:
    """The page of a report, all its cells and sections in one file of HTML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("arith.verify.reporting"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    verdicts = sorted(report.verdicts, key=lambda v: not v.runs)
    script = Markup(environment.get_template("report.js").render())
    digest = b64encode(sha256(script.encode()).digest()).decode()
    links = {v.name: f"cell-{i}" for i, v in enumerate(verdicts)}
    counted = totals(verdicts)
    cells = [cell_view(v, report.recipe) for v in verdicts]
    settings = [v.cell.setting for v in verdicts]
    return environment.get_template("report.html").render(
        name=report.name,
        totals=counted,
        ledger=ledger(counted),
        answer=answer(verdicts),
        seed_words=_seed_words(sorted({run.seed for v in verdicts for run in v.runs})),
        count=count,
        picture=picture(verdicts),
        cells=cells,
        outcomes=list(dict.fromkeys(map(outcome, verdicts))),
        encodings={s.encoding.label: s.encoding.summary for s in settings},
        models={v.cell.model: size(v.cell.model) for v in verdicts},
        layouts=list(dict.fromkeys(s.layout for s in settings)),
        sections=html_sections(after_cells(replace(report, verdicts=verdicts)), links),
        standards=_standards(),
        script=script,
        digest=digest,
    )


def _shown(value: Any) -> Any:
    """What a template writes: text that is then escaped, in one line; markup as it is."""
    is_fine = not isinstance(value, str) or isinstance(value, Markup) or value.isprintable()
    return value if is_fine else one_line(value)


def _seed_words(seeds: list[int]) -> str:
    """``seeds 0, 1, 2``; of very many, how many there are."""
    if len(seeds) > _MOST_SEEDS:
        return f"{count(len(seeds), 'seed')} from {seeds[0]} to {seeds[-1]}"
    return f"seed{'' if len(seeds) == 1 else 's'} {', '.join(map(str, seeds)) or 'none'}"


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
