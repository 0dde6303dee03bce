"""The sections on noise: what makes models ignore digits, and which tests tell that they do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean
from typing import TypeVar

from arith.theory.observation.support import support
from arith.theory.text.text import count
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.premises import least_kept_then, required_stability_then
from arith.verify.judging.standards import MECHANISM, TOLERANCE, explains, meets
from arith.verify.plan.premise import INDIFFERENT, SEEN_STEADY, STEADY, least_kept
from arith.verify.plan.recipe import BY_VERSION, DENSE, FACTORS, PAPER, RECIPE, TWO_STAGE, Recipe
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import Block, Figure, Heading, Items, Table, text
from arith.verify.reporting.markdown import Markdown
from arith.verify.reporting.plots import CROSSED, MISSED, MODEL, Mark, draw_rows
from arith.verify.reporting.report import Report

T = TypeVar("T")
MOST_DRAWN = 24
"""Cells in the figure of recipes: of more the sentences and the table say it."""
FOLLOWS = 1 - TOLERANCE
"""The share of answers from which a model counts as following f^."""
_UP = {1: "one digit up", 2: "two", 3: "three"}
_APART, _IGNORED, _SEEN = "digits never shown together", "ignored digits", "has to be seen"
"""Claims on stable models: what decides them, or that stability has to be measured."""
_RECIPES = {DENSE.version: DENSE, **BY_VERSION}  # that which others are compared with first
Runs = Mapping[str, Sequence[Run]]
"""Models of a cell by the version of their recipe."""
Pairs = Sequence[tuple[Run, Run]]
"""Models of one cell by a recipe and by dense noise, of the same seeds."""


def what_decides(report: Report) -> list[Block]:
    """How often answers follow f^ by recipe and cell, and a sentence for each factor.

    Beside models of the usual recipes those of dense noise alone decide nothing.
    """
    if all(run.recipe == DENSE.version for run in report.others):
        return []
    found: dict[str, dict[str, list[Run]]] = {}
    for v in report.verdicts:
        for run in filter(followed, report.all_of(v)):
            found.setdefault(v.name, {}).setdefault(run.recipe, []).append(run)
    by_cell = {name: runs for name, runs in found.items() if set(runs) - {DENSE.version}}
    if not by_cell:
        return []
    trained = [x for x in _RECIPES if any(x in runs for runs in by_cell.values())]
    pairs = {
        _RECIPES[x]: [p for runs in by_cell.values() if (p := _pairs(runs, x))]
        for x in trained
        if x != DENSE.version
    }
    compared = {x: _shares(cells) for x, cells in pairs.items() if cells}
    picture = Figure(
        "Answers that follow f^, by recipe",
        "what_decides.svg",
        lambda path: draw_rows(
            path,
            [_RECIPES[x].about for x in trained],
            [_recipe_panel(name, runs, trained) for name, runs in by_cell.items()],
            "share of the answers to the longest inputs that follow f^",
        ),
    )
    rows = [
        {"cell": name} | {_RECIPES[x].name: _text(runs[x]) if x in runs else "" for x in trained}
        for name, runs in by_cell.items()
    ]
    models = sum(len(some) for runs in by_cell.values() for some in runs.values())
    return [
        Heading("What decides"),
        text(
            "recipes",
            answer=_answer(compared),
            dense=DENSE.name,
            paper=PAPER.name,
            two_stage=TWO_STAGE.name,
        ),
        *([picture] if len(by_cell) <= MOST_DRAWN else []),
        Items([_sentence(x, pairs[x], *shares) for x, shares in compared.items()]),
        text("recipes_compared", number=count(models, "model")),
        Table(rows),
    ]


def followed(run: Run) -> list[float]:
    """The share of answers that follow f^ at each longer length."""
    trained = run.cell.setting.train.every_length[-1]
    longer = (m.learned_share for m in run.measurements if m.digits > trained)
    return [share for share in longer if share is not None]


def _pairs(runs: Runs, recipe: str) -> Pairs:
    """The pairs of a cell in which both met the premise, or all where there is none."""
    usual = {run.seed: run for run in runs.get(DENSE.version, ())}
    pairs = [(run, usual[run.seed]) for run in runs.get(recipe, ()) if run.seed in usual]
    return [p for p in pairs if all(run.converged for run in p)] or pairs


def _shares(cells: Sequence[Pairs]) -> tuple[float, float]:
    """The share of answers to the longest inputs that follow f^, by either recipe."""
    here, there = (fmean(fmean(followed(p[i])[-1] for p in c) for c in cells) for i in (0, 1))
    return here, there


def _answer(compared: Mapping[Recipe, tuple[float, float]]) -> str:
    """Which single change costs most; if none costs anything, which helps most; if any matters."""
    lost = {x: there - here for x, (here, there) in compared.items() if x in (RECIPE, *FACTORS)}
    if not lost:
        return ""
    if max(map(abs, lost.values())) <= TOLERANCE:
        return (
            f"No one change moves the share that f^ explains by more than {TOLERANCE:g} here, in "
            "the mean of these cells. "
        )
    harms = max(lost.values()) > 0
    most = (max if harms else min)(lost, key=lambda x: lost[x])
    here, there = compared[most]
    return (
        f"One change {'costs' if harms else 'helps'} most, {most.about}: at the longest inputs f^ "
        f"explains {here:.3f} of the answers in place of {there:.3f}. "
    )


def _sentence(recipe: Recipe, cells: Sequence[Pairs], here: float, there: float) -> Markdown:
    """What a recipe does to the models that were trained by it and by dense noise."""
    pairs = [pair for cell in cells for pair in cell]
    missed = sum(not run.converged for run, _ in pairs)
    note = f"; {missed} of {len(pairs)} missed the premise" if missed else ""
    return text(
        "recipe",
        name=recipe.name,
        about=recipe.about,
        here=here,
        dense=DENSE.name,
        there=there,
        models=count(len(pairs), "model"),
        cells=count(len(cells), "cell"),
        note=note,
    )


def _text(runs: Sequence[Run]) -> str:
    """``1.000 0.998 0.990 (3/3)``: the models that met the premise, or all where none did."""
    met = [run for run in runs if run.converged]
    shares = [fmean(at) for at in zip(*map(followed, met or runs), strict=True)]
    return " ".join([*(f"{x:.3f}" for x in shares), f"({len(met)}/{len(runs)})"])


def _recipe_panel(name: str, runs: Runs, recipes: Sequence[str]) -> tuple[str, list[Mark]]:
    """A cell's task and encoding, and its models at the longest inputs, a row for each recipe."""
    marks = [
        Mark(
            row,
            followed(run)[-1:],
            "a model that met the premise" if run.converged else MISSED,
            MODEL if run.converged else CROSSED,
        )
        for row, recipe in enumerate(recipes)
        for run in runs.get(recipe, ())
    ]
    title = ", ".join(name.split(" · ")[:2]).replace(" mod ", " mod\xa0")
    return textwrap.fill(title, 14), marks


