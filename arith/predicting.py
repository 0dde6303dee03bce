"""``predict``: what a model will do on shorter and longer inputs, without training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from arith.keywords import read, takes
from arith.printing import Part, prediction_parts
from arith.shown import Shown
from arith.theory.prediction.lengths import LengthPrediction
from arith.theory.prediction.predict import Prediction
from arith.theory.prediction.predict import predict as predict_setting
from arith.theory.setting.requests import Request, setting_columns
from arith.theory.setting.settings import Setting


@dataclass(frozen=True, repr=False)
class Predicted(Shown):
    """A prediction, shown as ``arith predict`` prints it.

    Args:
        prediction: all of it: each length, the expected function, the derivation.
        explained: whether the derivation is shown in place of the table.
    """

    prediction: Prediction
    explained: bool = False

    @property
    def setting(self) -> Setting:
        """What was asked."""
        return self.prediction.setting

    @property
    def lengths(self) -> tuple[LengthPrediction, ...]:
        """What is predicted at each test length."""
        return self.prediction.lengths

    @property
    def accuracy(self) -> dict[int, Fraction | None]:
        """The exact accuracy that is claimed, by test length; None where none is."""
        return {x.digits: x.accuracy for x in self.lengths}

    @property
    def function(self) -> str | None:
        """What a converged model is expected to compute; None where training leaves it open."""
        return self.prediction.learned_text

    def explain(self) -> Predicted:
        """The same, shown with its derivation, as ``arith predict --explain`` prints it."""
        return replace(self, explained=True)

    def parts(self) -> list[Part]:
        """The answer; then the table of lengths, or each step to it with its source."""
        return prediction_parts(self.prediction, self.explained)

    def records(self) -> list[dict[str, Any]]:
        """The setting, and the lengths of ``arith predict --json``."""
        asked = setting_columns(self.setting)
        return [asked | length for length in self.prediction.to_json()["lengths"]]


@takes(Request)
def predict(task: str | None = None, **options: Any) -> Predicted:
    """Predict how a model does on shorter and longer inputs, as ``arith predict`` does.

    Lengths may be numbers, lists, ranges or text: ``train_digits=2``, ``test_digits=range(1, 9)``.

    Raises:
        InvalidInput: an unknown name, or a value that no setting can have.
    """
    return Predicted(predict_setting(read(Request, {"task": task, **options}).setting()))
