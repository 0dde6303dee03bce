"""What was stored of a length before training: is it today's claim, and what does it rest on."""

from __future__ import annotations

from theory.inference.learned import LearnedFunction
from theory.inference.support import support
from theory.prediction.lengths import LengthPrediction, replaces
from theory.setting.settings import Setting
from verify.records.predicted import Predicted, PredictedLength


def is_stored(expected: LengthPrediction, told: Predicted | None) -> bool:
    """Whether what is claimed of a length is what was stored of it."""

    def claim(x: LengthPrediction | PredictedLength) -> tuple[object, ...]:
        return x.digits, x.accuracy, x.at_most, x.unseen_share or 0

    return told is not None and any(claim(x) == claim(expected) for x in told.lengths)


def rests_on_ignored(told: Predicted, setting: Setting, digits: int) -> bool:
    """Whether what was stored of a length rests on digits being ignored: f^ decides it, by them."""
    task = setting.task
    shown = LearnedFunction(support(task, setting.train, setting.base))
    return told.learned not in (None, task.formula()) and replaces(shown, setting.test(digits))
