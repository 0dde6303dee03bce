"""What decides whether ignored digits are ignored: the recipe with one thing as in the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from verify.plan.recipe import FACTORS, PAPER, RECIPE
from verify.records.runs import Run
from verify.reporting.report import Report
from verify.reporting.tables import count, table

ORDER = 75
Runs = Mapping[str, Sequence[Run]]
"""Models by the name of their recipe."""


def section(report: Report) -> list[str]:
    """How often answers follow f^ by recipe and cell, and a sentence for each factor."""
    if not report.others:
        return []
    names = {r.version: r.name for r in (RECIPE, *FACTORS, PAPER)}
    by_cell: dict[str, dict[str, list[Run]]] = {}
    for v in report.trained:
        for run in (*v.runs, *(run for run in report.others if run.cell.key == v.cell.key)):
            by_cell.setdefault(v.name, {}).setdefault(names[run.recipe], []).append(run)
    trained = [name for name in names.values() if any(name in x for x in by_cell.values())]
    rows = [
        {"cell": name} | {x: _text(runs[x]) if x in runs else "" for x in trained}
        for name, runs in by_cell.items()
    ]
    return [
        "## What decides",
        "The recipe with one thing as in arXiv 2407.17963, and that of the paper.",
        "\n".join(f"- {_sentence(name, by_cell)}" for name in trained if name != RECIPE.name),
        table(rows),
        "The share of answers that follow f^ one, two and three digits up, the mean of the models; "
        "in brackets those that met the premise, of all. Models that did not are left out where "
        "one did.",
    ]


def _sentence(recipe: str, by_cell: Mapping[str, Runs]) -> str:
    """What a recipe does to the cells that were trained by it and by the default one."""
    both = [runs for runs in by_cell.values() if recipe in runs and RECIPE.name in runs]
    here, there = ([x for runs in both for x in runs[name]] for name in (recipe, RECIPE.name))
    followed = [fmean(_followed(run)[-1] for run in _best(runs)) for runs in (here, there)]
    met = [f"{sum(x.converged for x in runs)} of {len(runs)}" for runs in (here, there)]
    return (
        f"`{recipe}`: {met[0]} models meet the premise (default {met[1]}), and at the longest "
        f"inputs f^ explains {followed[0]:.3f} of the answers (default {followed[1]:.3f}), in "
        f"{count(len(both), 'cell')}."
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
    trained = max(run.cell.setting.train.lengths)
    return [(m.learned or 0) / m.samples for m in run.measurements if m.digits > trained]
