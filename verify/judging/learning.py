"""The rules that speak of training: ``plateau`` of models that missed the premise, and ``leap``.

The first is of models of modular tasks, beside the plateaus that the theory counts; the second of
how soon a task is learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.directions import Direction
from arith.theory.learning.leap_complexity import setting_leaps
from arith.theory.learning.plateaus import Plateau, plateau_accuracy, setting_plateaus
from arith.theory.prediction.predict import Prediction
from arith.verify.judging.intervals import pooled
from arith.verify.judging.judge import CellVerdict, Verdict
from arith.verify.plan.premise import PREMISE
from arith.verify.records.runs import Run
from arith.verify.records.trajectory import learned_at

TOLERANCE = 0.05
"""How far a measured accuracy may be from a plateau: models stand near it, not on it."""
APART = 2 * TOLERANCE
"""How far a plateau has to be from the others for a measured accuracy to tell them apart."""
LEARNED, SOON = 0.9, 1000
"""A model has learned its task soon if it is right on this share in domain within so many steps.

Chosen to describe the evidence, in which late learners often leak; no other verdict depends on it.
"""


@dataclass(frozen=True)
class AtLength:
    """A plateau at one longer test length: its least and its largest accuracy, and the measured."""

    least: float
    most: float
    measured: float
    agrees: bool


@dataclass(frozen=True)
class Unconverged:
    """Where a model stands that missed the premise.

    Args:
        plateau: the nearest one within the judge's tolerance in domain, if any.
        longer: the same plateau by longer test length, where it was counted.
        verdict: undetermined past the last plateau (every digit is read, and the task is not
            learned all the same), and at a plateau that is too near another.
    """

    plateau: Plateau | None
    longer: dict[int, AtLength]
    verdict: Verdict

    @property
    def is_past(self) -> bool:
        """Whether the model is past the last plateau."""
        return self.plateau is None and self.verdict == Verdict.UNDETERMINED


def nearest_plateau(known: Sequence[Plateau], accuracy: float) -> Plateau | None:
    """The nearest plateau within the judge's tolerance, if any."""
    near = [x for x in known if abs(float(x.accuracy) - accuracy) <= TOLERANCE]
    return min(near, key=lambda x: abs(float(x.accuracy) - accuracy), default=None)


def unconverged(prediction: Prediction, run: Run) -> Unconverged | None:
    """Where a model stands; None if it met the premise, or the task has no known plateau."""
    s = prediction.setting
    known = () if run.premise >= PREMISE else setting_plateaus(s)
    if not known:
        return None
    plateau = nearest_plateau(known, run.premise)
    if plateau is None:
        past = run.premise > float(known[-1].accuracy)
        return Unconverged(None, {}, Verdict.UNDETERMINED if past else Verdict.DIVERGE)
    longer = {}
    upward = [m for m in run.measurements if s.train.direction(m.digits) == Direction.UPWARD]
    for m in upward if prediction.learned else ():
        bounds = plateau_accuracy(s.task, s.base, s.train, plateau, s.test(m.digits))
        if bounds is not None:
            least, most = map(float, bounds)
            measured = pooled([(m.correct, m.samples)])
            agrees = measured.low <= most + TOLERANCE and measured.high >= least - TOLERANCE
            longer[m.digits] = AtLength(least, most, measured.value, agrees)
    others = [x for x in known if x != plateau]
    if any(abs(float(x.accuracy - plateau.accuracy)) < APART for x in others):
        return Unconverged(plateau, longer, Verdict.UNDETERMINED)
    agrees = all(x.agrees for x in longer.values())
    return Unconverged(plateau, longer, Verdict.AGREE if agrees else Verdict.DIVERGE)


def plateau_verdicts(v: CellVerdict) -> list[Verdict]:
    """What the models of a cell that missed the premise say of the rule ``plateau``."""
    return [x.verdict for run in v.runs if (x := unconverged(v.prediction, run))]


def learned_step(run: Run) -> int | None:
    """The step at which a model had learned its task; None if never, or if that was not watched."""
    return learned_at(run.cell, run.trajectory, LEARNED) if run.trajectory else None


def is_soon(step: int | None) -> bool:
    """Whether a task was learned soon, going by its step."""
    return step is not None and step <= SOON


def task_leaps(v: CellVerdict) -> Decision:
    """Whether a cell's task leaps; undecided too where its encoding is another.

    It is not counted, which takes long, where no model tells how soon the task was learned.
    """
    return setting_leaps(v.cell.setting) if learning_steps(v) else Decision.UNDECIDED


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
