"""How soon models learned their task, and what that says of the rule ``leap``."""

from __future__ import annotations

from arith.theory.arithmetic.decision import Decision
from arith.theory.learning.leap_complexity import setting_leaps
from arith.verify.judging.judge import CellVerdict, Verdict
from arith.verify.records.runs import Run
from arith.verify.records.trajectory import learned_at

LEARNED, SOON = 0.9, 1000
"""A model has learned its task soon if it is right on this share in domain within so many steps.

Chosen to describe the evidence, in which late learners often leak; no other verdict depends on it.
"""


def learned_step(run: Run) -> int | None:
    """The step at which a model had learned its task; None if never, or if that was not watched."""
    return learned_at(run.cell, run.trajectory, LEARNED) if run.trajectory else None


def is_soon(step: int | None) -> bool:
    """Whether a task was learned soon, going by its step."""
    return step is not None and step <= SOON


def task_leaps(v: CellVerdict) -> Decision:
    """Whether a cell's task leaps; undecided too where its encoding is another."""
    return setting_leaps(v.cell.setting) if v.runs else Decision.UNDECIDED


def learning_steps(v: CellVerdict) -> list[tuple[CellVerdict, int | None]]:
    """Each model of a cell, judged by itself, and the step by which it had learned, if any.

    Models that were not tested on what they were trained on are left out.
    """
    steps = [(model, learned_step(model.runs[0])) for model in v.by_model]
    return [(model, at) for model, at in steps if at or model.runs[0].premise < LEARNED]


def leap_verdicts(v: CellVerdict) -> list[Verdict]:
    """What the models of a cell say of the rule ``leap``, which is silent on tasks that leap."""
    more = task_leaps(v)
    if more is Decision.UNDECIDED:
        return []
    soon = [is_soon(at) for _, at in learning_steps(v)]
    if more is Decision.YES:
        return [Verdict.UNDETERMINED] * len(soon)
    return [Verdict.AGREE if x else Verdict.DIVERGE for x in soon]
