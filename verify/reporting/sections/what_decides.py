"""What decides whether ignored digits are ignored: the recipe with one thing changed."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from arith.theory.display.markdown import Markdown
from arith.theory.display.style import FAINT, PALETTE
from arith.theory.display.text import count
from arith.verify.judging.standards import TOLERANCE
from arith.verify.plan.recipe import BY_VERSION, DENSE, FACTORS, PAPER, RECIPE, TWO_STAGE, Recipe
from arith.verify.records.runs import Run
from arith.verify.reporting.blocks import Block, Figure, Heading, Items, Table
from arith.verify.reporting.figures import MISSED, named_rows
from arith.verify.reporting.report import Report

ORDER = 1
MOST_DRAWN = 24
"""Cells in the picture: of more the sentences and the table say it."""
_RECIPES = {DENSE.version: DENSE, **BY_VERSION}  # that which others are compared with first
Runs = Mapping[str, Sequence[Run]]
"""Models of a cell by the version of their recipe."""
Pairs = Sequence[tuple[Run, Run]]
"""Models of one cell by a recipe and by dense noise, of the same seeds."""


def section(report: Report) -> list[Block]:
    """How often answers follow f^ by recipe and cell, and a sentence for each factor.

    Beside models of the usual recipes those of dense noise alone decide nothing.
    """
    if all(run.recipe == DENSE.version for run in report.others):
        return []
    found: dict[str, dict[str, list[Run]]] = {}
    for v in report.verdicts:
        for run in (*v.runs, *report.others_of(v)):
            if _followed(run):
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
        lambda path: _draw(by_cell, [_RECIPES[x] for x in trained], path),
    )
    rows = [
        {"cell": name} | {_RECIPES[x].name: _text(runs[x]) if x in runs else "" for x in trained}
        for name, runs in by_cell.items()
    ]
    models = [run for runs in by_cell.values() for x in runs.values() for run in x]
    return [
        Heading("What decides"),
        Markdown(
            f"{_answer(compared)}Each recipe is `{DENSE.name}` with one thing changed, its noise "
            f"or another; but `{PAPER.name}` has all as in arXiv 2407.17963, and "
            f"`{TWO_STAGE.name}` several changed."
        ),
        *([picture] if len(by_cell) <= MOST_DRAWN else []),
        Items([_sentence(x, pairs[x], *shares) for x, shares in compared.items()]),
        f"{count(len(models), 'model')}. A sentence compares models of the same cell and seed, "
        "each cell counted once. In the table: the share of answers that follow f^ one digit up, "
        "two, and so on, the mean of the models; in brackets those that met the premise, of all. "
        "Models that did not are left out where one did. An empty place: not trained so.",
        Table(rows),
    ]


def _pairs(runs: Runs, recipe: str) -> Pairs:
    """The pairs of a cell in which both met the premise, or all where there is none."""
    usual = {run.seed: run for run in runs.get(DENSE.version, ())}
    pairs = [(run, usual[run.seed]) for run in runs.get(recipe, ()) if run.seed in usual]
    return [p for p in pairs if all(run.converged for run in p)] or pairs


def _shares(cells: Sequence[Pairs]) -> tuple[float, float]:
    """The share of answers to the longest inputs that follow f^, by either recipe."""
    here, there = (fmean(fmean(_followed(p[i])[-1] for p in c) for c in cells) for i in (0, 1))
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
    return Markdown(
        f"`{recipe.name}` ({recipe.about}): f^ explains {here:.3f} of the answers at the longest "
        f"inputs (`{DENSE.name}`, same seeds: {there:.3f}), in {count(len(pairs), 'model')} of "
        f"{count(len(cells), 'cell')}{note}."
    )


def _text(runs: Sequence[Run]) -> str:
    """``1.000 0.998 0.990 (3/3)``."""
    shares = [fmean(at) for at in zip(*map(_followed, _best(runs)), strict=True)]
    met = f"({sum(x.converged for x in runs)}/{len(runs)})"
    return " ".join([*(f"{x:.3f}" for x in shares), met])


def _best(runs: Sequence[Run]) -> list[Run]:
    """Those that met the premise, or all where none did."""
    return [run for run in runs if run.converged] or list(runs)


def _followed(run: Run) -> list[float]:
    """The share of answers that follow f^ at each longer length."""
    trained = run.cell.setting.train.every_length[-1]
    longer = (m for m in run.measurements if m.digits > trained)
    return [m.learned / m.samples for m in longer if m.learned is not None]


def _draw(by_cell: Mapping[str, Runs], recipes: Sequence[Recipe], path: Path) -> None:
    """A row for each recipe, a panel for each cell: every model at the longest inputs."""
    names = [x.about for x in recipes]
    tasks = [name.split(" · ")[0].replace(" mod ", " mod\xa0") for name in by_cell]
    titles = [textwrap.fill(task, 22 if len(tasks) < 5 else 12) for task in tasks]
    label = "share of the answers to the longest inputs that follow f^"
    with named_rows(path, names, label, titles) as axes:
        for ax, runs in zip(axes, by_cell.values(), strict=True):
            for row, recipe in enumerate(recipes):
                for run in runs.get(recipe.version, ()):
                    style: Any = {"color": PALETTE[0], "label": "a model that met the premise"}
                    if not run.converged:
                        style = {"color": PALETTE[1], "label": MISSED}
                    mark = "o" if run.converged else "X"
                    ax.plot(_followed(run)[-1:], [row], mark, ms=5, alpha=0.7, **style)
            ax.axvline(1, color=FAINT, lw=0.8, ls=":")
            ax.set_xlim(-0.04, 1.04)
            ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
