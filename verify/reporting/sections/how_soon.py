"""How soon models with a learned position each learn, by what their task asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from theory.display.style import PALETTE, figure
from theory.display.tables import markdown_table
from verify.judging.judge import CellVerdict, LengthVerdict, Verdict, not_above
from verify.judging.learning_speed import LEARNED, SOON, is_soon, learning_steps, task_leaps
from verify.reporting.figures import WIDTH, name_rows
from verify.reporting.report import Report

ORDER = 70
ADDED, MULTIPLIED, MORE = "one or two, added", "one or two, multiplied", "three or more"
"""Digits at once, and what a task does with them."""
COLUMNS = (
    "digits at once",
    "tasks",
    "models",
    "learned soon",
    "not in budget",
    "median step",
    "longer lengths agree, soon",
    "later",
    "not above",
)
Models = Sequence[tuple[CellVerdict, int | None]]
"""Each model, judged by itself, and the step at which it had learned its task."""


def section(report: Report) -> str:
    """The steps until a task was learned, and what became of longer inputs, by kind of task."""
    kinds: dict[str, list[tuple[CellVerdict, int | None]]] = {ADDED: [], MULTIPLIED: [], MORE: []}
    for v in report.verdicts:
        more = task_leaps(v)
        if more is not None:
            few = ADDED if v.cell.setting.task.is_linear else MULTIPLIED
            kinds[MORE if more else few] += learning_steps(v)
    kinds = {kind: models for kind, models in kinds.items() if models}
    if MORE not in kinds or len(kinds) == 1:
        return ""
    _draw(kinds, report.folder / "how_soon.svg")
    late = kinds[MORE]
    soon = [model for kind, models in kinds.items() if kind != MORE for model in models]
    return "\n\n".join(
        [
            "## How soon",
            f"Within {SOON:,} steps {_soon(soon)} of {len(soon)} models had learned a task that "
            f"asks for one or two digits at once, and {_soon(late)} of {len(late)} one that asks "
            "for more.",
            "![Steps until a task is learned, by the digits it asks for at once](how_soon.svg)",
            markdown_table([_row(kind, models) for kind, models in kinds.items()], COLUMNS),
            "Models under APE. How many digits a task asks for at once "
            "(`theory/learning/leaps.py`) is counted, not fitted, but for the share of what is "
            "still unknown that a step has to gain, chosen after the fact. Learned means right in "
            f"domain on {LEARNED:.0%}. The last columns are of models that met the premise: at how "
            "many longer lengths the accuracy agrees with that of the expected function, for "
            "models that learned soon and for the others, and at how many it is at least not above "
            "it (the rule *leak*).",
        ]
    )


def _soon(models: Models) -> int:
    return sum(is_soon(at) for _, at in models)


def _row(kind: str, models: Models) -> list[str]:
    steps = [at for _, at in models if at]
    soon = _longer([model for model, at in models if is_soon(at)])
    later = _longer([model for model, at in models if not is_soon(at)])
    every = [*soon, *later]
    below = sum(not_above(x.accuracy, x.prediction.at_most) for x in every if x.accuracy)
    return [
        kind,
        str(len({model.cell.setting.task.text() for model, _ in models})),
        str(len(models)),
        str(_soon(models)),
        str(len(models) - len(steps)),
        f"{median(steps):,.0f}" if steps else "",
        _share(sum(x.learned_verdict == Verdict.AGREE for x in soon), soon),
        _share(sum(x.learned_verdict == Verdict.AGREE for x in later), later),
        _share(below, every),
    ]


def _longer(models: Sequence[CellVerdict]) -> list[LengthVerdict]:
    """The longer lengths at which the accuracy of the expected function was judged."""
    judged = (Verdict.AGREE, Verdict.DIVERGE)
    return [x for model in models for x in model.longer if x.learned_verdict in judged]


def _share(some: int, every: Sequence[LengthVerdict]) -> str:
    return f"{some} of {len(every)}" if every else ""


def _draw(kinds: Mapping[str, Models], path: Path) -> None:
    """The step of each model, or its budget where that was spent first; a row per kind of task."""
    with figure(path, WIDTH, 0.8 * len(kinds) + 1.0) as drawn:
        drawn.set_layout_engine("tight")
        ax = drawn.subplots()
        name_rows(ax, list(kinds))
        for row, models in enumerate(kinds.values()):
            places = row + np.linspace(-0.35, 0.35, len(models))
            for place, (model, at) in zip(places, models, strict=True):
                mark, step = ("x", model.runs[0].budget) if at is None else ("o", at)
                ax.plot([step], [place], mark, color=PALETTE[at is None], ms=3, alpha=0.7)
        for i, (mark, label) in enumerate((("o", "learned"), ("x", "not within its budget"))):
            ax.plot([], [], mark, color=PALETTE[i], ms=4, label=label)
        ax.set_xscale("log")
        ax.set_xlabel("steps")
        ax.set_ylabel("digits at once")
        ax.legend(fontsize=7, frameon=False, loc="upper right")
