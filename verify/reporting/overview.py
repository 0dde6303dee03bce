"""All grids together: what became of the claims, by grid, kind, inputs, rule and theory version."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from arith.theory.generalization.lengths import LengthPrediction
from arith.theory.generalization.outcomes import Claim
from arith.theory.generalization.theorems import THEOREMS
from arith.theory.prediction.forecast import class_of
from arith.theory.rules import RULES, THEORY_VERSION
from arith.theory.text.answer import INPUTS
from arith.theory.text.text import claim_text
from arith.verify.judging.candidates import candidate_counts
from arith.verify.judging.claims import rules_of
from arith.verify.judging.intervals import CONFIDENCE, pooled
from arith.verify.judging.judge import CellVerdict, LengthVerdict, Verdict
from arith.verify.records.measurement import Measurement
from arith.verify.reporting.blocks import Block, Heading, Items, Table, markdown_page, text
from arith.verify.reporting.markdown import Markdown, plain
from arith.verify.reporting.report import Report
from arith.verify.reporting.skill import (
    CLASSES,
    NAMES,
    decimals,
    skill_blocks,
    skill_json,
)
from arith.verify.reporting.summary import (
    FRACTIONAL,
    TESTED,
    Judged,
    before_by_version,
    is_silent,
    is_untested,
    judged,
    summarize,
)
from arith.verify.reporting.terminal import claimed_of, length_word, verdict_word

_KINDS = ("right on all", "on nearly all", "a fraction", "on nearly none", "at most", "at least")
_RANGE = "between two bounds"
_JUDGED = ("claims", "agree", "diverge", "not tested", "stored: agree", "stored: diverge")
Found = tuple[CellVerdict, LengthVerdict]
"""A length with its cell: one that was not trained, and that a query can tell from those."""
FailedModel = tuple[str, Measurement]
"""The version of the theory that claimed something of a model, and what was measured."""


def merge_grids(reports: Sequence[Report]) -> dict[str, list[CellVerdict]]:
    """The verdicts on the cells of several grids, by grid.

    A cell that is trained by one recipe in two of them is there once: as in the one that has more
    models of it.
    """
    best: dict[Any, tuple[str, CellVerdict]] = {}
    for report in reports:
        for v in report.verdicts:
            key = v.cell.key, (report.recipe or v.cell.recipe).version
            if key not in best or len(v.runs) > len(best[key][1].runs):
                best[key] = report.folder.name, v
    by_grid: dict[str, list[CellVerdict]] = {}
    for name, v in best.values():
        by_grid.setdefault(name, []).append(v)
    return by_grid


def overview_page(reports: Sequence[Report], folder: Path) -> str:
    """The page over some grids as Markdown, its figure drawn into a folder."""
    by_grid = merge_grids(reports)
    verdicts = [v for some in by_grid.values() for v in some]
    found = [(v, x) for v in verdicts if v.runs for x in v.lengths if _is_new(v, x)]
    before = summarize(verdicts).predicted_before
    folders = [report.folder.name for report in reports]
    linked = [Markdown(f"[{plain(name)}]({name}/README.md)") for name in folders]
    grids = [_grid_row(x, report.verdicts) for x, report in zip(linked, reports, strict=True)]
    versions = [{"theory": str(n)} | _came_true(x) for n, x in before_by_version(verdicts).items()]
    failed = (failed_claims(name, v) for name, some in by_grid.items() for v in some)
    kinds = _rows((*_KINDS, _RANGE), found, lambda v, x: (_kind(x.prediction),))
    rules = _rows(RULES, found, lambda v, x: rules_of(v.prediction, x.prediction))
    names = [theorem.name for theorem in THEOREMS]
    theorems = _rows(names, found, lambda v, x: x.prediction.because)
    parts: list[Block] = [
        Heading("Theory and experiment: all grids together", level=1),
        text(
            "found",
            agree=before.agree,
            diverge=before.diverge,
            share=_share(before),
            by_cell=_by_cell(verdicts),
        ),
        text("claim"),
        Heading("By grid"),
        text("by_grid"),
        Table([*grids, _grid_row("together", verdicts)]),
        *skill_blocks(verdicts),
        Heading("By kind of claim"),
        text("by_kind", most=1 - FRACTIONAL, fractional=FRACTIONAL),
        Table(kinds, ("kind", *_JUDGED)),
        Heading("By inputs and encoding"),
        text("by_inputs"),
        _by_inputs(found),
        Heading("By theorem"),
        text("by_theorem"),
        Table(theorems, ("theorem", *_JUDGED)),
        Heading("By rule"),
        text("by_rule"),
        Table(rules, ("rule", *_JUDGED)),
        Items([Markdown(f"*{name}*: {RULES[name].summary}") for name, *_ in rules]),
        Heading("By version of the theory"),
        text("by_version", theory_version=THEORY_VERSION),
        Table(versions),
        Heading("What did not come true"),
        text("failed"),
        Table([row for rows in failed for row in rows]),
    ]
    made = Markdown("`arith report --all` makes this page from the evidence.")
    return markdown_page([*parts, made], folder) + "\n"


def settings_page(reports: Sequence[Report], folder: Path) -> str:
    """The page that leads from a setting to its models, as Markdown: every trained cell by name."""
    rows = [
        {
            "setting and model": Markdown(f"[{plain(v.name)}]({grid}/cells.md#{_anchor(v.name)})"),
            "grid": grid,
            "converged": f"{len(v.converged)} of {len(v.runs)}",
            "right, by digits": ", ".join(
                f"{x.digits}: {found.value:.3f}" for x in v.lengths if (found := v.shown(x))
            ),
            "verdict": verdict_word(v.verdict),
        }
        for grid, some in merge_grids(reports).items()
        for v in some
        if v.runs
    ]
    rows.sort(key=lambda row: row["setting and model"])
    parts: list[Block] = [Heading("Measured settings", level=1), text("settings"), Table(rows)]
    return markdown_page(parts, folder) + "\n"


def _anchor(heading: str) -> str:
    """The name that the site gives to a heading."""
    words = re.sub(r"[^\w\s-]", "", heading.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", words)


def overview_json(reports: Sequence[Report]) -> dict[str, Any]:
    """The counts of each grid, and of all together with no cell counted twice."""
    verdicts = [v for some in merge_grids(reports).values() for v in some]
    return {
        "grids": {
            r.folder.name: summarize(r.verdicts).to_json() | {"skill": skill_json(r.verdicts)}
            for r in reports
        },
        "together": summarize(verdicts).to_json() | {"skill": skill_json(verdicts)},
        "by_version": {str(k): vars(x) for k, x in before_by_version(verdicts).items()},
        "candidates": {
            noise: {kind: vars(x) for kind, x in kinds.items()}
            for noise, kinds in candidate_counts(verdicts).items()
        },
    }


def _grid_row(name: str, verdicts: Sequence[CellVerdict]) -> dict[str, str]:
    t = summarize(verdicts)
    trained = [v for v in verdicts if v.runs]
    theorem = t.published
    return {
        "grid": name,
        "cells": f"{len(verdicts):,}",
        "trained": f"{len(trained):,}",
        "converged": f"{sum(bool(v.converged) for v in trained):,}",
        **_came_true(t.predicted_before),
        "agree": f"{t.claims.agree:,}",
        "diverge": f"{t.claims.diverge:,}",
        "not tested": f"{sum(is_untested(v, x) for v in trained for x in v.lengths):,}",
        "theorem true": f"{theorem.agree:,}" if theorem.tested else "-",
        "theorem false": f"{theorem.diverge:,}" if theorem.tested else "-",
        "only ours right": f"{t.wins_over_published:,}",
        "only the theorem": f"{t.losses_to_published:,}",
    }


def _rows(
    names: Iterable[str],
    found: Sequence[Found],
    names_of: Callable[[CellVerdict, LengthVerdict], Iterable[str]],
) -> list[list[str]]:
    """What became of today's claims (``_JUDGED``), a row for each name that any belongs to."""
    by_name: dict[str, list[Found]] = {name: [] for name in names}
    for v, x in found:
        if not is_silent(x):
            for name in names_of(v, x):
                by_name[name].append((v, x))
    counted = {name: _numbers(some) for name, some in by_name.items()}
    return [[name, *(f"{n:,}" for n in of)] for name, of in counted.items() if any(of)]


