"""How a setting's task is learned: soon or late, and what is right before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arith.theory.arithmetic.decision import Decision
from arith.theory.arithmetic.exact_text import text_and_float
from arith.theory.learning.leap_complexity import CONSTANT, FEW, GAIN, setting_leaps
from arith.theory.learning.plateaus import Plateau, setting_plateaus
from arith.theory.setting.settings import Setting


@dataclass(frozen=True)
class Learnability:
    """What is known of how a task is learned.

    Args:
        leaps: whether it asks for more than ``FEW`` digits at once.
        plateaus: what a model is right on that has not learned it yet.
    """

    leaps: Decision
    plateaus: tuple[Plateau, ...]

    def to_json(self) -> dict[str, Any]:
        """As a JSON object; ``leaps`` is None where that was not counted."""
        known = [
            {"digits_read": x.read, **text_and_float("accuracy", x.accuracy)} for x in self.plateaus
        ]
        limits = {"digits": FEW, "gain": str(GAIN), "constant": str(CONSTANT)}
        return {"leaps": self.leaps.answer, "leap_limits": limits, "plateaus": known}


def learnability(s: Setting) -> Learnability:
    """How the task of a setting is learned."""
    return Learnability(setting_leaps(s), setting_plateaus(s))
