"""The published tables beside our measurements and the exact predictions.

The published figures are the findings of arXiv 2407.17963 in ``theory/studies/literature.toml``;
their settings, layout included, are the authors' own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from arith.theory.arithmetic.directions import Direction
from arith.theory.arithmetic.domains import Domain
from arith.theory.learning.plateaus import Plateau, plateau_accuracy, setting_plateaus
from arith.theory.setting.settings import Setting
from arith.theory.studies.literature import Finding, LengthComparison, compare, findings
from arith.theory.text.text import count, digits_text, fraction_text, reads_text
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.learning import nearest_plateau
from arith.verify.plan.premise import PREMISE
from arith.verify.reporting.blocks import Block, Heading, Table, text
from arith.verify.reporting.report import Report

PAPER = "2407.17963"
REACH = 3
"""Rows of longer training lengths are only named, unless a cell was trained on what they were."""

PublishedRow = tuple[Finding, ...]
"""What was reported of one model: against the truth, and against the learned function."""


def compared_tables(report: Report) -> list[Block]:
    """The published tables, where a model of the report was trained on what one of them was."""
    trained = report.trained
    if not any(same_training(row[0].setting, trained) for row in published_rows()):
        return []
    return published_tables(trained)


@cache
def published_rows() -> tuple[PublishedRow, ...]:
    """The published tables, the findings about one model put together."""
    rows: dict[tuple[Setting, str], list[Finding]] = {}
    for f in findings():
        if f.paper.source == f"arXiv {PAPER}":
            rows.setdefault((f.setting, f.model), []).append(f)
    return tuple(map(tuple, rows.values()))


def same_training(published: Setting, verdicts: Sequence[CellVerdict]) -> list[CellVerdict]:
    """The cells that train what a published row trains, the best to compare first.

    Layout, test lengths, test domain and model size may differ.
    """

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

    def asked(s: Setting) -> tuple[object, ...]:
        return s.task, s.base, s.encoding, s.window, s.train

    ours = [v for v in verdicts if asked(v.cell.setting) == asked(published)]
    return sorted(ours, key=rank)


def published_tables(verdicts: Sequence[CellVerdict]) -> list[Block]:
    """The published tables, row by row: reported, measured by us, and predicted."""
    rows = published_rows()
    near = [
        row for row in rows if max(row[0].train) <= REACH or same_training(row[0].setting, verdicts)
    ]
    far = [_name(row[0].setting) for row in rows if row not in near]
    return [
        Heading(f"The tables of arXiv {PAPER}"),
        text("published_tables"),
        *(paragraph for row in near for paragraph in _row_section(row, verdicts)),
        *[f"Not compared, as no model here was trained on the same: {'; '.join(far)}."] * bool(far),
    ]


def _name(s: Setting) -> str:
    """``a·b mod 50 · D_3``, with the test domain where it is of another kind."""
    tested = "" if s.test_kind == s.train.kind else f", tested on {_domain(s)}"
    return f"{s.task.text()} · {s.train.text()}{tested}"


def _domain(s: Setting) -> str:
    """The test domain at any length, ``D_n^every``."""
    return Domain((1,), s.test_kind).text().replace("D_1", "D_n")


def _row_section(row: PublishedRow, verdicts: Sequence[CellVerdict]) -> Iterator[Block]:
    """Heading, remark and table of one published row."""
    s = row[0].setting
    ours = same_training(s, verdicts)
    best = ours[0] if ours else None
    # In domain the truth and the learned function are one, so each table measures the premise.
    reached = [a for f in row for n, a in zip(f.test, f.accuracy, strict=True) if n in f.train]
    had_converged = min(reached) >= 100 * PREMISE
    plateau = None
    if not had_converged:
        plateau = nearest_plateau(setting_plateaus(s), max(reached) / 100)
    yield Heading(_name(s), level=3)
    yield (
        f"P's {row[0].model} {'had' if had_converged else 'had not'} converged (in domain "
        f"{' to '.join(dict.fromkeys(f'{a:g}' for a in (min(reached), max(reached))))} %)."
        + (f" The nearest plateau is that of {reads_text(plateau.read)}." if plateau else "")
        + f" {_ours(s, ours)}"
    )
    rows = [_length_row(row, i, best) for i in range(len(s.test_lengths))]
    if plateau:
        for n, cells in zip(s.test_lengths, rows, strict=True):
            cells["plateau"] = _at_plateau(plateau, s, n)
    yield Table(rows)


def _length_row(row: PublishedRow, i: int, best: CellVerdict | None) -> dict[str, str]:
    """Reported, measured and predicted at the i-th test length."""
    cells, seeds = {"digits": str(row[0].test[i])}, ""
    if best is not None:
        lost = "" if best.converged else ", not converged"
        seeds = f" ({count(len(best.converged_or_all), 'seed')}{lost})"
    for f in row:
        learned = f.against == "learned_function"
        what = " as f^" if learned else ""
        measured = None if best is None else best.measured(f.test[i], learned)
        compared = compare(f)
        assert compared.prediction is not None  # the paper's settings are all in our tables
        unseen = compared.prediction.lengths[i].unseen
        cells[f"P{what}"] = f"{f.accuracy[i]:g} %"
        cells[f"ours{what}{seeds}"] = "-" if measured is None else _percent(measured.value)
        cells[f"predicted{what}"] = _predicted(compared.lengths[i], unseen)
    return cells


def _at_plateau(plateau: Plateau, s: Setting, digits: int) -> str:
    """The plateau's accuracy at a trained or a longer length, or a dash."""
    if s.train.direction(digits) not in (Direction.IN_DOMAIN, Direction.UPWARD):
        return "-"
    bounds = plateau_accuracy(s.task, s.base, s.train, plateau, s.test(digits))
    return "-" if bounds is None else " to ".join(dict.fromkeys(map(_percent, bounds)))


def _predicted(x: LengthComparison, unseen: Fraction) -> str:
    """``37/165 = 22.4 %``; where training leaves the answer open on a few inputs, ``± 1 %``."""
    if x.predicted is not None:
        room = f" ± {_percent(unseen)}" if unseen else ""
        return f"{fraction_text(x.predicted)} = {_percent(x.predicted)}{room}"
    if x.high == 1:
        return f"at least {_percent(x.low)}" if x.low else "undetermined"
    least = f"{_percent(x.low)} to" if x.low else "at most"
    return f"{least} {_percent(x.high)}"


def _percent(x: Fraction | float) -> str:
    return f"{100 * float(x):.3g} %"


def _ours(published: Setting, verdicts: Sequence[CellVerdict]) -> str:
    """Which of our cells stands in the table, and what else there is."""
    if not verdicts:
        return "No model of ours was trained on this."
    best, *others = verdicts
    text = f"Ours: {_models(best)}"
    if best.cell.setting.test_kind != published.test_kind:
        text += f"; tested on {_domain(best.cell.setting)}, P's on {_domain(published)}"
    if others:
        text += f". Also in the evidence: {'; '.join(map(_models, others))}"
    return text + "."


def _models(v: CellVerdict) -> str:
    """``aligned layout, wide (2 layers, width 128), 1 of 2 models converged``."""
    shape = v.cell.size
    reached = ", ".join(_percent(r.premise) for r in v.runs)
    s = v.cell.setting
    padded = f", padded to {digits_text(s.width)}" if s.width else ""
    return (
        f"{s.layout.name} layout{padded}, {v.cell.model} ({shape.layers} layers, width "
        f"{shape.width}), {len(v.converged)} of {count(len(v.runs), 'model')} converged"
        + ("" if v.converged else f" (in domain {reached})")
    )