def indifference(report: Report) -> list[Block]:
    """How many models follow f^ on longer inputs, by how many answers they kept in the test."""
    found = [
        (run.indifference, shares)
        for v in report.trained
        for run in v.converged
        if run.indifference is not None and (shares := _followed_or_open(v, run))
    ]
    if not found:
        return []
    rows = _by_kept(found, INDIFFERENT)
    kept, *others = rows.values()
    rest = [shares for models in others for shares in models]
    return [
        Heading("Noise invariance"),
        f"Of {count(len(kept), 'model')} that kept all answers when ignored digits were disturbed "
        f"in domain, {_following(kept)} follow f^ at every longer length tested"
        + (f"; of {len(rest)} that did not, {_following(rest)}." if rest else "."),
        Table([_indifference_row(name, some) for name, some in rows.items() if some]),
        text("indifference", follows=FOLLOWS),
    ]


def _followed_or_open(v: CellVerdict, run: Run) -> dict[int, float]:
    """By how many digits are too many, the share of answers that follow f^ or need not.

    Of the lengths whose claim rests on ignored digits.
    """
    asked = {
        x.digits: float(x.prediction.unseen)
        for x in v.longer
        if x.prediction.requires_noise_invariance
    }
    trained = max(v.cell.setting.train.every_length)
    return {
        m.digits - trained: m.learned_share + asked[m.digits]
        for m in run.measurements
        if m.digits in asked and m.learned_share is not None
    }


def _following(models: Sequence[dict[int, float]]) -> int:
    return sum(min(shares.values()) >= FOLLOWS for shares in models)


def _indifference_row(name: str, models: Sequence[dict[int, float]]) -> dict[str, str]:
    cells = {"answers kept": name, "models": str(len(models))}
    for up, word in _UP.items():
        cells[f"follow f^ {word}"] = _of([x[up] >= FOLLOWS for x in models if up in x])
    return cells


def _of(found: Sequence[bool], nothing: str = "") -> str:
    """``3 of 4``, or other words for none of none."""
    return f"{sum(found)} of {len(found)}" if found else nothing


def _by_kept(
    found: Iterable[tuple[float, T]], least: float, firm: float | None = None
) -> dict[str, list[T]]:
    """What was found of models, as the rows of a table, by the share of answers that they kept.

    Args:
        found: the share that was kept, and what was found.
        least: the share from which a model is judged.
        firm: a higher share, above which models have a row of their own.
    """
    names = {least: f"{least:g} or more, not all"}
    if firm is not None:
        names = {firm: f"{firm:g} or more, not all", least: f"{least:g} or more, not {firm:g}"}
    names = {1.0: "all", **names, 0.0: f"less than {least:g}: not judged"}
    rows: dict[str, list[T]] = {name: [] for name in names.values()}
    for kept, x in found:
        rows[next(name for share, name in names.items() if kept >= share)].append(x)
    return rows


