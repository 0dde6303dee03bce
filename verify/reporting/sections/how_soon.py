"""How soon models with a learned position each learn, by what their task asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from arith.theory.display.markdown import Markdown
from arith.theory.display.style import FAINT, PALETTE
from arith.theory.display.text import count
from arith.theory.setting.decision import Decision
from arith.verify.judging.judge import CellVerdict
from arith.verify.judging.learning_speed import LEARNED, SOON, is_soon, learning_steps, task_leaps
from arith.verify.reporting.blocks import Block, Figure, Heading, Table
from arith.verify.reporting.figures import count_steps, named_rows
from arith.verify.reporting.report import Report
from arith.verify.reporting.totals import judged

ORDER = 70
ADDED = "one or two (tasks that add)"
MULTIPLIED = "one or two (tasks that multiply)"
MORE = "three or more"
Models = Sequence[tuple[CellVerdict, int | None]]
"""Each model, judged by itself, and the step at which it had learned its task."""


def section(report: Report) -> list[Block]:
    """The steps until a task was learned, and what became of longer inputs, by kind of task."""
    kinds: dict[str, list[tuple[CellVerdict, int | None]]] = {ADDED: [], MULTIPLIED: [], MORE: []}
    for v in report.verdicts:
        more = task_leaps(v)
        if more is not Decision.UNDECIDED:
            few = ADDED if v.cell.setting.task.is_linear else MULTIPLIED
            kinds[MORE if more is Decision.YES else few] += learning_steps(v)
    kinds = {kind: models for kind, models in kinds.items() if models}
    if MORE not in kinds or len(kinds) == 1:
        return []
    late = kinds[MORE]
    soon = [model for kind, models in kinds.items() if kind != MORE for model in models]
    return [
        Heading("How soon"),
        f"{_soon(soon)} of {count(len(soon), 'model')} whose task asks for one or two digits at "
        f"once (its leap complexity) had learned it within {SOON:,} steps, and {_soon(late)} of "
        f"{len(late)} whose task asks for more.",
        Figure(
            "Steps until a task is learned, by the digits it asks for at once",
            "how_soon.svg",
            lambda path: _draw(kinds, path),
        ),
        Table([_row(kind, models) for kind, models in kinds.items()]),
        Markdown(
            "Models under APE. How many digits a task asks for at once "
            "(`theory/learning/leap_complexity.py`) is counted, not fitted; only the threshold of "
            "1/10 in the rule *leap* was chosen after the fact. Learned means right in domain on "
            f"{LEARNED:.0%}; *median step*, when that was. The last columns are of models that met "
            "the premise: at how many longer lengths the accuracy agrees with that of the expected "
            "function, for models that learned soon and for the others."
        ),
    ]


def _soon(models: Models) -> int:
    return sum(is_soon(at) for _, at in models)


def _row(kind: str, models: Models) -> dict[str, str]:
    steps = [at for _, at in models if at]
    return {
        "digits at once": kind,
        "tasks": str(len({model.cell.setting.task.text() for model, _ in models})),
        "models": str(len(models)),
        "learned soon": str(_soon(models)),
        "not learned": str(len(models) - len(steps)),
        "median step": f"{median(steps):,.0f}" if steps else "",
        "agree, learned soon": _agreeing([model for model, at in models if is_soon(at)]),
        "agree, learned later": _agreeing([model for model, at in models if not is_soon(at)]),
    }


def _agreeing(models: Sequence[CellVerdict]) -> str:
    """At how many longer lengths models agree, of those judged: ``1 of 3``."""
    claims = judged(x.verdict for model in models for x in model.longer)
    return f"{claims.agree} of {claims.tested}" if claims.tested else ""


def _draw(kinds: Mapping[str, Models], path: Path) -> None:
    """The step of each model, or its budget where that was spent first, in ascending order."""
    label = "training steps until the task was learned, or of the whole budget"
    names = [f"{kind}: {_soon(models)} of {len(models)} soon" for kind, models in kinds.items()]
    with named_rows(path, names, label, inches=0.8) as [ax]:
        for row, models in enumerate(kinds.values()):
            ends = sorted((at or model.runs[0].budget, at is None) for model, at in models)
            steps, is_spent = np.array(ends).T
            places = row + np.linspace(0.35, -0.35, len(ends) + 2)[1:-1]
            marks = (("o", PALETTE[0], "a model"), ("X", PALETTE[1], "not learned in its budget"))
            for spent, (mark, colour, what) in enumerate(marks):
                some = is_spent == spent
                style: Any = {"color": colour, "ms": 4 + 3 * spent, "label": what}
                if some.any():
                    ax.plot(steps[some], places[some], mark, **style)
        ax.axvline(SOON, color=FAINT, lw=0.8, ls="--", label=f"soon: by {SOON:,} steps")
        count_steps(ax, (1, 2, 5))
