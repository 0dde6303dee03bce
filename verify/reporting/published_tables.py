"""The published tables beside our measurements and the exact predictions, as Markdown.

The published figures are the findings of arXiv 2407.17963 in ``theory/literature.toml``; their
settings, layout included, are the authors' own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tabulate import tabulate

from theory.display.text import fraction_text, reads_text
from theory.learning.plateaus import Plateau, plateau_accuracy, plateaus
from theory.setting.directions import Direction
from theory.setting.domains import Domain
from theory.setting.settings import Setting
from theory.studies.findings import Finding, findings
from theory.studies.literature import LengthComparison, compare
from verify.judging.judge import CellVerdict, pooled
from verify.judging.unconverged import nearest
from verify.plan.cells import Cell
from verify.plan.recipe import PREMISE
from verify.plan.sizes import size
from verify.records.runs import Run
from verify.reporting.page import judge_evidence

PAPER = "2407.17963"
REACH = 3
"""The longest training length that our models are trained on; longer rows are only named."""

PublishedRow = tuple[Finding, ...]
"""What was reported of one model: against the truth, and against the learned function."""


def published_rows() -> list[PublishedRow]:
    """The published tables, the findings about one model put together."""
    rows: dict[tuple[Setting, str], list[Finding]] = {}
    for f in findings():
        if f.paper.arxiv == PAPER:
            rows.setdefault((f.setting(), f.model), []).append(f)
    return [tuple(row) for row in rows.values()]


def ours(published: Setting, runs: Sequence[Run]) -> list[CellVerdict]:
    """Our cells that train what a published row trains, judged, the best to compare first.

    Layout, test lengths, test domain and model size may differ.  A cell with converged models
    comes first, then one with the published test domain, then the published layout, the aligned
    one, then the one with the most converged models.
    """
    cells = {run.cell.key: run.cell for run in runs if _trains(run.cell, published)}
    mine = [run for run in runs if run.cell.key in cells]

    def rank(v: CellVerdict) -> tuple[bool, bool, int, int, str]:
        s = v.cell.setting
        layouts = [published.layout.name, "aligned", s.layout.name]
        return (
            not v.converged,
            s.test_kind != published.test_kind,
            layouts.index(s.layout.name),
            -len(v.converged),
            v.cell.key,
        )

    return sorted(judge_evidence(list(cells.values()), mine), key=rank)


def _trains(cell: Cell, published: Setting) -> bool:
    """Whether a cell is the published setting but for layout and tests."""
    s, p = cell.setting, published
    alike = (s.task, s.base, s.encoding, s.window, s.train)
    return alike == (p.task, p.base, p.encoding, p.window, p.train)


def section(runs: Sequence[Run]) -> str:
    """The published tables, row by row: reported, measured by us, and predicted.

    Args:
        runs: the evidence; converged runs of one cell are pooled.
    """
    rows = published_rows()
    near = [row for row in rows if max(row[0].train) <= REACH]
    far = [row for row in rows if max(row[0].train) > REACH]
    return "\n\n".join(
        [
            f"## The tables of arXiv {PAPER}",
            "*P*: as published. *ours*: measured by us, converged models pooled, or all where none is. "
            "*predicted*: the exact accuracy of a converged model for P's layout and test domain. "
            "*plateau*: the exact accuracy of one that stands at that plateau. *as f^*: the share of answers equal to "
            "the expected function. *±*: the share of inputs on which training leaves the "
            "answer open.",
            *(part for row in near for part in _row_section(row, runs)),
            f"Out of reach (trained on more than {REACH} digits): {_names(far)}.",
        ]
    )


def _names(rows: Sequence[PublishedRow]) -> str:
    return "; ".join(_name(row[0].setting()) for row in rows)


def _name(s: Setting) -> str:
    """``a·b mod 50 · D_3``, with the test domain where it is of another kind."""
    tested = "" if s.test_kind == s.train.kind else f", tested on D_n{_mark(s.test_kind)}"
    return f"{s.task.text()} · {s.train.text()}{tested}"


def _mark(kind: str) -> str:
    """What ``Domain.text`` writes behind a length."""
    return Domain((1,), kind).text().removeprefix("D_1")


def _row_section(row: PublishedRow, runs: Sequence[Run]) -> Iterator[str]:
    """Heading, remark and table of one published row."""
    setting = row[0].setting()
    found = ours(setting, runs)
    best = found[0] if found else None
    yield f"### {_name(setting)}"
    at = _plateau(row)
    stands = f" That is the plateau of {reads_text(at.read)}." if at else ""
    yield f"{_premise(row)}{stands} {_ours_text(setting, found)}"
    head, columns = ["digits"], [[str(n) for n in setting.test_lengths]]
    for finding in row:
        what = " as f^" if finding.against == "learned_function" else ""
        head += [f"P{what}", f"ours{what}{_seeds(best)}", f"predicted{what}"]
        columns += _columns(finding, best)
    if at:
        head.append("plateau")
        columns.append([_at_plateau(at, setting, n) for n in setting.test_lengths])
    yield tabulate(list(zip(*columns, strict=True)), head, tablefmt="github", disable_numparse=True)


def _plateau(row: PublishedRow) -> Plateau | None:
    """The plateau at which P's model stands that had not converged, if it is at one."""
    if min(_in_domain(row)) >= 100 * PREMISE:
        return None
    setting = row[0].setting()
    found = plateaus(setting.task, setting.base, setting.train)
    return nearest(found, max(_in_domain(row)) / 100)


