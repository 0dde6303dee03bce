"""Predictions of what a user asks."""

from __future__ import annotations

from typing import Any

from arith.theory.prediction.predict import Prediction, predict
from arith.theory.setting.requests import Request


def predicted(**words: Any) -> Prediction:
    """The prediction for the options of ``arith predict``."""
    return predict(Request(**words).setting())