def learned_noise(report: Report) -> list[Block]:
    """How many models gave the most noise to the digits that are not needed, and a row per cell."""
    found = [
        (v.name, recipe.name, shares)
        for v, recipe in product(report.verdicts, BY_VERSION.values())
        if (shares := _noise_shares(v, [r for r in report.all_of(v) if r.recipe == recipe.version]))
    ]
    if not found:
        return []
    models = [of_model for *_, shares in found for of_model in shares]
    apart = sum(max(needed) < min(others) for needed, others in models)
    return [
        Heading("Learned noise"),
        f"In {apart} of {count(len(models), 'model')} each operand digit that theory says is not "
        "needed got more noise than each that is.",
        Table([_noise_row(*x) for x in found]),
        text("learned_noise"),
    ]


def _noise_shares(v: CellVerdict, runs: Sequence[Run]) -> list[tuple[list[float], list[float]]]:
    """Of each model that converged the shares of the needed digits, and of the others."""
    s, learned = v.cell.setting, [run.noise for run in runs if run.converged and run.noise]
    if s.natural or not learned:  # of natural lengths a place does not say which digit it is
        return []
    needed = set(support(s.task, s.train, s.base).needed)
    tokens = v.cell.training_format.tokens[:-1]
    operands = [(i, (t.operand, t.position)) for i, t in enumerate(tokens) if t.kind == "operand"]

    def shares(noise: Sequence[float], of_needed: bool) -> list[float]:
        return [noise[i] for i, digit in operands if (digit in needed) == of_needed]

    both = [(shares(noise, True), shares(noise, False)) for noise in learned]
    return [x for x in both if all(x)]


def _noise_row(
    cell: str, recipe: str, models: list[tuple[list[float], list[float]]]
) -> dict[str, str]:
    needed, others = ([x for of_model in models for x in of_model[i]] for i in (0, 1))
    return {
        "cell": cell,
        "recipe": recipe,
        "needed": f"{min(needed):.2f} to {max(needed):.2f}",
        "not needed": f"{min(others):.2f} to {max(others):.2f}",
        "models": str(len(models)),
    }


def steadiness(report: Report) -> list[Block]:
    """How many measurements are as predicted, by how many answers were kept in the test."""
    found = [one for v in report.trained for one in _tried(v)]
    if not found:
        return []
    tables = {
        kind: _by_kept([(x.kept, x.right) for x in some], STEADY, SEEN_STEADY)
        for kind in (_APART, _IGNORED, _SEEN)
        if (some := [x for x in found if x.kind == kind])
    }
    names = list(next(iter(tables.values())))
    since = [(x.firm_then, x.right) for x in found if x.firm_then is not None]
    return [
        Heading("Stability"),
        f"Of {_outcome([(x.firm, x.right) for x in found])} Enough are {STEADY:g} of them, and "
        f"{SEEN_STEADY:g} where only models that were measured to be stable are spoken of.",
        "Counting only models that were trained since this is a premise, by what it asked then: "
        + _outcome(since),
        Table(
            [
                {"answers kept": name} | {kind: _of(t[name], "-") for kind, t in tables.items()}
                for name in names
                if any(t[name] for t in tables.values())
            ]
        ),
        Markdown(
            text("steadiness", tolerance=TOLERANCE, mechanism=MECHANISM)
            + (
                f" *{_SEEN}*: claims that speak only of models measured to be stable (rules "
                f"*shared parameters* and *neighbours*); those that kept less than {SEEN_STEADY:g} "
                "are not judged there."
                if _SEEN in tables
                else ""
            )
        ),
    ]


@dataclass(frozen=True)
class _Tried:
    """What one model did at one length.

    Args:
        kind: of the claim, a column of the table.
        kept: the share of answers that stayed.
        right: whether its accuracy is as predicted.
        firm: whether so many answers stayed as the claim asks for.
        firm_then: as it asked before the model was trained; None where it did not ask.
    """

    kind: str
    kept: float
    right: bool
    firm: bool
    firm_then: bool | None


def _outcome(found: Sequence[tuple[bool, bool]]) -> str:
    """How many are as predicted, of those of which enough answers stayed and of the others.

    Args:
        found: whether so many answers stayed, and whether it is as predicted.
    """
    firm, others = ([right for is_firm, right in found if is_firm == x] for x in (True, False))
    return text(
        "steadiness_found",
        kept=count(len(firm), "measurement"),
        kept_right=sum(firm),
        others=len(others),
        others_right=sum(others),
    )


def _tried(v: CellVerdict) -> Iterator[_Tried]:
    """Of each model and each length where it was tried."""
    for x, run in product((x.prediction for x in v.lengths), v.converged):
        m, told, tried = run.at(x.digits), run.predicted, x.requires_measured_stability
        is_asked = x.requires_stability and x.accuracy is not None
        if not is_asked or m is None or m.steady is None:
            continue
        # Where there is no f^ any more, a former one was compared.
        compared = m if v.prediction.learned else replace(m, learned=None)
        goal, kept = float(x.accuracy or 0), min(1.0, m.steady + float(x.may_change))
        asked_then = told is not None and required_stability_then(x, told)
        yield _Tried(
            kind=_SEEN if tried else _APART if x.infers else _IGNORED,
            kept=kept,
            right=meets([m], goal, goal, float(x.unseen)) and explains([compared]),
            firm=kept >= least_kept(tried),
            firm_then=kept >= least_kept_then(told, tried) if told and asked_then else None,
        )