def _at_plateau(at: Plateau, s: Setting, digits: int) -> str:
    """The plateau's accuracy at a trained or a longer length, or a dash."""
    if s.direction(digits) not in (Direction.IN_DOMAIN, Direction.UPWARD):
        return "-"
    bounds = plateau_accuracy(s.task, s.base, s.train, at, s.test(digits))
    return "-" if bounds is None else " to ".join(dict.fromkeys(map(_percent, bounds)))


def _seeds(best: CellVerdict | None) -> str:
    """How many models are pooled in our column, `` (2 seeds)``; all where none converged."""
    if best is None:
        return ""
    count = len(best.shown)
    what = "" if best.converged else ", not converged"
    return f" ({count} seed{'' if count == 1 else 's'}{what})"


def _columns(finding: Finding, best: CellVerdict | None) -> list[list[str]]:
    """Reported, measured and predicted, by length."""
    measured = _shares(best, finding.against) if best else {}
    compared = compare(finding)
    assert compared.prediction is not None  # the paper's settings are all in our tables
    return [
        [f"{a:g} %" for a in finding.accuracy],
        [_percent(measured[n]) if n in measured else "-" for n in finding.test],
        [
            _predicted(x, expected.unseen)
            for x, expected in zip(compared.lengths, compared.prediction.lengths, strict=True)
        ],
    ]


def _shares(v: CellVerdict, against: str) -> dict[int, float]:
    """Our share of right answers by length, of the converged models or, where none is, of all."""
    counts: dict[int, list[tuple[int, int]]] = {}
    for m in (m for run in v.shown for m in run.measurements):
        right = m.learned if against == "learned_function" else m.correct
        if right is not None:
            counts.setdefault(m.digits, []).append((right, m.samples))
    return {n: pooled(found).value for n, found in counts.items()}


def _predicted(x: LengthComparison, unseen: Fraction) -> str:
    """``37/165 = 22.4 %``; where training leaves the answer open on a few inputs, ``± 1 %``."""
    if x.predicted is None:
        return "undetermined" if x.high == 1 else f"at most {_percent(x.high)}"
    room = f" ± {_percent(unseen)}" if unseen else ""
    return f"{fraction_text(x.predicted)} = {_percent(x.predicted)}{room}"


def _percent(x: Fraction | float) -> str:
    return f"{100 * float(x):.3g} %"


def _premise(row: PublishedRow) -> str:
    """Whether P's model had converged.

    In domain the truth and the learned function are one, so each table measures the premise.
    """
    low, high = min(_in_domain(row)), max(_in_domain(row))
    had = "had" if low >= 100 * PREMISE else "had not"
    span = f"{low:g} %" if low == high else f"{low:g} to {high:g} %"
    return f"P's {row[0].model} {had} converged (in domain {span})."


def _in_domain(row: PublishedRow) -> list[float]:
    """What was reported at the trained lengths, percent."""
    return [a for f in row for n, a in zip(f.test, f.accuracy, strict=True) if n in f.train]


def _ours_text(published: Setting, found: Sequence[CellVerdict]) -> str:
    """Which of our cells stands in the table, and what else there is."""
    if not found:
        return "No model of ours was trained on this."
    first, *others = found
    kind = first.cell.setting.test_kind
    text = f"Ours: {_models(first)}"
    if kind != published.test_kind:
        text += f"; tested on D_n{_mark(kind)}, P's on D_n{_mark(published.test_kind)}"
    if others:
        text += f". Also in the evidence: {'; '.join(_models(v) for v in others)}"
    return text + "."


def _models(v: CellVerdict) -> str:
    """``aligned layout, wide (2 layers, width 128), 1 of 2 models converged``."""
    shape = size(v.cell.model)
    text = (
        f"{v.cell.setting.layout.name} layout, {v.cell.model} ({shape.layers} layers, width "
        f"{shape.width}), {len(v.converged)} of {len(v.runs)} models converged"
    )
    if v.converged:
        return text
    return f"{text} (in domain {', '.join(_percent(r.premise) for r in v.runs)})"
