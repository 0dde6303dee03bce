"""The sections on what became of claims: by rule, by encoding, by training set, and of silence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from arith.theory.arithmetic.directions import EXTRAPOLATING, Direction
from arith.theory.generalization.outcomes import Claim as Kind
from arith.theory.text.answer import INPUTS
from arith.theory.text.style import FAINT, PALETTE, UNKNOWN
from arith.theory.text.text import claim_text, count
from arith.theory.transformer.encodings import ENCODINGS
from arith.verify.judging.claims import PUBLISHED, REFINED, Claim, Tally, claims, rules_of
from arith.verify.judging.intervals import Interval
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict, worst
from arith.verify.judging.standards import is_testable
from arith.verify.reporting.blocks import Block, Figure, Heading, Items, Table, text
from arith.verify.reporting.markdown import Markdown, plain
from arith.verify.reporting.plots import (
    CROSSED,
    MISSED,
    MODEL,
    Mark,
    Shade,
    cell_name,
    draw_encodings,
    draw_rows,
)
from arith.verify.reporting.report import Report
from arith.verify.reporting.summary import is_silent, judged, summarize

COLUMNS = ("claim", "supports", "contradicts", "not tested", "nothing to test")
_TITLES = {PUBLISHED: "Published theorems", REFINED: "Rules of the refined theory"}
RIGHT = 0.95
"""The accuracy from which longer inputs count as right."""
MOST_DRAWN = 60
"""Rows in the figure of encodings: of more it shows the first."""
_BAR: dict[str, Any] = {"lw": 9, "solid_capstyle": "butt"}
"""A range in a row of a figure."""


def no_claim(report: Report) -> list[Block]:
    """The lengths without a claim by rule, each cell in a line with what was measured."""
    by_rule: dict[str, dict[str, list[str]]] = {}
    for v in report.trained:
        for x in v.lengths:
            if x.accuracy is not None and is_silent(x):
                cells = by_rule.setdefault(_because(v, x), {})
                cells.setdefault(v.name, []).append(f"{x.accuracy.value:.3f} at {x.digits}")
    if not by_rule:
        return []
    lengths = sum(len(at) for cells in by_rule.values() for at in cells.values())
    parts: list[Block] = []
    for rule, cells in sorted(by_rule.items(), key=lambda x: -len(x[1])):
        lines = Items([f"{cell}: {', '.join(at)}" for cell, at in cells.items()])
        parts += [Markdown(f"**{rule[0].upper()}{rule[1:]}**"), lines]
    return [Heading("No claim"), text("no_claim", lengths=count(lengths, "length")), *parts]


def _because(v: CellVerdict, x: LengthVerdict) -> str:
    """The rules that leave the answer open at a length."""
    rules = {step.rule for step in v.prediction.derivation}
    if x.prediction.requires_measured_stability and is_testable(x.prediction):
        told = ("two candidates", "neighbours", "shared parameters", "receptive field")
        rule = next((rule for rule in told if rule in rules), "stability")
        return f"{rule} (none is stable)"
    steps = [step.rule for step in v.prediction.derivation if step.leaves_open]
    rests_on = rules_of(v.prediction, x.prediction)
    here = [rule for rule in steps if rule in rests_on]
    if not x.prediction.counted:
        return "not counted"
    named = [rule for rule in here or steps if rule != "two candidates"]
    last = [x.rule for x in v.prediction.derivation if x.rule != "two candidates"][-1]
    return " and ".join(dict.fromkeys(named)) or last


def published_wrong(report: Report) -> list[Block]:
    """A line for each cell and direction in which the theorem is wrong at some length."""
    items = [line for v in report.trained for d in EXTRAPOLATING if (line := _wrong(v, d))]
    if not items:
        return []
    wrong = sum(x.published == Verdict.DIVERGE for v in report.trained for x in v.lengths)
    return [
        Heading("Where the published theorem is wrong"),
        text("published_wrong", lengths=count(wrong, "length")),
        Items(items),
    ]


def _wrong(v: CellVerdict, direction: Direction) -> str:
    """What was measured where the theorem is wrong in a direction; empty where it is not."""
    lengths = [x for x in v.lengths if x.prediction.direction == direction]
    wrong = [x for x in lengths if x.published == Verdict.DIVERGE]
    if not wrong:
        return ""
    found = [(x.digits, v.measured(x.digits)) for x in wrong]
    measured = ", ".join(f"{value.value:.3f} at {n}" for n, value in found if value)
    claimed = ", ".join(dict.fromkeys(claim_text(x.prediction) for x in wrong))
    says = v.prediction.published_verdict(direction)
    theorem = v.prediction.published.theorem
    because = f" ({theorem})" if direction == Direction.UPWARD else ""
    return Markdown(
        f"{plain(v.name)}: *{says}* on {INPUTS[direction]} inputs{because}; measured {measured}. "
        f"Refined theory: {claimed}."
    )


def theorems_and_rules(report: Report) -> list[Block]:
    """A table of the theorems, one of the rules, and what each rule says."""
    return [
        Heading("Theorems and rules"),
        text("theorems_and_rules"),
        *claim_tables(claims(report.verdicts)),
    ]


def claim_tables(listed: Sequence[Claim]) -> list[Block]:
    """The claims that some cell speaks to, in the order of ``COLUMNS``; the others."""
    spoken = [c for c in listed if c.cells != Tally()]
    tables: list[Block] = [
        Table([_claim_row(c) for c in spoken if c.source == source], (title, *COLUMNS[1:]))
        for source, title in _TITLES.items()
    ]
    rules = [
        Markdown(f"*{c.name}*: {' '.join(c.says.split())}") for c in spoken if c.source == REFINED
    ]
    others = len(listed) - len(spoken)
    silent = "is used" if others == 1 else "are used"
    rest = Markdown(
        f"{count(others, 'other')} {silent} by no cell of this grid; `arith theorems` lists all."
    )
    return [*tables, Items(rules), *([rest] if others else [])]


def _claim_row(c: Claim) -> list[str]:
    return [
        Markdown(f"{c.name}: {c.says}") if c.source == PUBLISHED else c.name,
        _counted(c.cells.supports, c.seeds.supports, c.seeds.tested),
        _counted(c.cells.contradicts, c.seeds.contradicts, c.seeds.tested),
        _counted(c.cells.not_reached, c.seeds.not_reached),
        _counted(c.cells.no_claim, c.seeds.no_claim),
    ]


def _counted(cells: int, seeds: int, tested: int | None = None) -> str:
    """``2 cells, 3 models``, or of those tested: ``12 cells, 31 of 36 models``."""
    if tested is None:
        return f"{count(cells, 'cell')}, {count(seeds, 'model')}" if cells or seeds else "0 cells"
    return f"{count(cells, 'cell')}, {seeds} of {count(tested, 'model')}" if tested else "0 cells"


def encodings(report: Report) -> list[Block]:
    """How many claims agree off APE, and how the cells without a claim came out."""
    asked: dict[str, dict[str, CellVerdict]] = {}
    for v in report.trained:
        encoding = v.cell.setting.encoding
        question = cell_name(v).replace(f" · {encoding.label} ·", " ·")
        if _next(v) or not v.converged:
            asked.setdefault(question, {})[encoding.name] = v
    asked = {
        q: cells for q, cells in asked.items() if sum(map(bool, map(_next, cells.values()))) > 1
    }
    others = [
        v for cells in asked.values() for name, v in cells.items() if name != "ape" and _next(v)
    ]
    if not others:
        return []
    tested = judged(map(_outcome, others))
    silent = [v for v in others if _outcome(v) == Verdict.UNDETERMINED]
    right = sum(all(x.accuracy.value >= RIGHT for x in v.longer if x.accuracy) for v in silent)
    rows = {
        question: {name: _shade(v) for name, v in cells.items()}
        for question, cells in islice(asked.items(), MOST_DRAWN)
    }
    used = {name for cells in rows.values() for name in cells}
    columns = {name: ENCODINGS[name].label for name in ENCODINGS if name in used}
    first = f"The first {MOST_DRAWN} of {count(len(asked), 'row')}."
    return [
        Heading("Encodings"),
        text(
            "encodings",
            agree=tested.agree,
            tested=count(tested.tested, "cell"),
            right=right,
            least=RIGHT,
            cells=count(len(silent), "cell"),
        ),
        Figure(
            "Accuracy on inputs one digit longer, by encoding",
            "encodings.svg",
            lambda path: draw_encodings(path, rows, columns),
        ),
        *([first] if len(asked) > MOST_DRAWN else []),
    ]


def _outcome(v: CellVerdict) -> Verdict:
    """The worst verdict on longer inputs."""
    return worst(x.verdict for x in v.longer)


def _next(v: CellVerdict) -> Interval | None:
    """The accuracy of the converged models on inputs one digit longer, if it was measured."""
    return v.measured(max(v.cell.setting.train.every_length) + 1) if v.converged else None


def _shade(v: CellVerdict) -> Shade:
    return accuracy.value if (accuracy := _next(v)) else None, _outcome(v)


def training_data(report: Report) -> list[Block]:
    """How many claims about changed training sets agree."""
    varied = report.trained_of("data")
    if not varied:
        return []
    tested = summarize(varied).claims
    lengths = sorted({n for v in varied for n in v.cell.setting.test_lengths})
    panels: list[tuple[str, list[Mark]]] = [(count(n, "digit"), []) for n in lengths]
    for row, v in enumerate(varied):
        for x in v.lengths:
            _, marks = panels[lengths.index(x.digits)]
            marks += [_claim_mark(row, x), *_measured_marks(row, v, x)]
    names = [v.cell.label().replace(" · APE · aligned", "") for v in varied]
    return [
        Heading("Training data"),
        f"Of {count(tested.tested, 'test length')} at which the theory makes a claim for a changed "
        f"training set, {tested.agree} agree.",
        Figure(
            "Predicted and measured accuracy by training set",
            "data.svg",
            lambda path: draw_rows(path, names, panels, "accuracy, by test length"),
        ),
    ]


def _claim_mark(row: int, x: LengthVerdict) -> Mark:
    """A line at the accuracy that is claimed, a bar within bounds or where nothing is claimed."""
    claim = x.prediction
    if claim.claim == Kind.EXACT:
        at: Any = {"marker": "|", "ms": 14, "mew": 2.5, "ls": "", "color": PALETTE[1]}
        return Mark(row, [float(claim.accuracy or 0)], "predicted", at)
    ends = [float(claim.at_least), float(claim.at_most)]
    if claim.claim == Kind.NONE:
        return Mark(row, ends, "open: no claim", _BAR | {"color": UNKNOWN})
    style = _BAR | {"color": PALETTE[1], "alpha": 0.3}
    return Mark(row, ends, "predicted: within the bar", style)


def _measured_marks(row: int, v: CellVerdict, x: LengthVerdict) -> Iterator[Mark]:
    """The converged models of a cell pooled, with their interval; crosses where none converged."""
    if measured := v.measured(x.digits):
        ends = [measured.low, measured.high]
        yield Mark(row, ends, "interval of what was measured", {"lw": 1, "color": FAINT})
        what, style = ("measured", MODEL) if v.converged else (f"measured, {MISSED}", CROSSED)
        yield Mark(row, [measured.value], what, style)