def _numbers(found: Sequence[Found]) -> tuple[int, ...]:
    """The numbers of ``_JUDGED``."""
    today = judged(x.verdict for _, x in found)
    stored = judged(x.verdict for _, x in found if x.stored)
    untested = sum(is_untested(v, x) for v, x in found)
    claims = today.tested + untested
    return claims, today.agree, today.diverge, untested, stored.agree, stored.diverge


def _by_inputs(found: Sequence[Found]) -> Table:
    """What became of today's claims by direction and class, and how many lengths carry one."""
    rows = []
    names = NAMES | {"natural": "natural length"}
    for (direction, inputs), kind in product(INPUTS.items(), CLASSES):
        there = [(v, x) for v, x in found if x.prediction.direction == direction]
        some = [(v, x) for v, x in there if class_of(v.cell.setting) == kind]
        if some:
            claims, agree, diverge, untested, *_ = _numbers(some)
            carry = f"{claims:,} ({claims / len(some):.0%})"
            counts = (f"{n:,}" for n in (agree, diverge, untested))
            rows.append([inputs, names[kind], f"{len(some):,}", carry, *counts])
    return Table(rows, ("inputs", "encoding", "lengths", "carry a claim", *_JUDGED[1:4]))


def _came_true(claims: Judged) -> dict[str, str]:
    """Three columns on claims that were stored before training."""
    return {
        "came true": f"{claims.agree:,}",
        "did not": f"{claims.diverge:,}",
        "share": _share(claims),
    }


