"""How models fared by the course of their training: whether it settled, how soon it learned.

Described beside the verdicts, model by model; no verdict depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tabulate import tabulate

from theory.learning.leaps import leaps
from theory.setting.directions import Direction
from verify.judging.judge import (
    AGREE,
    DIVERGE,
    UNDECIDED,
    CellVerdict,
    LengthVerdict,
    judge,
    not_above,
)
from verify.records.runs import Run
from verify.records.trajectory import learned_at
from verify.reporting import pictures

LEARNED, SOON = 0.9, 1000
"""A model has learned its task soon if it is right on this share in domain within so many steps.

Chosen to describe the evidence, in which late learners often leak; no verdict depends on it.
"""


def by_training(verdicts: Sequence[CellVerdict]) -> list[str]:
    """A line for each question: how models fared whose training went one way or the other."""
    ended: Counter[tuple[str, str]] = Counter()
    learned: Counter[tuple[str, str]] = Counter()
    whole = "those that met the premise when their budget was spent"
    alone = "those whose training ended by itself (long enough under all of the dropout)"
    soon = f"those that were right in domain on {LEARNED:.0%} within {SOON:,} steps"
    late = "those that took longer"
    unknown = 0
    for v in verdicts:
        for run in v.converged:
            found = [x.exact for x in judge(v.cell, [run], v.prediction).lengths]
            ended.update((alone if run.settled else whole, x) for x in found)
            at = _step(v, run)
            unknown += not at
            if at:
                learned.update((soon if at <= SOON else late, x) for x in found)
    rest = " The two thresholds were chosen after the fact."
    if unknown:
        rest += f" ({unknown} models were not tested on what they were trained on.)"
    return [
        *_fared("Settled or not", ended, (alone, whole)),
        *(line + rest for line in _fared("Learned soon or late", learned, (soon, late))),
    ]


def _fared(what: str, counts: Counter[tuple[str, str]], kinds: Sequence[str]) -> list[str]:
    """At how many lengths the models of each kind agree."""
    judged = {kind: counts[kind, AGREE] + counts[kind, DIVERGE] for kind in kinds}
    parts = [f"{k} agree at {counts[k, AGREE]} of {n} lengths" for k, n in judged.items() if n]
    return [f"- **{what}**: model by model, {', '.join(parts)}."] if parts else []


def leap_verdicts(v: CellVerdict) -> list[str]:
    """What the models of a cell say of the rule ``leap``, which is silent on tasks that leap."""
    return [
        UNDECIDED if more else AGREE if at is not None and at <= SOON else DIVERGE
        for more, _, at in _learned(v)
    ]


def _learned(v: CellVerdict) -> list[tuple[bool, Run, int | None]]:
    """Whether the task leaps, each model, and the step at which it had learned it, None if never.

    Without those of other encodings, and those that were not tested on what they were trained on.
    """
    s = v.cell.setting
    more = leaps(s.task, s.base, s.train) if s.encoding.own_positions and v.runs else None
    if more is None:
        return []
    found = [(run, _step(v, run)) for run in v.runs]
    return [(more, run, at) for run, at in found if at or run.premise < LEARNED]


def _step(v: CellVerdict, run: Run) -> int | None:
    """The step at which a model had learned its task; None if never, or if that was not watched."""
    return learned_at(v.cell, run.trajectory, LEARNED) if run.trajectory else None


def learned_late(v: CellVerdict, run: Run) -> bool:
    """Whether a model is known to have learned its task later than soon."""
    return (_step(v, run) or 0) > SOON


def how_soon(verdicts: Sequence[CellVerdict], folder: Path) -> str:
    """How soon models with a learned position each learn, by what their task asks for; as Markdown."""
    models: dict[str, list[tuple[CellVerdict, Run, int | None]]] = {kind: [] for kind in ASKED}
    for v in verdicts:
        for more, run, at in _learned(v):
            few = ADDED if v.cell.setting.task.is_linear else MULTIPLIED
            models[MORE if more else few].append((v, run, at))
    if not models[MORE] or not (models[ADDED] or models[MULTIPLIED]):
        return ""
    models = {kind: found for kind, found in models.items() if found}
    rows = []
    for kind, found in models.items():
        steps = sorted(at for _, _, at in found if at)
        longer = {True: list[LengthVerdict](), False: list[LengthVerdict]()}  # by: learned soon
        for v, run, at in found:
            longer[at is not None and at <= SOON] += [
                x
                for x in judge(v.cell, [run], v.prediction).lengths
                if x.exact in (AGREE, DIVERGE) and x.prediction.direction == Direction.UPWARD
            ]
        every = [*longer[True], *longer[False]]
        below = sum(not_above(x.accuracy, x.prediction.at_most) for x in every if x.accuracy)
        rows.append(
            [
                kind,
                len({v.cell.setting.task.text() for v, _, _ in found}),
                len(found),
                sum(at <= SOON for at in steps),
                len(found) - len(steps),
                f"{median(steps):,.0f}" if steps else "",
                *(_agreeing(longer[soon]) for soon in (True, False)),
                f"{below} of {len(every)}" if every else "",
            ]
        )
    points = {kind: [(at, r.budget) for _, r, at in found] for kind, found in models.items()}
    pictures.how_soon(points, folder / "how_soon.svg")
    soon = {kind: [at is not None and at <= SOON for at, _ in x] for kind, x in points.items()}
    late = soon.pop(MORE)
    few_soon = [x for found in soon.values() for x in found]
    return "\n\n".join(
        [
            "## How soon",
            f"Within {SOON:,} steps {sum(few_soon)} of {len(few_soon)} models had learned a task that asks for one or "
            f"two digits at once, and {sum(late)} of {len(late)} one that asks for more.",
            "![Steps until a task is learned, by the digits it asks for at once](how_soon.svg)",
            tabulate(rows, COLUMNS, tablefmt="github", disable_numparse=True),
            "Models under APE. How many digits a task asks for at once (`theory/learning/leaps.py`) is counted, not fitted, but "
            "for the share of what is still unknown that a step has to gain, chosen after the fact. Learned is right "
            f"in domain on {LEARNED:.0%}. At longer lengths, of models that met the premise, the accuracy agrees with "
            "that of the expected function (those that learned soon, and those that did later), or at least is not "
            "above it (the rule *leak*).",
        ]
    )


def _agreeing(lengths: Sequence[LengthVerdict]) -> str:
    """At how many lengths the answers are the learned function's."""
    return f"{sum(x.exact == AGREE for x in lengths)} of {len(lengths)}" if lengths else ""


ADDED, MULTIPLIED, MORE = "one or two, added", "one or two, multiplied", "three or more"
ASKED = (ADDED, MULTIPLIED, MORE)
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