def _by_cell(verdicts: Sequence[CellVerdict]) -> str:
    """In how many cells all claims came true, in a sentence: lengths of a cell are alike."""
    words = [{x.before for x in v.lengths} for v in verdicts]
    tested = [w for w in words if w & TESTED]
    true = sum(Verdict.DIVERGE not in w for w in tested)
    if not tested:
        return ""
    x = pooled([(true, len(tested))])
    return text(
        "by_cell",
        true=true,
        cells=len(tested),
        share=x.value,
        confidence=CONFIDENCE,
        low=x.low,
        high=x.high,
    )


def _is_new(v: CellVerdict, x: LengthVerdict) -> bool:
    return not (v.cell.setting.is_premise(x.digits) or x.prediction.follows_from_premise)


def _kind(x: LengthPrediction) -> str:
    """One of ``_KINDS``, or ``_RANGE``."""
    if x.accuracy is None:
        return _RANGE if x.claim == Claim.AT_MOST and x.at_least else x.claim
    if x.accuracy == 1:
        return "right on all"
    if x.accuracy >= 1 - FRACTIONAL:
        return "on nearly all"
    return "a fraction" if x.accuracy > FRACTIONAL else "on nearly none"


def _share(claims: Judged) -> str:
    return f"{claims.agree / claims.tested:.1%}" if claims.tested else "-"


def failed_claims(grid: str, v: CellVerdict) -> list[dict[str, str]]:
    """A row for each length of a cell at which a stored claim diverges, with the models there."""
    return [
        {
            "grid": grid,
            "cell": v.name,
            "digits": str(x.digits),
            "claimed": claim,
            "theory": ", ".join(dict.fromkeys(theory for theory, _ in models)),
            "measured": ", ".join(decimals(m.accuracy) for _, m in models),
            "as f^": ", ".join(decimals(m.learned_share) for _, m in models),
            "today": claimed_of(x),
            "by": " and ".join(x.prediction.because) or "-",
            "now": length_word(x),
        }
        for x in v.lengths
        if x.before == Verdict.DIVERGE
        for claim, models in _models_apart(v, x).items()
    ]


def _models_apart(v: CellVerdict, x: LengthVerdict) -> dict[str, list[FailedModel]]:
    """The models that do not do what was stored of them at a length, by what that was."""
    apart = defaultdict[str, list[FailedModel]](list)
    for model in v.by_model:
        [run] = model.runs
        told, measured = run.predicted and run.predicted.at(x.digits), run.at(x.digits)
        [here] = [y for y in model.lengths if y.digits == x.digits]
        if told and run.predicted and measured and here.before == Verdict.DIVERGE:
            apart[claim_text(told)].append((run.predicted.theory, measured))
    return apart
